"""Operators that make a tensor from sizes. Source: aten/src/ATen/native/TensorFactories.cpp."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from guardgen.rules.shape.context import Sizes, require, row_major, shape_rule
from guardgen.rules.shape.copies import formatted
from guardgen.rules.shape.variants import fresh
from guardgen.terms import IntLike, ge

Format = torch.memory_format


def sized(size: Sequence[IntLike], memory_format: Format | None = None) -> Sizes:
    """A new tensor of those sizes, which must not be negative."""
    for each in size:
        require(ge(each, 0), "sizes that are not negative")
    contiguous = memory_format is None or memory_format == torch.preserve_format
    return fresh(size) if contiguous else formatted(Sizes(size), memory_format)


@shape_rule(
    "aten.empty.memory_format",
    "aten.zeros.default",
    "aten.ones.default",
    "aten.rand.default",
    "aten.rand.generator",
    "aten.randn.default",
    "aten.randn.generator",
)
def of_size(size: Sequence[IntLike], *, memory_format: Format | None = None, **_: Any) -> Sizes:
    return sized(size, memory_format)


@shape_rule("aten.full.default")
def full(size: Sequence[IntLike], fill_value: Any, **_: Any) -> Sizes:
    return sized(size)


@shape_rule("aten.randint.default", "aten.randint.generator")
def randint(high: IntLike, size: Sequence[IntLike], **_: Any) -> Sizes:
    return sized(size)


@shape_rule("aten.randint.low", "aten.randint.low_generator")
def randint_low(low: IntLike, high: IntLike, size: Sequence[IntLike], **_: Any) -> Sizes:
    return sized(size)


@shape_rule("aten.normal.float_float")
def normal(mean: float, std: float, size: Sequence[IntLike], **_: Any) -> Sizes:
    return sized(size)


@shape_rule("aten.empty_strided.default")
def empty_strided(size: Sequence[IntLike], stride: Sequence[IntLike], **_: Any) -> Sizes:
    sized((*size, *stride))
    require(len(size) == len(stride), "as many strides as sizes")
    return Sizes(size, strides=stride)


@shape_rule("aten.empty_permuted.default")
def empty_permuted(size: Sequence[IntLike], physical_layout: Sequence[int], **_: Any) -> Sizes:
    """`physical_layout` lists the dimensions from the one that varies slowest."""
    sized(size)
    require(sorted(physical_layout) == list(range(len(size))), "each dimension once in physical_layout")
    steps = row_major([size[d] for d in physical_layout])
    return Sizes(size, strides=[steps[list(physical_layout).index(d)] for d in range(len(size))])


@shape_rule(
    "aten.empty_like.default",
    "aten.zeros_like.default",
    "aten.ones_like.default",
    "aten.rand_like.default",
    "aten.rand_like.generator",
    "aten.randn_like.default",
    "aten.randn_like.generator",
)
def like(x: Sizes, *, memory_format: Format | None = None, **_: Any) -> Sizes:
    return formatted(x, memory_format)


@shape_rule("aten.full_like.default")
def full_like(x: Sizes, fill_value: Any, *, memory_format: Format | None = None, **_: Any) -> Sizes:
    return formatted(x, memory_format)


@shape_rule("aten.randint_like.default", "aten.randint_like.generator")
def randint_like(x: Sizes, high: IntLike, *, memory_format: Format | None = None, **_: Any) -> Sizes:
    return formatted(x, memory_format)


@shape_rule("aten.randint_like.low_dtype", "aten.randint_like.low_generator_dtype")
def randint_low_like(x: Sizes, low: IntLike, high: IntLike, *, memory_format: Format | None = None, **_: Any) -> Sizes:
    return formatted(x, memory_format)


@shape_rule("aten.new_empty.default", "aten.new_zeros.default", "aten.new_ones.default")
def new(x: Sizes, size: Sequence[IntLike], **_: Any) -> Sizes:
    return sized(size)


@shape_rule("aten.new_full.default")
def new_full(x: Sizes, size: Sequence[IntLike], fill_value: Any, **_: Any) -> Sizes:
    return sized(size)


@shape_rule("aten.new_empty_strided.default")
def new_empty_strided(x: Sizes, size: Sequence[IntLike], stride: Sequence[IntLike], **_: Any) -> Sizes:
    return empty_strided(size, stride)


@shape_rule("aten.scalar_tensor.default")
def scalar_tensor(s: Any, **_: Any) -> Sizes:
    return fresh(())


@shape_rule("aten.randperm.default", "aten.randperm.generator")
def randperm(n: IntLike, **_: Any) -> Sizes:
    return sized((n,))


@shape_rule("aten.eye.default")
def eye(n: IntLike, **_: Any) -> Sizes:
    return sized((n, n))


@shape_rule("aten.eye.m")
def eye_rectangle(n: IntLike, m: IntLike, **_: Any) -> Sizes:
    return sized((n, m))


@shape_rule("aten.multinomial.default")
def multinomial(x: Sizes, num_samples: IntLike, replacement: bool = False, **_: Any) -> Sizes:
    """Samples from each row; without replacement no more than there are columns."""
    require(len(x) in (1, 2), "1 or 2 dimensions")
    require(ge(num_samples, 1), "a positive number of samples")
    if not replacement:
        require(ge(x[-1], num_samples), "no more samples than categories")
    require(ge(x[-1], 1), "at least one category")
    return Sizes((*x[:-1], num_samples))
