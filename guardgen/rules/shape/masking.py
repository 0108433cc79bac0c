"""Masks, and results whose sizes depend on data.

Source: aten/src/ATen/native/TensorAdvancedIndexing.cpp, Unique.cpp, Onehot.cpp.
"""

from __future__ import annotations

from typing import Any

from guardgen.rules.shape.broadcast import broadcast, expand_to
from guardgen.rules.shape.context import Pieces, Sizes, data_list, data_size, require, shape_rule, wrap_dim
from guardgen.rules.shape.variants import fresh
from guardgen.terms import IntLike, ge, gt, ne, product


@shape_rule("aten.masked_fill.Scalar", "aten.masked_fill.Tensor")
def masked_fill(x: Sizes, mask: Sizes, value: Any) -> Sizes:
    if isinstance(value, Sizes):
        require(len(value) == 0, "a value without dimensions")
    return Sizes(broadcast(x, mask))


@shape_rule("aten.masked_fill_.Scalar", "aten.masked_fill_.Tensor")
def masked_fill_in_place(x: Sizes, mask: Sizes, value: Any) -> Sizes:
    if isinstance(value, Sizes):
        require(len(value) == 0, "a value without dimensions")
    expand_to(mask, x, "a mask")
    return Sizes(x, x.dtype, x.strides)


@shape_rule("aten.masked_select.default")
def masked_select(x: Sizes, mask: Sizes) -> Sizes:
    broadcast(x, mask)
    return fresh((data_size(0, 0),))


@shape_rule("aten.masked_scatter.default")
def masked_scatter(x: Sizes, mask: Sizes, source: Sizes) -> Sizes:
    return Sizes(broadcast(x, mask))


@shape_rule("aten.masked_scatter_.default")
def masked_scatter_in_place(x: Sizes, mask: Sizes, source: Sizes) -> Sizes:
    expand_to(mask, x, "a mask")
    return Sizes(x, x.dtype, x.strides)


@shape_rule("aten.where.self")
def where(condition: Sizes, x: Sizes, other: Sizes) -> Sizes:
    return Sizes(broadcast(condition, x, other))


@shape_rule("aten.where.ScalarOther")
def where_scalar_other(condition: Sizes, x: Sizes, other: Any) -> Sizes:
    return Sizes(broadcast(condition, x))


@shape_rule("aten.where.ScalarSelf")
def where_scalar_self(condition: Sizes, x: Any, other: Sizes) -> Sizes:
    return Sizes(broadcast(condition, other))


@shape_rule("aten.where.Scalar")
def where_scalars(condition: Sizes, x: Any, other: Any) -> Sizes:
    return Sizes(condition)


@shape_rule("aten.nonzero.default", "aten.argwhere.default")
def nonzero(x: Sizes) -> Sizes:
    """The positions of what is not 0, one a row; stored dimension by dimension."""
    count = data_size(0, 0)
    return Sizes((count, len(x)), strides=(1, count))


@shape_rule("aten.where.default")
def where_true(condition: Sizes) -> Pieces:
    return nonzero_by_dim(condition)


@shape_rule("aten.nonzero_numpy.default")
def nonzero_by_dim(x: Sizes) -> Pieces:
    """The positions, a tensor for each dimension."""
    _, size = data_list()
    return Pieces(max(len(x), 1), lambda _: (size(0, 0),))


@shape_rule("aten.nonzero_static.default")
def nonzero_static(x: Sizes, *, size: IntLike, fill_value: int = -1) -> Sizes:
    require(ge(size, 0), "a size that is not negative")
    return Sizes((size, len(x)))


@shape_rule("aten._unique2.default")
def unique(x: Sizes, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False) -> list[Sizes]:
    count = data_size(0, 0)
    inverse = Sizes(x) if return_inverse else Sizes((0,))
    return [fresh((count,)), inverse, fresh((count,)) if return_counts else fresh((0,))]


@shape_rule("aten._unique.default")
def unique_pair(x: Sizes, sorted: bool = True, return_inverse: bool = False) -> list[Sizes]:
    return unique(x, sorted, return_inverse)[:2]


@shape_rule("aten.unique_dim.default")
def unique_dim(
    x: Sizes, dim: int, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False
) -> list[Sizes]:
    """The slices of one dimension that differ; no other dimension may be empty. Inverse and counts always come."""
    require(len(x) > 0, "at least 1 dimension")
    at = wrap_dim(dim, len(x))
    for d, size in enumerate(x):
        if d != at:
            require(ne(size, 0), "other dimensions that are not empty")
    count = data_size(0, at)
    return [Sizes((*x[:at], count, *x[at + 1 :])), Sizes((x[at],)), Sizes((count,))]


@shape_rule("aten.unique_dim_consecutive.default")
def unique_dim_consecutive(
    x: Sizes, dim: int, return_inverse: bool = False, return_counts: bool = False
) -> list[Sizes]:
    return unique_dim(x, dim)


@shape_rule("aten.unique_consecutive.default")
def unique_consecutive(
    x: Sizes, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> list[Sizes]:
    if dim is not None and not (dim == 0 and len(x) == 1):
        return unique_dim(x, dim)
    count = data_size(0, 0)
    inverse = Sizes(x) if return_inverse else Sizes((0,))
    return [Sizes((count,)), inverse, Sizes((count,)) if return_counts else Sizes((0,))]


@shape_rule("aten.one_hot.default")
def one_hot(x: Sizes, num_classes: int = -1) -> Sizes:
    """A last dimension of `num_classes`, or of what the data need, which must then be there."""
    if num_classes == -1:
        require(gt(product(x), 0), "elements to infer the number of classes from")
        return Sizes((*x, data_size(0, len(x))))
    require(num_classes > 0, "a positive number of classes")
    return Sizes((*x, num_classes))
