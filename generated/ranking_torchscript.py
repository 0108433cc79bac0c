# Made by guardgen 0.1.0; do not edit, change the program and build again.
# For which arguments a trace is valid: function ranking of examples/ranking.py, traced at level call.
# Traced with grad mode on, default dtype torch.float32, default device cpu, autocast off.
# The module was in evaluation.
"""For which arguments a trace is valid: `check` and `check_shapes`, for `torch.jit.script`."""

from __future__ import annotations

from typing import List

import torch
from torch import Tensor

__all__ = ["check", "check_shapes"]


def check(tokens: Tensor, mask: Tensor) -> bool:
    """Whether the trace is valid for these arguments."""
    if tokens.dtype != torch.int64 or tokens.dim() != 2 or tokens.layout != torch.strided or not tokens.is_cpu:
        return False
    if mask.dtype != torch.float32 or mask.dim() != 2 or mask.layout != torch.strided or not mask.is_cpu:
        return False
    batch = tokens.size(0)
    length = tokens.size(1)
    mask_0 = mask.size(0)
    mask_1 = mask.size(1)
    if not _sizes(batch, length, mask_0, mask_1):
        return False
    return True


def check_shapes(tokens: List[int], mask: List[int]) -> bool:
    """Whether the trace is valid for tensors of these sizes, as far as sizes tell.

    Dtypes, devices, layouts, strides, the identity of tensors and what is in them are not looked at: `check` does.
    """
    if len(tokens) != 2:
        return False
    if len(mask) != 2:
        return False
    batch = tokens[0]
    length = tokens[1]
    mask_0 = mask[0]
    mask_1 = mask[1]
    if not _sizes(batch, length, mask_0, mask_1):
        return False
    return True


def _sizes(batch: int, length: int, mask_0: int, mask_1: int) -> bool:
    # dynamic_shapes: tokens.shape[0] is Dim("batch", min=1, max=64)
    if batch > 64 or batch < 1:
        return False
    # dynamic_shapes: tokens.shape[1] is Dim("length", min=1, max=512)
    # at examples/ranking.py:28: if tokens.shape[1] > POSITIONS:
    if length > 512 or length < 1:
        return False
    # dynamic_shapes: mask.shape[0] is Dim("batch", min=1, max=64)
    if batch != mask_0:
        return False
    # dynamic_shapes: mask.shape[1] is Dim("length", min=1, max=512)
    if length != mask_1:
        return False
    return True
