"""The conditions of one derivation as they arrive: each is decided from those before it, and kept if it is new."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from guardgen.conditions import Dropped, Guard
from guardgen.errors import DeriveError
from guardgen.ir import Line
from guardgen.rules.concrete import concrete_rules
from guardgen.rules.text import condition_text
from guardgen.solve.defined import defined
from guardgen.solve.facts import Contradiction, Facts
from guardgen.solve.minimise import because
from guardgen.solve.simplify import reading_order, simplify
from guardgen.solve.strengthen import Kept, strengthen
from guardgen.terms import Bool, BoolLike, Symbol, both
from guardgen.terms.evaluate import evaluate
from guardgen.terms.ints import symbols

Hoist = Callable[["list[Symbol]", str, "Line | None"], bool]  # whether numbers read from data can be had on entry
KINDS = ("data", "observation", "precondition", "declared")  # of a guard that several made, the first of theirs


class Collector:
    """Learns conditions. `hints` are what the symbols were in the traced run; `hoist` is asked about data."""

    def __init__(self, hints: Mapping[Symbol, Any], hoist: Hoist) -> None:
        self.hints, self.hoist = hints, hoist
        self.facts = Facts()
        self.raw: list[Guard] = []
        self.kept: list[Guard] = []
        self.made: dict[Bool, tuple[int, ...]] = {}  # of a condition that arrived, or a part of it: where it is kept
        self.removed: list[Guard] = []

    def observe(self, condition: BoolLike, line: Line | None, why: str) -> None:
        """Something that the program saw; `DeriveError` where the sizes say that it cannot have been so."""
        if self.holds_in_trace(condition) is False:
            raise DeriveError(f"an observation of the traced run contradicts its sizes ({why})", line=line)
        self.add(condition, "observation", line, why)

    def require(self, condition: BoolLike, line: Line | None, why: str) -> None:
        """Something that an operator asks of its inputs. The traced run went through, so what it broke is not asked."""
        if self.holds_in_trace(condition) is not False:
            self.add(condition, "precondition", line, why)

    def declare(self, condition: BoolLike, declared: str) -> None:
        """Something that was declared of the arguments before."""
        self.add(condition, "declared", None, "", (declared,))

    def holds_in_trace(self, condition: BoolLike) -> bool | None:
        """Whether the condition holds for the traced call; None where that depends on data, which is not kept."""
        try:
            return bool(evaluate(condition, self.hints, concrete_rules))
        except KeyError:
            return None
        except ArithmeticError:
            return False

    def add(self, condition: BoolLike, kind: str, line: Line | None, why: str, declared: tuple[str, ...] = ()) -> None:
        if isinstance(condition, bool):
            return
        data = [each for each in symbols(condition) if each.source[0] in ("data", "data_size")]
        if data and not self.hoist(data, kind, line):
            return
        kind = "data" if data else kind
        arrived = guard(condition, kind, (line,) if line is not None else (), why, declared)
        self.raw.append(arrived)
        self.facts.renew()
        reduced = simplify(both(defined(condition), condition), self.facts)
        if reduced is True:
            self.known_again(arrived)
            return
        try:
            self.facts.learn(reduced)
        except Contradiction:
            raise DeriveError(f"the observations contradict each other: {arrived.text}", line=line) from None
        assert not isinstance(reduced, bool)
        parts = sorted(reduced.args, key=reading_order) if reduced.op == "and" else [reduced]  # as they were reduced
        self.made[condition] = tuple(range(len(self.kept), len(self.kept) + len(parts)))
        for i, part in zip(self.made[condition], parts, strict=True):
            self.kept.append(replace(arrived, condition=part, text=condition_text(part)))
            self.made.setdefault(part, (i,))

    def known_again(self, arrived: Guard) -> None:
        """A condition that follows from those before it; where it is one of them, they have its line too."""
        self.removed.append(arrived)
        for i in self.made.get(arrived.condition, ()):
            lines, declared = origins([self.kept[i], arrived])
            self.kept[i] = replace(self.kept[i], lines=lines, declared=declared)

    def finish(self) -> tuple[Guard, ...]:
        """The guards to check: none follows from the others, and what can be said in fewer is."""
        found = strengthen([each.condition for each in self.kept], self.facts.implied, self.hints)
        guards = tuple(self.merged(each) for each in found)
        conditions = {each.condition for each in guards}
        observed = [each for each in self.kept if each.kind != "declared"]
        self.removed += [each for each in observed if each.condition not in conditions]
        return guards

    def merged(self, kept: Kept) -> Guard:
        """One guard for what several observations and preconditions ask, with the lines of all."""
        first, *rest = (self.kept[i] for i in kept.origins)
        if not rest:
            return replace(first, condition=kept.condition, text=condition_text(kept.condition))
        kinds = {each.kind for each in (first, *rest)}
        kind = next(kind for kind in KINDS if kind in kinds)
        why = "; ".join(dict.fromkeys(each.why for each in (first, *rest) if each.why))
        lines, declared = origins([first, *rest])
        return guard(kept.condition, kind, lines, why, declared)

    def dropped(self, kept: tuple[Guard, ...]) -> tuple[Dropped, ...]:
        """What is not checked; why is found when it is asked for."""
        return tuple(Dropped(each, partial(reasons, each, kept)) for each in self.removed)


def reasons(removed: Guard, kept: tuple[Guard, ...]) -> tuple[Guard, ...]:
    """The kept guards that imply this one: those that say the same, or as few as do."""
    return tuple(kept[i] for i in because(removed.condition, [each.condition for each in kept]))


def origins(guards: Sequence[Guard]) -> tuple[tuple[Line, ...], tuple[str, ...]]:
    """The lines and the declarations of all of them."""
    lines = dict.fromkeys(line for each in guards for line in each.lines)
    return tuple(lines), tuple(dict.fromkeys(text for each in guards for text in each.declared))


def guard(condition: Bool, kind: str, lines: tuple[Line, ...], why: str, declared: tuple[str, ...]) -> Guard:
    return Guard(condition, kind, condition_text(condition), lines, why, declared)
