"""Operators that copy a tensor, convert it, write into it, or give it other memory.

Source: aten/src/ATen/native/TensorConversions.cpp, TensorFactories.cpp, Resize.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from guardgen.rules.shape.broadcast import expand_to
from guardgen.rules.shape.context import Sizes, require, row_major, shape_rule
from guardgen.rules.shape.strides import contiguous, is_row_major, preserved
from guardgen.rules.shape.variants import fresh, unlaid
from guardgen.terms import IntLike, ge, ite

Format = torch.memory_format


def formatted(x: Sizes, memory_format: Format | None) -> Sizes:
    """A new tensor of the sizes of `x` in that format."""
    if memory_format is None or memory_format == torch.preserve_format:
        return Sizes(x, strides=preserved(x))
    if memory_format == torch.contiguous_format:
        return fresh(x)
    rank = 4 if memory_format == torch.channels_last else 5
    require(len(x) == rank, f"{rank} dimensions for {memory_format}")
    order = [0, *range(2, len(x)), 1]
    steps = row_major([x[d] for d in order])
    return Sizes(x, strides=[steps[order.index(d)] for d in range(len(x))])


@shape_rule("aten.clone.default", "aten._to_copy.default")
def clone(x: Sizes, *, memory_format: Format | None = None, **_: Any) -> Sizes:
    return formatted(x, memory_format)


@shape_rule("aten.contiguous.default")
def make_contiguous(x: Sizes, *, memory_format: Format = torch.contiguous_format) -> Sizes:
    """The tensor itself where it is contiguous in that format, else a copy."""
    if memory_format != torch.contiguous_format:
        formatted(x, memory_format)  # requires the rank
        return unlaid(x)
    already = contiguous(x)
    if already is None or x.strides is None:
        return Sizes(x, contiguous=True)
    strides = [ite(already, have, new) for have, new in zip(x.strides, row_major(x), strict=True)]
    return Sizes(x, strides=strides, contiguous=True)


def converted(x: Sizes, copy: bool, same: bool | None, memory_format: Format | None) -> Sizes:
    """The tensor itself where nothing changes (`same`, None where that is not known), else a copy in that format."""
    new = formatted(x, memory_format)
    keeps_format = memory_format is None or memory_format == torch.preserve_format
    if same and not copy and keeps_format:
        return Sizes(x, strides=x.strides)
    if same is False or copy or new.strides == x.strides:
        return new
    return unlaid(x)


@shape_rule("aten.to.dtype")
def to_dtype(
    x: Sizes,
    dtype: torch.dtype,
    non_blocking: bool = False,
    copy: bool = False,
    memory_format: Format | None = None,
) -> Sizes:
    return converted(x, copy, dtype == x.dtype, memory_format)


@shape_rule("aten.to.device")
def to_device(
    x: Sizes,
    device: Any,
    dtype: torch.dtype,
    non_blocking: bool = False,
    copy: bool = False,
    memory_format: Format | None = None,
) -> Sizes:
    return converted(x, copy, None, memory_format)


@shape_rule("aten.to.dtype_layout")
def to_dtype_layout(x: Sizes, *, copy: bool = False, memory_format: Format | None = None, **_: Any) -> Sizes:
    return converted(x, copy, None, memory_format)


@shape_rule("aten.to.other")
def to_other(
    x: Sizes, other: Sizes, non_blocking: bool = False, copy: bool = False, memory_format: Format | None = None
) -> Sizes:
    return converted(x, copy, None, memory_format)


@shape_rule("aten.type_as.default")
def type_as(x: Sizes, other: Sizes) -> Sizes:
    return converted(x, False, None, None)


@shape_rule("aten.chalf.default")
def chalf(x: Sizes, *, memory_format: Format | None = None) -> Sizes:
    return converted(x, False, None, memory_format)


@shape_rule("aten.copy_.default", "aten.copy.default")
def copy_into(x: Sizes, src: Sizes, non_blocking: bool = False) -> Sizes:
    """The source expands to the destination, which keeps its sizes."""
    expand_to(src, x, "a source")
    return Sizes(x, x.dtype, x.strides)


@shape_rule("aten.fill_.Scalar", "aten.fill_.Tensor")
def overwrite(x: Sizes, value: Any) -> Sizes:
    if isinstance(value, Sizes):
        require(len(value) == 0, "a value without dimensions")
    return Sizes(x, x.dtype, x.strides)


@shape_rule("aten.zero_.default")
def zeroed(x: Sizes) -> Sizes:
    return overwrite(x, 0)


@shape_rule("aten.zero.default")
def zeros(x: Sizes) -> Sizes:
    return formatted(x, None)


@shape_rule("aten.fill.Scalar", "aten.fill.Tensor")
def filled(x: Sizes, value: Any) -> Sizes:
    overwrite(x, value)
    return formatted(x, None)


@shape_rule("aten.resize_.default")
def resize(x: Sizes, size: Sequence[IntLike], *, memory_format: Format | None = None) -> Sizes:
    """Other sizes for the same memory, which grows; the strides stay where the sizes do."""
    for each in size:
        require(ge(each, 0), "sizes that are not negative")
    return Sizes(size, strides=row_major(size) if is_row_major(x) and memory_format is None else None)


@shape_rule("aten.resize_as_.default")
def resize_as(x: Sizes, the_template: Sizes, *, memory_format: Format | None = None) -> Sizes:
    return resize(x, the_template, memory_format=memory_format)


@shape_rule("aten.set_.source_Tensor")
def set_source(x: Sizes, source: Sizes) -> Sizes:
    return Sizes(source, x.dtype, source.strides)


@shape_rule("aten.set_.source_Tensor_storage_offset")
def set_source_offset(
    x: Sizes, source: Sizes, storage_offset: IntLike, size: Sequence[IntLike], stride: Sequence[IntLike] = ()
) -> Sizes:
    return Sizes(size, x.dtype, stride or row_major(size))


@shape_rule("aten.set_.default")
def set_empty(x: Sizes) -> Sizes:
    return Sizes((0,), x.dtype, (1,))
