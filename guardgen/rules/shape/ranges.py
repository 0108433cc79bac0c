"""Operators that make a sequence of numbers. Source: aten/src/ATen/native/RangeFactories.cpp and RangeUtils.h."""

from __future__ import annotations

import math
from typing import Any

import torch

from guardgen.rules.shape.context import Sizes, require, shape_rule
from guardgen.rules.shape.factories import sized
from guardgen.rules.shape.variants import fresh
from guardgen.rules.terms import term_rules
from guardgen.terms import Float, FloatLike, IntLike, either, floordiv, ge, gt, ite, le, lt, ne
from guardgen.terms.ints import Int

Number = Any  # an int or a float, or a term of either


def is_float(value: Number) -> bool:
    return isinstance(value, (float, Float))


def whole(value: Number) -> IntLike:
    """The number as an int64, which cuts the fraction off."""
    return term_rules["float_trunc"](value) if is_float(value) else value  # type: ignore[no-any-return]


def real(value: Number) -> FloatLike:
    return value if is_float(value) else term_rules["int_to_float"](value)  # type: ignore[no-any-return]


@shape_rule("aten.arange.default")
def arange(end: Number, **kwargs: Any) -> Sizes:
    return arange_step(0, end, 1, **kwargs)


@shape_rule("aten.arange.start")
def arange_start(start: Number, end: Number, **kwargs: Any) -> Sizes:
    return arange_step(start, end, 1, **kwargs)


@shape_rule("aten.arange.start_step", "aten.arange.start_out")
def arange_step(start: Number, end: Number, step: Number = 1, *, dtype: torch.dtype | None = None, **_: Any) -> Sizes:
    """From `start` to before `end`. The size is counted in ints where the result is int64, else in doubles."""
    if dtype == torch.int64:
        start, end, step = whole(start), whole(end), whole(step)
    if any(map(is_float, (start, end, step))):
        return fresh((count_in_doubles("float_ceil", start, end, step),))
    require(ne(step, 0), "a step that is not 0")
    if isinstance(step, Int):
        require(either(gt(step, 0), le(end, start)), "an end that the step leads to")
        require(either(lt(step, 0), ge(end, start)), "an end that the step leads to")
        return fresh((ite(gt(step, 0), floordiv(end - start + step - 1, step), -floordiv(end - start, -step)),))
    if step > 0:
        require(ge(end, start), "an end that is not before the start")
        return fresh((floordiv(end - start + step - 1, step),))
    require(le(end, start), "an end that is not after the start")
    return fresh((floordiv(start - end - step - 1, -step) if step else 0,))


def count_in_doubles(rounding: str, start: Number, end: Number, step: Number) -> IntLike:
    """round((end - start) / step), as PyTorch computes it."""
    ends: list[Any] = [real(start), real(end), real(step)]
    first, last, by = ends
    if not any(isinstance(value, Float) for value in ends):
        require(all(map(math.isfinite, ends)) and by != 0.0, "finite bounds, and a step that is not 0")
        if by == 0.0:
            return 0
    else:
        require(either(term_rules["float_gt"](by, 0.0), term_rules["float_lt"](by, 0.0)), "a step that is not 0")
    span = term_rules["float_sub"](last, first)
    count = term_rules[rounding](term_rules["float_truediv"](span, by))
    require(ge(count, 0) if span != 0.0 else True, "an end that the step leads to")
    forward = term_rules["float_ge"](term_rules["float_mul"](span, by), 0.0)
    require(forward, "an end that the step leads to")
    return count  # type: ignore[no-any-return]


@shape_rule("aten.range.default")
def closed_range(start: Number, end: Number, **_: Any) -> Sizes:
    return closed_range_step(start, end, 1)


@shape_rule("aten.range.step")
def closed_range_step(start: Number, end: Number, step: Number = 1, **_: Any) -> Sizes:
    """From `start` to `end`, which belongs to it."""
    return fresh((count_in_doubles("float_floor", start, end, step) + 1,))


@shape_rule(
    "aten.linspace.default",
    "aten.linspace.Tensor_Tensor",
    "aten.linspace.Tensor_Scalar",
    "aten.linspace.Scalar_Tensor",
)
def linspace(start: Any, end: Any, steps: IntLike, **_: Any) -> Sizes:
    for bound in (start, end):
        if isinstance(bound, Sizes):
            require(len(bound) == 0, "bounds without dimensions")
    return sized((steps,))


@shape_rule(
    "aten.logspace.default",
    "aten.logspace.Tensor_Tensor",
    "aten.logspace.Tensor_Scalar",
    "aten.logspace.Scalar_Tensor",
)
def logspace(start: Any, end: Any, steps: IntLike, base: float = 10.0, **_: Any) -> Sizes:
    return linspace(start, end, steps)


@shape_rule("aten.tril_indices.default")
def tril_indices(row: int, col: int, offset: int = 0, **_: Any) -> Sizes:
    return fresh(torch.tril_indices(row, col, offset, device="meta").shape)


@shape_rule("aten.triu_indices.default")
def triu_indices(row: int, col: int, offset: int = 0, **_: Any) -> Sizes:
    return fresh(torch.triu_indices(row, col, offset, device="meta").shape)


@shape_rule(
    *(
        f"aten.{name}_window.{overload}"
        for name, overloads in {
            "bartlett": ("default", "periodic"),
            "blackman": ("default", "periodic"),
            "hann": ("default", "periodic"),
            "hamming": ("default", "periodic", "periodic_alpha", "periodic_alpha_beta"),
            "kaiser": ("default", "periodic", "beta"),
        }.items()
        for overload in overloads
    )
)
def window(window_length: int, *_: Any, **__: Any) -> Sizes:
    return sized((window_length,))
