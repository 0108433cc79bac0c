"""Differences, integrals and covariances along a dimension.

Source: aten/src/ATen/native/ReduceOps.cpp (diff, gradient), Integration.cpp, Correlation.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from guardgen.rules.shape.broadcast import broadcast
from guardgen.rules.shape.conditional import choose, unless
from guardgen.rules.shape.context import Pieces, Sizes, assume, require, shape_rule, traced_rank, wrap_dim
from guardgen.terms import IntLike, either, eq, ge, ite, maximum, ne, negate

Shape = tuple[IntLike, ...]


def changed(x: Sequence[IntLike], at: int, size: IntLike) -> Shape:
    return (*x[:at], size, *x[at + 1 :])


@shape_rule("aten.diff.default")
def diff(x: Sizes, n: int = 1, dim: int = -1, prepend: Sizes | None = None, append: Sizes | None = None) -> Shape:
    """One element less for each of `n` differences, none below 0."""
    require(len(x) >= 1, "an input of at least 1 dimension")
    require(n >= 0, "an order of at least 0")
    at = wrap_dim(dim, len(x))
    total = x[at]
    for part in (prepend, append):
        if part is None:
            continue
        require(len(part) == len(x), "what is added of as many dimensions as the input")
        for i, (left, right) in enumerate(zip(part, x, strict=False)):
            require(i == at or eq(left, right), "what is added of the input's sizes")
        total = total + part[at]
    return changed(x, at, maximum(total - n, 0)) if n else tuple(x)


@shape_rule("aten.trapezoid.dx", "aten.trapz.dx")
def trapezoid(y: Sizes, *, dx: Any = 1, dim: int = -1) -> Shape:
    at = wrap_dim(dim, len(y))
    return (*y[:at], *y[at + 1 :])


@shape_rule("aten.cumulative_trapezoid.dx")
def cumulative_trapezoid(y: Sizes, *, dx: Any = 1, dim: int = -1) -> Shape:
    at = wrap_dim(dim, len(y))
    return changed(y, at, maximum(y[at] - 1, 0))


def spaced(y: Sizes, x: Sizes, at: int) -> Shape:
    """The sizes of the areas between the points `x`: a row of points for all, or points that broadcast."""
    if len(x) == 1:
        require(eq(x[0], y[at]), "a point for every value")
        return changed(y, at, maximum(y[at] - 1, 0))
    padded = (1,) * (len(y) - len(x)) + tuple(x)
    side = wrap_dim(at - len(y), len(padded))
    return broadcast(changed(padded, side, maximum(padded[side] - 1, 0)), changed(y, at, maximum(y[at] - 1, 0)))


@shape_rule("aten.trapezoid.x", "aten.trapz.x")
def trapezoid_of_points(y: Sizes, x: Sizes, *, dim: int = -1) -> Shape:
    at = wrap_dim(dim, len(y))
    none = eq(y[at], 0)
    with unless(none):
        areas = spaced(y, x, at)
    gone = len(areas) - len(y) + at
    result = (*areas[:gone], *areas[gone + 1 :])
    kept = (*y[:at], *y[at + 1 :])
    if len(result) != len(kept):
        assume(negate(none), "values to integrate")
        return result
    return choose(none, kept, result)


@shape_rule("aten.cumulative_trapezoid.x")
def cumulative_trapezoid_of_points(y: Sizes, x: Sizes, *, dim: int = -1) -> Shape:
    return spaced(y, x, wrap_dim(dim, len(y)))


@shape_rule("aten.cov.default")
def cov(x: Sizes, *, correction: int = 1, fweights: Sizes | None = None, aweights: Sizes | None = None) -> Shape:
    """Between variables, which are the rows; of one variable, its variance."""
    require(len(x) <= 2, "an input of at most 2 dimensions")
    observations = x[-1] if x else 1
    for weights in (fweights, aweights):
        if weights is not None:
            require(len(weights) <= 1, "weights of at most 1 dimension")
            require(eq(weights[0] if weights else 1, observations), "a weight for every observation")
            require(ne(observations, 0), "observations to weigh")
    if len(x) < 2:
        return ()
    one = eq(x[0], 1)
    if one is True or (one is not False and traced_rank() == 0):
        assume(one, "one variable, as in the trace")
        return ()
    assume(negate(one), "more than one variable, as in the trace")
    return (x[0], x[0])


@shape_rule("aten.corrcoef.default")
def corrcoef(x: Sizes) -> Shape:
    return cov(x)


def gradient(x: Sizes, dims: Sequence[int], edge_order: int) -> Pieces:
    """A tensor of the input's sizes for every dimension, which must be long enough for the edges."""
    for dim in dims:
        require(ge(x[wrap_dim(dim, len(x))], edge_order + 1), "dimensions longer than the order of the edges")
    return Pieces(len(dims), lambda _: tuple(x))


@shape_rule("aten.gradient.scalarint")
def gradient_of_one(x: Sizes, *, spacing: Any = None, dim: int | None = None, edge_order: int = 1) -> Pieces:
    return gradient(x, range(len(x)) if dim is None else [dim], edge_order)


@shape_rule("aten.gradient.array", "aten.gradient.scalarrayint")
def gradient_of_dims(x: Sizes, *, dim: Sequence[int] | None = None, edge_order: int = 1, spacing: Any = None) -> Pieces:
    return gradient(x, range(len(x)) if dim is None else list(dim), edge_order)


@shape_rule("aten.gradient.scalarrayarray")
def gradient_of_spaced_dims(x: Sizes, *, spacing: Any, dim: Sequence[int], edge_order: int = 1) -> Pieces:
    return gradient(x, list(dim), edge_order)


@shape_rule("aten.gradient.tensorarray")
def gradient_of_points(x: Sizes, *, spacing: Sequence[Sizes], dim: Sequence[int], edge_order: int = 1) -> Pieces:
    gradient(x, list(dim), edge_order)
    results = []
    for points, d in zip(spacing, dim, strict=True):
        at = wrap_dim(d, len(x))
        require(len(points) == 1, "points of 1 dimension")
        require(ge(points[0], edge_order + 1), "more points than the order of the edges")
        # What lies between the two edges is one element of 3, and then broadcasts.
        require(either(eq(points[0], x[at]), eq(points[0], 3), eq(x[at], 3)), "a point for every value")
        results.append((*x[:at], ite(eq(x[at], 3), points[0], x[at]), *x[at + 1 :]))
    return Pieces(len(dim), lambda i: results[i])


@shape_rule("aten.sum_to_size.default")
def sum_to_size(x: Sizes, size: Sequence[IntLike]) -> Shape:
    """The input is what the sizes would broadcast to."""
    require(len(size) <= len(x), "at most as many sizes as the input has")
    offset = len(x) - len(size)
    for i, target in enumerate(size):
        have = x[i + offset]
        require(either(eq(target, 1), eq(target, have)), f"sizes to sum to that expand to the input: {target}, {have}")
    return tuple(size)
