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


@shape_rule("aten.histogramdd.default", "aten.histogramdd.int_bins")
def histogramdd(x: Sizes, bins: Any, range: Any = None, weight: Sizes | None = None, *_: Any, **__: Any) -> list[Any]:
    """A histogram of as many dimensions as the last size says, and the edges of the bins in each."""
    columns, counts = dimensions(x, weight, bins if isinstance(bins, (list, tuple)) else None), bins
    if not isinstance(bins, (list, tuple)):
        assume(eq(x[-1], columns), "the number of its dimensions")
        counts = [bins] * columns
    for count in counts:
        require(gt(count, 0), "at least one bin")
    require(range is None or eq(x[-1] * 2, len(range)), "a range of two ends in each dimension")
    return [tuple(counts), Pieces(columns, lambda i: (counts[i] + 1,))]


@shape_rule("aten.histogramdd.TensorList_bins")
def histogramdd_of_edges(
    x: Sizes, bins: Sequence[Sizes], range: Any = None, weight: Sizes | None = None, *_: Any, **__: Any
) -> list[Any]:
    columns = dimensions(x, weight, bins)
    for each in bins:
        require(len(each) == 1 and gt(product(each), 1), "edges of 1 dimension, at least 2 of them")
    return [tuple(product(each) - 1 for each in bins), Pieces(columns, lambda i: tuple(bins[i]))]


def dimensions(x: Sizes, weight: Sizes | None, bins: Sequence[Any] | None) -> int:
    """How many dimensions the histogram has; each column of `x` is one of them."""
    require(len(x) >= 2, "at least 2 dimensions")
    columns = len(bins) if bins is not None else traced_rank()
    if bins is not None:
        require(eq(x[-1], columns), "bins for each column")
    if weight is not None:
        require(len(weight) == len(x) - 1, "a weight for each row")
        for have, want in zip(weight, x, strict=False):
            require(eq(have, want), "a weight for each row")
    return columns


def require_weights(x: Sizes, weight: Sizes | None) -> None:
    if weight is not None:
        require(eq(product(weight), product(x)), "a weight for every value")
