"""What the observations of a trace ask of declared dimensions beyond what was declared.

A declared dimension is promised whole: for each of its values some sizes of the other arguments must be accepted. So
sizes that are not declared are eliminated first; what is left is about declared ones alone, and follows from the
declarations or narrows them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from guardgen.conditions import Guard
from guardgen.declarations import Declarations
from guardgen.declared import TermOf
from guardgen.errors import NarrowedError
from guardgen.fitting import fitting, learned
from guardgen.ir import Line
from guardgen.rules.text import condition_text
from guardgen.solve.facts import Facts
from guardgen.solve.linear import atoms_within
from guardgen.solve.simplify import simplify
from guardgen.terms import Bool, BoolLike, Symbol, ge
from guardgen.terms.ints import Atom, Int, IntLike, symbols

MOST_PAIRS = 64  # of bounds of one size that is eliminated

Eliminated: TypeAlias = "dict[Atom, tuple[IntLike, tuple[Line, ...]]]"


@dataclass(frozen=True)
class Need:
    """A condition on declared dimensions alone, and the lines that make it."""

    condition: Bool
    lines: tuple[Line, ...]

    def __str__(self) -> str:
        what = ", ".join(each.title for each in dict.fromkeys(symbols(self.condition)))
        since = "; ".join(map(str, self.lines)) or "an operator asks for it"
        return f"{what}: needs {condition_text(self.condition)}, since {since}"


def refuse_narrowing(declared: Declarations, term: TermOf, raw: Sequence[Guard], kept: Sequence[Guard]) -> None:
    """Raise `NarrowedError` with everything that would narrow a declared dimension."""
    strict = frozenset(symbol for each in declared if each.kind != "auto" for symbol in symbols_of(term(each)))
    needs = list(Narrowing(learned(declared, term), strict, raw, kept).needs())
    if needs:
        fits = fitting(declared, term, [need.condition for need in needs])
        line = next((line for need in needs for line in need.lines), None)
        raise NarrowedError(declared.text, tuple(dict.fromkeys(map(str, needs))), fits.text, line=line)


def symbols_of(value: IntLike) -> Iterable[Symbol]:
    return () if isinstance(value, int) else symbols(value)


class Narrowing:
    """One search for what narrows the symbols in `strict`, of which `facts` are declared."""

    def __init__(self, facts: Facts, strict: frozenset[Symbol], raw: Sequence[Guard], kept: Sequence[Guard]) -> None:
        self.facts, self.strict, self.kept = facts, strict, kept
        self.raw = [guard for guard in raw if guard.kind not in ("declared", "data")]
        self.found = facts.copy()  # and what was found to be needed

    def needs(self) -> Iterator[Need]:
        eliminated = self.eliminated()
        for guard in self.raw:
            yield from self.asked(replaced(guard.condition, eliminated), guard.lines)
        for atom, (rest, lines) in eliminated.items():
            low = atom.args[0].low
            if low is not None:
                yield from self.asked(ge(rest, low), lines)
        for condition, lines in self.bounds(eliminated):
            if self.found.decide(condition) is None:  # else it was said before
                yield from self.asked(condition, lines)

    def asked(self, condition: BoolLike, lines: tuple[Line, ...]) -> Iterator[Need]:
        """The parts of a condition on declared dimensions alone that these do not say."""
        self.facts.renew()
        needed = simplify(condition, self.facts)
        for part in needed.args if isinstance(needed, Bool) and needed.op == "and" else (needed,):
            if isinstance(part, Bool) and self.strict.issuperset(symbols(part)):
                if self.found.decide(part) is None:
                    self.found.learn(part)
                yield Need(part, lines)

    def eliminated(self) -> Eliminated:
        """The symbols that are not declared and that an equality determines, each with its value and the lines."""
        found: Eliminated = {}
        for guard in self.kept:
            if guard.kind == "data" or guard.condition.op != "eq":
                continue
            equality = replaced(guard.condition, found)
            solved = self.solved(equality) if isinstance(equality, Bool) and equality.op == "eq" else None
            if solved is not None:
                found[solved[0]] = solved[1], guard.lines
        return found

    def solved(self, equality: Bool) -> tuple[Atom, IntLike] | None:
        value = equality.args[0]
        for monomial, k in value.args if isinstance(value, Int) else ():
            if len(monomial) == 1 and k in (1, -1) and monomial[0].op == "symbol":
                atom = monomial[0]
                rest = (value - Int(((monomial, k),))) * -k
                if atom.args[0] not in self.strict and atom not in set(atoms_within(rest)):
                    return atom, rest
        return None

    def bounds(self, eliminated: Eliminated) -> Iterator[tuple[BoolLike, tuple[Line, ...]]]:
        """Bounds that follow from two of them by way of a size that is not declared: d <= u and u <= 6 say d <= 6."""
        found = list(self.inequalities(eliminated))
        free = {atom for value, _ in found for atom in atoms_within(value) if atom.op == "symbol"}
        for atom in sorted(free, key=lambda atom: atom.key):
            if atom.args[0] in self.strict:
                continue
            low = atom.args[0].low
            below: list[tuple[Int, tuple[Line, ...]]] = [] if low is None else [(Int((((atom,), 1),)) - low, ())]
            above = [each for each in found if coefficient(each[0], atom) < 0]
            below += [each for each in found if coefficient(each[0], atom) > 0]
            found = [each for each in found if atom not in set(atoms_within(each[0]))]
            for (least, lines), (most, others) in itertools.islice(itertools.product(below, above), MOST_PAIRS):
                total = least * -coefficient(most, atom) + most * coefficient(least, atom)
                if isinstance(total, Int):
                    found.append((total, tuple(dict.fromkeys((*lines, *others)))))
        for value, lines in found:
            yield ge(value, 0), lines

    def inequalities(self, eliminated: Eliminated) -> Iterator[tuple[Int, tuple[Line, ...]]]:
        for guard in self.kept:
            parts = guard.condition.args if guard.condition.op == "and" else (guard.condition,)
            for part in parts if guard.kind != "data" else ():
                value = replaced(part, eliminated)
                if isinstance(value, Bool) and value.op == "ge":
                    yield value.args[0], guard.lines


def coefficient(value: Int, atom: Atom) -> int:
    return dict(value.args).get((atom,), 0)


def replaced(condition: BoolLike, eliminated: Eliminated) -> BoolLike:
    """The condition with the values of what was eliminated, each of which may contain those after it."""
    for atom, (rest, _) in eliminated.items():
        facts = Facts()
        facts.equal[atom] = rest
        condition = facts.rewrite(condition)
    return condition
