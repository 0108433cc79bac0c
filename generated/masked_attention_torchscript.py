# Made by guardgen 0.1.0; do not edit, change the program and build again.
# For which arguments a trace is valid: function masked_attention of examples/attention.py, traced at level call.
# Traced with grad mode on, default dtype torch.float32, default device cpu, autocast off.
"""For which arguments a trace is valid: `check` and `check_shapes`, for `torch.jit.script`."""

from __future__ import annotations

from typing import List

import torch
from torch import Tensor

__all__ = ["check", "check_shapes"]


def check(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> bool:
    """Whether the trace is valid for these arguments."""
    if q.dtype != torch.float32 or q.dim() != 4 or q.layout != torch.strided or not q.is_cpu:
        return False
    if k.dtype != torch.float32 or k.dim() != 4 or k.layout != torch.strided or not k.is_cpu:
        return False
    if v.dtype != torch.float32 or v.dim() != 4 or v.layout != torch.strided or not v.is_cpu:
        return False
    if mask.dtype != torch.float32 or mask.dim() != 4 or mask.layout != torch.strided or not mask.is_cpu:
        return False
    q_0 = q.size(0)
    q_1 = q.size(1)
    q_2 = q.size(2)
    q_3 = q.size(3)
    k_0 = k.size(0)
    k_1 = k.size(1)
    k_2 = k.size(2)
    k_3 = k.size(3)
    v_0 = v.size(0)
    v_1 = v.size(1)
    v_2 = v.size(2)
    v_3 = v.size(3)
    mask_0 = mask.size(0)
    mask_1 = mask.size(1)
    mask_2 = mask.size(2)
    mask_3 = mask.size(3)
    if not _sizes(q_0, q_1, q_2, q_3, k_0, k_1, k_2, k_3, v_0, v_1, v_2, v_3, mask_0, mask_1, mask_2, mask_3):
        return False
    return True


def check_shapes(q: List[int], k: List[int], v: List[int], mask: List[int]) -> bool:
    """Whether the trace is valid for tensors of these sizes, as far as sizes tell.

    Dtypes, devices, layouts, strides, the identity of tensors and what is in them are not looked at: `check` does.
    """
    if len(q) != 4:
        return False
    if len(k) != 4:
        return False
    if len(v) != 4:
        return False
    if len(mask) != 4:
        return False
    q_0 = q[0]
    q_1 = q[1]
    q_2 = q[2]
    q_3 = q[3]
    k_0 = k[0]
    k_1 = k[1]
    k_2 = k[2]
    k_3 = k[3]
    v_0 = v[0]
    v_1 = v[1]
    v_2 = v[2]
    v_3 = v[3]
    mask_0 = mask[0]
    mask_1 = mask[1]
    mask_2 = mask[2]
    mask_3 = mask[3]
    if not _sizes(q_0, q_1, q_2, q_3, k_0, k_1, k_2, k_3, v_0, v_1, v_2, v_3, mask_0, mask_1, mask_2, mask_3):
        return False
    return True


def _sizes(
    q_0: int,
    q_1: int,
    q_2: int,
    q_3: int,
    k_0: int,
    k_1: int,
    k_2: int,
    k_3: int,
    v_0: int,
    v_1: int,
    v_2: int,
    v_3: int,
    mask_0: int,
    mask_1: int,
    mask_2: int,
    mask_3: int,
) -> bool:
    # at examples/attention.py:45: if k.shape != v.shape or q.shape[:2] != k.shape[:2]:
    if k_0 != v_0 or k_1 != v_1 or k_2 != v_2 or k_3 != v_3 or q_0 != k_0 or q_1 != k_1:
        return False
    # at examples/attention.py:28: if mask.shape != (b, 1, queries, keys):
    if mask_1 != 1 or q_0 != mask_0 or q_2 != mask_2 or k_2 != mask_3:
        return False
    # at examples/attention.py:30: scores = q @ k.transpose(-2, -1) / width**0.5
    if q_3 != k_3:
        return False
    return True
