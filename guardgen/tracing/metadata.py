"""Operators that only ask about a tensor: answered by the `Variable`, which records what it says.

Sizes and strides are guarded numbers. What follows from rank, dtype, device and layout, which are guarded of every
tensor that is read, needs no node of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch._prims_common import is_non_overlapping_and_dense_or_false, suggest_memory_format

from guardgen.tracing.variable import FACT_METHODS, Variable


def like_format(x: Variable, memory_format: torch.memory_format) -> bool:
    x.is_contiguous(memory_format=memory_format)
    return bool(suggest_memory_format(x._real) == memory_format)


def dense(x: Variable) -> bool:
    """Whether the elements fill their memory; PyTorch asks it only to choose a faster way to the same answer."""
    return bool(is_non_overlapping_and_dense_or_false(x._real))


def same_size(x: Variable, y: torch.Tensor) -> bool:
    return x.dim() == y.dim() and all(bool(n == m) for n, m in zip(x.shape, y.shape, strict=True))


METADATA: dict[str, Callable[..., Any]] = {
    "aten.sym_size.default": lambda x: list(x.shape),
    "aten.sym_size.int": lambda x, dim: x.shape[dim],
    "aten.size.default": lambda x: [int(n) for n in x.shape],
    "aten.size.int": lambda x, dim: int(x.shape[dim]),
    "aten.sym_stride.default": lambda x: list(x.stride()),
    "aten.sym_stride.int": lambda x, dim: x.stride(dim),
    "aten.stride.default": lambda x: [int(n) for n in x.stride()],
    "aten.stride.int": lambda x, dim: int(x.stride(dim)),
    "aten.sym_numel.default": lambda x: x.numel(),
    "aten.numel.default": lambda x: int(x.numel()),
    "aten.dim.default": lambda x: x.dim(),
    "aten.sym_storage_offset.default": lambda x: x.storage_offset(),
    "aten.storage_offset.default": lambda x: int(x.storage_offset()),
    "aten.is_contiguous.default": lambda x: x.is_contiguous(),
    "aten.is_contiguous.memory_format": lambda x, memory_format: x.is_contiguous(memory_format),
    "aten.sym_is_contiguous.default": lambda x, memory_format=torch.contiguous_format: x.is_contiguous(memory_format),
    "aten.is_strides_like_format.default": like_format,
    "aten.is_non_overlapping_and_dense.default": dense,
    "aten.is_same_size.default": same_size,
    "aten.is_nonzero.default": bool,
}

for _fact in FACT_METHODS:
    METADATA[f"aten.{_fact}.default"] = lambda x, fact=_fact: getattr(x, fact)()
for _fact in ("layout", "device", "dtype"):
    METADATA[f"prim.{_fact}.default"] = lambda x, fact=_fact: getattr(x, fact)
