"""Pointwise operators: the sizes broadcast, dimension by dimension from the last."""

from __future__ import annotations

from collections.abc import Sequence

from guardgen.rules.shape.context import Sizes, require
from guardgen.terms import IntLike, either, eq, ite
from guardgen.terms.ints import only_atom


def broadcast(*shapes: Sequence[IntLike]) -> tuple[IntLike, ...]:
    """The sizes that tensors of these sizes broadcast to. Source: torch.broadcast_shapes."""
    rank = max(map(len, shapes), default=0)
    result: list[IntLike] = []
    for i in range(rank):
        result.append(broadcast_dim([shape[i - rank + len(shape)] for shape in shapes if i - rank + len(shape) >= 0]))
    return tuple(result)


def broadcast_dim(sizes: Sequence[IntLike]) -> IntLike:
    """The size that these broadcast to: that of those that are not 1, which must agree."""
    result: IntLike = 1
    seen: list[IntLike] = []
    for size in sizes:
        of = sources(size)
        new = [each for each in of if each not in seen]
        if all(each in of for each in seen):
            result = size  # it has been broadcast from all the others
        else:
            for each in new:
                result = broadcast_two(result, each)
        seen += new
    return result


def broadcast_two(result: IntLike, size: IntLike) -> IntLike:
    """Two sizes that must agree, the second of which is not 1 for certain."""
    if result == 1:
        return size
    require(either(eq(result, size), eq(result, 1), eq(size, 1)), f"sizes that broadcast: {result} and {size}")
    if isinstance(size, int):  # size is not 1, so it is the result, whatever the other is
        return size
    return result if isinstance(result, int) else ite(eq(result, 1), size, result)


def sources(size: IntLike) -> list[IntLike]:
    """The sizes, other than 1, that `size` has been broadcast from: broadcasting with one of them changes nothing."""
    atom = only_atom(size)
    if atom is not None and atom.op == "int_ite":
        condition, other, first = atom.args
        if condition == eq(first, 1):
            return [*sources(first), *sources(other)]
    return [] if size == 1 else [size]


def expand_to(sizes: Sequence[IntLike], target: Sequence[IntLike], what: str) -> None:
    """Require that `sizes` broadcast to `target` without changing it: one-sided broadcasting."""
    offset = len(target) - len(sizes)
    require(offset >= 0, f"{what} of at most {len(target)} dimensions")
    for i, size in enumerate(sizes):
        require(either(eq(size, 1), eq(size, target[i + offset])), f"{what} that expands to {tuple(target)}")


def pointwise(*tensors: Sizes) -> tuple[IntLike, ...]:
    """The sizes of a pointwise operator's result."""
    return broadcast(*tensors)
