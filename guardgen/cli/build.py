"""Build every program of the spec files into Python and TorchScript modules.

examples:
  guardgen build examples/*.py --out generated
  guardgen build examples/*.py --out generated --torchscript build/torchscript
  guardgen build examples/*.py --out generated --check     # in CI: exit 1 if a file is not what it would be
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

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


def run(options: argparse.Namespace) -> int:
    """Everything is made before anything is written, so an error leaves the files as they were."""
    programs = spec.load_all(options.specs)
    skipped = [program for program in programs if program.missing]
    for program in skipped:
        print(skipped_line(program), file=sys.stderr)
    built, seconds = build_all([program for program in programs if not program.missing], options.traceback)
    if built is None:
        return 2
    if options.check:
        return show_differences(built, skipped, options.out)
    saved = pipeline.write_torchscript(built, options.torchscript) if options.torchscript else []
    written = pipeline.write(built, options.out)
    show_table(built, seconds)
    total = sum(len(each.texts) for each in built)
    print(f"\n{options.out}: {counted(total, 'module')}, {len(written)} changed")
    if saved:
        print(f"{options.torchscript}: {counted(len(saved), 'TorchScript module')}, saved and loaded back")
    return 0


def build_all(programs: Sequence[Program], with_traceback: bool) -> tuple[list[Built] | None, list[float]]:
    """What was built, and how long each took; None where a program failed, which was then said on stderr."""
    built: list[Built] = []
    seconds: list[float] = []
    failed = False
    with progress(len(programs)) as step:
        for program in programs:
            step(program.name)
            start = perf_counter()
            try:
                built.append(pipeline.build(program))
            except Exception as error:  # whatever a program raises is the user's to see, in one line
                report(failure(program, error), error, with_traceback)
                failed = True
            seconds.append(perf_counter() - start)
    if failed:
        print("nothing was written", file=sys.stderr)
    return (None if failed else built), seconds


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
    print(f"{out}: all {counted(sum(len(each.texts) for each in built), 'module')} up to date")
    return 0


def show_table(built: Sequence[Built], seconds: Sequence[float]) -> None:
    rows = [
        (
            each.program.name,
            str(each.trace.operators),
            str(each.trace.observations),
            str(len(each.guards.guards)),
            f"{time:.2f} s",
        )
        for each, time in zip(built, seconds, strict=True)
    ]
    table(("program", "operators", "observations", "guards", "time"), rows)
