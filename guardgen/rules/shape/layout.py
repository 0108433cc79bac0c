"""Memory layout as a condition on sizes and strides. Source: c10/core/Contiguity.h."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from guardgen.terms import BoolLike, IntLike, both, either, eq, product

CHANNELS_LAST = {torch.channels_last: (1, 3, 2, 0), torch.channels_last_3d: (1, 4, 3, 2, 0)}


def is_contiguous(sizes: Sequence[IntLike], strides: Sequence[IntLike], memory_format: torch.memory_format) -> BoolLike:
    """Whether a tensor is laid out row by row, or channels last; strides of dimensions of size 1 do not matter.

    A row-major tensor without elements is contiguous whatever its strides; a channels-last one is not.
    """
    if memory_format in CHANNELS_LAST:
        order = CHANNELS_LAST[memory_format]
        return len(sizes) == len(order) and follows(sizes, strides, order)
    rows = tuple(reversed(range(len(sizes))))
    return either(eq(product(sizes), 0), follows(sizes, strides, rows))


def follows(sizes: Sequence[IntLike], strides: Sequence[IntLike], order: Sequence[int]) -> BoolLike:
    """Whether the strides are those of a dense tensor whose dimensions vary in `order`, fastest first."""
    step: IntLike = 1
    conditions: list[BoolLike] = []
    for dim in order:
        conditions.append(either(eq(sizes[dim], 1), eq(strides[dim], step)))
        step = step * sizes[dim]
    return both(*conditions)
