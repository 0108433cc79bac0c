"""Normalisation over channels, groups and trailing dimensions, and softmax.

Source: aten/src/ATen/native/layer_norm.cpp (_check_layer_norm_inputs), group_norm.cpp, Normalization.cpp, SoftMax.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from guardgen.rules.shape.conditional import empty, unless
from guardgen.rules.shape.context import Sizes, require, shape_rule, wrap_dim
from guardgen.rules.shape.strides import is_row_major
from guardgen.rules.shape.variants import fresh
from guardgen.terms import IntLike, eq, gt, mod, ne, product

Shape = tuple[IntLike, ...]


@shape_rule(
    "aten.softmax.int",
    "aten.log_softmax.int",
    "aten._softmax.default",
    "aten._log_softmax.default",
    "aten._safe_softmax.default",
    "aten.special_softmax.int",
    "aten.special_log_softmax.int",
)
def softmax(x: Sizes, dim: int, *_: Any, **__: Any) -> Shape:
    wrap_dim(dim, len(x))
    return contiguous(x)


@shape_rule("aten._softmax_backward_data.default", "aten._log_softmax_backward_data.default")
def softmax_backward(grad: Sizes, output: Sizes, dim: int, *_: Any) -> Shape:
    require_sizes(output, grad, "a gradient of the output's sizes")
    return tuple(grad)


def contiguous(x: Sizes) -> Sizes:
    """A result of the input's sizes, contiguous if the input is; its layout is not known otherwise."""
    return fresh(x) if is_row_major(x) else Sizes(x)


def require_sizes(x: Sequence[IntLike] | None, sizes: Sequence[IntLike], what: str) -> None:
    """Require that the tensor, where it is given, has exactly those sizes."""
    if x is None:
        return
    require(len(x) == len(sizes), what)
    for have, want in zip(x, sizes, strict=False):
        require(eq(have, want), what)


def require_per_channel(channels: IntLike, *parameters: Sizes | None) -> None:
    """Weights, biases and running statistics have a number for every channel."""
    for parameter in parameters:
        if parameter is not None:
            require(eq(product(parameter), channels), f"a weight or bias for each of the {channels} channels")


def trailing(x: Sizes, shape: Sequence[IntLike], weight: Sizes | None, bias: Sizes | None) -> None:
    """`shape` is the input's last sizes, and the weight's and the bias's sizes."""
    require(len(shape) >= 1, "a normalized shape of at least 1 dimension")
    require_sizes(weight, shape, "a weight of the normalized shape")
    require_sizes(bias, shape, "a bias of the normalized shape")
    require(len(x) >= len(shape), "an input of at least the normalized dimensions")
    require_sizes(x[max(len(x) - len(shape), 0) :], shape, "an input that ends in the normalized shape")


@shape_rule("aten.layer_norm.default")
def layer_norm(
    x: Sizes, normalized_shape: Sequence[IntLike], weight: Sizes | None = None, bias: Sizes | None = None, *_: Any
) -> Shape:
    trailing(x, normalized_shape, weight, bias)
    return contiguous(x)


@shape_rule("aten.native_layer_norm.default")
def native_layer_norm(
    x: Sizes, normalized_shape: Sequence[IntLike], weight: Sizes | None, bias: Sizes | None, eps: float
) -> list[Shape]:
    trailing(x, normalized_shape, weight, bias)
    count = len(normalized_shape)
    statistics = (*x[: len(x) - count], *[1] * count)
    return [tuple(x), statistics, statistics]


@shape_rule("aten.rms_norm.default")
def rms_norm(x: Sizes, normalized_shape: Sequence[IntLike], weight: Sizes | None = None, eps: Any = None) -> Shape:
    trailing(x, normalized_shape, weight, None)
    return tuple(x)


@shape_rule("aten._fused_rms_norm.default")
def fused_rms_norm(x: Sizes, normalized_shape: Sequence[IntLike], weight: Sizes | None, eps: Any) -> list[Shape]:
    trailing(x, normalized_shape, weight, None)
    count = len(normalized_shape)
    return [tuple(x), (*x[: len(x) - count], *[1] * count)]


