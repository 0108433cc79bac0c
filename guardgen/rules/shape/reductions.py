"""Reductions and scans: dimensions that vanish, become 1 (`keepdim`), or stay.

Source: aten/src/ATen/native/ReduceOps.cpp, TensorCompare.cpp, Sorting.cpp, and ReduceOpsUtils.h
(`zero_numel_check_dims`: without an identity element, a dimension of size 0 cannot be reduced).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from guardgen.rules.shape.broadcast import broadcast
from guardgen.rules.shape.conditional import unless
from guardgen.rules.shape.context import Sizes, require, shape_rule, wrap_dim
from guardgen.terms import Int, IntLike, ge, le, ne

Dims = int | Sequence[int] | None
Shape = tuple[IntLike, ...]


def wrap_dims(dims: Dims, rank: int) -> set[int]:
    """The dimensions meant by `dim=`; None and the empty list mean all."""
    if dims is None or (not isinstance(dims, int) and len(dims) == 0):
        return set(range(rank))
    given = [dims] if isinstance(dims, int) else list(dims)
    wrapped = [wrap_dim(dim, rank) for dim in given]
    require(len(set(wrapped)) == len(wrapped), "each dimension once")
    return set(wrapped)


def reduced(x: Sequence[IntLike], dims: Dims, keepdim: bool = False) -> Shape:
    """The sizes left after reducing `dims`."""
    gone = wrap_dims(dims, len(x))
    if keepdim:
        return tuple(1 if i in gone else size for i, size in enumerate(x))
    return tuple(size for i, size in enumerate(x) if i not in gone)


def require_not_empty(x: Sequence[IntLike], dims: Dims) -> None:
    """Reductions without an identity element, such as a maximum, refuse to reduce a size of 0."""
    for i in sorted(wrap_dims(dims, len(x))):
        if i < len(x):
            require(ne(x[i], 0), f"a size that is not 0 to reduce, at dimension {i}")


@shape_rule(
    "aten.sum.default",
    "aten.mean.default",
    "aten.prod.default",
    "aten.all.default",
    "aten.any.default",
    "aten.median.default",
    "aten.nanmedian.default",
    "aten.std.default",
    "aten.var.default",
)
def reduce_all(x: Sizes, *_: Any, **__: Any) -> Shape:
    """Every dimension; of an empty tensor too: the identity element, or NaN."""
    return ()


@shape_rule(
    "aten.sum.dim_IntList",
    "aten.mean.dim",
    "aten.nansum.default",
    "aten.nanmean.default",
    "aten.all.dim",
    "aten.all.dims",
    "aten.any.dim",
    "aten.any.dims",
    "aten.logsumexp.default",
    "aten.special_logsumexp.default",
    "aten.prod.dim_int",
)
def reduce(x: Sizes, dim: Dims = None, keepdim: bool = False, **_: Any) -> Shape:
    return reduced(x, dim, keepdim)


@shape_rule("aten.count_nonzero.default", "aten.count_nonzero.dim_IntList")
def count_nonzero(x: Sizes, dim: Dims = None) -> Shape:
    return reduced(x, dim)


@shape_rule("aten.max.default", "aten.min.default")
def extreme_of_all(x: Sizes) -> Shape:
    require_not_empty(x, None)
    return ()


@shape_rule("aten.amax.default", "aten.amin.default", "aten.hash_tensor.default")
def extreme(x: Sizes, dim: Dims = (), keepdim: bool = False, **_: Any) -> Shape:
    require_not_empty(x, dim)
    return reduced(x, dim, keepdim)


@shape_rule("aten.argmax.default", "aten.argmin.default")
def position(x: Sizes, dim: int | None = None, keepdim: bool = False) -> Shape:
    require_not_empty(x, dim)
    return reduced(x, dim, keepdim)


@shape_rule(
    "aten.max.dim", "aten.min.dim", "aten.median.dim", "aten.nanmedian.dim", "aten.mode.default", "aten._aminmax.dim"
)
def value_and_position(x: Sizes, dim: int = -1, keepdim: bool = False) -> list[Shape]:
    require_not_empty(x, dim)
    return [reduced(x, dim, keepdim)] * 2


@shape_rule("aten.aminmax.default", "aten._aminmax.default")
def aminmax(x: Sizes, *, dim: int | None = None, keepdim: bool = False) -> list[Shape]:
    require_not_empty(x, dim)
    return [reduced(x, dim, keepdim)] * 2


@shape_rule("aten.kthvalue.default")
def kthvalue(x: Sizes, k: IntLike, dim: int = -1, keepdim: bool = False) -> list[Shape]:
    size = x[wrap_dim(dim, len(x))] if x else 1
    require(le(1, k), "k of at least 1")
    require(le(k, size), f"k of at most the size of dimension {dim}")
    return [reduced(x, dim, keepdim)] * 2


@shape_rule("aten.std.dim", "aten.var.dim")
def variance(x: Sizes, dim: Dims, unbiased: bool = True, keepdim: bool = False) -> Shape:
    return reduced(x, dim, keepdim)


@shape_rule("aten.std.correction", "aten.var.correction")
def variance_by_correction(x: Sizes, dim: Dims = None, *, correction: Any = None, keepdim: bool = False) -> Shape:
    return reduced(x, dim, keepdim)


@shape_rule("aten.std_mean.default", "aten.var_mean.default")
def variance_and_mean_of_all(x: Sizes, unbiased: bool = True) -> list[Shape]:
    return [(), ()]


@shape_rule("aten.std_mean.dim", "aten.var_mean.dim")
def variance_and_mean(x: Sizes, dim: Dims, unbiased: bool = True, keepdim: bool = False) -> list[Shape]:
    return [reduced(x, dim, keepdim)] * 2


@shape_rule("aten.std_mean.correction", "aten.var_mean.correction")
def variance_and_mean_by_correction(
    x: Sizes, dim: Dims = None, *, correction: Any = None, keepdim: bool = False
) -> list[Shape]:
    return [reduced(x, dim, keepdim)] * 2


@shape_rule("aten.linalg_vector_norm.default")
def vector_norm(x: Sizes, ord: Any = 2, dim: Dims = None, keepdim: bool = False, *, dtype: Any = None) -> Shape:
    """Of no elements, only norms of an order from 0 up to, but not infinity, have a value."""
    if isinstance(ord, Int):
        with unless(ge(ord, 0)):
            require_not_empty(x, dim)
    elif isinstance(ord, (int, float)) and (ord < 0 or ord == math.inf):
        require_not_empty(x, dim)
    return reduced(x, dim, keepdim)


@shape_rule("aten.norm.ScalarOpt_dim", "aten.norm.ScalarOpt_dim_dtype")
def norm(x: Sizes, p: Any, dim: Dims, keepdim: bool = False, *, dtype: Any = None) -> Shape:
    return vector_norm(x, 2 if p is None else p, dim, keepdim)


@shape_rule("aten.norm.Scalar", "aten.norm.ScalarOpt_dtype")
def norm_of_all(x: Sizes, p: Any = 2, *, dtype: Any = None) -> Shape:
    return vector_norm(x, 2 if p is None else p)


@shape_rule("aten.renorm.default")
def renorm(x: Sizes, p: Any, dim: int, maxnorm: Any) -> Shape:
    """Each slice along `dim` is scaled by its norm."""
    require(len(x) >= 2, "an input of at least 2 dimensions")
    at = wrap_dim(dim, len(x))
    vector_norm(x, p, [i for i in range(len(x)) if i != at])
    return tuple(x)


@shape_rule("aten.dist.default")
def dist(x: Sizes, other: Sizes, p: Any = 2) -> Shape:
    """The norm of the difference, which broadcasts."""
    return vector_norm(Sizes(broadcast(x, other)), p)


@shape_rule("aten.quantile.default", "aten.quantile.scalar", "aten.nanquantile.default", "aten.nanquantile.scalar")
def quantile(
    x: Sizes, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Shape:
    """One result for every `q`, along a new first dimension."""
    for size in x:
        require(ne(size, 0), "an input with elements")
    return (*(q if isinstance(q, Sizes) else ()), *reduced(x, dim, keepdim))


@shape_rule("aten.cumsum.default", "aten.cumprod.default", "aten.logcumsumexp.default")
def scan(x: Sizes, dim: int, **_: Any) -> Shape:
    wrap_dim(dim, len(x))
    return tuple(x)


@shape_rule("aten.cummax.default", "aten.cummin.default")
def scan_with_positions(x: Sizes, dim: int) -> list[Shape]:
    wrap_dim(dim, len(x))
    return [tuple(x)] * 2
