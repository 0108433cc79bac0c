# Made by guardgen 0.1.0; do not edit, change the program and build again.
# For which arguments a trace is valid: function mask_all of tests/golden/mask_all/program.py, traced at level call.
# Traced with grad mode on, default dtype torch.float32, default device cpu, autocast off.
"""For which arguments a trace is valid: `check` and `check_shapes`, for `torch.jit.script`."""

from __future__ import annotations

from typing import List

import torch
from torch import Tensor

__all__ = ["check", "check_shapes"]


def check(scores: Tensor, mask: Tensor) -> bool:
    """Whether the trace is valid for these arguments."""
    if scores.dtype != torch.float32 or scores.dim() != 2 or scores.layout != torch.strided or not scores.is_cpu:
        return False
    if mask.dtype != torch.bool or mask.dim() != 2 or mask.layout != torch.strided or not mask.is_cpu:
        return False
    value_0 = _value_0(mask)
    if not _data(value_0):
        return False
    return True


def check_shapes(scores: List[int], mask: List[int]) -> bool:
    """Whether the trace is valid for tensors of these sizes, as far as sizes tell.

    Dtypes, devices, layouts, strides, the identity of tensors and what is in them are not looked at: `check` does.
    """
    if len(scores) != 2:
        return False
    if len(mask) != 2:
        return False
    return True


def _data(value_0: bool) -> bool:
    # at tests/golden/mask_all/program.py:8: if mask.all():
    if not value_0:
        return False
    return True


def _value_0(mask: Tensor) -> bool:
    with torch.no_grad():
        t0 = torch.ops.aten.all(mask)
        b1 = t0.item()
        return bool(b1)
