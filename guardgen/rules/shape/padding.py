"""Padding. Source: aten/src/ATen/native/PadNd.cpp, ReflectionPad.cpp, ReplicationPadding.cpp."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from guardgen.rules.shape.context import Sizes, require, shape_rule
from guardgen.rules.shape.strides import is_row_major
from guardgen.rules.shape.variants import fresh
from guardgen.terms import IntLike, either, ge, gt, le, lt, minimum, ne


def padded(x: Sizes, pad: Sequence[IntLike]) -> list[IntLike]:
    """The sizes with `pad`, two a dimension from the last; negative ones cut."""
    require(len(pad) % 2 == 0, "an even number of paddings")
    require(len(pad) <= 2 * len(x), f"at most {2 * len(x)} paddings")
    sizes = list(x)
    for i in range(min(len(pad) // 2, len(x))):
        sizes[-1 - i] = sizes[-1 - i] + pad[2 * i] + pad[2 * i + 1]
    return sizes


@shape_rule("aten.constant_pad_nd.default")
def constant_pad(x: Sizes, pad: Sequence[IntLike], value: Any = 0) -> Sizes:
    sizes = padded(x, pad)
    cut = padded(x, [minimum(each, 0) for each in pad])  # what is cut on either side goes first
    for size in cut:
        require(ge(size, 0), "paddings that leave no negative size")
    grows = any(isinstance(each, int) and each > 0 for each in pad)
    return fresh(sizes) if grows and (len(x) not in (4, 5) or is_row_major(x)) else Sizes(sizes)


@shape_rule("aten._pad_circular.default")
def circular(x: Sizes, pad: Sequence[IntLike]) -> Sizes:
    """Wraps around at most once."""
    spatial = len(pad) // 2
    require(len(x) in (spatial + 1, spatial + 2), f"{spatial + 1} or {spatial + 2} dimensions")
    sizes = padded(x, pad)
    for i in range(spatial):
        for each in pad[2 * i : 2 * i + 2]:
            require(le(each, x[-1 - i]), "paddings that wrap around once at most")
        require(ge(sizes[-1 - i], 0), "paddings that leave no negative size")
    return Sizes(sizes)


def checked(x: Sizes, padding: Sequence[IntLike], spatial: int) -> list[IntLike]:
    """What reflection and replication require: sizes that are not 0, but for that of the batch."""
    require(len(padding) == 2 * spatial, f"{2 * spatial} paddings")
    require(len(x) in (spatial + 1, spatial + 2), f"{spatial + 1} or {spatial + 2} dimensions")
    for size in x[len(x) - spatial - 1 :]:
        require(ne(size, 0), "sizes that are not 0")
    sizes = padded(x, padding)
    for size in sizes[-spatial:]:
        require(ge(size, 0), "paddings that leave no negative size")
    require(either(*(gt(size, 0) for size in sizes[-spatial:])), "paddings that leave something")
    return sizes


def reflected(x: Sizes, padding: Sequence[IntLike], spatial: int) -> Sizes:
    """Padding must be smaller than what it reflects."""
    for i in range(spatial):
        for each in padding[2 * i : 2 * i + 2]:
            require(lt(each, x[-1 - i]), "paddings smaller than the size that they reflect")
    return Sizes(checked(x, padding, spatial))


@shape_rule("aten.reflection_pad1d.default")
def reflection_pad1d(x: Sizes, padding: Sequence[IntLike]) -> Sizes:
    return reflected(x, padding, 1)


@shape_rule("aten.reflection_pad2d.default")
def reflection_pad2d(x: Sizes, padding: Sequence[IntLike]) -> Sizes:
    return reflected(x, padding, 2)


@shape_rule("aten.reflection_pad3d.default")
def reflection_pad3d(x: Sizes, padding: Sequence[IntLike]) -> Sizes:
    return reflected(x, padding, 3)


@shape_rule("aten.replication_pad1d.default")
def replication_pad1d(x: Sizes, padding: Sequence[IntLike]) -> Sizes:
    return Sizes(checked(x, padding, 1))


@shape_rule("aten.replication_pad2d.default")
def replication_pad2d(x: Sizes, padding: Sequence[IntLike]) -> Sizes:
    return Sizes(checked(x, padding, 2))


@shape_rule("aten.replication_pad3d.default")
def replication_pad3d(x: Sizes, padding: Sequence[IntLike]) -> Sizes:
    return Sizes(checked(x, padding, 3))


MODES = ("constant", "reflect", "replicate", "circular")  # at::padding_mode, in its order


@shape_rule("aten.pad.default")
def pad_by_mode(x: Sizes, pad: Sequence[IntLike], mode: str = "constant", value: float | None = None) -> Sizes:
    if mode == "constant":
        return constant_pad(x, pad)
    require(value is None or value == 0, "no value")
    spatial = len(pad) // 2
    require(mode in MODES, f"one of the modes {MODES}")
    require(spatial in (1, 2, 3) and len(x) in (spatial + 1, spatial + 2), f"{spatial + 1} or {spatial + 2} dimensions")
    if mode == "circular":
        return circular(x, pad)
    return reflected(x, pad, spatial) if mode == "reflect" else Sizes(checked(x, pad, spatial))


@shape_rule("aten._pad_enum.default")
def pad_enum(x: Sizes, pad: Sequence[IntLike], mode: int, value: float | None = None) -> Sizes:
    return pad_by_mode(x, pad, MODES[mode], value)
