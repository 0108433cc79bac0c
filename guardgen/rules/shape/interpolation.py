"""Interpolation to a size or by a factor, sampling at the points of a grid, and shuffles between channels and pixels.

Source: aten/src/ATen/native/UpSample.h (upsample_*_common_check), UpSample.cpp (compute_output_size),
GridSamplerUtils.h, PixelShuffle.cpp, AffineGridGenerator.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from guardgen.rules.shape.context import Sizes, require, shape_rule
from guardgen.rules.terms import term_rules
from guardgen.terms import FloatLike, IntLike, eq, floordiv, ge, gt, ite, mod, ne, product

Shape = tuple[IntLike, ...]
EXACT = 2**16  # a factor whose numerator and denominator are below this multiplies every possible size exactly


def scaled(size: IntLike, factor: FloatLike) -> IntLike:
    """The size times the factor, in double precision, without the fraction."""
    if isinstance(factor, (int, float)) and factor == factor and abs(factor) < EXACT:
        numerator, denominator = float(factor).as_integer_ratio()
        if 0 <= numerator < EXACT and denominator < EXACT:
            return floordiv(size * numerator, denominator)
    value = term_rules["float_mul"](term_rules["int_to_float"](size), factor)
    return term_rules["float_trunc"](value)  # type: ignore[no-any-return]


def resized(x: Sizes, sizes: Sequence[IntLike]) -> Shape:
    spatial = len(sizes)
    require(len(x) == spatial + 2, f"an input of {spatial + 2} dimensions")
    for size in x[1:]:
        require(ne(size, 0), "an input of which only the batch may be empty")
    for size in sizes:
        require(gt(size, 0), "an output that is not empty")
    return (*x[:2], *sizes)


def by_size(x: Sizes, output_size: Sequence[IntLike], *_: Any, **__: Any) -> Shape:
    return resized(x, output_size)


def by_size_or_factor(x: Sizes, output_size: Sequence[IntLike] | None, *rest: Any, **named: Any) -> Shape:
    """The factors are the last argument."""
    if output_size is not None:
        return resized(x, output_size)
    factors = named["scale_factors"] if "scale_factors" in named else rest[-1]
    require(len(factors) == len(x) - 2, "a factor for every spatial dimension")
    return resized(x, [scaled(size, factor) for size, factor in zip(x[2:], factors, strict=False)])


MODES = """
upsample_nearest1d upsample_nearest2d upsample_nearest3d _upsample_nearest_exact1d _upsample_nearest_exact2d
_upsample_nearest_exact3d upsample_linear1d upsample_bilinear2d upsample_trilinear3d upsample_bicubic2d
_upsample_bilinear2d_aa _upsample_bicubic2d_aa
"""

for _mode in MODES.split():
    shape_rule(f"aten.{_mode}.default")(by_size)
    shape_rule(f"aten.{_mode}.vec")(by_size_or_factor)


@shape_rule("aten.grid_sampler.default", "aten.grid_sampler_2d.default", "aten.grid_sampler_3d.default")
def grid_sampler(x: Sizes, grid: Sizes, *_: Any, **__: Any) -> Shape:
    spatial = len(x) - 2
    require(spatial in (2, 3), "an input of 4 or 5 dimensions")
    require(len(grid) == len(x), "a grid of as many dimensions as the input")
    require(eq(x[0], grid[0]), "a grid for every input")
    require(eq(grid[-1], spatial), f"grid points of {spatial} coordinates")
    for size in x[2:]:
        require(ne(size, 0), "an input of which only batch and channels may be empty")
    return (*x[:2], *grid[1:-1])


@shape_rule("aten.affine_grid_generator.default")
def affine_grid_generator(theta: Sizes, size: Sequence[IntLike], align_corners: bool) -> Shape:
    spatial = len(size) - 2
    require(spatial in (2, 3), "an output of 4 or 5 dimensions")
    require(len(theta) == 3, "a batch of matrices")
    require(eq(theta[0], size[0]), "a matrix for every output")
    require(eq(theta[1], spatial), f"matrices of {spatial} rows")
    require(eq(theta[2], spatial + 1), f"matrices of {spatial + 1} columns")
    return (size[0], *size[2:], spatial)


@shape_rule("aten.pixel_shuffle.default")
def pixel_shuffle(x: Sizes, upscale_factor: IntLike) -> Shape:
    require(len(x) >= 3, "an input of at least 3 dimensions")
    require(gt(upscale_factor, 0), "a factor above 0")
    square = upscale_factor * upscale_factor
    require(eq(mod(x[-3], square), 0), "channels that divide by the square of the factor")
    return (*x[:-3], floordiv(x[-3], square), x[-2] * upscale_factor, x[-1] * upscale_factor)


@shape_rule("aten.pixel_unshuffle.default")
def pixel_unshuffle(x: Sizes, downscale_factor: IntLike) -> Shape:
    require(len(x) >= 3, "an input of at least 3 dimensions")
    require(gt(downscale_factor, 0), "a factor above 0")
    for size in x[-2:]:
        require(eq(mod(size, downscale_factor), 0), "height and width that divide by the factor")
    height, width = (floordiv(size, downscale_factor) for size in x[-2:])
    none = eq(product(x), 0)  # the kernel returns an empty input as it is
    unshuffled = (x[-3] * downscale_factor * downscale_factor, height, width)
    return (*x[:-3], *(ite(none, old, new) for old, new in zip(x[-3:], unshuffled, strict=True)))


@shape_rule("aten.channel_shuffle.default", "aten.native_channel_shuffle.default")
def channel_shuffle(x: Sizes, groups: IntLike) -> Shape:
    require(len(x) >= 3, "an input of at least 3 dimensions")
    require(gt(groups, 0), "groups above 0")
    require(eq(mod(x[1], groups), 0), "channels that divide into the groups")
    return tuple(x)


def blocks(size: IntLike, kernel: IntLike, dilation: IntLike, padding: IntLike, stride: IntLike) -> IntLike:
    """How many windows of im2col there are along one dimension."""
    require(gt(kernel, 0), "a kernel size above 0")
    require(gt(dilation, 0), "a dilation above 0")
    require(ge(padding, 0), "padding of at least 0")
    require(gt(stride, 0), "a stride above 0")
    return floordiv(size + 2 * padding - dilation * (kernel - 1) - 1, stride) + 1


@shape_rule("aten.im2col.default")
def im2col(
    x: Sizes,
    kernel_size: Sequence[IntLike],
    dilation: Sequence[IntLike],
    padding: Sequence[IntLike],
    stride: Sequence[IntLike],
) -> Shape:
    require(len(x) in (3, 4), "an input of 3 or 4 dimensions")
    for size in x[-3:]:
        require(ne(size, 0), "an input of which only the batch may be empty")
    parts = [blocks(*each) for each in zip(x[-2:], kernel_size, dilation, padding, stride, strict=True)]
    for count in parts:
        require(ge(count, 1), "a window that fits into the input")
    return (*x[:-3], x[-3] * kernel_size[0] * kernel_size[1], parts[0] * parts[1])


@shape_rule("aten.col2im.default")
def col2im(
    x: Sizes,
    output_size: Sequence[IntLike],
    kernel_size: Sequence[IntLike],
    dilation: Sequence[IntLike],
    padding: Sequence[IntLike],
    stride: Sequence[IntLike],
) -> Shape:
    require(len(x) in (2, 3), "an input of 2 or 3 dimensions")
    for size in x[-2:]:
        require(ne(size, 0), "an input of which only the batch may be empty")
    for size in output_size:
        require(gt(size, 0), "an output that is not empty")
    parts = [blocks(*each) for each in zip(output_size, kernel_size, dilation, padding, stride, strict=True)]
    area = kernel_size[0] * kernel_size[1]
    require(eq(mod(x[-2], area), 0), "columns that divide into kernels")
    for count in parts:
        require(ge(count, 1), "a window that fits into the output")
    require(eq(x[-1], parts[0] * parts[1]), "as many columns as there are windows")
    return (*x[:-2], floordiv(x[-2], area), *output_size)
