"""Indexing with tensors, as `x[i, :, mask]` and `x[i] = v` do.

Source: aten/src/ATen/native/TensorAdvancedIndexing.cpp, IndexingUtils.h.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from guardgen.rules.shape.broadcast import broadcast
from guardgen.rules.shape.conditional import choose, empty, unless
from guardgen.rules.shape.context import Sizes, assume, data_size, require, shape_rule, wrap_dim
from guardgen.terms import IntLike, either, eq, gt, negate, product

MASKS = (torch.bool, torch.uint8)
UNKNOWN = -1  # a size that depends on data, before it has its name


@dataclass(frozen=True)
class Indexed:
    """What indexing leaves: sizes in front, those of the index, sizes behind; whether a mask is among the indices."""

    front: tuple[IntLike, ...]
    index: tuple[IntLike, ...]
    behind: tuple[IntLike, ...]
    masked: bool

    @property
    def sizes(self) -> tuple[IntLike, ...]:
        """The sizes of the result; the last of the index is data where a mask decides it."""
        sizes = [*self.front, *self.index, *self.behind]
        if self.masked:
            at = len(self.front) + len(self.index) - 1
            sizes[at] = data_size(0, at)
        return tuple(sizes)


def indexed(x: Sizes, indices: Sequence[Sizes | None]) -> Indexed:
    """Tensors index a dimension each, masks as many as they have; None leaves one as it is.

    The indices broadcast. Their dimensions come where they are, or in front if they are not next to each other.
    """
    per_dim: list[tuple[IntLike, ...] | None] = []
    masked = False
    for each in indices:
        if each is None:
            per_dim.append(None)
        elif each.dtype in MASKS:
            masked = True
            for size in each:
                require(len(per_dim) < len(x), "no more indices than dimensions")
                if len(per_dim) < len(x):
                    require(eq(size, x[len(per_dim)]), "a mask of the sizes that it indexes")
                per_dim.append(())
        else:
            per_dim.append(tuple(each))
    require(len(per_dim) <= len(x), "no more indices than dimensions")
    per_dim += [None] * (len(x) - len(per_dim))
    taken = [d for d, index in enumerate(per_dim) if index is not None]
    require(len(taken) > 0, "at least one index")
    shape = broadcast(*(tuple(each) for each in indices if each is not None and each.dtype not in MASKS))
    if masked:
        shape = (*shape[:-1], UNKNOWN) if shape else (UNKNOWN,)
    else:
        nothing = either(*(eq(size, 0) for size in shape))
        for d in taken:
            require(either(nothing, gt(x[d], 0)), f"a size that is not 0 to index: {x[d]}")
    together = taken == list(range(taken[0], taken[-1] + 1)) if taken else True
    first = taken[0] if together and taken else 0
    rest = [d for d in range(len(x)) if d not in taken]
    front = tuple(x[d] for d in rest if d < first)
    behind = tuple(x[d] for d in rest if d >= first)
    return Indexed(front, shape, behind, masked)


@shape_rule("aten.index.Tensor", "aten._unsafe_index.Tensor")
def index(x: Sizes, indices: Sequence[Sizes | None]) -> Sizes:
    return Sizes(indexed(x, indices).sizes)


@shape_rule("aten.index_put.default", "aten._index_put_impl.default", "aten._unsafe_index_put.default")
def index_put(x: Sizes, indices: Sequence[Sizes | None], values: Sizes, *_: Any, **__: Any) -> Sizes:
    """The values expand to what the index selects; how many a mask selects is data, and so is whether they fit."""
    part = indexed(x, indices)
    target = (*part.front, *part.index, *part.behind)
    offset = len(target) - len(values)
    require(offset >= 0, "values of no more dimensions than they replace")
    for i, size in enumerate(values):
        if offset >= 0 and target[i + offset] is not UNKNOWN:
            require(either(eq(size, 1), eq(size, target[i + offset])), "values that expand to what they replace")
    return Sizes(x)


@shape_rule("aten._unsafe_masked_index.default")
def masked_index(x: Sizes, mask: Sizes, indices: Sequence[Sizes | None], fill: Any) -> Sizes:
    """Indices are clamped, so that an empty tensor can be indexed; then the mask is not looked at."""
    sizes = indexed(never_empty(x, indices), indices).sizes
    with unless(empty(x)):
        masked = broadcast(sizes, mask)
    if len(masked) > len(sizes):
        assume(negate(empty(x)), "as many dimensions as the mask has")
        return Sizes(masked)
    return Sizes(choose(empty(x), sizes, masked))


@shape_rule("aten._unsafe_masked_index_put_accumulate.default")
def masked_index_put(x: Sizes, mask: Sizes, indices: Sequence[Sizes | None], values: Sizes) -> Sizes:
    with unless(empty(x)):
        index_put(never_empty(x, indices), indices, Sizes(broadcast(values, mask)))
    return Sizes(x)


def never_empty(x: Sizes, indices: Sequence[Sizes | None]) -> Sizes:
    """The sizes, with 1 for those that are indexed."""
    taken = {d for d, each in enumerate(indices) if each is not None}
    return Sizes([1 if d in taken else size for d, size in enumerate(x)], x.dtype)


@shape_rule("aten.index_select.default")
def index_select(x: Sizes, dim: int, index: Sizes) -> Sizes:
    at, count = one_dim(x, dim, index)
    if not len(x):
        require(eq(count, 1), "one index of a tensor without dimensions")
        return Sizes(())
    return Sizes((*x[:at], count, *x[at + 1 :]))


def one_dim(x: Sizes, dim: int, index: Sizes, *, strict: bool = True) -> tuple[int, IntLike]:
    """The dimension that `index`, of at most 1 dimension, is for, and how many indices there are.

    An empty dimension cannot be indexed; unless there is no element beside it either, where it is not `strict`.
    """
    require(len(index) <= 1, "an index of at most 1 dimension")
    at = wrap_dim(dim, len(x))
    count = product(index)
    if len(x):
        others = [] if strict else [eq(size, 0) for d, size in enumerate(x) if d != at]
        require(either(eq(count, 0), gt(x[at], 0), *others), "a size that is not 0 to index")
    return at, count


@shape_rule("aten.index_fill.int_Scalar", "aten.index_fill.int_Tensor")
def index_fill(x: Sizes, dim: int, index: Sizes, value: Any) -> Sizes:
    one_dim(x, dim, index, strict=False)
    if isinstance(value, Sizes):
        require(len(value) == 0, "a value without dimensions")
    return Sizes(x)


@shape_rule("aten.index_add.default")
def index_add(x: Sizes, dim: int, index: Sizes, source: Sizes, **_: Any) -> Sizes:
    """An empty tensor takes any source, unless it has 1 dimension."""
    if len(x) == 1:
        one_dim(x, dim, index)
    return index_write(x, dim, index, source)


@shape_rule("aten.index_copy.default")
def index_copy(x: Sizes, dim: int, index: Sizes, source: Sizes) -> Sizes:
    one_dim(x, dim, index, strict=False)
    return index_write(x, dim, index, source)


@shape_rule("aten.index_reduce.default")
def index_reduce(x: Sizes, dim: int, index: Sizes, source: Sizes, reduce: str, **_: Any) -> Sizes:
    one_dim(x, dim, index)
    return index_write(x, dim, index, source)


def index_write(x: Sizes, dim: int, index: Sizes, source: Sizes) -> Sizes:
    """A source with one slice for each index, and otherwise the sizes of `x`."""
    at, count = wrap_dim(dim, len(x)), product(index)
    require(len(index) <= 1, "an index of at most 1 dimension")
    if len(source) != len(x) and len(source) and len(x):
        require(False, "a source of the same rank")
        return Sizes(x)
    require(eq(source[at] if len(source) else 1, count), "as many slices as indices")
    for d, (have, want) in enumerate(zip(source, x, strict=False)):
        if d != at:
            require(eq(have, want), "a source of equal sizes but for that dimension")
    return Sizes(x)
