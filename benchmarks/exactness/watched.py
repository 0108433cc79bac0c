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
from benchmarks.exactness.judge import Count
from benchmarks.exactness.memory import exhausted
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
    """A traced program, and what the program did by itself in the traced call."""

    program: Watched
    system: Guardgen
    traced: Outcome
    level: str = "call"

    def faults(self, call: Any, same_kinds: bool, count: Count) -> list[str]:
        """Every fault of the guard's answer to this call; empty where it is right."""
        accepted, faults = self.system.accepts(build(call))
        eager = run(self.program.fn, build(call), watch=self.program.file)
        replay = self.system.replay(build(call))
        if exhausted(eager.error) or exhausted(replay.error):
            return faults
        right = eager.ran and replay.ran and same(eager.result, replay.result)
        same_way = eager.ran and eager.path == self.traced.path
        count.right, count.wrong = count.right + (right and same_way), count.wrong + (not (right and same_way))
        count.accepted += right and same_way and accepted
        count.refused += not (right and same_way) and not accepted
        if accepted:
            return faults + wrongly_accepted(eager, replay, right, same_way)
        if not same_way or self.level != "call":
            return faults  # at the other levels, decisions inside operators count too, which have no lines
        if right:
            return [*faults, "OVER-STRICT refused, though replay is right"]
        if same_kinds:
            return [*faults, f"OVER-OBSERVED the program went the same way, and replay {replay.error or 'differs'}"]
        return faults


def wrongly_accepted(eager: Outcome, replay: Outcome, right: bool, same_way: bool) -> list[str]:
    if eager.ran and not right:
        return [f"UNSOUND accepted, and replay {replay.error or 'answers otherwise'}"]
    if eager.ran:
        return [] if same_way else ["UNSOUND accepted, though the program went another way"]
    if replay.ran:
        return [f"UNSOUND accepted, and replay runs where the program raises {eager.error}"]
    return [f"MISSED accepted, though the program raises {eager.error}"]


def ask(
    source: str, traced: Any, calls: Any, *, level: str = "call", count: Count | None = None
) -> list[tuple[Any, str]]:
    """Trace the program on `traced`, and ask about each call: pairs of a call and a fault, and the numbers in `count`.

    A program that raises in the traced call is not asked about.
    """
    count = Count() if count is None else count
    program = compiled(source)
    first = run(program.fn, build(traced), watch=program.file)
    if not first.ran:
        return []
    try:
        system = Guardgen(program.fn, build(traced), level=level)
    except Exception as error:  # what cannot be traced is counted
        count.untraced += 1
        return [(traced, f"NO-TRACE {type(error).__name__}: {str(error)[:300]}")]
    question = Question(program, system, first, level)
    found = [
        (call, fault)
        for call in (traced, *calls)
        for fault in question.faults(call, kinds(call) == kinds(traced), count)
    ]
    for _, fault in found:
        name = fault.split()[0].lower().replace("-", "_")
        if name in ("unsound", "missed", "not_total", "inconsistent"):
            setattr(count, name, getattr(count, name) + 1)
    return found
