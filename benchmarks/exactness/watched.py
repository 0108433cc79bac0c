"""Random programs: a guard's answers held against the program itself, and against the lines that it ran.

A decision stands on a line of its own in these programs, so the lines that run are the decisions. Where a call runs the
lines of the traced call and the program answers as the replay does, a guard has no reason to refuse it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torch.utils import _pytree as pytree

from benchmarks.exactness.arguments import T, build
from benchmarks.exactness.forms import Guardgen
from benchmarks.exactness.outcomes import Outcome, run, same

@dataclass(frozen=True)
class Watched:
    """A program written as source, and the file name under which its lines are noted."""

    fn: Callable[..., Any]
    file: str


def compiled(source: str) -> Watched:
    """The function `program` that the source defines."""
    import linecache
    import math

    import torch
    import torch.nn.functional as F

    file = "<program>"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    scope: dict[str, Any] = {"torch": torch, "F": F, "math": math, "__name__": "program"}
    exec(compile(source, file, "exec"), scope)
    return Watched(scope["program"], file)


def kinds(call: Any) -> Any:
    """All of a call but its sizes: what a guard may always depend on."""
    leaves, structure = pytree.tree_flatten(call, is_leaf=lambda x: isinstance(x, T))
    return str(structure), [(len(x.shape), x.dtype) if isinstance(x, T) else type(x) for x in leaves]


@dataclass(frozen=True)
class Question:
    """One call of a traced program: what the program did there, by itself, and what the traced call did."""

    program: Watched
    system: Guardgen
    traced: Outcome
    level: str = "call"

    def faults(self, call: Any, same_kinds: bool = True) -> list[str]:
        """Every fault of the guard's answer to this call; empty where it is right."""
        accepted, faults = self.system.accepts(build(call))
        eager = run(self.program.fn, build(call), watch=self.program.file)
        replay = self.system.replay(build(call))
        right = eager.ran and replay.ran and same(eager.result, replay.result)
        if accepted and eager.ran and not right:
            faults.append(f"UNSOUND accepted, and replay {replay.error or 'answers otherwise'}")
        elif accepted and not eager.ran and replay.ran:
            faults.append(f"UNSOUND accepted, and replay runs where the program raises {eager.error}")
        elif accepted and not eager.ran:
            faults.append(f"MISSED accepted, though the program raises {eager.error}")
        elif accepted and eager.path != self.traced.path:
            faults.append("UNSOUND accepted, though the program went another way")
        if accepted or not eager.ran or eager.path != self.traced.path or self.level != "call":
            return faults
        if right:
            return [*faults, "OVER-STRICT refused, though replay is right"]
        if same_kinds:
            return [*faults, f"OVER-OBSERVED the program went the same way, and replay {replay.error or 'differs'}"]
        return faults


def ask(source: str, traced: Any, calls: Any, *, level: str = "call") -> list[tuple[Any, str]]:
    """Trace the program on `traced`, and ask about each call: pairs of a call and a fault."""
    program = compiled(source)
    first = run(program.fn, build(traced), watch=program.file)
    if not first.ran:
        return []
    try:
        system = Guardgen(program.fn, build(traced), level=level)
    except Exception as error:  # what cannot be traced is counted
        return [(traced, f"NO-TRACE {type(error).__name__}: {str(error)[:300]}")]
    question = Question(program, system, first, level)
    found = [(traced, fault) for fault in question.faults(traced)]
    for call in calls:
        found += [(call, fault) for fault in question.faults(call, kinds(call) == kinds(traced))]
    return found
