"""Reshaping: the same elements in other sizes. Source: infer_size in aten/src/ATen/InferSize.h, and TensorShape.cpp."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from guardgen.rules.shape.context import Sizes, require, shape_rule, wrap_dim
from guardgen.rules.shape.strides import is_row_major, view_strides, viewable
from guardgen.rules.shape.variants import fresh, view_rule
from guardgen.terms import BoolLike, IntLike, both, either, eq, floordiv, ge, ite, mod, ne, product


def inferred(sizes: Sequence[IntLike], numel: IntLike) -> tuple[IntLike, ...]:
    """`sizes` with a -1 replaced by what `numel` elements need; requires that they fit.

    A -1 cannot be inferred beside a size of 0. A size that is a term may turn out to be -1.
    """
    maybe = [at for at, size in enumerate(sizes) if eq(size, -1) is not False]
    if not maybe:
        for size in sizes:
            require(ge(size, 0), "sizes that are not negative")
        require(eq(product(sizes), numel), f"{numel} elements in {tuple(sizes)}")
        return tuple(sizes)
    if len(maybe) == 1 and sizes[maybe[0]] == -1:
        return one_inferred(sizes, maybe[0], numel)
    ways: list[BoolLike] = [both(*(ge(size, 0) for size in sizes), eq(product(sizes), numel))]
    result = list(sizes)
    for at in maybe:
        others = [size for other, size in enumerate(sizes) if other != at]
        rest = product(others)
        way = both(eq(sizes[at], -1), *(ge(other, 0) for other in others), ne(rest, 0))
        ways.append(both(way, eq(ite(way, mod(numel, rest), 1), 0)))
        result[at] = ite(way, floordiv(numel, rest), sizes[at])
    require(either(*ways), f"{numel} elements in {tuple(sizes)}")
    return tuple(result)


def one_inferred(sizes: Sequence[IntLike], at: int, numel: IntLike) -> tuple[IntLike, ...]:
    others = [*sizes[:at], *sizes[at + 1 :]]
    for size in others:
        require(ge(size, 0), "at most one size of -1")
    rest = product(others)
    require(ne(rest, 0), "no size of 0 beside -1")
    require(eq(mod(numel, rest), 0), f"{numel} elements in {tuple(sizes)}")
    return (*sizes[:at], floordiv(numel, rest), *sizes[at + 1 :])


@shape_rule("aten.view_copy.default", "aten._reshape_copy.default")
def view_copy(x: Sizes, size: Sequence[IntLike]) -> Sizes:
    return fresh(inferred(size, product(x)))


@shape_rule("aten.view.default")
def view(x: Sizes, size: Sequence[IntLike]) -> Sizes:
    sizes = inferred(size, product(x))
    require(viewable(x, sizes), f"strides that let {tuple(x)} be seen as {tuple(sizes)}")
    return seen_as(x, sizes)


def seen_as(x: Sizes, sizes: Sequence[IntLike]) -> Sizes:
    """A view. Of a contiguous tensor it is contiguous, whatever the odd strides of its sizes of 1 make of them."""
    if x.contiguous and not is_row_major(x):
        return Sizes(sizes, x.dtype, contiguous=True)
    return Sizes(sizes, x.dtype, view_strides(x, sizes))


@shape_rule("aten.view_as.default")
def view_as(x: Sizes, other: Sizes) -> Sizes:
    return view(x, other)


@shape_rule("aten._unsafe_view.default")
def unsafe_view(x: Sizes, size: Sequence[IntLike]) -> Sizes:
    return view(x, size)


@shape_rule("aten._reshape_alias.default")
def reshape_alias(x: Sizes, size: Sequence[IntLike], stride: Sequence[IntLike]) -> Sizes:
    return Sizes(size, x.dtype, stride)


@shape_rule("aten.reshape.default")
def reshape(x: Sizes, shape: Sequence[IntLike]) -> Sizes:
    """A view where the strides allow it, else a copy."""
    return reshaped(x, inferred(shape, product(x)))


def reshaped(x: Sizes, sizes: Sequence[IntLike]) -> Sizes:
    """`x` in those sizes, which fit."""
    possible = viewable(x, sizes)
    if x.contiguous:
        return seen_as(x, sizes)
    if x.strides is None or not isinstance(possible, bool):
        return Sizes(sizes)
    return seen_as(x, sizes) if possible else fresh(sizes)


@shape_rule("aten.reshape_as.default")
def reshape_as(x: Sizes, other: Sizes) -> Sizes:
    return reshape(x, other)


@shape_rule("aten.flatten.using_ints")
def flatten(x: Sizes, start_dim: int = 0, end_dim: int = -1) -> Sizes:
    """The dimensions from `start_dim` to `end_dim` become one."""
    if not len(x):
        return reshaped(x, (1,))
    start, end = wrap_dim(start_dim, len(x)), wrap_dim(end_dim, len(x))
    require(start <= end, "a start_dim that does not come after end_dim")
    return x if start == end else reshaped(x, (*x[:start], product(x[start : end + 1]), *x[end + 1 :]))


@shape_rule("aten.ravel.default")
def ravel(x: Sizes) -> Sizes:
    """Contiguous, then seen as one dimension."""
    return fresh((product(x),)) if is_row_major(x) else Sizes((product(x),), contiguous=True)


@shape_rule("aten.unflatten.int")
def unflatten(x: Sizes, dim: int, sizes: Sequence[IntLike]) -> Sizes:
    """One dimension becomes several."""
    at = wrap_dim(dim, len(x))
    require(len(sizes) > 0, "sizes to unflatten to")
    result = (*x[:at], *inferred(sizes, x[at]), *x[at + 1 :])
    return seen_as(x, result)


@view_rule("view.dtype")
def view_dtype(x: Sizes, dtype: torch.dtype) -> Sizes:
    """The bytes seen as another dtype: the last size follows the size of an element."""
    old, new = x.dtype.itemsize, dtype.itemsize
    if old == new:
        return Sizes(x, dtype, x.strides)
    require(len(x) > 0, "at least 1 dimension to see elements of another size")
    if x.strides is not None:
        require(eq(x.strides[-1], 1), "a last stride of 1")
    if new < old:
        ratio = old // new
        return Sizes((*x[:-1], x[-1] * ratio), dtype, x.strides and (*(s * ratio for s in x.strides[:-1]), 1))
    ratio = new // old
    require(eq(mod(x[-1], ratio), 0), f"a last size divisible by {ratio}")
    for step in (x.strides or ())[:-1]:
        require(eq(mod(step, ratio), 0), f"strides divisible by {ratio}")
    return Sizes((*x[:-1], x[-1] // ratio), dtype, x.strides and (*(s // ratio for s in x.strides[:-1]), 1))
