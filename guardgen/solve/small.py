"""One size of few values: what conditions say of it is tried, value by value.

Where no law says it, this finds that bounds alone do: 3 <= n <= 5 leaves nothing to ask of n // 2 == n // 4 + 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from guardgen.rules.concrete import concrete_rules
from guardgen.solve.facts import Facts
from guardgen.terms.evaluate import evaluate
from guardgen.terms.ints import Bool, Float, Int, IntLike, Symbol, Term, symbol, symbols

MOST_VALUES = 64
LARGEST = 2**16  # beyond which a power or a shift may take long to compute


def about(condition: Bool) -> Symbol | None:
    """The int that a condition is about, where it is about one, and computes no floats, of which proofs say little."""
    found = set(symbols(condition))
    only = next(iter(found)) if len(found) == 1 else None
    return only if only is not None and only.kind == "int" and not has_floats(condition) else None


def has_floats(value: Any) -> bool:
    if isinstance(value, Int):
        return any(has_floats(each) for monomial, _ in value.args for each in monomial)
    return isinstance(value, Float) or (isinstance(value, Term) and any(map(has_floats, value.args)))


def values(unknown: Symbol, facts: Facts) -> range | None:
    """The values that an int may have; None where they are many."""
    term: IntLike = symbol(unknown)
    low, high = facts.range(term)
    if low is None or high is None or high - low >= MOST_VALUES or max(abs(low), abs(high)) > LARGEST:
        return None
    return range(low, high + 1)


def holding(unknown: Symbol, tried: Iterable[int], conditions: Sequence[Bool]) -> list[int]:
    """Those of the values for which all conditions hold."""
    return [value for value in tried if all(holds(each, unknown, value) for each in conditions)]


def holds(condition: Bool, unknown: Symbol, value: int) -> bool:
    try:
        return bool(evaluate(condition, {unknown: value}, concrete_rules))
    except (ArithmeticError, ValueError):
        return False
