"""Measure what guards cost beside PyTorch's own systems, and write docs/performance.md; exit 1 if a limit is exceeded.

python -m benchmarks.speed                          everything; what `make bench` runs
python -m benchmarks.speed check --out build        a part, into another folder than docs/
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from benchmarks.exactness import peers
from benchmarks.speed import charts, check, derive, growth, limits, tables
from benchmarks.speed.page import with_sections
from guardgen import files

PARTS = ("check", "derive", "growth")
DOCS = Path(__file__).parents[2] / "docs"
PAGE = "performance.md"


class Results:
    """What was measured: texts by file name, sections of the page, ratios beside their limits, and the raw times."""

    def __init__(self) -> None:
        self.sections: dict[str, str] = {}
        self.charts: dict[str, str] = {}
        self.held: list[limits.Held] = []
        self.raw: dict[str, Any] = {}

    def check(self, rounds: int) -> None:
        rows = said(check.measure(rounds), "program")
        self.sections["check"] = tables.checks(rows)
        self.charts["performance-check.svg"] = charts.checks(rows)
        self.held += limits.of_checks(rows)
        self.raw["check"] = [asdict(row) for row in rows]

    def derive(self, rounds: int) -> None:
        rows = said(derive.measure(rounds), "model")
        self.sections["derive"] = tables.derivations(rows)
        self.held += limits.of_derivation(rows)
        self.raw["derive"] = [asdict(row) for row in rows]

    def growth(self, rounds: int) -> None:
        grown = growth.measure(rounds)
        self.sections["growth"] = tables.growth(grown)
        self.charts["performance-growth.svg"] = charts.lengths(grown)
        self.held += limits.of_growth(grown)
        self.raw["growth"] = asdict(grown)


def said(rows: Iterator[Any], name: str) -> list[Any]:
    """The rows, each named as soon as it is measured: all of them take minutes."""
    found = []
    for row in rows:
        print(f"measured {name} {getattr(row, name)}", flush=True)
        found.append(row)
    return found


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"some of: {', '.join(PARTS)}; all, if none is named")
    parser.add_argument("--rounds", type=int, default=7, help="how often everything is measured, in turns")
    parser.add_argument("--out", type=Path, default=DOCS, help=f"the folder of {PAGE} and its charts")
    options = parser.parse_args(arguments)
    if unknown := sorted(set(options.parts) - set(PARTS)):
        parser.error(f"there is no part {unknown[0]!r}; the parts are {', '.join(PARTS)}")
    torch.set_num_threads(1)
    peers.quiet()
    results = Results()
    for part in options.parts or PARTS:
        getattr(results, part)(options.rounds)
    write(results, options.out, whole=not options.parts)
    return verdict(results.held)


def write(results: Results, out: Path, *, whole: bool) -> None:
    """The sections that were measured; the summary and the machine only of a whole run."""
    sections = dict(results.sections)
    if whole:
        sections |= {"machine": tables.machine(), "limits": tables.limits(results.held)}
    out.mkdir(parents=True, exist_ok=True)
    page = out / PAGE
    text = (page if page.exists() else DOCS / PAGE).read_text(encoding="utf-8")
    files.write(page, with_sections(text, sections))
    for name, chart in results.charts.items():
        files.write(out / name, chart)
    print(f"{os.path.relpath(page)} and {len(results.charts)} charts written")
    raw = Path("build/performance.json")
    raw.parent.mkdir(parents=True, exist_ok=True)
    raw.write_text(json.dumps(results.raw, indent=1), encoding="utf-8")


def verdict(held: list[limits.Held]) -> int:
    """1 if a limit is exceeded by more than the noise."""
    for each in held:
        mark = "exceeds" if each.exceeded else "within"
        print(f"{each.what}: {each.found}, {mark} {each.limit:g}")
    return int(any(each.exceeded for each in held))


if __name__ == "__main__":
    raise SystemExit(main())
