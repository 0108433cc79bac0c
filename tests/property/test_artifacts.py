"""TorchScript artifacts of random programs: the program's own result, or an error."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from benchmarks.exactness.arguments import build
from benchmarks.exactness.memory import exhausted, limited_memory
from benchmarks.exactness.outcomes import run, same
from benchmarks.exactness.random_programs import generate
from benchmarks.exactness.watched import compiled
from guardgen import torchscript
from guardgen.errors import DeriveError, EmitError, TraceError

PARTS, PROGRAMS = 4, 10


def faults(first: int, programs: int) -> tuple[list[str], int]:
    """What is wrong with the artifacts of so many programs, and how many calls they answered."""
    found: list[str] = []
    answered = 0
    for case in generate(first, programs):
        program = compiled(case.source)
        with limited_memory():
            if not run(program.fn, build(case.traced)).ran:
                continue
            try:
                module = torchscript.trace(program.fn, tuple(build(case.traced)))
                checked = torchscript.trace(program.fn, tuple(build(case.traced)), check=False)
            except (EmitError, DeriveError, TraceError):
                continue
            for call in (case.traced, *case.asked):
                eager, mine = run(program.fn, build(call)), run(module, build(call))
                if exhausted(eager.error) or exhausted(mine.error):
                    continue
                answered += mine.ran
                if mine.ran and not (eager.ran and same(plain(eager.result), plain(mine.result))):
                    found.append(f"{call}: {eager.error or 'another result'}\n{case.source}")
            found += [] if checked.guard_enabled is False else ["the check is on"]
    return found, answered


def plain(value: Any) -> Any:
    """Containers as TorchScript has them: a torch.Size is a list there."""
    if isinstance(value, torch.Size):
        return [int(n) for n in value]
    if isinstance(value, (tuple, list)):
        return type(value)(map(plain, value)) if not hasattr(value, "_fields") else tuple(map(plain, value))
    return {key: plain(item) for key, item in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.filterwarnings("ignore::UserWarning")  # PyTorch's, of what random programs do
def test_what_artifacts_answer_is_what_the_program_answers(part: int) -> None:
    found, answered = faults(part, PROGRAMS)
    assert found == []
    assert answered > PROGRAMS
