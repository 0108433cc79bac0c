"""Operators that repeat sizes of 1 without copying. Source: inferExpandGeometry in aten/src/ATen/ExpandUtils.cpp."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from guardgen.rules.shape.broadcast import broadcast
from guardgen.rules.shape.context import Pieces, Sizes, require, shape_rule
from guardgen.rules.shape.variants import view_rule
from guardgen.terms import IntLike, either, eq, ge, ite


@view_rule("expand.default")
def expand(x: Sizes, size: Sequence[IntLike], **_: Any) -> Sizes:
    """Sizes of 1 become those asked for; -1 keeps a size; new dimensions come in front."""
    new = len(size) - len(x)
    require(new >= 0, f"at least {len(x)} sizes to expand to")
    sizes: list[IntLike] = []
    for at, target in enumerate(size):
        if at < new:
            require(ge(target, 0), "new sizes that are not negative")
            sizes.append(target)
            continue
        have = x[at - new]
        require(either(eq(have, 1), eq(target, have), eq(target, -1)), f"{have} to expand to {target}")
        require(ge(target, -1), "sizes that are not negative, or -1")
        sizes.append(ite(eq(target, -1), have, agreed(have, target)))
    return Sizes(sizes, x.dtype, expanded_strides(x, sizes))


def agreed(have: IntLike, target: IntLike) -> IntLike:
    """The size after expansion, as a number where one is known: of 5 and `n`, `n` is 1 or 5."""
    return target if have == 1 or not isinstance(have, int) else have


def expanded_strides(x: Sizes, sizes: Sequence[IntLike]) -> list[IntLike] | None:
    """0 where a size was repeated; new dimensions go on from the one to their right."""
    if x.strides is None:
        return None
    if not len(x):
        return [0] * len(sizes)
    new = len(sizes) - len(x)
    strides: list[IntLike] = [0] * len(sizes)
    for at in reversed(range(len(sizes))):
        if at >= new:
            strides[at] = ite(eq(x[at - new], sizes[at]), x.strides[at - new], 0)
        else:
            strides[at] = ite(eq(sizes[at], 1), sizes[at + 1] * strides[at + 1], 0)
    return strides


@shape_rule("aten.expand_as.default")
def expand_as(x: Sizes, other: Sizes) -> Sizes:
    return expand(x, other)


@shape_rule("aten.broadcast_to.default")
def broadcast_to(x: Sizes, size: Sequence[IntLike]) -> Sizes:
    return expand(x, size)


@shape_rule("aten.broadcast_tensors.default")
def broadcast_tensors(tensors: Sequence[Sizes]) -> Pieces:
    """Each of the tensors, expanded to what all of them broadcast to."""
    sizes = broadcast(*tensors)
    return Pieces(len(tensors), lambda at: Sizes(sizes, tensors[at].dtype, expanded_strides(tensors[at], sizes)))


@shape_rule("aten.meshgrid.default")
def meshgrid(tensors: Sequence[Sizes]) -> Pieces:
    return meshgrid_by(tensors, indexing="ij")


@shape_rule("aten.meshgrid.indexing")
def meshgrid_by(tensors: Sequence[Sizes], *, indexing: str) -> Pieces:
    """One dimension for each tensor, of at most 1 dimension; `xy` swaps the first two."""
    require(all(len(each) <= 1 for each in tensors), "tensors of at most 1 dimension")
    sizes: list[IntLike] = [each[0] if len(each) else 1 for each in tensors]
    if indexing == "xy" and len(sizes) >= 2:
        sizes[0], sizes[1] = sizes[1], sizes[0]
    return Pieces(len(tensors), lambda _: tuple(sizes))
