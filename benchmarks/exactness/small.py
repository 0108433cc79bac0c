"""The project's own small programs, asked of guardgen and its peers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from benchmarks.exactness.arguments import build
from benchmarks.exactness.judge import Count
from benchmarks.exactness.programs import PROGRAMS, Program


def measure(systems: Sequence[Any], programs: Iterable[Program] = PROGRAMS) -> dict[str, Count]:
    counts = {system.name: Count() for system in systems}
    for program in programs:
        for system in systems:
            counts[system.name] += measure_one(system, program)
    return counts


def measure_one(system: Any, program: Program) -> Count:
    """The traced call itself, the valid ones and the invalid ones."""
    count = Count()
    calls = [(call, True) for call in (program.traced, *program.valid)] + [(call, False) for call in program.invalid]
    try:
        traced = system(program.fn, build(program.traced))
    except Exception as error:  # what cannot be traced is counted
        count.untraceable(program.name, error, 1 + len(program.valid), len(program.invalid))
        return count
    for call, valid in calls:
        count.ask(traced, program.fn, build(call), valid=valid, where=f"{program.name} {call}")
    return count