@shape_rule("aten.group_norm.default")
def group_norm(x: Sizes, num_groups: IntLike, weight: Sizes | None = None, bias: Sizes | None = None, *_: Any) -> Shape:
    require(len(x) >= 2, "an input of at least 2 dimensions")
    require_groups(x[1], num_groups, weight, bias)
    return tuple(x)


def require_groups(channels: IntLike, groups: IntLike, weight: Sizes | None, bias: Sizes | None) -> None:
    require(gt(groups, 0), "groups above 0")
    require(eq(mod(channels, groups), 0), "channels that divide into the groups")
    for parameter in (weight, bias):
        require_sizes(parameter, (channels,), f"a weight or bias for each of the {channels} channels")


@shape_rule("aten.native_group_norm.default")
def native_group_norm(
    x: Sizes, weight: Sizes | None, bias: Sizes | None, N: IntLike, C: IntLike, HxW: IntLike, group: IntLike, eps: float
) -> list[Shape]:
    require_groups(C, group, weight, bias)
    require(eq(product(x), N * C * HxW), "an input of the sizes that are given")
    return [tuple(x), (N, group), (N, group)]


@shape_rule("aten.batch_norm.default")
def batch_norm(
    x: Sizes,
    weight: Sizes | None,
    bias: Sizes | None,
    running_mean: Sizes | None,
    running_var: Sizes | None,
    training: bool,
    *_: Any,
) -> Shape:
    with unless(empty(x)):
        require_per_channel(x[min(1, len(x) - 1)], weight, bias, running_mean, running_var)
    require_elements(weight, bias)
    return tuple(x)


def require_elements(*parameters: Sizes | None) -> None:
    """An empty input is scaled by the first weight, whatever the number of weights."""
    for parameter in parameters:
        if parameter is not None:
            require(ne(product(parameter), 0), "a weight or bias that is not empty")


def statistics(x: Sizes, training: bool) -> list[Shape]:
    """Input, and mean and variance of each channel where they are computed."""
    kept: Shape = (x[1],) if training else (0,)
    return [tuple(x), kept, kept]


@shape_rule("aten.native_batch_norm.default", "aten._native_batch_norm_legit.default")
def native_batch_norm(
    x: Sizes,
    weight: Sizes | None,
    bias: Sizes | None,
    running_mean: Sizes | None,
    running_var: Sizes | None,
    training: bool,
    *_: Any,
) -> list[Shape]:
    require_per_channel(x[1], weight, bias, running_mean, running_var)
    return statistics(x, training)


@shape_rule("aten._native_batch_norm_legit.no_stats")
def batch_norm_without_running(x: Sizes, weight: Sizes | None, bias: Sizes | None, *_: Any) -> list[Shape]:
    require_per_channel(x[1], weight, bias)
    return statistics(x, True)


@shape_rule("aten._native_batch_norm_legit_no_training.default")
def batch_norm_inference(
    x: Sizes, weight: Sizes | None, bias: Sizes | None, running_mean: Sizes, running_var: Sizes, *_: Any
) -> list[Shape]:
    require_per_channel(x[1], weight, bias, running_mean, running_var)
    return statistics(x, False)


@shape_rule("aten._batch_norm_with_update.default", "aten._batch_norm_with_update_functional.default")
def batch_norm_with_update(x: Sizes, *parameters: Any) -> list[Shape]:
    require_per_channel(x[1], *parameters[:4])
    return [*statistics(x, True), (0,)]


@shape_rule("aten.instance_norm.default")
def instance_norm(
    x: Sizes,
    weight: Sizes | None,
    bias: Sizes | None,
    running_mean: Sizes | None,
    running_var: Sizes | None,
    *_: Any,
) -> Shape:
    """Batch normalisation in which every channel of every input is a channel."""
    require(len(x) >= 2, "an input of at least 2 dimensions")
    require_per_channel(x[1], running_mean, running_var)
    with unless(empty(x)):
        require_per_channel(x[1], weight, bias)
    require_elements(weight, bias)
    if weight is not None or bias is not None:
        require(ne(x[0], 0), "inputs")
    return tuple(x)
