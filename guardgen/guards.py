"""The guard set of a trace: what is checked on entry, and the questions that it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from guardgen import checking, prove, store, witness
from guardgen.arguments import Signature
from guardgen.conditions import (
    ConstantFact,
    ContainerFact,
    Dropped,
    Fact,
    Guard,
    Hoist,
    IntFact,
    SameFact,
    TensorFact,
    Way,
)
from guardgen.environment import Environment
from guardgen.listing import listing
from guardgen.runtime import Violation
from guardgen.segments import Segment, run_segments
from guardgen.terms import Symbol

__all__ = [
    "ConstantFact",
    "ContainerFact",
    "Dropped",
    "Fact",
    "Guard",
    "GuardSet",
    "Hoist",
    "IntFact",
    "SameFact",
    "TensorFact",
]


@dataclass(frozen=True)
class GuardSet:
    """What is checked on entry. `raw` are all observations and preconditions in the order of the trace.

    `dropped` are those that are not checked, since others imply them. `hoists` compute the numbers that the guards of
    kind `data` read from the arguments' data. `segments` are the parts of a trace that was cut; these guards are then
    about the first. `ways` say for each observation of data whether it is computed on entry or the trace was cut there.
    """

    name: str
    level: str
    signature: Signature
    facts: tuple[Fact, ...]
    guards: tuple[Guard, ...]
    raw: tuple[Guard, ...]
    dropped: tuple[Dropped, ...]
    hoists: Mapping[Symbol, Hoist] = field(default_factory=dict)
    segments: tuple[Segment, ...] = ()
    traced: Mapping[Symbol, Any] = field(default_factory=dict)  # what the symbols were in the traced run
    environment: Environment = field(default_factory=Environment)
    ways: tuple[Way, ...] = ()

    def __str__(self) -> str:
        """A line for each fact and guard, with the first of the lines that made it; equal sizes are one chain."""
        return "\n".join(listing(self.facts, self.guards))

    def check(self, /, *args: Any, **kwargs: Any) -> bool:
        """Whether the trace is valid for these arguments.

        Never raises, beyond Python's own `TypeError` for a call that the traced function's signature refuses.
        """
        return checking.check(self, args, kwargs)

    def explain(self, /, *args: Any, **kwargs: Any) -> list[Violation]:
        """Every guard that fails for these arguments, with what was expected, what was got, and the user's lines."""
        return checking.violations(self, args, kwargs)

    def to_json(self, /) -> str:
        """The guards as data: a JSON text that `guardgen.load` reads, without PyTorch and without running anything.

        Raises `EmitError` where a constant, or a guard on data, has no form as data; see `docs/guard-format.md`.
        """
        return store.to_json(self)

    def run(self, /, *args: Any, **kwargs: Any) -> Any:
        """The program's result, computed segment by segment, each checked before it runs; for a trace that was cut.

        Raises `SegmentError`, which says at which segment and line the run leaves the traced path, and why.
        """
        return run_segments(self.segments, args, kwargs)

    def prove(self, /, *, seconds: float = prove.SECONDS) -> prove.Proof:
        """That the guards mean what the trace observed and required, and that none is redundant; see `guardgen.prove`.

        Needs the extra `prove` (z3); raises `ProveError` without it.
        """
        return prove.prove(self, seconds=seconds)

    def example(self, /) -> dict[str, Any]:
        """Shapes that satisfy the guards, by argument: `{"x": (2, 3), "n": 4}`; empty where none were found."""
        return witness.example(self)

    def counterexample(self, i: int, /) -> dict[str, Any]:
        """Shapes that satisfy every guard but `guards[i]`; empty where none were found."""
        return witness.counterexample(self, i)
