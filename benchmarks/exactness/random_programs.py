"""Random programs: counted for the table, or hunted until stopped, each failure shrunk and written as a test.

    python -m benchmarks.exactness.random_programs            until stopped; what `make fuzz` runs
    python -m benchmarks.exactness.random_programs --programs 500 --seed 3
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import random
import textwrap
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from hypothesis import HealthCheck, Phase, find, given, seed, settings
from hypothesis.errors import NoSuchExample

from benchmarks.exactness.judge import Count
from benchmarks.exactness.watched import ask
from tests.property.strategies_calls import Case, cases

ROOT = Path(__file__).parents[2]
FOUND = ROOT / "tests" / "exactness" / "found"
BATCH = 15  # programs of one seed; more of one seed are variations of each other
SOFT = ("OVER-OBSERVED", "NO-TRACE")  # counted, and no fault of an answer: docs/exactness.md
QUIET = {"database": None, "deadline": None, "suppress_health_check": list(HealthCheck)}


def generate(first: int, programs: int) -> Iterator[Case]:
    """So many programs, the same ones for the same `first`."""
    for batch in range(-(-programs // BATCH)):
        made: list[Case] = []

        @seed(first * 1_000_003 + batch)
        @settings(max_examples=BATCH, phases=[Phase.generate], **QUIET)  # type: ignore[arg-type]  # one dict of three
        @given(cases())
        def collect(case: Case, made: list[Case] = made) -> None:
            made.append(case)

        collect()
        yield from made[: programs - batch * BATCH]


def faults(case: Case, level: str = "call") -> list[tuple[Any, str]]:
    """Each call of the program that is answered wrongly, and how."""
    found = ask(case.source, case.traced, case.asked, level=level)
    return [(call, fault) for call, fault in found if not fault.startswith(SOFT)]


def measure(first: int, programs: int, *, level: str = "call") -> Count:
    """The table's row: the answers on so many programs and their calls."""
    count = Count()
    for case in generate(first, programs):
        found = ask(case.source, case.traced, case.asked, level=level, count=count)
        count.faults += [f"{fault} of {call} in\n{case.source}" for call, fault in found if not fault.startswith(SOFT)]
    return count


# -- hunting


def shrink(case: Case, level: str) -> Case:
    """The smallest program that hypothesis makes, from the same seed, whose answer has a fault of the same kind."""
    kinds = {fault.split()[0] for _, fault in faults(case, level)}
    source = shortest(case.source, lambda text: bool(kinds & kinds_of(Case(text, case.traced, case.asked), level)))
    smaller = Case(source, case.traced, case.asked)
    for call in case.asked:
        if kinds & kinds_of(Case(source, case.traced, (call,)), level):
            return Case(source, case.traced, (call,))
    return smaller


def kinds_of(case: Case, level: str) -> set[str]:
    return {fault.split()[0] for _, fault in faults(case, level)}


def shortest(source: str, fails: Callable[[str], bool]) -> str:
    """The source without every line, or block of lines, that the failure can do without."""
    lines = source.splitlines()
    shorter = True
    while shorter:
        shorter = False
        for length, start in itertools.product((4, 3, 2, 1), range(1, len(lines))):
            candidate = lines[:start] + lines[start + length :]
            if len(candidate) < len(lines) and parses(candidate) and fails("\n".join([*candidate, ""])):
                lines, shorter = candidate, True
                break
    return "\n".join([*lines, ""])


def parses(lines: list[str]) -> bool:
    try:
        compile("\n".join(lines), "", "exec")
    except SyntaxError:
        return False
    return True


def write(case: Case, level: str) -> Path:
    """The case as a regression test."""
    found = faults(case, level)
    digest = hashlib.sha256(repr(case).encode()).hexdigest()[:8]
    path = FOUND / f"test_{found[0][1].split()[0].lower().replace('-', '_')}_{digest}.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(TEST.format(fault=found[0][1].splitlines()[0][:90], source=case.source, traced=case.traced,
                                asked=case.asked, level=level))  # fmt: skip
    return path


TEST = '''"""Found by `make fuzz`: {fault}"""

import torch  # noqa: F401 - the calls name its dtypes

from benchmarks.exactness.arguments import T  # noqa: F401
from benchmarks.exactness.random_programs import faults
from tests.property.strategies_calls import Case

PROGRAM = """\\
{source}"""
# fmt: off
TRACED = {traced}
ASKED = {asked}
# fmt: on


def test_every_answer_is_right() -> None:
    assert faults(Case(PROGRAM, TRACED, ASKED), "{level}") == []
'''
