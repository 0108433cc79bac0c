"""PyTorch's `prims`: nothing broadcasts unless it says so, and every parameter is explicit.

Source: torch/_prims/__init__.py (the meta function of each primitive).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from guardgen.rules.shape.broadcast import expand_to
from guardgen.rules.shape.context import Sizes, require, row_major, shape_rule
from guardgen.rules.shape.reductions import Dims, reduced, require_not_empty
from guardgen.rules.shape.views import pick
from guardgen.terms import IntLike, either, eq, floordiv, ge, mod, ne, product

Shape = tuple[IntLike, ...]

ELEMENTWISE = """
abs acos acosh add asin asinh atan atan2 atanh bessel_i0 bessel_i0e bessel_i1 bessel_i1e bessel_j0 bessel_j1 bitwise_and
bitwise_not bitwise_or bitwise_xor cbrt ceil clone conj_physical cos cosh digamma div eq erf erf_inv erfc erfcx exp exp2
expm1 fill floor fmax fmin fmod gcd ge gt hypot igamma igammac isfinite le lgamma log log10 log1p log2 lt maximum
minimum mul ndtri ne neg nextafter pow reciprocal remainder round rsqrt shift_left shift_right_arithmetic sign signbit
sin sinh spherical_bessel_j0 sqrt sub tan tanh trunc where zeta convert_element_type device_put
"""


@shape_rule(*(f"prims.{name}.default" for name in ELEMENTWISE.split()))
def elementwise(*args: Any, **_: Any) -> Shape:
    """All tensors have the same sizes, except scalars."""
    shapes = [arg for arg in args if isinstance(arg, Sizes) and arg]
    for other in shapes[1:]:
        require(len(other) == len(shapes[0]), "operands of the same number of dimensions")
        for left, right in zip(shapes[0], other, strict=False):
            require(eq(left, right), f"operands of the same sizes: {left} and {right}")
    return tuple(shapes[0]) if shapes else ()


@shape_rule("prims.frexp.default")
def frexp(x: Sizes) -> list[Shape]:
    return [tuple(x)] * 2


@shape_rule("prims.conj.default", "prims.view_of.default", "prims.real.default")
def same(x: Sizes) -> Sizes:
    return x


@shape_rule("prims.imag.default", "prims.rev.default", "prims.full_like.default")
def like(x: Sizes, *_: Any, **__: Any) -> Shape:
    return tuple(x)


@shape_rule("prims.copy_strided.default")
def copy_strided(x: Sizes, stride: Sequence[IntLike]) -> Sizes:
    return Sizes(x, x.dtype, stride)


@shape_rule("prims.copy_to.default")
def copy_to(x: Sizes, other: Sizes) -> Sizes:
    require(eq(product(x), product(other)), "as many elements as the tensor that it is written to")
    expand_to(other, x, "what is written")
    return x


@shape_rule("prims.broadcast_in_dim.default")
def broadcast_in_dim(x: Sizes, shape: Sequence[IntLike], broadcast_dimensions: Sequence[int]) -> Shape:
    """Dimension i becomes `broadcast_dimensions[i]` of the result, repeated if its size is 1."""
    require(len(x) == len(broadcast_dimensions), "a place for every dimension")
    for size, at in zip(x, broadcast_dimensions, strict=False):
        require(either(eq(size, 1), eq(size, shape[at])), f"{size} to broadcast to {shape[at]}")
    return tuple(shape)


@shape_rule("prims.transpose.default")
def transpose(x: Sizes, permutation: Sequence[int]) -> Sizes:
    require(sorted(permutation) == list(range(len(x))), "every dimension once")
    return pick(x, permutation)


@shape_rule("prims.squeeze.default")
def squeeze(x: Sizes, dimensions: Sequence[int]) -> Sizes:
    for dim in dimensions:
        require(eq(x[dim], 1), f"a size of 1 at dimension {dim} to drop")
    return pick(x, [dim for dim in range(len(x)) if dim not in dimensions])


@shape_rule("prims.reshape.default")
def reshape(x: Sizes, shape: Sequence[IntLike]) -> Sizes:
    require(eq(product(x), product(shape)), "as many elements as the new sizes have")
    for size in shape:
        require(ge(size, 0), "sizes of at least 0")
    return Sizes(shape, x.dtype, row_major(shape))


@shape_rule("prims.collapse.default", "prims.collapse_view.default")
def collapse(x: Sizes, start: int, end: int) -> Shape:
    """The dimensions from `start` to `end`, that one included, as one."""
    require(0 <= start <= end < max(len(x), 1), "dimensions to collapse")
    return (*x[:start], product(x[start : end + 1]), *x[end + 1 :])


@shape_rule("prims.split_dim.default")
def split_dim(x: Sizes, dim: int, outer_length: IntLike) -> Shape:
    require(ne(outer_length, 0), "an outer length that is not 0")
    require(eq(mod(x[dim], outer_length), 0), "an outer length that divides the size")
    return (*x[:dim], outer_length, floordiv(x[dim], outer_length), *x[dim + 1 :])


@shape_rule("prims.cat.default")
def cat(tensors: Sequence[Sizes], dim: int) -> Shape:
    first = tensors[0]
    total: IntLike = 0
    for each in tensors:
        require(len(each) == len(first), "tensors of the same number of dimensions")
        for i, (left, right) in enumerate(zip(first, each, strict=False)):
            require(i == dim or eq(left, right), f"tensors of the same size at dimension {i}")
        total = total + each[dim]
    return (*first[:dim], total, *first[dim + 1 :])


@shape_rule("prims.sum.default", "prims.prod.default", "prims.xor_sum.default", "prims.var.default")
def reduce(x: Sizes, dims: Dims, *_: Any, **__: Any) -> Shape:
    return reduced(x, dims)


@shape_rule("prims.amax.default", "prims.amin.default")
def extreme(x: Sizes, dims: Dims, *, output_dtype: Any = None) -> Shape:
    require_not_empty(x, dims)
    return reduced(x, dims)


@shape_rule("prims.empty.default", "prims.full.default", "prims.normal.default", "prims.uniform.default")
def of_size(shape: Sequence[IntLike], *_: Any, **__: Any) -> Shape:
    for size in shape:
        require(ge(size, 0), "sizes of at least 0")
    return tuple(shape)


@shape_rule("prims.empty_strided.default")
def empty_strided(shape: Sequence[IntLike], strides: Sequence[IntLike], **_: Any) -> Sizes:
    return Sizes(of_size(shape), torch.float32, strides)


@shape_rule("prims.iota.default")
def iota(length: IntLike, *, step: IntLike, **_: Any) -> Shape:
    require(ge(length, 0), "a length of at least 0")
    require(ne(step, 0), "a step that is not 0")
    return (length,)


@shape_rule("prims.scalar_tensor.default")
def scalar_tensor(s: Any, **_: Any) -> Shape:
    return ()


def require_points(x: Sizes) -> None:
    """The library for Fourier transforms refuses tensors without elements."""
    for size in x:
        require(ne(size, 0), "elements to transform")


@shape_rule("prims.fft_c2c.default")
def fft_c2c(x: Sizes, *, dim: Sequence[int], forward: bool) -> Shape:
    if dim:
        require_points(x)
    return tuple(x)


@shape_rule("prims.fft_r2c.default")
def fft_r2c(x: Sizes, *, dim: Sequence[int], onesided: bool) -> Shape:
    require_points(x)
    last = dim[-1] % len(x)
    half = floordiv(x[last], 2) + 1
    return (*x[:last], half if onesided else x[last], *x[last + 1 :])


@shape_rule("prims.fft_c2r.default")
def fft_c2r(x: Sizes, *, dim: Sequence[int], last_dim_size: IntLike) -> Shape:
    """The input has half the frequencies of the result, or all."""
    require_points(x)
    last = dim[-1] % len(x)
    half = floordiv(last_dim_size, 2) + 1
    require(either(eq(x[last], last_dim_size), eq(x[last], half)), "as many frequencies as the result needs")
    return (*x[:last], last_dim_size, *x[last + 1 :])
