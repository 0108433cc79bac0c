"""Pooling: windows over the last dimensions, adaptive windows, random windows, and the way back.

Source: aten/src/ATen/native/Pool.h (pooling_output_shape, pool2d_shape_check, pool3d_shape_check), Pooling.cpp,
AdaptiveAveragePooling*.cpp, AdaptiveMaxPooling*.cpp, FractionalMaxPool*.cpp, MaxUnpooling.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from guardgen.rules.shape.context import Sizes, require, shape_rule
from guardgen.rules.shape.convolution import Ints, per_dim
from guardgen.terms import IntLike, both, either, eq, floordiv, ge, gt, ite, ne

Shape = tuple[IntLike, ...]


def window_count(
    size: IntLike, kernel: IntLike, stride: IntLike, padding: IntLike, dilation: IntLike, ceil_mode: bool
) -> IntLike:
    """How many windows there are; rounding up counts one that starts inside the input or its left padding."""
    reach = size + 2 * padding - dilation * (kernel - 1) - 1
    if not ceil_mode:
        return floordiv(reach, stride) + 1
    count = floordiv(reach + stride - 1, stride) + 1
    return ite(ge((count - 1) * stride, size + padding), count - 1, count)


def windows(
    x: Sizes, spatial: int, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil_mode: bool
) -> Shape:
    """The sizes after pooling the last `spatial` dimensions; the batch may be empty, nothing else may."""
    require(len(x) in (spatial + 1, spatial + 2), f"an input of {spatial + 1} or {spatial + 2} dimensions")
    kernels = per_dim(kernel, spatial, "a kernel size")
    steps = kernels if isinstance(stride, (list, tuple)) and not stride else per_dim(stride, spatial, "stride")
    pads, dilations = per_dim(padding, spatial, "padding"), per_dim(dilation, spatial, "dilation")
    for size in x[len(x) - spatial - 1 :]:
        require(ne(size, 0), "an input of which only the batch may be empty")
    result: list[IntLike] = []
    for size, k, step, pad, spread in zip(x[-spatial:], kernels, steps, pads, dilations, strict=True):
        require(gt(k, 0), "a kernel size above 0")
        require(gt(step, 0), "a stride above 0")
        require(gt(spread, 0), "a dilation above 0")
        require(ge(pad, 0), "padding of at least 0")
        require(ge(floordiv(spread * (k - 1) + 1, 2), pad), "padding of at most half the kernel")
        count = window_count(size, k, step, pad, spread, ceil_mode)
        require(ge(count, 1), "a window that fits into the input")
        result.append(count)
    return (*x[:-spatial], *result)


def max_pool(spatial: int, results: int) -> Any:
    def rule(
        x: Sizes, kernel: Ints, stride: Ints = (), padding: Ints = 0, dilation: Ints = 1, ceil_mode: bool = False
    ) -> Any:
        sizes = windows(x, spatial, kernel, stride, padding, dilation, ceil_mode)
        return sizes if results == 1 else [sizes] * results

    return rule


def avg_pool(spatial: int) -> Any:
    def rule(
        x: Sizes,
        kernel: Ints,
        stride: Ints = (),
        padding: Ints = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: IntLike | None = None,
    ) -> Shape:
        if divisor_override is not None:
            require(ne(divisor_override, 0), "a divisor that is not 0")
        if spatial == 3:
            for size, k in zip(x[-3:], per_dim(kernel, 3, "a kernel size"), strict=True):
                require(ge(size, k), "an input as large as the kernel, without its padding")
        return windows(x, spatial, kernel, stride, padding, 1, ceil_mode)

    return rule


def adaptive_pool(spatial: int, results: int) -> Any:
    """Averages need elements to average, maxima elements and channels; only the batch may be empty."""

    def rule(x: Sizes, output_size: Ints) -> Any:
        require(len(x) in (spatial + 1, spatial + 2), f"an input of {spatial + 1} or {spatial + 2} dimensions")
        sizes = per_dim(output_size, spatial, "an output size")
        one = both(*(eq(size, 1) for size in sizes)) if results == 1 else False  # a mean, even of none
        for size in x[-spatial:] if results == 1 and spatial < 3 else x[1:]:
            require(either(one, ne(size, 0)), "an input of which only the batch may be empty")
        for size in sizes:
            require(ge(size, 0), "an output size of at least 0")
        shape = (*x[:-spatial], *sizes)
        return shape if results == 1 else [shape] * results

    return rule


for _n in (1, 2, 3):
    shape_rule(f"aten.max_pool{_n}d.default")(max_pool(_n, 1))
    shape_rule(f"aten.max_pool{_n}d_with_indices.default")(max_pool(_n, 2))
    shape_rule(f"aten.avg_pool{_n}d.default")(avg_pool(_n))
    shape_rule(f"aten.adaptive_avg_pool{_n}d.default")(adaptive_pool(_n, 1))
    shape_rule(f"aten.adaptive_max_pool{_n}d.default")(adaptive_pool(_n, 2))
shape_rule("aten._adaptive_avg_pool2d.default")(adaptive_pool(2, 1))
shape_rule("aten._adaptive_avg_pool3d.default")(adaptive_pool(3, 1))


def fractional_max_pool(spatial: int) -> Any:
    """Windows at random places; the random numbers are an argument, a row of them for every channel of every input."""

    def rule(x: Sizes, kernel_size: Ints, output_size: Ints, random_samples: Sizes) -> list[Shape]:
        kernels, sizes = (per_dim(value, spatial, "a size") for value in (kernel_size, output_size))
        require(len(x) in (spatial + 1, spatial + 2), f"an input of {spatial + 1} or {spatial + 2} dimensions")
        for size in x[len(x) - spatial - 1 :]:
            require(ne(size, 0), "an input of which only the batch may be empty")
        for size, kernel, count in zip(x[-spatial:], kernels, sizes, strict=True):
            require(ge(size, count + kernel - (1 if spatial == 2 else 0)), "an input large enough for the windows")
            require(gt(count, 0), "an output that is not empty")
        batch = x[0] if len(x) == spatial + 2 else 1
        require(len(random_samples) == 3, "random samples of 3 dimensions")
        require(ge(random_samples[0], batch), "random samples for every input")
        require(eq(random_samples[1], x[-spatial - 1]), "random samples for every channel")
        require(eq(random_samples[2], spatial), f"{spatial} random samples for each")
        return [(*x[:-spatial], *sizes)] * 2

    return rule


shape_rule("aten.fractional_max_pool2d.default")(fractional_max_pool(2))
shape_rule("aten.fractional_max_pool3d.default")(fractional_max_pool(3))


def max_unpool(x: Sizes, indices: Sizes, sizes: Sequence[IntLike], spatial: int) -> Shape:
    require(len(x) in (spatial + 1, spatial + 2), f"an input of {spatial + 1} or {spatial + 2} dimensions")
    require(len(sizes) == spatial, f"an output size of {spatial} numbers")
    require(len(x) == len(indices), "indices of the input's sizes")
    for size, index in zip(x, indices, strict=False):
        require(eq(size, index), "indices of the input's sizes")
    for size in x[len(x) - spatial - 1 :]:
        require(ne(size, 0), "an input of which only the batch may be empty")
    return (*x[:-spatial], *sizes)


@shape_rule("aten.max_unpool2d.default")
def max_unpool2d(x: Sizes, indices: Sizes, output_size: Sequence[IntLike]) -> Shape:
    return max_unpool(x, indices, output_size, 2)


@shape_rule("aten.max_unpool3d.default")
def max_unpool3d(x: Sizes, indices: Sizes, output_size: Sequence[IntLike], stride: Ints, padding: Ints) -> Shape:
    for step in per_dim(stride, 3, "stride"):
        require(gt(step, 0), "a stride above 0")
    return max_unpool(x, indices, output_size, 3)
