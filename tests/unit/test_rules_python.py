"""Conditions as text: complete tables, parentheses where they are needed, the value that the term has."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guardgen.checking import guard_rules
from guardgen.ops import PURE
from guardgen.rules.python import python_rules
from guardgen.rules.terms import term_rules
from guardgen.rules.text import condition_text, text_rules
from guardgen.rules.torchscript import torchscript_rules
from guardgen.runtime import power, shift_left
from guardgen.terms import Symbol, symbol
from guardgen.terms.evaluate import evaluate

SYMBOLS = tuple(Symbol(name, "int", ("int",), order, None, None) for order, name in enumerate("abn"))
A, B, N = map(symbol, SYMBOLS)
INT_OPS = ("add", "sub", "mul", "floordiv", "mod", "min", "max", "and", "or", "xor", "lshift", "rshift", "pow")


def apply(op: str, *values: Any) -> Any:
    return term_rules[op](*values)


@pytest.mark.parametrize("table", [python_rules, text_rules, torchscript_rules], ids=lambda table: table.interpretation)
def test_every_pure_op_has_a_rule(table: Any) -> None:
    assert table.missing(PURE) == []


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (apply("int_eq", A, B), "a == b"),
        (apply("int_eq", A, apply("int_mul", 4, B)), "a == 4 * b"),
        (apply("int_eq", apply("int_mod", A, 64), 0), "a % 64 == 0"),
        (apply("int_ne", A, 1), "a != 1"),
        (apply("int_eq", apply("int_mod", apply("int_add", A, B), N), 0), "(a + b) % n == 0"),
        (apply("int_eq", apply("int_floordiv", A, apply("int_mod", B, N)), 2), "a // (b % n) == 2"),
        (apply("int_eq", apply("int_ite", apply("int_eq", A, 1), B, A), N), "n == (b if a == 1 else a)"),
        (
            apply("bool_or", apply("bool_and", apply("int_eq", A, B), apply("int_ne", A, 1)), apply("int_eq", N, 2)),
            "a == b and a != 1 or n == 2",
        ),
        (
            apply("bool_and", apply("bool_or", apply("int_eq", A, B), apply("int_ne", A, 1)), apply("int_eq", N, 2)),
            "n == 2 and (a == b or a != 1)",
        ),
        (apply("int_eq", apply("int_pow", apply("int_neg", A), N), 4), "(-a) ** n == 4"),
        (apply("float_lt", apply("int_to_float", A), float("inf")), None),
    ],
)
def test_conditions_read_as_the_program_would_say_them(condition: Any, text: str | None) -> None:
    if text is not None:
        assert condition_text(condition) in (text, text.replace("(-a)", "(-1 * a)"))


def ints(depth: int) -> st.SearchStrategy[Any]:
    leaf = st.one_of(st.sampled_from([A, B, N]), st.integers(-9, 9))
    if not depth:
        return leaf
    inner = ints(depth - 1)
    binary = st.tuples(st.sampled_from(INT_OPS), inner, inner).map(lambda t: (f"int_{t[0]}", t[1], t[2]))
    unary = st.tuples(st.sampled_from(("neg", "abs", "invert")), inner).map(lambda t: (f"int_{t[0]}", t[1]))
    choice = st.tuples(bools(depth - 1), inner, inner).map(lambda t: ("int_ite", *t))
    return st.one_of(leaf, binary, unary, choice)


def bools(depth: int) -> st.SearchStrategy[Any]:
    inner = ints(depth)
    names = st.sampled_from(("eq", "ne", "lt", "le", "gt", "ge"))
    comparison = st.tuples(names, inner, inner).map(lambda t: (f"int_{t[0]}", t[1], t[2]))
    if not depth:
        return comparison
    deeper = bools(depth - 1)
    joined = st.tuples(st.sampled_from(("bool_and", "bool_or")), deeper, deeper)
    return st.one_of(comparison, joined, st.tuples(st.just("bool_not"), deeper))


def build(tree: Any) -> Any:
    return apply(tree[0], *map(build, tree[1:])) if isinstance(tree, tuple) else tree


def attempt(function: Any) -> Any:
    try:
        return function()
    except (ArithmeticError, ValueError, TypeError) as error:
        return type(error)


@settings(max_examples=300, deadline=None)
@given(bools(3), st.lists(st.integers(-6, 12), min_size=3, max_size=3))
def test_a_text_has_the_value_of_its_term(tree: Any, values: list[int]) -> None:
    try:
        condition = build(tree)
    except (ArithmeticError, ValueError, TypeError):
        return
    names = dict(zip("abn", values, strict=True), power=power, shift_left=shift_left)
    read = dict(zip(SYMBOLS, values, strict=True))
    expected = attempt(lambda: bool(evaluate(condition, read, guard_rules)))
    text = condition_text(condition)
    found = attempt(lambda: bool(eval(text, dict(names))))
    if isinstance(expected, type) or isinstance(found, type):
        assert isinstance(found, type) or "**" in text or "<<" in text
    else:
        assert found == expected
