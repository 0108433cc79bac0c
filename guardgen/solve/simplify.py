"""A condition as a careful person would write it, given what is known: piecewise sizes taken apart by cases, parts that
follow from the others left out."""

from __future__ import annotations

from typing import Any

from guardgen.solve.defined import defined
from guardgen.solve.facts import Contradiction, Facts
from guardgen.terms.bools import both, either, ge, negate, partial
from guardgen.terms.ints import PIECEWISE, Atom, Bool, BoolLike, Int, Term, size

MOST_CASES = 16  # ways to take the piecewise sizes of one condition apart
MOST_SIZE = 600  # what is larger to read than this is left as it is


def simplify(condition: BoolLike, facts: Facts) -> BoolLike:
    """An equivalent of `condition` under `facts`, no larger than it."""
    value: BoolLike = facts.rewrite(condition)
    if isinstance(value, bool) or size(value) > MOST_SIZE:
        return value
    value = reduce(value, facts)
    if isinstance(value, bool) or piecewise_in(value) is None:
        return value
    by_cases = Cases().expand(both(defined(value), value), facts)
    if by_cases is None:
        return value
    by_cases = reduce(by_cases, facts)
    return by_cases if size(by_cases) <= size(value) else value


def piecewise_in(value: Any) -> Atom | None:
    """A piecewise size in a term whose own condition has none."""
    if isinstance(value, Int):
        inside = (piecewise_in(each) for monomial, _ in value.args for each in monomial)
    elif isinstance(value, Term):
        inside = map(piecewise_in, value.args)  # type: ignore[assignment]
    else:
        return None
    found = next(filter(None, inside), None)
    if found is None and isinstance(value, Atom) and value.op in PIECEWISE:
        return value
    return found


class Cases:
    """Takes piecewise sizes apart: p(min(a, b)) is (a <= b and p(a)) or (b < a and p(b))."""

    def __init__(self) -> None:
        self.left = MOST_CASES

    def expand(self, value: BoolLike, facts: Facts) -> BoolLike | None:
        """`value` without piecewise sizes, or None where that takes too many cases."""
        atom = piecewise_in(value)
        if atom is None or isinstance(value, bool):
            return value
        when = atom.args[0] if atom.op == "int_ite" else ge(atom.args[1], atom.args[0])
        parts: list[BoolLike] = []
        for case in (when, negate(when)):
            self.left -= 1
            if self.left < 0:
                return None
            known = facts.copy()
            try:
                known.learn(case)
            except Contradiction:
                continue
            part = self.expand(known.rewrite(value), known)
            if part is None:
                return None
            parts.append(both(case, part))
        return either(*parts)


def reduce(value: BoolLike, facts: Facts) -> BoolLike:
    """Leave out the parts that are known, cannot hold, or follow from the others."""
    if isinstance(value, bool):
        return value
    decided = facts.decide(value)
    if decided is not None:
        return decided
    if value.op == "and":
        return reduce_and(value, facts)
    if value.op == "or":
        return reduce_or(value, facts)
    return value


def reading_order(part: Bool) -> tuple[bool, int]:
    """Short ones first; what may divide by 0 comes after the conditions that forbid it."""
    return partial(part), size(part)


def reduced_part(part: BoolLike, known: Facts) -> BoolLike:
    """A part by what is known only inside the whole; what may divide by 0 is left as it is, or another divisor may be 0
    where the part is computed although the others decide."""
    reduced = reduce(known.rewrite(part), known)
    return part if partial(reduced) else reduced


def reduce_and(value: Bool, facts: Facts) -> BoolLike:
    known = facts.copy()
    kept: list[BoolLike] = []
    try:
        for part in sorted(value.args, key=reading_order):
            reduced = reduced_part(part, known)
            if reduced is True:
                continue
            kept.append(reduced)
            known.learn(reduced)
    except Contradiction:
        return False
    return both(*kept)


def reduce_or(value: Bool, facts: Facts) -> BoolLike:
    """Each part is reduced under the negation of those before it; then parts that imply another one go."""
    parts: list[BoolLike] = []
    known = facts.copy()
    for part in sorted(value.args, key=reading_order):
        try:
            reduced = reduced_part(part, known)
            if reduced is False:
                continue
            if reduced is True:
                return True
            parts.append(reduced)
            known.learn(negate(reduced))
        except Contradiction:
            return True
    return _rest(parts, facts)


def _rest(parts: list[BoolLike], facts: Facts) -> BoolLike:
    kept = list(parts)
    for part in parts:
        others = [other for other in kept if other is not part]
        if others and implies(facts, part, either(*others)):
            kept = others
    return either(*kept)


def implies(facts: Facts, premise: BoolLike, conclusion: BoolLike) -> bool:
    """Whether `conclusion` follows from `premise` and what is known."""
    trial = facts.trial()
    if trial is None:
        return False
    try:
        trial.learn(premise)
    except Contradiction:
        return True
    return trial.decide(conclusion) is True
