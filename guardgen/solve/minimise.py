"""None of the kept conditions follows from the others; which of them imply one that was dropped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

from guardgen.solve.apart import broken_alone
from guardgen.solve.facts import Contradiction, Facts
from guardgen.solve.simplify import simplify
from guardgen.solve.small import about, holding, values
from guardgen.terms.bools import negate, partial
from guardgen.terms.ints import Bool, BoolLike, Symbol, symbols

NOTHING: Mapping[Symbol, Any] = {}
MOST_REFUTED = 16  # conditions in a group, of which each is tried
MOST_TOGETHER = 48  # conditions on connected symbols that are learned together; of more, the nearest are taken


def drop_implied(conditions: Sequence[BoolLike], traced: Mapping[Symbol, Any] = NOTHING) -> list[int]:
    """The indices of the conditions to keep, so that no kept one follows from the other kept ones.

    `traced` are values for which all hold, where there are such.
    """
    kept: list[int] = []
    for group in groups([frozenset(symbols(condition)) for condition in conditions]):
        alone = broken_alone(conditions, group, traced)
        if len(alone) == len(group):
            kept += group
        elif len(group) <= MOST_TOGETHER:
            kept += without_refuted(conditions, needed(conditions, group, Facts(), alone), alone)
        else:
            kept += needed_nearby(conditions, group)
    return sorted(kept)


def groups(used: Sequence[frozenset[Symbol]]) -> list[list[int]]:
    """The indices of those that share a symbol, or share one with those that do, and so on."""
    found: list[tuple[frozenset[Symbol], list[int]]] = []
    for i, mine in enumerate(used):
        near = [group for group in found if not group[0].isdisjoint(mine)]
        found = [group for group in found if group[0].isdisjoint(mine)]
        merged = sorted([i, *(j for _, members in near for j in members)])
        found.append((mine.union(*(each for each, _ in near)), merged))
    return [members for _, members in found]


def needed(conditions: Sequence[BoolLike], group: list[int], known: Facts, alone: Set[int] = frozenset()) -> list[int]:
    """Those of the group that do not follow from `known` and the others that stay, the first tried first.

    Halved, so that each half is learned once for all of the other. Those that stand `alone` surely stay.
    """
    if alone >= set(group):
        return group
    if len(group) == 1:
        return [] if known.decide(conditions[group[0]]) is True else group
    first, second = group[: len(group) // 2], group[len(group) // 2 :]
    try:
        first = needed(conditions, first, with_known(known, conditions, second), alone)
        return first + needed(conditions, second, with_known(known, conditions, first), alone)
    except Contradiction:
        return first + second


def without_refuted(conditions: Sequence[BoolLike], kept: list[int], alone: Set[int]) -> list[int]:
    """Those whose negation does not contradict the others: a choice (`a == b or a == 1`) tells only then."""
    if not 1 < len(kept) <= MOST_REFUTED or not any(is_choice(conditions[i]) for i in kept):
        return kept
    for i in [i for i in kept if i not in alone]:
        others = [conditions[j] for j in kept if j != i]
        if any(map(is_choice, others)) and refuted(conditions[i], others):
            kept = [j for j in kept if j != i]
    return kept


def is_choice(condition: BoolLike) -> bool:
    return isinstance(condition, Bool) and condition.op == "or"


def refuted(condition: BoolLike, others: Sequence[BoolLike]) -> bool:
    """Whether the others contradict the negation of the condition, each reduced by what is known from those before."""
    if partial(condition):
        return False  # where it divides by 0 it is as good as false, and so is its negation
    facts, left = Facts(), list(others)
    try:
        facts.learn(negate(condition))
        for _ in others:
            reduced = [simplify(each, facts) for each in left]
            if False in reduced:
                return True
            for each in reduced:
                facts.learn(each)
            if reduced == left:
                return False
            left = [each for each in reduced if each is not True]
    except Contradiction:
        return True
    return False


def with_known(known: Facts, conditions: Sequence[BoolLike], learned: Sequence[int]) -> Facts:
    facts = known.copy()
    for i in learned:
        facts.learn(conditions[i])
    return facts


def needed_nearby(conditions: Sequence[BoolLike], group: list[int]) -> list[int]:
    """Those of a large group that do not follow from the nearest of the others."""
    kept, used = list(group), {i: frozenset(symbols(conditions[i])) for i in group}
    for i in group:
        others = connected(used[i], [(j, used[j]) for j in kept if j != i])
        if follows(conditions[i], [conditions[j] for j in others]):
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
    if facts.decide(condition) is True or follows_by_value(condition, others, facts):
        return True
    return any(map(is_choice, others)) and len(others) <= MOST_REFUTED and refuted(condition, others)


def follows_by_value(condition: BoolLike, others: Sequence[BoolLike], facts: Facts) -> bool:
    """Whether it holds for each of the few values for which the others do; `facts` are what these say."""
    unknown = about(condition) if isinstance(condition, Bool) else None
    tried = None if unknown is None else values(unknown, facts)
    if unknown is None or tried is None:
        return False
    mine = [each for each in others if isinstance(each, Bool) and about(each) == unknown]
    left = holding(unknown, tried, mine)
    return len(holding(unknown, left, [condition])) == len(left)  # type: ignore[list-item]


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
