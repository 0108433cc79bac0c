# Made by guardgen 0.1.0; do not edit, change the program and build again.
# For which arguments a trace is valid: function textbook_call of examples/textbook.py, traced at level call.
# Traced with grad mode on, default dtype torch.float32, default device cpu, autocast off.
"""For which arguments a trace is valid: `check` and `check_shapes`, for `torch.jit.script`."""

from __future__ import annotations

from typing import List

import torch
from torch import Tensor

__all__ = ["check", "check_shapes"]


def check(a: Tensor, b: Tensor) -> bool:
    """Whether the trace is valid for these arguments."""
    if a.dtype != torch.float32 or a.dim() != 1 or a.layout != torch.strided or not a.is_cpu:
        return False
    if b.dtype != torch.float32 or b.dim() != 1 or b.layout != torch.strided or not b.is_cpu:
        return False
    a_0 = a.size(0)
    b_0 = b.size(0)
    if not _sizes(a_0, b_0):
        return False
    return True


def check_shapes(a: List[int], b: List[int]) -> bool:
    """Whether the trace is valid for tensors of these sizes, as far as sizes tell.

    Dtypes, devices, layouts, strides, the identity of tensors and what is in them are not looked at: `check` does.
    """
    if len(a) != 1:
        return False
    if len(b) != 1:
        return False
    a_0 = a[0]
    b_0 = b[0]
    if not _sizes(a_0, b_0):
        return False
    return True


def _sizes(a_0: int, b_0: int) -> bool:
    # at examples/textbook.py:20: return a + b
    if a_0 != b_0 and a_0 != 1 and b_0 != 1:
        return False
    return True
