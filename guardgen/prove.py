"""That the guards say what the trace observed and required, no more, no less, and none of them twice: by z3.

Three kinds of claims: every observation and precondition follows from the guards; every guard follows from these; no
guard follows from the other guards. All are over every size from 0 and every int, divisions by 0 included. A sample is
no proof: what z3 leaves open is tried on small and on large sizes, and stays undecided where nothing is found.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from guardgen import satisfy
from guardgen.ir import Line
from guardgen.satisfy import Answer
from guardgen.solve.minimise import connected
from guardgen.terms import Bool
from guardgen.terms.ints import symbols
from guardgen.witness import Values, right, shapes, tried

if TYPE_CHECKING:
    from guardgen.conditions import Guard
    from guardgen.guards import GuardSet

SECONDS = 20.0  # for a guard set, if nothing else is said
LEAST_SECONDS = 0.2  # for one question, however many there are


@dataclass(frozen=True)
class Claim:
    """One thing that was to be proved. `verdict` is `proved`, `refuted` or `undecided`.

    `shapes` are a counterexample where a condition was to follow from others; where a guard was to be needed, those
    that it alone refuses. `line` is the user's.
    """

    text: str
    verdict: str
    shapes: dict[str, Any] = field(default_factory=dict)
    line: Line | None = None

    def __str__(self) -> str:
        since = f", since {self.line}" if self.line is not None and self.verdict != "proved" else ""
        shown = ", ".join(f"{name}: {value}" for name, value in self.shapes.items())
        against = f"; for instance {shown}" if shown and self.verdict == "refuted" else ""
        return f"{self.verdict}: {self.text}{against}{since}"


@dataclass(frozen=True)
class Proof:
    """What was proved of the guard set `name`."""

    name: str
    claims: tuple[Claim, ...]

    @property
    def proved(self) -> bool:
        """Whether every claim is."""
        return all(claim.verdict == "proved" for claim in self.claims)

    @property
    def refuted(self) -> tuple[Claim, ...]:
        return tuple(claim for claim in self.claims if claim.verdict == "refuted")

    @property
    def undecided(self) -> tuple[Claim, ...]:
        return tuple(claim for claim in self.claims if claim.verdict == "undecided")

    def __str__(self) -> str:
        count = sum(claim.verdict == "proved" for claim in self.claims)
        lines = [f"{self.name}: {count} of {len(self.claims)} proved"]
        return "\n".join([*lines, *(f"  {claim}" for claim in self.claims if claim.verdict != "proved")])


def prove(guards: GuardSet, *, seconds: float = SECONDS) -> Proof:
    """Prove the guards equivalent to what was observed and required, and each of them needed.

    `seconds` is about what z3 may take for all. Raises `ProveError` where z3 is not installed.
    """
    satisfy.need()
    return Proof(guards.name, tuple(Prover(guards, seconds).claims()))


class Prover:
    """One proof; the time that is left is shared by the questions that are left."""

    def __init__(self, guards: GuardSet, seconds: float) -> None:
        self.guards = guards
        self.kept = [guard.condition for guard in guards.guards]
        self.raw = list({guard.condition: guard for guard in reversed(guards.raw)}.values())[::-1]
        self.end = time.monotonic() + seconds
        self.left = len(self.raw) + 2 * len(self.kept)

    def claims(self) -> list[Claim]:
        raw = [guard.condition for guard in self.raw]
        found = [self.follows(guard, self.kept, "the guards") for guard in self.raw]
        found += [self.follows(guard, raw, "what the trace needs") for guard in self.guards.guards]
        return found + [self.needed(i) for i in range(len(self.kept))]

    def follows(self, guard: Guard, premises: Sequence[Bool], what: str) -> Claim:
        line = guard.lines[0] if guard.lines else None
        text = f"{guard.text} follows from {what}"
        if guard.condition in premises:
            self.left -= 1
            return Claim(text, "proved", line=line)
        verdict, values = self.ask(premises, guard.condition)
        against = shapes(self.guards, values) if values else {}
        return Claim(text, {"none": "proved", "some": "refuted"}.get(verdict, "undecided"), against, line)

    def needed(self, i: int) -> Claim:
        guard, others = self.guards.guards[i], self.kept[:i] + self.kept[i + 1 :]
        verdict, values = self.ask(others, guard.condition)
        shown = shapes(self.guards, values) if values else {}
        verdict = {"none": "refuted", "some": "proved"}.get(verdict, "undecided")
        return Claim(f"{guard.text} is needed", verdict, shown, guard.lines[0] if guard.lines else None)

    def ask(self, true: Sequence[Bool], false: Bool) -> tuple[str, Values | None]:
        """Whether there are values for which `true` hold and `false` does not: those, or `none`, or `unknown`."""
        near = relevant(true, false)
        answer = self.solve(near, false)
        if answer.verdict == "none":
            return "none", None
        proposed = answer.values
        if proposed is not None and right(near, false, proposed):
            return "some", dict(proposed)
        values = next(tried(near, false, self.guards.traced, wide=True), None)
        return ("unknown", None) if values is None else ("some", values)

    def solve(self, true: Sequence[Bool], false: Bool) -> Answer:
        seconds = max(LEAST_SECONDS, (self.end - time.monotonic()) / max(1, self.left))
        self.left -= 1
        return satisfy.find(true, [false], seconds)


def relevant(true: Sequence[Bool], false: Bool) -> list[Bool]:
    """The conditions on symbols that are connected with those of `false`.

    The others hold in the traced run, whatever these symbols are.
    """
    used = [frozenset(symbols(condition)) for condition in true]
    return [true[i] for i in connected(frozenset(symbols(false)), list(enumerate(used)), most=len(true))]
