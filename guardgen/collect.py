"""The conditions of one derivation as they arrive: each is decided from those before it, and kept if it is new."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from guardgen.conditions import Dropped, Guard
from guardgen.errors import DeriveError
from guardgen.ir import Line
from guardgen.rules.concrete import concrete_rules
from guardgen.rules.text import condition_text
from guardgen.solve.facts import Contradiction, Facts
from guardgen.solve.minimise import drop_implied, join_bounds
from guardgen.solve.simplify import simplify
from guardgen.terms import Bool, BoolLike, Symbol
from guardgen.terms.evaluate import evaluate
from guardgen.terms.ints import symbols

Hoist = Callable[["list[Symbol]", str, "Line | None"], bool]  # whether numbers read from data can be had on entry


class Collector:
    """Learns conditions. `hints` are what the symbols were in the traced run; `hoist` is asked about data."""

    def __init__(self, hints: Mapping[Symbol, Any], hoist: Hoist) -> None:
        self.hints, self.hoist = hints, hoist
        self.facts = Facts()
        self.raw: list[Guard] = []
        self.kept: list[Guard] = []
        self.dropped: list[Dropped] = []

    def observe(self, condition: BoolLike, line: Line | None, why: str) -> None:
        """Something that the program saw; `DeriveError` where the sizes say that it cannot have been so."""
        if self.holds_in_trace(condition) is False:
            raise DeriveError(f"an observation of the traced run contradicts its sizes ({why})", line=line)
        self.add(condition, "observation", line, why)

    def require(self, condition: BoolLike, line: Line | None, why: str) -> None:
        """Something that an operator asks of its inputs. The traced run went through, so what it broke is not asked."""
        if self.holds_in_trace(condition) is not False:
            self.add(condition, "precondition", line, why)

    def holds_in_trace(self, condition: BoolLike) -> bool | None:
        """Whether the condition holds for the traced call; None where that depends on data, which is not kept."""
        try:
            return bool(evaluate(condition, self.hints, concrete_rules))
        except KeyError:
            return None
        except ArithmeticError:
            return False

    def add(self, condition: BoolLike, kind: str, line: Line | None, why: str) -> None:
        if isinstance(condition, bool):
            return
        data = [each for each in symbols(condition) if each.source[0] in ("data", "data_size")]
        if data and not self.hoist(data, kind, line):
            return
        kind = "data" if data else kind
        arrived = guard(condition, kind, (line,) if line is not None else (), why)
        self.raw.append(arrived)
        reduced = simplify(condition, self.facts)
        if reduced is True:
            self.dropped.append(Dropped(arrived))
            return
        try:
            self.facts.learn(reduced)
        except Contradiction:
            raise DeriveError(f"the observations contradict each other: {arrived.text}", line=line) from None
        assert not isinstance(reduced, bool)
        for part in reduced.args if reduced.op == "and" else (reduced,):
            self.kept.append(guard(part, kind, arrived.lines, why))

    def finish(self) -> tuple[Guard, ...]:
        """The guards to check: none follows from the others, and bounds that leave one value are one guard."""
        self.join_bounds()
        keep = set(drop_implied([each.condition for each in self.kept]))
        self.dropped += [Dropped(each) for i, each in enumerate(self.kept) if i not in keep]
        return tuple(each for i, each in enumerate(self.kept) if i in keep)

    def join_bounds(self) -> None:
        """Two bounds that leave one value are one guard, with the lines of both."""
        for later, (equal, earlier) in join_bounds([each.condition for each in self.kept]).items():
            first, second = self.kept[earlier], self.kept[later]
            joined = guard(equal, second.kind, tuple(dict.fromkeys((*first.lines, *second.lines))), second.why)
            self.dropped += [Dropped(first, (joined,)), Dropped(second, (joined,))]
            self.kept[earlier] = self.kept[later] = joined
        self.kept = list(dict.fromkeys(self.kept))


def guard(condition: Bool, kind: str, lines: tuple[Line, ...], why: str) -> Guard:
    return Guard(condition, kind, condition_text(condition), lines, why)
