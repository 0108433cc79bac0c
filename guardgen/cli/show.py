"""Show the trace and the guards of the programs of a spec file.

examples:
  guardgen show examples/textbook.py
  guardgen show examples/textbook.py textbook_prims --why     # also which conditions are not checked, and why
  guardgen show examples/chunks.py chunks --json > chunks.json    # the guards as data: docs/guard-format.md
"""

from __future__ import annotations

import argparse
from pathlib import Path

from guardgen import pipeline
from guardgen.cli.chosen import chosen
from guardgen.cli.terminal import counted
from guardgen.errors import SpecError
from guardgen.guards import Dropped
from guardgen.listing import line
from guardgen.pipeline import Built


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("spec", type=Path, metavar="SPEC.py", help="a file that registers programs")
    parser.add_argument("program", nargs="?", metavar="PROGRAM", help="the name of one of them; all if left out")
    parser.add_argument("--json", action="store_true", help="print the guards of one program as data, and nothing else")
    parser.add_argument("--why", action="store_true", help="also show the conditions that were dropped")


def run(options: argparse.Namespace) -> int:
    if options.json:
        texts = chosen(options.spec, options.program, lambda program: pipeline.derived(program)[1].to_json())
        if len(texts) != 1:
            raise SpecError(f"{options.spec}: name one of its {len(texts)} programs")
        print(texts[0])
        return 0
    texts = [shown(each, options.why) for each in chosen(options.spec, options.program, pipeline.build)]
    print("\n\n".join(texts))
    return 0


def shown(built: Built, why: bool) -> str:
    program, trace, guards = built.program, built.trace, built.guards
    counts = f"{counted(trace.operators, 'operator')}, {counted(trace.observations, 'observation')}"
    parts = [
        f"{program.name}, of {program.line.place}, traced at level {trace.level}: {counts}",
        indented(str(trace.graph).splitlines()),
        "guards",
        indented(str(guards).splitlines()),
    ]
    if why:
        if guards.ways:
            parts += ["observations of data", indented([str(each) for each in guards.ways])]
        parts += ["dropped", indented([line for each in guards.dropped for line in dropped_lines(each)] or ["none"])]
    return "\n".join(parts)


def indented(lines: list[str]) -> str:
    return "\n".join(f"    {line}" for line in lines)


def dropped_lines(dropped: Dropped) -> list[str]:
    condition = dropped.guard.text
    reasons = [guard.text for guard in dropped.because]
    if condition in reasons:
        return [line(condition, [dropped.guard]), "    is checked once"]
    return [line(condition, [dropped.guard]), f"    follows from {' and '.join(reasons) or 'the guards above'}"]
