"""Reading and writing element by element, at positions given by a tensor.

Source: aten/src/ATen/native/ScatterGatherChecks.h, TensorAdvancedIndexing.cpp, Bucketization.cpp.
"""

from __future__ import annotations

from typing import Any

import torch

from guardgen.rules.shape.broadcast import broadcast
from guardgen.rules.shape.context import Sizes, require, shape_rule, wrap_dim
from guardgen.rules.shape.strides import viewable
from guardgen.rules.shape.variants import fresh
from guardgen.terms import BoolLike, IntLike, both, either, eq, ge, gt, le, product


def at_least_one(x: Sizes) -> tuple[IntLike, ...]:
    """The sizes; those of a tensor without dimensions count as (1,)."""
    return tuple(x) or (1,)


def unless(nothing: BoolLike, condition: BoolLike, why: str) -> None:
    """Require `condition`, except where there is nothing to do."""
    require(either(nothing, condition), why)


def empty(x: Sizes) -> BoolLike:
    return either(*(eq(size, 0) for size in x)) if len(x) else False


@shape_rule("aten.gather.default")
def gather(x: Sizes, dim: int, index: Sizes, **_: Any) -> Sizes:
    """The element of `x` at each position of `index` along `dim`."""
    require_fitting(x, wrap_dim(dim, len(x)), index)
    return fresh(index)


def require_fitting(x: Sizes, at: int, index: Sizes) -> None:
    """An index of ints, of the same rank, no larger than `x` but along one dimension; unless it is empty."""
    have, wanted = at_least_one(x), at_least_one(index)
    nothing = empty(index)
    unless(nothing, index.dtype in (torch.int32, torch.int64), "an index of dtype int32 or int64")
    unless(nothing, len(have) == len(wanted), "an index of the same rank")
    for d, (size, limit) in enumerate(zip(wanted, have, strict=False)):
        fits = gt(limit, 0) if d == at else le(size, limit)
        unless(nothing, fits, "an index no larger than what it indexes")


@shape_rule("aten.scatter.value", "aten.scatter.value_reduce")
def scatter_value(x: Sizes, dim: int, index: Sizes, value: Any, **_: Any) -> Sizes:
    return scattered(x, dim, index, None)


@shape_rule("aten.scatter.src", "aten.scatter.reduce", "aten.scatter_add.default")
def scatter(x: Sizes, dim: int, index: Sizes, src: Sizes, **_: Any) -> Sizes:
    return scattered(x, dim, index, src)


@shape_rule("aten.scatter_reduce.two")
def scatter_reduce(x: Sizes, dim: int, index: Sizes, src: Sizes, reduce: str, **_: Any) -> Sizes:
    return scattered(x, dim, index, src)


def scattered(x: Sizes, dim: int, index: Sizes, src: Sizes | None) -> Sizes:
    """An index no larger than the source either; unless it is empty."""
    require_fitting(x, wrap_dim(dim, len(x)), index)
    if src is not None:
        nothing = empty(index)
        wanted, given = at_least_one(index), at_least_one(src)
        unless(nothing, len(given) == len(wanted), "a source of the same rank")
        for size, limit in zip(wanted, given, strict=False):
            unless(nothing, le(size, limit), "an index no larger than the source")
    return Sizes(x)


@shape_rule("aten.take.default")
def take(x: Sizes, index: Sizes) -> Sizes:
    """Elements of the flattened tensor."""
    unless(empty(index), ge(product(x), 1), "elements to take from")
    return fresh(index)


@shape_rule("aten.put.default")
def put(x: Sizes, index: Sizes, source: Sizes, accumulate: bool = False) -> Sizes:
    require(eq(product(index), product(source)), "as many elements as indices")
    unless(empty(index), ge(product(x), 1), "elements to write to")
    return Sizes(x)


@shape_rule("aten.take_along_dim.default")
def take_along_dim(x: Sizes, indices: Sizes, dim: int | None = None) -> Sizes:
    """As gather, after both broadcast but along `dim`; without `dim` both are flattened."""
    if dim is None:
        count = product(indices)
        for each in (x, indices):
            require(viewable(each, (product(each),)), "strides that let the tensor be seen as one dimension")
        unless(eq(count, 0), ge(product(x), 1), "elements to take from")
        return fresh((count,))
    require(len(x) == len(indices), "indices of the same rank")
    at = wrap_dim(dim, len(x))
    if not len(x):
        return fresh(())
    sizes = broadcast((*x[:at], indices[at], *x[at + 1 :]), indices)
    unless(either(*(eq(size, 0) for size in sizes)), gt(x[at], 0), "a size that is not 0 to index")
    return fresh(sizes)


@shape_rule("aten.bucketize.Tensor")
def bucketize(x: Sizes, boundaries: Sizes, **_: Any) -> Sizes:
    require(len(boundaries) == 1, "boundaries of 1 dimension")
    return Sizes(x)


@shape_rule("aten.bucketize.Scalar")
def bucketize_scalar(x: Any, boundaries: Sizes, **_: Any) -> Sizes:
    require(len(boundaries) == 1, "boundaries of 1 dimension")
    return fresh(())


@shape_rule("aten.searchsorted.Tensor")
def searchsorted(sorted_sequence: Sizes, x: Sizes, *, sorter: Sizes | None = None, **_: Any) -> Sizes:
    """One sequence for all the values, or one for each row of them."""
    if len(sorted_sequence) != 1:
        same = len(x) == len(sorted_sequence) > 0
        require(same, "a sequence of 1 dimension, or of the rank of the values")
        rows = zip(x[:-1], sorted_sequence[:-1], strict=False)
        require(same and both(*(eq(a, b) for a, b in rows)), "a sequence for each row of values")
    require_sorter(sorted_sequence, sorter)
    return Sizes(x)


@shape_rule("aten.searchsorted.Scalar")
def searchsorted_scalar(sorted_sequence: Sizes, x: Any, *, sorter: Sizes | None = None, **_: Any) -> Sizes:
    require(len(sorted_sequence) == 1, "a sequence of 1 dimension")
    require_sorter(sorted_sequence, sorter)
    return fresh(())


def require_sorter(sorted_sequence: Sizes, sorter: Sizes | None) -> None:
    if sorter is not None:
        same = len(sorter) == len(sorted_sequence)
        require(same and both(*map(eq, sorter, sorted_sequence)), "a sorter of the sizes of the sequence")
