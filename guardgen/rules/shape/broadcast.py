"""Pointwise operators: the sizes broadcast, dimension by dimension from the last."""

from __future__ import annotations

from collections.abc import Sequence

from guardgen.rules.shape.context import Sizes, require
from guardgen.terms import IntLike, either, eq, ite


def broadcast(*shapes: Sequence[IntLike]) -> tuple[IntLike, ...]:
    """The sizes that tensors of these sizes broadcast to. Source: torch.broadcast_shapes."""
    rank = max(map(len, shapes), default=0)
    result: list[IntLike] = []
    for i in range(rank):
        result.append(broadcast_dim([shape[i - rank + len(shape)] for shape in shapes if i - rank + len(shape) >= 0]))
    return tuple(result)


def broadcast_dim(sizes: Sequence[IntLike]) -> IntLike:
    """The size that these broadcast to: that of those that are not 1, which must agree."""
    result = sizes[0]
    for size in sizes[1:]:
        if size == result or size == 1:
            continue
        if result == 1:
            result = size
            continue
        require(either(eq(result, size), eq(result, 1), eq(size, 1)), f"sizes that broadcast: {result} and {size}")
        if isinstance(size, int):  # size is not 1, so it is the result, whatever the other is
            result = size
        elif not isinstance(result, int):
            result = ite(eq(result, 1), size, result)
    return result


def expand_to(sizes: Sequence[IntLike], target: Sequence[IntLike], what: str) -> None:
    """Require that `sizes` broadcast to `target` without changing it: one-sided broadcasting."""
    offset = len(target) - len(sizes)
    require(offset >= 0, f"{what} of at most {len(target)} dimensions")
    for i, size in enumerate(sizes):
        require(either(eq(size, 1), eq(size, target[i + offset])), f"{what} that expands to {tuple(target)}")


def pointwise(*tensors: Sizes) -> tuple[IntLike, ...]:
    """The sizes of a pointwise operator's result."""
    return broadcast(*tensors)
