"""Operators that repeat, reorder or blank out elements.

Source: aten/src/ATen/native/TensorTransformations.cpp, TensorShape.cpp, Repeat.cpp, TriangularOps.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence

from guardgen.rules.shape.context import Sizes, data_size, require, shape_rule, wrap_dim
from guardgen.rules.shape.slicing import diagonal as diagonal_view
from guardgen.rules.shape.strides import is_row_major, preserved
from guardgen.rules.shape.variants import fresh
from guardgen.terms import IntLike, either, eq, ge, gt, product


@shape_rule("aten.flip.default")
def flip(x: Sizes, dims: Sequence[int]) -> Sizes:
    wrapped = [wrap_dim(d, len(x)) for d in dims]
    require(len(set(wrapped)) == len(wrapped), "different dimensions")
    return Sizes(x, strides=preserved(x))


@shape_rule("aten.fliplr.default")
def fliplr(x: Sizes) -> Sizes:
    require(len(x) >= 2, "at least 2 dimensions")
    return Sizes(x, strides=preserved(x))


@shape_rule("aten.flipud.default")
def flipud(x: Sizes) -> Sizes:
    require(len(x) >= 1, "at least 1 dimension")
    return Sizes(x, strides=preserved(x))


@shape_rule("aten.roll.default")
def roll(x: Sizes, shifts: Sequence[IntLike], dims: Sequence[int] = ()) -> Sizes:
    require(len(shifts) > 0, "shifts")
    require(len(dims) == len(shifts) or (not dims and len(shifts) == 1), "as many shifts as dimensions")
    for d in dims:
        wrap_dim(d, len(x))
    return fresh(x) if is_row_major(x) else Sizes(x)


@shape_rule("aten.rot90.default")
def rot90(x: Sizes, k: int = 1, dims: Sequence[int] = (0, 1)) -> Sizes:
    require(len(dims) == 2 and len(x) >= 2, "2 dimensions to turn in")
    first, second = (wrap_dim(d, len(x)) for d in dims)
    require(first != second, "2 different dimensions")
    sizes = list(x)
    if k % 2:
        sizes[first], sizes[second] = sizes[second], sizes[first]
    return Sizes(sizes)


@shape_rule("aten.repeat.default")
def repeat(x: Sizes, repeats: Sequence[IntLike]) -> Sizes:
    """Each size times its repeats; new dimensions come in front."""
    new = len(repeats) - len(x)
    require(new >= 0, f"repeats for {len(x)} dimensions")
    for times in repeats:
        require(ge(times, 0), "repeats that are not negative")
    return fresh([size * times for size, times in zip((*(1,) * new, *x), repeats, strict=True)])


@shape_rule("aten.tile.default")
def tile(x: Sizes, dims: Sequence[IntLike]) -> Sizes:
    """As repeat; missing repeats, in front, are 1."""
    return repeat(x, (*(1,) * (len(x) - len(dims)), *dims))


@shape_rule("aten.repeat_interleave.self_int")
def repeat_interleave(
    x: Sizes, repeats: IntLike, dim: int | None = None, *, output_size: IntLike | None = None
) -> Sizes:
    """Each element of a dimension, or of the flattened tensor, several times in a row, in a contiguous tensor."""
    require(ge(repeats, 0), "repeats that are not negative")
    at, along = interleaved(x, dim)
    size = along[at] * repeats
    if output_size is not None:
        require(eq(output_size, size), "the right output_size")
    return fresh((*along[:at], size, *along[at + 1 :]))


def interleaved(x: Sizes, dim: int | None) -> tuple[int, tuple[IntLike, ...]]:
    """The dimension, and the sizes it is one of: those of the flattened tensor where none is given."""
    if dim is None or not len(x):
        return 0, (product(x),)
    return wrap_dim(dim, len(x)), x


@shape_rule("aten.repeat_interleave.self_Tensor")
def repeat_interleave_by_tensor(
    x: Sizes, repeats: Sizes, dim: int | None = None, *, output_size: IntLike | None = None
) -> Sizes:
    require(len(repeats) <= 1, "repeats of at most 1 dimension")
    at, along = interleaved(x, dim)
    if len(repeats):
        require(either(eq(repeats[0], 1), eq(repeats[0], along[at])), "one repeat for all, or one for each")
    size = data_size(0, at) if output_size is None else output_size
    return fresh((*along[:at], size, *along[at + 1 :]))


@shape_rule("aten.repeat_interleave.Tensor")
def repeat_interleave_indices(repeats: Sizes, *, output_size: IntLike | None = None) -> Sizes:
    require(len(repeats) == 1, "repeats of 1 dimension")
    return fresh((data_size(0, 0) if output_size is None else output_size,))


@shape_rule("aten.tril.default", "aten.triu.default")
def triangle(x: Sizes, diagonal: IntLike = 0) -> Sizes:
    require(len(x) >= 2, "at least 2 dimensions")
    return fresh(x)


@shape_rule("aten.tril_.default", "aten.triu_.default")
def triangle_in_place(x: Sizes, diagonal: IntLike = 0) -> Sizes:
    require(len(x) >= 2, "at least 2 dimensions")
    return x


@shape_rule("aten.diag.default")
def diag(x: Sizes, diagonal: int = 0) -> Sizes:
    """A matrix with that diagonal, or the diagonal of a matrix."""
    require(len(x) in (1, 2), "1 or 2 dimensions")
    if len(x) == 1:
        return fresh([x[0] + abs(diagonal)] * 2)
    return Sizes(diagonal_view(x, diagonal))


@shape_rule("aten.diag_embed.default")
def diag_embed(x: Sizes, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Sizes:
    """The last dimension becomes the diagonal of two."""
    require(len(x) >= 1, "at least 1 dimension")
    first, second = wrap_dim(dim1, len(x) + 1), wrap_dim(dim2, len(x) + 1)
    require(first != second, "2 different dimensions")
    sizes = list(x[:-1])
    for at in sorted((first, second)):
        sizes.insert(at, x[-1] + abs(offset))
    return fresh(sizes)


@shape_rule("aten.diagflat.default")
def diagflat(x: Sizes, offset: int = 0) -> Sizes:
    return fresh([product(x) + abs(offset)] * 2)


@shape_rule("aten.vander.default")
def vander(x: Sizes, N: int | None = None, increasing: bool = False) -> Sizes:
    require(len(x) == 1, "1 dimension")
    return Sizes((x[0], x[0] if N is None else N))


@shape_rule("aten.linalg_vander.default")
def linalg_vander(x: Sizes, *, N: IntLike | None = None) -> Sizes:
    points = tuple(x) or (1,)
    columns = points[-1] if N is None else N
    require(gt(columns, 1), "more than 1 column")
    return Sizes((*points, columns))
