"""Parts of a tensor along dimensions, and writing into them.

Source: aten/src/ATen/native/TensorShape.cpp (slice, select, narrow, diagonal, unfold, as_strided).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from guardgen.rules.shape.context import Sizes, require, shape_rule, wrap_dim
from guardgen.rules.shape.strides import preserved
from guardgen.rules.shape.variants import view_rule
from guardgen.rules.shape.views import pick
from guardgen.terms import IntLike, both, eq, floordiv, ge, gt, ite, le, lt, maximum, minimum


def replaced(x: Sizes, at: int, size: IntLike, step: IntLike = 1) -> Sizes:
    """`x` with another size at one dimension, of which every `step`-th is taken."""
    strides = x.strides and [*x.strides[:at], x.strides[at] * step, *x.strides[at + 1 :]]
    return Sizes((*x[:at], size, *x[at + 1 :]), x.dtype, strides)


def dropped(x: Sizes, at: int) -> Sizes:
    return pick(x, [d for d in range(len(x)) if d != at])


def sliced(size: IntLike, start: IntLike | None, end: IntLike | None, step: IntLike = 1) -> IntLike:
    """How many there are of `size` from `start` to `end`, both clamped, negative ones counted from the end."""
    first = 0 if start is None else from_front(start, size)
    last = size if end is None or eq(end, 2**63 - 1) is True else minimum(from_front(end, size), size)
    length = maximum(minimum(last - first, last), 0)
    return length if step == 1 else floordiv(length + step - 1, step)


def from_front(index: IntLike, size: IntLike) -> IntLike:
    return ite(lt(index, 0), size + index, index)


@view_rule("slice.Tensor")
def slice_dim(
    x: Sizes, dim: int = 0, start: IntLike | None = None, end: IntLike | None = None, step: IntLike = 1
) -> Sizes:
    require(len(x) > 0, "at least 1 dimension")
    require(gt(step, 0), "a positive step")
    at = wrap_dim(dim, len(x))
    return replaced(x, at, sliced(x[at], start, end, step), step)


@view_rule("select.int")
def select(x: Sizes, dim: int, index: IntLike) -> Sizes:
    """One index of a dimension, which goes."""
    require(len(x) > 0, "at least 1 dimension")
    at = wrap_dim(dim, len(x))
    require_index(index, x[at])
    return dropped(x, at)


def require_index(index: IntLike, size: IntLike) -> None:
    require(both(ge(index, -size), lt(index, size)), f"an index in the range of {size}")


@view_rule("narrow.default")
def narrow(x: Sizes, dim: int, start: IntLike, length: IntLike) -> Sizes:
    require(len(x) > 0, "at least 1 dimension")
    at = wrap_dim(dim, len(x))
    require(ge(length, 0), "a length that is not negative")
    require(ge(start, -x[at]), f"a start in the range of {x[at]}")
    require(le(from_front(start, x[at]) + length, x[at]), f"a part that ends within {x[at]}")
    return replaced(x, at, length)


@shape_rule("aten.narrow.Tensor")
def narrow_by_tensor(x: Sizes, dim: int, start: Sizes, length: IntLike) -> Sizes:
    """As narrow; the start is data, of which only that it can be in range is known."""
    require(len(start) == 0, "a start without dimensions")
    return narrow(x, dim, 0, length)


@view_rule("diagonal.default")
def diagonal(x: Sizes, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Sizes:
    """Two dimensions become one, at the end, which walks down both."""
    first, second = wrap_dim(dim1, len(x)), wrap_dim(dim2, len(x))
    require(first != second and len(x) >= 2, "two different dimensions")
    size = diagonal_size(x[first], x[second], offset)
    rest = pick(x, [d for d in range(len(x)) if d not in (first, second)])
    strides = None
    if x.strides is not None and rest.strides is not None:
        strides = (*rest.strides, x.strides[first] + x.strides[second])
    return Sizes((*rest, size), x.dtype, strides)


def diagonal_size(rows: IntLike, columns: IntLike, offset: int) -> IntLike:
    if offset >= 0:
        return maximum(minimum(rows, columns - offset), 0)
    return maximum(minimum(rows + offset, columns), 0)


@shape_rule("aten.linalg_diagonal.default")
def linalg_diagonal(A: Sizes, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Sizes:
    return diagonal(A, offset, dim1, dim2)


@view_rule("unfold.default")
def unfold(x: Sizes, dimension: int, size: int, step: int) -> Sizes:
    """Windows of `size` every `step`, their elements in a new last dimension."""
    at = wrap_dim(dimension, len(x))
    whole = x[at] if len(x) else 1
    require(size >= 0, "a size that is not negative")
    require(ge(whole, size), f"a size of at most {whole}")
    require(step > 0, "a positive step")
    count = floordiv(whole - size, step) + 1 if step > 0 else 0
    if not len(x):
        return Sizes((size,), x.dtype, (1,))
    windows = replaced(x, at, count, step)
    strides = windows.strides and x.strides and (*windows.strides, x.strides[at])
    return Sizes((*windows, size), x.dtype, strides)


@view_rule("as_strided.default")
def as_strided(
    x: Sizes, size: Sequence[IntLike], stride: Sequence[IntLike], storage_offset: IntLike | None = None
) -> Sizes:
    """Any sizes and strides within the memory, which may be larger than the tensor: its end is not known here."""
    require(len(size) == len(stride), "as many strides as sizes")
    offset = 0 if storage_offset is None else storage_offset
    for each in (*size, *stride, offset):
        require(ge(each, 0), "sizes and strides that are not negative")
    return Sizes(size, x.dtype, stride)


def written(x: Sizes, part: Sizes, src: Sizes) -> Sizes:
    """A copy of `x` of which `part` is overwritten by `src`, of the same sizes."""
    require(len(part) == len(src), "a source of the rank of the part that it replaces")
    for have, want in zip(src, part, strict=False):
        require(eq(have, want), f"a source of the sizes {tuple(part)}")
    return Sizes(x, x.dtype, preserved(x))


@shape_rule("aten.slice_scatter.default")
def slice_scatter(
    x: Sizes, src: Sizes, dim: int = 0, start: IntLike | None = None, end: IntLike | None = None, step: IntLike = 1
) -> Sizes:
    return written(x, slice_dim(x, dim, start, end, step), src)


@shape_rule("aten.select_scatter.default")
def select_scatter(x: Sizes, src: Sizes, dim: int, index: IntLike) -> Sizes:
    return written(x, select(x, dim, index), src)


@shape_rule("aten.diagonal_scatter.default")
def diagonal_scatter(x: Sizes, src: Sizes, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Sizes:
    return written(x, diagonal(x, offset, dim1, dim2), src)


@shape_rule("aten.as_strided_scatter.default")
def as_strided_scatter(x: Sizes, src: Sizes, size: Sequence[IntLike], stride: Sequence[IntLike], *offset: Any) -> Sizes:
    return Sizes(written(x, as_strided(x, size, stride, *offset), src))
