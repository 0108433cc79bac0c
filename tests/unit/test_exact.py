"""Numbers of artifacts: what Python computes, or an error, in Python and as TorchScript."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import pytest
import torch

from guardgen import dtype_names, exact
from tests.unit.emitted import script

INTS = (0, 1, -1, 2, 3, -7, 62, 64, 2**31, -(2**32), 2**53, 2**62, -(2**62), 2**63 - 1, -(2**63))
FLOATS = (0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, 1e15 + 0.5, 1e18, 1e19, -1e300, math.inf, math.nan)
OF_TWO: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "truediv": operator.truediv,
    "pow": operator.pow,
    "lshift": operator.lshift,
    "rshift": operator.rshift,
}
OF_ONE: dict[str, Callable[..., Any]] = {"trunc": math.trunc, "floor": math.floor, "ceil": math.ceil, "round": round}


def outcome(function: Callable[..., Any], *values: Any) -> Any:
    """What a function returns, or None where it raises."""
    try:
        return function(*values)
    except Exception:
        return None


def python(function: Callable[..., Any], left: int, right: int) -> Any:
    """What Python computes; a power or shift that would be too long is one of those that are short."""
    if right > 200 and function is operator.pow:
        right = 200 + right % 2
    return outcome(function, left, min(right, 200) if function is operator.lshift else right)


@pytest.mark.parametrize("name", OF_TWO)
def test_whole_numbers_are_pythons_or_an_error(name: str) -> None:
    function = getattr(exact, f"exact_{name}")
    compiled = script(function)
    right = 0
    for values in itertools.product(INTS, INTS):
        expected = python(OF_TWO[name], *values)
        for form in (function, compiled):
            got = outcome(form, *values)
            assert got is None or (got == expected and type(got) is type(expected)), (values, got, expected)
            right += got is not None
    assert right > len(INTS)


def test_small_numbers_are_computed() -> None:
    for name, values in itertools.product(OF_TWO, itertools.product(range(-4, 9), range(-4, 9))):
        expected = outcome(OF_TWO[name], *values)
        if name == "pow" and type(expected) is float:
            continue
        assert outcome(getattr(exact, f"exact_{name}"), *values) == expected, (name, values)


@pytest.mark.parametrize("name", OF_ONE)
def test_floats_are_rounded_as_in_python_or_an_error(name: str) -> None:
    function = getattr(exact, f"exact_{name}")
    compiled = script(function)
    for value in FLOATS:
        expected = outcome(OF_ONE[name], value)
        for form in (function, compiled):
            got = outcome(form, value)
            assert got == expected or (got is None and abs(value) > 9e18), (value, got, expected)


def test_powers_of_floats_are_pythons_or_an_error() -> None:
    compiled = script(exact.exact_float_pow)
    for values in itertools.product(FLOATS, FLOATS):
        expected = outcome(operator.pow, *values)
        for form in (exact.exact_float_pow, compiled):
            got = outcome(form, *values)
            if got is not None:
                assert got == expected or (got != got and expected != expected), (values, got, expected)
            else:
                assert expected is None or isinstance(expected, complex) or not abs(values[1]) < 9e18, values


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.bool, torch.complex128])
def test_dtypes_have_their_names(dtype: torch.dtype) -> None:
    assert dtype_names.dtype_name(dtype) == script(dtype_names.dtype_name)(dtype) == str(dtype)
