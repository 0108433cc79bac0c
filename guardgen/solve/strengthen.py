"""The kept conditions written as fewer and stronger ones that mean the same, each with those that it came from.

Bounds of one form become one condition, an equality where they meet; equalities that several conditions imply take the
place of these; a disjunction loses the parts that the others rule out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from guardgen.solve.facts import Contradiction, Facts
from guardgen.solve.linear import primitive
from guardgen.solve.minimise import NOTHING, because, connected, drop_implied, follows, needed, with_known
from guardgen.solve.simplify import reduce
from guardgen.solve.small import about, holding, values
from guardgen.terms.bools import both, eq, ge, partial
from guardgen.terms.ints import Bool, BoolLike, IntLike, Symbol, size, split_constant, symbol, symbols

MOST_EQUALITIES = 16  # that are tried in place of what implies them
MOST_TO_READ = 60  # how large a disjunction may be that is tried to be shortened


@dataclass(frozen=True)
class Kept:
    """A condition, and the indices of those that it stands for."""

    condition: Bool
    origins: tuple[int, ...]


def strengthen(
    conditions: Sequence[Bool], equalities: Iterable[Bool], traced: Mapping[Symbol, Any] = NOTHING
) -> list[Kept]:
    """Conditions equivalent to those given, none of which follows from the others; `equalities` all of them imply.

    `traced` are values for which all hold, where there are such: they spare proofs and change no result.
    """
    kept = [Kept(conditions[i], (i,)) for i in drop_implied(conditions, traced)]
    kept = join_bounds(shorten(kept, traced))
    for equality in list(equalities)[:MOST_EQUALITIES]:
        kept = adopt(kept, equality)
    return by_value(kept)


def merge(kept: list[Kept], old: Sequence[Kept], new: Iterable[Bool]) -> list[Kept]:
    """`new` in the place of `old`, with all of their origins."""
    origins = tuple(sorted({i for each in old for i in each.origins}))
    made = [Kept(condition, origins) for condition in new]
    at = kept.index(old[0])
    before = [each for each in kept[:at] if each not in old]
    return [*before, *made, *(each for each in kept[at:] if each not in old)]


# -- bounds


def join_bounds(kept: list[Kept]) -> list[Kept]:
    """What is asked of one form, as bounds: n != 0 and n != 1 is n >= 2, n >= 2 and n <= 6 is 2 <= n <= 6."""
    forms: dict[IntLike, list[Kept]] = {}
    for each in kept:
        if each.condition.op in ("ge", "ne"):
            form, _ = primitive(split_constant(each.condition.args[0])[0])
            forms.setdefault(form, []).append(each)
    for form, group in forms.items():
        joined = bounds_of(form, [each.condition for each in group]) if len(group) > 1 else group
        if len(joined) < len(group):
            kept = merge(kept, group, joined)  # type: ignore[arg-type]
    return kept


def bounds_of(form: IntLike, conditions: Sequence[Bool]) -> list[Bool]:
    """The conditions on a form as an equality, or as bounds and what these do not exclude."""
    facts = Facts()
    try:
        for condition in conditions:
            facts.learn(condition)
    except Contradiction:
        return list(conditions)
    low, high = facts.range(form)
    least, most = Facts().range(form)
    if low is not None and low == high:
        return [each for each in [eq(form, low)] if isinstance(each, Bool)]
    bounds: list[BoolLike] = []
    if low is not None and low != least:
        bounds.append(ge(form, low))
    if high is not None and high != most:
        bounds.append(ge(high, form))
    known = Facts()
    for bound in bounds:
        known.learn(bound)
    rest = [condition for condition in conditions if known.decide(condition) is None]
    return [each for each in (both(*bounds), *rest) if isinstance(each, Bool)]


def by_value(kept: list[Kept]) -> list[Kept]:
    """Several conditions on one size that leave few values: as bounds where these say the same, else without those
    that exclude no value."""
    groups: dict[Symbol, list[Kept]] = {}
    for each in kept:
        if (unknown := about(each.condition)) is not None:
            groups.setdefault(unknown, []).append(each)
    for unknown, group in groups.items():
        if len(group) < 2:
            continue
        conditions = [each.condition for each in group]
        tried = values(unknown, with_known(Facts(), conditions, range(len(conditions))))
        left = holding(unknown, tried, conditions) if tried is not None else []
        joined = between(unknown, left[0], left[-1]) if left and left[-1] - left[0] == len(left) - 1 else None
        if joined is not None:
            kept = merge(kept, group, [joined])
            continue
        for each in group if left else ():
            others = [other.condition for other in kept if other is not each]
            if follows(each.condition, [other for other in others if about(other) == unknown]):
                kept = [other for other in kept if other is not each]
    return kept


def between(unknown: Symbol, low: int, high: int) -> Bool | None:
    value: IntLike = symbol(unknown)
    found = eq(value, low) if low == high else both(ge(value, low), ge(high, value))
    return found if isinstance(found, Bool) else None


# -- equalities


def adopt(kept: list[Kept], equality: Bool) -> list[Kept]:
    """The equality in place of conditions that imply it, where no more conditions come out."""
    conditions = [each.condition for each in kept]
    premises = because(equality, conditions)
    if len(premises) < 2:
        return kept
    # A condition that is no premise cannot become unnecessary: without it, the others imply the equality all the same.
    trial = [*conditions, equality]
    mine = frozenset(symbols(equality))
    near = connected(mine, [(i, frozenset(symbols(each))) for i, each in enumerate(conditions) if i not in premises])
    try:
        left = needed(trial, premises, with_known(Facts(), trial, [*near, len(conditions)]))
        if len(left) == len(premises) or with_known(Facts(), trial, [*near, *left]).decide(equality) is True:
            return kept
    except Contradiction:
        return kept
    origins = tuple(sorted({i for j in premises for i in kept[j].origins}))
    made = Kept(equality, origins)
    gone = [j for j in premises if j not in left]
    return [made if j == gone[0] else each for j, each in enumerate(kept) if j not in gone[1:]]


# -- disjunctions


def shorten(kept: list[Kept], traced: Mapping[Symbol, Any]) -> list[Kept]:
    """Disjunctions without the parts that the other conditions exclude; then what follows from these goes."""
    shorter: set[BoolLike] = set()
    for each in [each for each in kept if each.condition.op == "or" and size(each.condition) <= MOST_TO_READ]:
        found = shortened(each.condition, [other.condition for other in kept if other is not each])
        if found is not None:
            parts = found.args if found.op == "and" else (found,)
            kept = merge(kept, [each], parts)
            shorter.update(parts)
    if not shorter:
        return kept
    left = drop_implied([each.condition for each in kept], traced)
    gone = [each for i, each in enumerate(kept) if i not in left]
    return [with_origins(kept[i], gone) if kept[i].condition in shorter else kept[i] for i in left]


def with_origins(kept: Kept, gone: Sequence[Kept]) -> Kept:
    """With the origins of those that it made unnecessary, as far as they are about nothing else."""
    mine = set(symbols(kept.condition))
    inside = [each for each in gone if mine.issuperset(symbols(each.condition))]
    return replace(kept, origins=tuple(sorted({i for each in (kept, *inside) for i in each.origins})))


def shortened(condition: Bool, others: Sequence[Bool]) -> Bool | None:
    """A smaller equivalent of the condition where the others hold, unless it may divide by 0."""
    if partial(condition):
        return None
    near = connected(frozenset(symbols(condition)), [(i, frozenset(symbols(each))) for i, each in enumerate(others)])
    facts = Facts()
    try:
        for i in near:
            facts.learn(others[i])
    except Contradiction:
        return None
    found = reduce(condition, facts)
    return found if isinstance(found, Bool) and size(found) < size(condition) else None
