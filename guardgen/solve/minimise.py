"""The conditions that are kept: two bounds that meet become one equality, and none follows from the others."""

from __future__ import annotations

from collections.abc import Sequence

from guardgen.solve.facts import Contradiction, Facts
from guardgen.solve.linear import primitive
from guardgen.terms.bools import eq
from guardgen.terms.ints import Bool, BoolLike, IntLike, Symbol, split_constant, symbols


def join_bounds(conditions: Sequence[Bool]) -> dict[int, tuple[Bool, int]]:
    """Bounds that leave one value: the index of the later one -> the equality, and the index of the earlier one."""
    lower: dict[IntLike, tuple[int, int]] = {}
    upper: dict[IntLike, tuple[int, int]] = {}
    joined: dict[int, tuple[Bool, int]] = {}
    for i, condition in enumerate(conditions):
        if condition.op != "ge":
            continue
        linear, constant = split_constant(condition.args[0])
        form, factor = primitive(linear)
        mine, other = (lower, upper) if factor > 0 else (upper, lower)
        limit = -constant if factor > 0 else constant
        mine[form] = limit, i
        if form in other and other[form][0] == limit:
            equal = eq(form, limit)
            if isinstance(equal, Bool):
                joined[i] = equal, other[form][1]
    return joined


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
