"""Convolutions and transposed convolutions, in 1 to 3 dimensions, with or without a batch.

Source: aten/src/ATen/native/Convolution.cpp (check_shape_forward, batchify) and ConvUtils.h (conv_output_size).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from guardgen.rules.shape.context import Sizes, require, shape_rule
from guardgen.terms import IntLike, either, eq, floordiv, ge, gt, ite, maximum, mod, ne

Shape = tuple[IntLike, ...]
Ints = IntLike | Sequence[IntLike]


def per_dim(value: Ints, count: int, what: str) -> list[IntLike]:
    """A parameter that may be given once for all spatial dimensions, or once for each."""
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    require(len(values) in (1, count), f"{what} of 1 or {count} numbers")
    return values * count if len(values) == 1 else values  # type: ignore[return-value]


def convolution(
    x: Sequence[IntLike],
    weight: Sizes,
    bias: Sizes | None,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    groups: IntLike,
    transposed: bool = False,
    output_padding: Ints = 0,
) -> Shape:
    """The sizes of a batch of outputs, from those of a batch of inputs."""
    spatial = len(weight) - 2
    require(len(x) == len(weight), f"an input of {len(weight) - 1} or {len(weight)} dimensions")
    steps, pads = per_dim(stride, spatial, "stride"), per_dim(padding, spatial, "padding")
    dilations, extra = per_dim(dilation, spatial, "dilation"), per_dim(output_padding, spatial, "output padding")
    for step, pad, spread, more in zip(steps, pads, dilations, extra, strict=True):
        require(gt(step, 0), "a stride above 0")
        require(ge(pad, 0), "padding of at least 0")
        require(gt(spread, 0), "a dilation above 0")
        require(ge(more, 0), "output padding of at least 0")
    require(gt(groups, 0), "groups above 0")
    require(ge(weight[0], groups), "a weight for every group")
    require(eq(mod(weight[0], groups), 0), "a weight that divides into the groups")
    inputs, outputs = (weight[0], weight[1] * groups) if transposed else (weight[1] * groups, weight[0])
    require(eq(x[1], inputs), f"an input of as many channels as the weight has: {x[1]} and {inputs}")
    if bias is not None:
        require(len(bias) == 1, "a bias of 1 dimension")
        require(eq(bias[0], outputs), "a bias of the size of the output's channels")
    if transposed:
        require(ne(weight[1], 0), "a weight that is not empty")
    for size, kernel, pad in zip(x[2:], weight[2:], pads, strict=True):
        require(either(gt(kernel, 0), eq(inputs, 0)), "a kernel that is not empty")
        if transposed or pad != 0:
            require(either(ne(size, 0), eq(x[0], 0), eq(inputs, 0)), "an input of which only the batch may be empty")
    size_of = transposed_size if transposed else output_size
    sizes = [size_of(*each) for each in zip(x[2:], weight[2:], steps, pads, dilations, extra, strict=True)]
    return (x[0], ite(eq(inputs, 0), 0, outputs), *sizes)  # of no channels, none come out


def output_size(
    size: IntLike, kernel: IntLike, stride: IntLike, padding: IntLike, dilation: IntLike, _: IntLike
) -> IntLike:
    """The kernel, spread by the dilation, must fit into the padded input."""
    span = dilation * (kernel - 1) + 1
    require(ge(size + 2 * padding, span), "a padded input at least as large as the kernel")
    return floordiv(size + 2 * padding - span, stride) + 1


def transposed_size(
    size: IntLike, kernel: IntLike, stride: IntLike, padding: IntLike, dilation: IntLike, extra: IntLike
) -> IntLike:
    result = (size - 1) * stride - 2 * padding + dilation * (kernel - 1) + extra + 1
    require(gt(maximum(stride, dilation), extra), "output padding smaller than stride or dilation")
    require(gt(result, 0), "an output that is not empty")
    return result


def with_batch(x: Sizes, weight: Sizes) -> tuple[Shape, bool]:
    """The input as a batch, and whether it was one; an input without a batch is a batch of 1."""
    if len(x) == len(weight) - 1:
        return (1, *x), False
    return tuple(x), True


@shape_rule("aten.conv1d.default", "aten.conv2d.default", "aten.conv3d.default")
def conv(
    x: Sizes,
    weight: Sizes,
    bias: Sizes | None = None,
    stride: Ints = 1,
    padding: Ints = 0,
    dilation: Ints = 1,
    groups: IntLike = 1,
) -> Shape:
    batch, batched = with_batch(x, weight)
    result = convolution(batch, weight, bias, stride, padding, dilation, groups)
    return result if batched else result[1:]


@shape_rule("aten.conv1d.padding", "aten.conv2d.padding", "aten.conv3d.padding")
def conv_padding(
    x: Sizes,
    weight: Sizes,
    bias: Sizes | None = None,
    stride: Ints = 1,
    padding: str = "valid",
    dilation: Ints = 1,
    groups: IntLike = 1,
) -> Shape:
    """`valid` is no padding; `same` pads until the output is as large as the input, which needs a stride of 1."""
    if padding == "valid":
        return conv(x, weight, bias, stride, 0, dilation, groups)
    batch, batched = with_batch(x, weight)
    for step in per_dim(stride, len(weight) - 2, "stride"):
        require(eq(step, 1), "a stride of 1 where the padding is 'same'")
    spans = zip(batch[2:], weight[2:], per_dim(dilation, len(weight) - 2, "dilation"), strict=True)
    sizes = [size + spread * (kernel - 1) for size, kernel, spread in spans]
    result = convolution((*batch[:2], *sizes), weight, bias, 1, 0, dilation, groups)
    return result if batched else result[1:]


@shape_rule("aten.conv_transpose1d.default", "aten.conv_transpose2d.input", "aten.conv_transpose3d.input")
def conv_transpose(
    x: Sizes,
    weight: Sizes,
    bias: Sizes | None = None,
    stride: Ints = 1,
    padding: Ints = 0,
    output_padding: Ints = 0,
    groups: IntLike = 1,
    dilation: Ints = 1,
) -> Shape:
    batch, batched = with_batch(x, weight)
    result = convolution(batch, weight, bias, stride, padding, dilation, groups, True, output_padding)
    return result if batched else result[1:]


@shape_rule("aten.convolution.default", "aten._convolution.default", "aten.convolution_overrideable.default")
def general_convolution(
    x: Sizes,
    weight: Sizes,
    bias: Sizes | None,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    transposed: bool,
    output_padding: Ints,
    groups: IntLike,
    *_: Any,
) -> Shape:
    return convolution(x, weight, bias, stride, padding, dilation, groups, transposed, output_padding)


@shape_rule("aten.conv_tbc.default")
def conv_tbc(x: Sizes, weight: Sizes, bias: Sizes, pad: IntLike = 0) -> Shape:
    """Time, batch, channels."""
    require(len(x) == len(weight) == 3 and len(bias) == 1, "an input and a weight of 3 dimensions, and a bias of 1")
    require(eq(x[2], weight[1]), "an input of as many channels as the weight has")
    require(eq(bias[0], weight[2]), "a bias of the size of the output's channels")
    result = x[0] - weight[0] + 1 + 2 * pad
    require(ge(result, 0), "a padded input at least as large as the kernel")
    return (result, x[1], weight[2])
