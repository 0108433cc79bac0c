"""The guards that are kept: none follows from the others, and two bounds that meet are one equality."""

from __future__ import annotations

from collections.abc import Sequence

from guardgen.solve.facts import Contradiction, Facts
from guardgen.terms.ints import BoolLike, Symbol, symbols


def drop_implied(conditions: Sequence[BoolLike]) -> list[int]:
    """The indices of the conditions to keep, so that no kept one follows from the other kept ones.

    Conditions that were decided as they arrived follow from nothing before them; what is looked for here is a later one
    that makes an earlier one unnecessary.
    """
    kept = list(range(len(conditions)))
    shared = [set(symbols(condition)) for condition in conditions]
    for i in range(len(conditions)):
        others = [j for j in kept if j != i]
        if connected(shared[i], [shared[j] for j in others if j > i]) and follows(
            conditions[i], [conditions[j] for j in others]
        ):
            kept = others
    return kept


def connected(mine: set[Symbol], later: list[set[Symbol]]) -> bool:
    return any(mine & other for other in later)


def follows(condition: BoolLike, others: Sequence[BoolLike]) -> bool:
    facts = Facts()
    try:
        for other in others:
            facts.learn(other)
    except Contradiction:
        return False
    return facts.decide(condition) is True
