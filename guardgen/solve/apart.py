"""Conditions that surely follow from no others: one number of the traced call, changed, breaks them and nothing else.

That costs a few evaluations, where finding no proof would cost all that the solver knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from guardgen.rules.concrete import concrete_rules
from guardgen.terms.evaluate import evaluate
from guardgen.terms.ints import BoolLike, Symbol, symbols

LARGE = 2**16  # beyond the bounds that programs set; powers and shifts of it are still computed at once


def broken_alone(conditions: Sequence[BoolLike], group: Sequence[int], traced: Mapping[Symbol, Any]) -> set[int]:
    """Those of the group of which a call that breaks them alone was found; `traced` is one that breaks none."""
    using: dict[Symbol, list[int]] = {}
    for i in group:
        if not holds(conditions[i], traced):
            return set()
        for unknown in dict.fromkeys(symbols(conditions[i])):
            using.setdefault(unknown, []).append(i)
    found: set[int] = set()
    for unknown, users in using.items():
        for call in calls(unknown, traced):
            if found.issuperset(users):
                break
            broken = [i for i in users if not holds(conditions[i], call)]
            if len(broken) == 1:
                found.update(broken)
    return found


def calls(unknown: Symbol, traced: Mapping[Symbol, Any]) -> Iterator[dict[Symbol, Any]]:
    """The traced call with one int changed."""
    was = traced[unknown]
    if type(was) is not int:
        return
    for value in dict.fromkeys((was + 1, was - 1, 1, 0, 2, 2 * was, LARGE)):
        inside = (unknown.low is None or value >= unknown.low) and (unknown.high is None or value <= unknown.high)
        if value != was and inside:
            yield {**traced, unknown: value}


def holds(condition: BoolLike, values: Mapping[Symbol, Any]) -> bool:
    """Whether a condition holds, as far as that can be known: a number that only data tell has no value here."""
    try:
        return bool(evaluate(condition, values, concrete_rules))
    except (KeyError, ArithmeticError, ValueError):
        return False
