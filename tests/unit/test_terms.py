"""Terms mean what they were built from: brute force over small values, and the shape of what the rules rely on."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guardgen.rules.concrete import concrete_rules
from guardgen.terms import (
    Symbol,
    both,
    either,
    eq,
    floordiv,
    ge,
    gt,
    ite,
    le,
    lt,
    maximum,
    minimum,
    mod,
    ne,
    negate,
    symbol,
)
from guardgen.terms.bools import to_int
from guardgen.terms.evaluate import evaluate

SIZE = [Symbol(name, "int", (), order, 0, None) for order, name in enumerate("ab")]
NUMBER = Symbol("n", "int", (), 2)
SYMBOLS = [*SIZE, NUMBER]
a, b = map(symbol, SIZE)
n = symbol(NUMBER)

Reading = dict[Symbol, int]
Built = tuple[Any, Callable[[Reading], Any]]  # a term, and the same computed by Python

INT_OPS: dict[Any, Callable[[int, int], int]] = {
    (lambda x, y: x + y): lambda x, y: x + y,
    (lambda x, y: x - y): lambda x, y: x - y,
    (lambda x, y: x * y): lambda x, y: x * y,
    minimum: min,
    maximum: max,
}
COMPARISONS: dict[Any, Callable[[int, int], bool]] = {
    eq: lambda x, y: x == y,
    ne: lambda x, y: x != y,
    ge: lambda x, y: x >= y,
    gt: lambda x, y: x > y,
    le: lambda x, y: x <= y,
    lt: lambda x, y: x < y,
}


def joined(op: Any, python: Any, left: Built, right: Built) -> Built:
    return op(left[0], right[0]), lambda read: python(left[1](read), right[1](read))


def divided(op: Any, python: Any, left: Built, by: int) -> Built:
    return op(left[0], by), lambda read: python(left[1](read), by)


def piecewise(condition: Built, then: Built, otherwise: Built) -> Built:
    term = ite(condition[0], then[0], otherwise[0])
    return term, lambda read: then[1](read) if condition[1](read) else otherwise[1](read)


def counted(condition: Built) -> Built:
    return to_int(condition[0]), lambda read: int(condition[1](read))


def negated(condition: Built) -> Built:
    return negate(condition[0]), lambda read: not condition[1](read)


def leaf(value: Any) -> Built:
    if isinstance(value, Symbol):
        return symbol(value), lambda read: read[value]
    return value, lambda read: value


@st.composite
def ints(draw: st.DrawFn, depth: int = 3) -> Built:
    """An int term of that depth at most."""
    kind = draw(st.sampled_from(["leaf", "op", "op", "divided", "piecewise", "counted"])) if depth else "leaf"
    if kind == "leaf":
        return leaf(draw(st.sampled_from(SYMBOLS) | st.integers(-3, 6)))
    first = draw(ints(depth - 1))
    if kind == "divided":
        by = draw(st.sampled_from([-3, -1, 1, 2, 4]))
        return draw(
            st.sampled_from([divided(floordiv, operator.floordiv, first, by), divided(mod, operator.mod, first, by)])
        )
    if kind == "op":
        op = draw(st.sampled_from([*INT_OPS]))
        return joined(op, INT_OPS[op], first, draw(ints(depth - 1)))
    condition = draw(conditions(depth - 1))
    return counted(condition) if kind == "counted" else piecewise(condition, first, draw(ints(depth - 1)))


@st.composite
def conditions(draw: st.DrawFn, depth: int = 3) -> Built:
    """A bool term of that depth at most."""
    kind = draw(st.sampled_from(["compared", "compared", "not", "and", "or"])) if depth > 1 else "compared"
    if kind == "compared":
        op = draw(st.sampled_from([*COMPARISONS]))
        return joined(op, COMPARISONS[op], draw(ints(max(depth - 1, 0))), draw(ints(max(depth - 1, 0))))
    first = draw(conditions(depth - 1))
    if kind == "not":
        return negated(first)
    op, python = (both, operator.and_) if kind == "and" else (either, operator.or_)
    return joined(op, python, first, draw(conditions(depth - 1)))


READINGS = [
    dict(zip(SYMBOLS, values, strict=True))
    for values in [(x, y, z) for x in (0, 1, 2, 5) for y in (0, 1, 3) for z in (-4, -1, 0, 1, 2, 7)]
]


def holds_everywhere(built: Built) -> None:
    term, python = built
    for read in READINGS:
        assert evaluate(term, read, concrete_rules) == python(read), (term, read)


@settings(max_examples=120, deadline=None)
@given(ints())
def test_an_int_term_has_the_value_of_what_it_was_built_from(built: Built) -> None:
    holds_everywhere(built)


@settings(max_examples=150, deadline=None)
@given(conditions())
def test_a_bool_term_has_the_value_of_what_it_was_built_from(built: Built) -> None:
    holds_everywhere(built)


@settings(max_examples=60, deadline=None)
@given(conditions())
def test_a_condition_and_its_negation_are_never_equal(built: Built) -> None:
    for read in READINGS:
        assert evaluate(negate(built[0]), read, concrete_rules) is not evaluate(built[0], read, concrete_rules)


@pytest.mark.parametrize(
    ("term", "same"),
    [
        (eq(a * b, 0), either(eq(a, 0), eq(b, 0))),
        (ne(a * b, 0), both(ne(a, 0), ne(b, 0))),
        (either(eq(a, 0), ge(a, 1)), True),
        (both(ge(n, 0), ne(n, 0)), ge(n, 1)),
        (either(eq(n, 0), ge(n, 1)), ge(n, 0)),
        (eq(minimum(a, 5), 5), ge(a, 5)),
        (eq(maximum(a - 1, 0), 0), le(a, 1)),
        (ge(maximum(a - 1, 0), 1), ge(a, 2)),
        (eq(ite(eq(a, 0), 3, 2), 3), eq(a, 0)),
        (eq(ite(eq(a, 1), 1, 2), 2), ne(a, 1)),
        (ite(eq(a, 0), 1, ite(eq(a, 0), 1, b)), ite(eq(a, 0), 1, b)),
    ],
)
def test_what_means_the_same_is_the_same_term(term: Any, same: Any) -> None:
    assert term == same


def test_a_division_stays_behind_the_condition_that_allows_it() -> None:
    count = ite(eq(a, 0), 3, floordiv(b, a))
    assert evaluate(eq(count, 3), {SIZE[0]: 0, SIZE[1]: 7}, concrete_rules) is True
    assert evaluate(ne(count, 3), {SIZE[0]: 0, SIZE[1]: 7}, concrete_rules) is False
