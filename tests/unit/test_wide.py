"""Numbers of any length: the same as Python's own."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guardgen import narrow, wide
from tests.unit.emitted import script

INT64 = st.integers(-(2**63), 2**63 - 1)
LARGE = st.one_of(st.integers(-5, 5), INT64, st.integers(-(2**150), 2**150))
OPS: dict[str, Callable[..., int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "min": min,
    "max": max,
}


def number(value: int) -> list[int]:
    digits, rest = [(value > 0) - (value < 0)], abs(value)
    while rest:
        digits.append(rest % 2**30)
        rest //= 2**30
    return digits


@given(INT64)
def test_every_int_has_its_number(value: int) -> None:
    assert wide.wide(value) == number(value)


@pytest.mark.parametrize("name", OPS)
@given(left=LARGE, right=LARGE)
def test_arithmetic_is_that_of_python(name: str, left: int, right: int) -> None:
    if right or name not in ("floordiv", "mod"):
        found = getattr(wide, f"wide_{name}")(number(left), number(right))
        assert found == number(OPS[name](left, right))


@given(LARGE, LARGE)
def test_comparisons(left: int, right: int) -> None:
    assert wide.wide_eq(number(left), number(right)) == (left == right)
    assert wide.wide_lt(number(left), number(right)) == (left < right)
    assert wide.wide_neg(number(left)) == number(-left)
    assert wide.wide_abs(number(left)) == number(abs(left))
    assert wide.wide_bits(number(left)) == left.bit_length()


@given(LARGE, st.integers(0, 40))
def test_powers_and_shifts(value: int, count: int) -> None:
    assert wide.wide_power(number(value), number(count)) == number(value**count)
    assert wide.wide_lshift(number(value), number(count)) == number(value << count)
    assert wide.wide_rshift(number(value), number(count)) == number(value >> count)


@pytest.mark.parametrize("exponent", [2**40, 2**61 + 1])
@pytest.mark.parametrize("base", [-1, 0, 1])
def test_small_bases_have_powers_of_any_exponent(base: int, exponent: int) -> None:
    assert wide.wide_can_power(number(base), number(exponent))
    assert wide.wide_power(number(base), number(exponent)) == number(base ** (2 - exponent % 2))


def test_what_is_too_long_to_compute_is_refused() -> None:
    assert not wide.wide_can_power(number(2), number(2**40))
    assert not wide.wide_can_power(number(2), number(-1))
    assert not wide.wide_can_shift(number(1), number(2**40))
    assert wide.wide_can_shift(number(0), number(2**40))
    assert not wide.wide_can_shift(number(0), number(-1))
    assert wide.wide_rshift(number(-7), number(2**62)) == number(-1)


@pytest.fixture(scope="module")
def compiled() -> dict[str, Any]:
    functions = {**vars(wide), **vars(narrow)}
    return {name: script(each) for name, each in functions.items() if callable(each)}


@settings(max_examples=30, deadline=None)
@given(left=INT64, right=INT64)
def test_torchscript_computes_the_same(compiled: dict[str, Any], left: int, right: int) -> None:
    assert compiled["wide"](left) == number(left)
    for name, op in OPS.items():
        if right or name not in ("floordiv", "mod"):
            assert compiled[f"wide_{name}"](number(left), number(right)) == number(op(left, right))
    if right not in (0, -1):
        assert compiled["modulo"](left, right) == left % right


@pytest.mark.parametrize(("base", "exponent"), [(2.0, 3.0), (0.0, -1.0), (-8.0, 0.5), (-2.0, 3.0), (10.0, 400.0)])
def test_powers_of_floats_are_those_of_python(compiled: dict[str, Any], base: float, exponent: float) -> None:
    try:
        expected = isinstance(base**exponent, float)
    except ArithmeticError:
        expected = False
    assert compiled["can_power"](base, exponent) is expected
