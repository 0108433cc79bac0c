"""Random programs: counted for the table, or hunted until stopped, each failure shrunk and written as a test.

python -m benchmarks.exactness.random_programs            until stopped; what `make fuzz` runs
python -m benchmarks.exactness.random_programs --programs 500 --seed 3
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import multiprocessing
import random
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import torch
from hypothesis import HealthCheck, Phase, given, seed, settings

from benchmarks.exactness.judge import Count
from benchmarks.exactness.memory import limited_memory
from benchmarks.exactness.watched import ask
from tests.property.strategies_calls import Case, cases

ROOT = Path(__file__).parents[2]
FOUND = ROOT / "tests" / "exactness" / "found"
BATCH = 15  # programs of one seed; more of one seed are variations of each other
BATCHES = 20  # that one process asks
IGNORE = (signal.SIGINT, signal.SIG_IGN)  # in the child: Ctrl-C is for its parent, which waits for its batch
SOFT = ("OVER-OBSERVED", "NO-TRACE", "MISSED accepted, though the program raises IndexError: index")  # in the docs
QUIET = {"database": None, "deadline": None, "suppress_health_check": list(HealthCheck)}


def generate(first: int, programs: int) -> Iterator[Case]:
    """So many programs, the same ones for the same `first`."""
    for batch in range(-(-programs // BATCH)):
        yield from drawn(first * 1_000_003 + batch)[: programs - batch * BATCH]


def drawn(start: int) -> list[Case]:
    """One batch, from one seed of hypothesis."""
    made: list[Case] = []

    @seed(start)
    @settings(max_examples=BATCH, phases=[Phase.generate], **QUIET)  # type: ignore[arg-type]  # one dict of three
    @given(cases())
    def collect(case: Case) -> None:
        made.append(case)

    with limited_memory():
        collect()
    return made


def faults(case: Case, level: str = "call") -> list[tuple[Any, str]]:
    """Each call of the program that is answered wrongly, and how."""
    with limited_memory():
        found = ask(case.source, case.traced, case.asked, level=level)
    return [(call, fault) for call, fault in found if not fault.startswith(SOFT)]


def measure(first: int, programs: int, *, level: str = "call") -> Count:
    """The table's row: the answers on so many programs and their calls."""
    count = Count()
    for case in generate(first, programs):
        with limited_memory():
            found = ask(case.source, case.traced, case.asked, level=level, count=count)
        count.faults += [f"{fault} of {call} in\n{case.source}" for call, fault in found if not fault.startswith(SOFT)]
    return count


# -- hunting


def shrink(case: Case, level: str) -> Case:
    """The program without the lines, and the calls, that a fault of the same kind can do without.

    Lines are dropped instead of choices of hypothesis: one choice less makes another program, one line less does not.
    """
    kinds = kinds_of(case, level)
    call = next((call for call, fault in faults(case, level)), case.traced)
    asked = (call,) if call in case.asked else ()
    source = shortest(case.source, lambda text: bool(kinds & kinds_of(Case(text, case.traced, asked), level)))
    return Case(source, case.traced, asked)


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


def hunt(first: int, level: str, most: int | None) -> int:
    """Ask random programs, `most` or until stopped; how many failures were written.

    In child processes, one after the other: TorchScript never frees what it has compiled, and some operators end the
    process on odd inputs.
    """
    asked, pairs, written, started = 0, 0, 0, time.time()
    for group in itertools.count():
        batches = range(first + group * BATCHES, first + (group + 1) * BATCHES)
        with ProcessPoolExecutor(1, multiprocessing.get_context("fork"), signal.signal, IGNORE) as child:
            for batch in batches:
                left = BATCH if most is None else min(BATCH, most - asked)
                if left <= 0:
                    return written
                try:
                    found = child.submit(ask_batch, batch, level, left).result()
                except BrokenProcessPool:
                    print(f"batch {batch} ended the process; --seed {batch} asks it again", flush=True)
                    break
                asked, pairs, written = asked + left, pairs + found[0], written + found[1]
                print(f"{asked} programs, {pairs} pairs, {written} failures, {time.time() - started:.0f} s", flush=True)
    return written


def ask_batch(batch: int, level: str, programs: int) -> tuple[int, int]:
    """How many pairs of a program and a call there were, and how many failures were written."""
    pairs, written = 0, 0
    for case in generate(batch, programs):
        pairs += len(case.asked) + 1
        if faults(case, level):
            written += 1
            print(f"written: {write(shrink(case, level), level).relative_to(ROOT)}", flush=True)
    return pairs, written


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, help="how many; without it, until stopped")
    parser.add_argument("--seed", type=int, help="where to begin; without it, anywhere")
    parser.add_argument("--level", default="call", choices=["call", "aten", "prims"])
    options = parser.parse_args()
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore")
    first = random.randrange(10**6) if options.seed is None else options.seed
    print(f"seed {first}, level {options.level}; stop with Ctrl-C", flush=True)
    try:
        return int(hunt(first, options.level, options.programs) > 0)
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    raise SystemExit(main())
