# Made by guardgen 0.1.0; do not edit, change the program and build again.
# For which arguments a trace is valid: function padding of tests/golden/padding/program.py, traced at level call.
# Traced with grad mode on, default dtype torch.float32, default device cpu, autocast off.
"""For which arguments a trace is valid: `check` and `check_shapes`, for `torch.jit.script`."""

from __future__ import annotations

from typing import List

import torch
from torch import Tensor

__all__ = ["check", "check_shapes"]


def check(x: Tensor) -> bool:
    """Whether the trace is valid for these arguments."""
    if x.dtype != torch.float32 or x.dim() != 2 or x.layout != torch.strided or not x.is_cpu:
        return False
    x_1 = x.size(1)
    if not _sizes(x_1):
        return False
    return True


def check_shapes(x: List[int]) -> bool:
    """Whether the trace is valid for tensors of these sizes, as far as sizes tell.

    Dtypes, devices, layouts, strides, the identity of tensors and what is in them are not looked at: `check` does.
    """
    if len(x) != 2:
        return False
    x_1 = x[1]
    if not _sizes(x_1):
        return False
    return True


def _sizes(x_1: int) -> bool:
    # at tests/golden/padding/program.py:10: if extra == 0:
    if x_1 % 64 == 0:
        return False
    return True
