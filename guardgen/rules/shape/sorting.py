"""Sorting and counting.

Source: aten/src/ATen/native/Sorting.cpp, TopKImpl.h, SummaryOps.cpp.
"""

from __future__ import annotations

from typing import Any

from guardgen.rules.shape.context import Sizes, data_size, require, shape_rule, wrap_dim
from guardgen.terms import IntLike, either, eq, ge, le

Shape = tuple[IntLike, ...]


@shape_rule("aten.sort.default")
def sort(x: Sizes, dim: int = -1, descending: bool = False) -> list[Shape]:
    wrap_dim(dim, len(x))
    return [tuple(x)] * 2


@shape_rule("aten.sort.stable")
def stable_sort(x: Sizes, *, stable: bool | None, dim: int = -1, descending: bool = False) -> list[Shape]:
    return sort(x, dim)


@shape_rule("aten.argsort.default", "aten.msort.default")
def argsort(x: Sizes, dim: int = -1, descending: bool = False) -> Shape:
    return sort(x, dim)[0]


@shape_rule("aten.argsort.stable")
def stable_argsort(x: Sizes, *, stable: bool, dim: int = -1, descending: bool = False) -> Shape:
    return sort(x, dim)[0]


@shape_rule("aten.topk.default")
def topk(x: Sizes, k: IntLike, dim: int = -1, largest: bool = True, sorted: bool = True) -> list[Shape]:
    at = wrap_dim(dim, len(x))
    require(ge(k, 0), "k of at least 0")
    require(le(k, x[at] if x else 1), f"k of at most the size of dimension {dim}")
    return [(*x[:at], k, *x[at + 1 :]) if x else ()] * 2


@shape_rule("aten.bincount.default")
def bincount(x: Sizes, weights: Sizes | None = None, minlength: IntLike = 0) -> Shape:
    """As many counts as the largest value says."""
    require(len(x) == 1, "values of 1 dimension")
    if weights is not None:
        require(len(weights) == 1, "weights of 1 dimension")
        require(either(eq(x[0], 0), eq(weights[0], x[0])), "a weight for every value")
    return (data_size(),)


@shape_rule("aten.isin.Tensor_Tensor", "aten.isin.Tensor_Scalar")
def isin(elements: Sizes, test_elements: Any, **_: Any) -> Shape:
    return tuple(elements)
