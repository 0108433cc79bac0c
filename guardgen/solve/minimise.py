"""None of the kept conditions follows from the others; which of them imply one that was dropped."""

from __future__ import annotations

from collections.abc import Sequence

from guardgen.solve.facts import Contradiction, Facts
from guardgen.terms.ints import BoolLike, Symbol, symbols

MOST_TOGETHER = 48  # conditions on connected symbols that are learned together; of more, the nearest are taken


def drop_implied(conditions: Sequence[BoolLike], arrived: bool = False) -> list[int]:
    """The indices of the conditions to keep, so that no kept one follows from the other kept ones.

    Where each was decided as it `arrived`, none follows from those before it: what is looked for is a later one that
    makes an earlier one unnecessary.
    """
    kept = list(range(len(conditions)))
    used = [frozenset(symbols(condition)) for condition in conditions]
    for i in range(len(conditions)):
        others = connected(used[i], [(j, used[j]) for j in kept if j != i])
        if (not arrived or any(j > i for j in others)) and follows(conditions[i], [conditions[j] for j in others]):
            kept.remove(i)
    return kept


def connected(
    mine: frozenset[Symbol], others: Sequence[tuple[int, frozenset[Symbol]]], most: int = MOST_TOGETHER
) -> list[int]:
    """Those that share a symbol, or share one with those that do, and so on; the nearest where they are many."""
    reached, found, left = set(mine), list[int](), list(others)
    while len(found) < most:
        near = [each for each in left if not reached.isdisjoint(each[1])]
        if not near:
            break
        found += [index for index, _ in near]
        left = [each for each in left if each not in near]
        for _, used in near:
            reached |= used
    return sorted(found[:most])


def follows(condition: BoolLike, others: Sequence[BoolLike]) -> bool:
    if not others:
        return False
    facts = Facts()
    try:
        for other in others:
            facts.learn(other)
    except Contradiction:
        return False
    return facts.decide(condition) is True


def because(condition: BoolLike, kept: Sequence[BoolLike]) -> list[int]:
    """The indices of conditions that together imply this one, none of which could be left out; empty if not found."""
    near = connected(frozenset(symbols(condition)), [(i, frozenset(symbols(each))) for i, each in enumerate(kept)])
    if not follows(condition, [kept[i] for i in near]):
        return []
    for i in list(near):
        fewer = [j for j in near if j != i]
        if follows(condition, [kept[j] for j in fewer]):
            near = fewer
    return near
