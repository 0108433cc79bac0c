"""Sizes that are too long to read become those of the traced decisions, which are then assumed."""

from __future__ import annotations

from guardgen.rules.concrete import concrete_rules
from guardgen.rules.settle import MOST_TO_READ, Settler
from guardgen.terms import IntLike, Symbol, eq, floordiv, ite, maximum, minimum, symbol
from guardgen.terms.evaluate import evaluate
from guardgen.terms.ints import bounds, size

N, M = Symbol("n", order=0, low=0, high=2**63 - 1), Symbol("m", order=1, low=0, high=2**63 - 1)
n, m = symbol(N), symbol(M)


def grown(steps: int) -> IntLike:
    """A size that is spelled out three times in the next one."""
    value: IntLike = n
    for _ in range(steps):
        value = ite(eq(value, 1), m, value + minimum(value, m))
    return value


def test_short_sizes_stay_piecewise() -> None:
    settler = Settler({N: 2, M: 5}, lambda value: value)
    short = grown(1)
    assert settler.sizes((short, 3)) == (short, 3)
    assert settler.assumed is True


def test_long_sizes_are_right_wherever_what_is_assumed_holds() -> None:
    long = grown(4)
    assert size(long) > MOST_TO_READ
    settler = Settler({N: 2, M: 5}, lambda value: value)
    (settled,) = settler.sizes((long,))
    assert size(settled) < 10
    held = 0
    for a in range(8):
        for b in range(8):
            if evaluate(settler.assumed, {N: a, M: b}, concrete_rules):
                held += 1
                assert evaluate(settled, {N: a, M: b}, concrete_rules) == evaluate(long, {N: a, M: b}, concrete_rules)
    assert held > 1
    assert evaluate(settler.assumed, {N: 2, M: 5}, concrete_rules)


def test_a_quotient_is_at_most_its_dividend() -> None:
    half, quarter = floordiv(n, 2), floordiv(n, 4)
    assert bounds(n - half)[0] == 0
    assert bounds(half - n)[1] == 0
    assert bounds(half - quarter)[0] == 0
    assert minimum(n, half) == half
    assert maximum(n - half, 0) == n - half
    assert bounds(2 * n - 3 * half)[0] != 0
