"""Build every program of the spec files into Python and TorchScript modules, and C++ headers.

examples:
  guardgen build examples/*.py --out generated
  guardgen build examples/*.py --out generated --torchscript build/torchscript
  guardgen build examples/*.py --out generated --native build/native
  guardgen build examples/*.py --out generated --check     # in CI: exit 1 if a file is not what it would be
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from guardgen import pipeline, spec
from guardgen.cli.failures import failure, report
from guardgen.cli.terminal import counted, progress, table
from guardgen.pipeline import Built
from guardgen.spec import Program

WHAT = {
    "missing": "is missing",
    "differs": "is not what its program gives",
    "stale": "is of no program in these spec files",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("specs", nargs="+", type=Path, metavar="SPEC.py", help="files that register programs")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder of the generated modules")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if anything differs")
    parser.add_argument(
        "--torchscript",
        type=Path,
        metavar="DIR",
        help="also compile the TorchScript modules, into DIR/<program>.pt",
    )
    parser.add_argument(
        "--native",
        type=Path,
        metavar="DIR",
        help="also write Python modules whose check is compiled C++, into DIR/<program>.py; without a C++ compiler, "
        "or where a guard needs Python, they are as in --out",
    )


@dataclass
class Results:
    """What became of the programs, in their order; `compiled` has the TorchScript modules, by program."""

    built: list[Built] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    compiled: dict[str, Any] = field(default_factory=dict)
    failed: int = 0


def run(options: argparse.Namespace) -> int:
    """Everything is made before anything is written, so an error leaves the files as they were."""
    programs = spec.load_all(options.specs)
    skipped = [program for program in programs if program.missing]
    for program in skipped:
        print(skipped_line(program), file=sys.stderr)
    results = build_all([program for program in programs if not program.missing], options)
    if results.failed:
        print("nothing was written", file=sys.stderr)
        return 2
    if options.check:
        return show_differences(results.built, skipped, options.out)
    pipeline.save_torchscript(results.compiled, options.torchscript)
    written = pipeline.write(results.built, options.out)
    show_table(results)
    print(f"\n{options.out}: {counted(modules(results.built), 'module')}, {len(written)} changed")
    if results.compiled:
        print(f"{options.torchscript}: {counted(len(results.compiled), 'TorchScript module')}, saved and loaded back")
    if options.native:
        compile_native(results.built, options.native)
    return 0


def compile_native(built: Sequence[Built], out: Path) -> None:
    """Compile what can be, and say once of what cannot be that the Python form serves."""
    reasons = pipeline.save_native(built, out)
    without = {why: [name for name in reasons if reasons[name] == why] for why in reasons.values() if why}
    for why, names in without.items():
        print(f"not compiled, the Python form serves: {', '.join(names)}: {why}", file=sys.stderr)
    compiled = sum(not why for why in reasons.values())
    print(f"{out}: {counted(len(reasons), 'module')}, {compiled} with a compiled check")


def build_all(programs: Sequence[Program], options: argparse.Namespace) -> Results:
    """Build every program; those that fail are said on stderr, one line each."""
    results = Results()
    with progress(len(programs)) as step:
        for program in programs:
            step(program.name)
            start = perf_counter()
            try:
                build_one(program, results, compiling=bool(options.torchscript) and not options.check)
            except Exception as error:  # whatever a program raises is the user's to see, in one line
                report(failure(program, error), error, options.traceback)
                results.failed += 1
            results.seconds.append(perf_counter() - start)
    return results


def build_one(program: Program, results: Results, compiling: bool) -> None:
    built = pipeline.build(program)
    compiled = pipeline.compile_torchscript(built) if compiling else None
    if compiled is not None:
        results.compiled[program.name] = compiled
    results.built.append(built)


def skipped_line(program: Program) -> str:
    missing = ", ".join(program.missing)
    return f"skipped {program.name} ({program.line.place}): needs {missing}; its generated files stay as they are"


def show_differences(built: Sequence[Built], skipped: Sequence[Program], out: Path) -> int:
    differences = pipeline.differences(built, skipped, out)
    for path, how in sorted(differences.items()):
        print(f"{path}: {WHAT[how]}")
    if differences:
        stale = " and delete what is stale" if "stale" in differences.values() else ""
        print(f"{counted(len(differences), 'difference')}; build without --check{stale}", file=sys.stderr)
        return 1
    print(f"{out}: all {counted(modules(built), 'module')} up to date")
    return 0


def show_table(results: Results) -> None:
    rows = []
    for each, seconds in zip(results.built, results.seconds, strict=True):
        counts = each.trace.operators, each.trace.observations, len(each.guards.guards)
        rows.append((each.program.name, *map(str, counts), f"{seconds:.2f} s"))
    table(("program", "operators", "observations", "guards", "time"), rows)


def modules(built: Sequence[Built]) -> int:
    return sum(len(each.texts) for each in built)
