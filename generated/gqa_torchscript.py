# Made by guardgen 0.1.0; do not edit, change the program and build again.
# For which arguments a trace is valid: function gqa of examples/gqa.py, traced at level call.
# Traced with grad mode on, default dtype torch.float32, default device cpu, autocast off.
"""For which arguments a trace is valid: `check` and `check_shapes`, for `torch.jit.script`."""

from __future__ import annotations

from typing import List

import torch
from torch import Tensor

__all__ = ["check", "check_shapes"]


def check(q: Tensor, k: Tensor, v: Tensor) -> bool:
    """Whether the trace is valid for these arguments."""
    if q.dtype != torch.float32 or q.dim() != 4 or q.layout != torch.strided or not q.is_cpu:
        return False
    if k.dtype != torch.float32 or k.dim() != 4 or k.layout != torch.strided or not k.is_cpu:
        return False
    if v.dtype != torch.float32 or v.dim() != 4 or v.layout != torch.strided or not v.is_cpu:
        return False
    q_0 = q.size(0)
    q_1 = q.size(1)
    q_3 = q.size(3)
    k_0 = k.size(0)
    k_1 = k.size(1)
    k_2 = k.size(2)
    k_3 = k.size(3)
    v_0 = v.size(0)
    v_1 = v.size(1)
    v_2 = v.size(2)
    v_3 = v.size(3)
    if not _sizes(q_0, q_1, q_3, k_0, k_1, k_2, k_3, v_0, v_1, v_2, v_3):
        return False
    return True


def check_shapes(q: List[int], k: List[int], v: List[int]) -> bool:
    """Whether the trace is valid for tensors of these sizes, as far as sizes tell.

    Dtypes, devices, layouts, strides, the identity of tensors and what is in them are not looked at: `check` does.
    """
    if len(q) != 4:
        return False
    if len(k) != 4:
        return False
    if len(v) != 4:
        return False
    q_0 = q[0]
    q_1 = q[1]
    q_3 = q[3]
    k_0 = k[0]
    k_1 = k[1]
    k_2 = k[2]
    k_3 = k[3]
    v_0 = v[0]
    v_1 = v[1]
    v_2 = v[2]
    v_3 = v[3]
    if not _sizes(q_0, q_1, q_3, k_0, k_1, k_2, k_3, v_0, v_1, v_2, v_3):
        return False
    return True


def _sizes(
    q_0: int, q_1: int, q_3: int, k_0: int, k_1: int, k_2: int, k_3: int, v_0: int, v_1: int, v_2: int, v_3: int
) -> bool:
    # at examples/gqa.py:17: if k.shape != v.shape:
    if k_0 != v_0 or k_1 != v_1 or k_2 != v_2 or k_3 != v_3:
        return False
    # at examples/gqa.py:19: if heads % kv_heads != 0:
    if k_1 == 0 or modulo(q_1, k_1) != 0:
        return False
    # at examples/gqa.py:22: scores = grouped @ k[:, :, None].transpose(-2, -1) / width**0.5
    if q_3 != k_3 or q_0 != k_0 and q_0 != 1 and k_0 != 1:
        return False
    return True


# What follows is the same in every module that needs it.


def modulo(value: int, divisor: int) -> int:
    """`value % divisor`, whose own implementation wraps for divisors beyond 2**62; the divisor is not 0."""
    return value - value // divisor * divisor


def can_power(base: float, exponent: float) -> bool:
    """Whether Python computes `base ** exponent` as a float, without an error."""
    if base == 0.0:
        return exponent >= 0.0
    if base < 0.0 and exponent != float(round(exponent)):
        return False
    power: float = base**exponent
    return abs(power) < float("inf")
