"""Histograms. Source: aten/src/ATen/native/Histogram.cpp."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from guardgen.rules.shape.context import Pieces, Sizes, assume, require, shape_rule, traced_rank
from guardgen.terms import IntLike, eq, gt, product

Shape = tuple[IntLike, ...]


@shape_rule("aten.histc.default")
def histc(x: Sizes, bins: IntLike = 100, *_: Any, **__: Any) -> Shape:
    require(gt(bins, 0), "at least one bin")
    return (bins,)


@shape_rule("aten.histogram.bin_ct")
def histogram(x: Sizes, bins: IntLike = 100, *, weight: Sizes | None = None, **_: Any) -> list[Shape]:
    require(gt(bins, 0), "at least one bin")
    require_weights(x, weight)
    return [(bins,), (bins + 1,)]


@shape_rule("aten.histogram.bins_tensor")
def histogram_of_edges(x: Sizes, bins: Sizes, *, weight: Sizes | None = None, **_: Any) -> list[Shape]:
    require(len(bins) == 1, "edges of 1 dimension")
    require(gt(bins[0], 1), "at least 2 edges")
    require_weights(x, weight)
    return [(bins[0] - 1,), (bins[0],)]


@shape_rule("aten.histogramdd.default")
def histogramdd(
    x: Sizes, bins: Sequence[IntLike], range: Any = None, weight: Sizes | None = None, *_: Any, **__: Any
) -> list[Any]:
    """A histogram of as many dimensions as `x` has columns, and the edges of the bins in each."""
    require(eq(x[-1], len(bins)), "bins for each column")
    return counted(x, bins, range, weight)


@shape_rule("aten.histogramdd.int_bins")
def histogramdd_of_equal_bins(
    x: Sizes, bins: IntLike, range: Any = None, weight: Sizes | None = None, *_: Any, **__: Any
) -> list[Any]:
    """With equally many bins in each dimension; how many dimensions that makes is that of the traced run."""
    assume(eq(x[-1], traced_rank()), "the number of its dimensions")
    return counted(x, [bins] * traced_rank(), range, weight)


def counted(x: Sizes, bins: Sequence[IntLike], range: Any, weight: Sizes | None) -> list[Any]:
    """The histogram of so many bins in each dimension, and their edges."""
    require_rows(x, weight)
    for count in bins:
        require(gt(count, 0), "at least one bin")
    require(range is None or eq(x[-1] * 2, len(range)), "a range of two ends in each dimension")
    return [tuple(bins), Pieces(len(bins), lambda i: (bins[i] + 1,))]


@shape_rule("aten.histogramdd.TensorList_bins")
def histogramdd_of_edges(
    x: Sizes, bins: Sequence[Sizes], range: Any = None, weight: Sizes | None = None, *_: Any, **__: Any
) -> list[Any]:
    require(eq(x[-1], len(bins)), "bins for each column")
    require_rows(x, weight)
    for each in bins:
        require(len(each) == 1 and gt(product(each), 1), "edges of 1 dimension, at least 2 of them")
    return [tuple(product(each) - 1 for each in bins), Pieces(len(bins), lambda i: tuple(bins[i]))]


def require_rows(x: Sizes, weight: Sizes | None) -> None:
    require(len(x) >= 2, "at least 2 dimensions")
    if weight is not None:
        require(len(weight) == len(x) - 1, "a weight for each row")
        for have, want in zip(weight, x, strict=False):
            require(eq(have, want), "a weight for each row")


def require_weights(x: Sizes, weight: Sizes | None) -> None:
    if weight is not None:
        require(eq(product(weight), product(x)), "a weight for every value")
