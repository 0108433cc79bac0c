"""The project's own small programs: what is written of each call is right, and every guard says so."""

from __future__ import annotations

import inspect

import pytest
import torch

from benchmarks.exactness import small
from benchmarks.exactness.arguments import Made, Same, build
from benchmarks.exactness.forms import Guardgen
from benchmarks.exactness.outcomes import run
from benchmarks.exactness.programs import PROGRAMS, Program
from benchmarks.exactness.watched import kinds

NAMES = [f"{i} {program.name}" for i, program in enumerate(PROGRAMS)]


@pytest.mark.parametrize("program", PROGRAMS, ids=NAMES)
def test_valid_calls_run_the_traced_lines_and_invalid_ones_do_not(program: Program) -> None:
    file = inspect.getfile(program.fn)
    traced = run(program.fn, build(program.traced), watch=file)
    assert traced.ran, traced.error
    for call in program.valid:
        outcome = run(program.fn, build(call), watch=file)
        assert (outcome.error, outcome.path) == ("", traced.path), call
    for call in program.invalid:
        outcome = run(program.fn, build(call), watch=file)
        assert not outcome.ran or outcome.path != traced.path or described(call) != described(program.traced), call


def described(call: tuple[object, ...]) -> object:
    """What a guard may always depend on: structure, ranks, dtypes, which arguments are one, and other constants."""
    tensors = [(x.dim(), x.dtype) if isinstance(x, torch.Tensor) else type(x) for x in build(call)]
    constants = [x for x in call if isinstance(x, (float, str))]
    special = any(isinstance(x, (Made, Same)) for x in call)
    return tensors, constants, None if special else kinds(call)


@pytest.mark.parametrize("program", PROGRAMS, ids=NAMES)
def test_every_answer_is_right(program: Program) -> None:
    count = small.measure_one(Guardgen, program)
    assert count.faults == []
    assert (count.accepted, count.refused) == (1 + len(program.valid), len(program.invalid))
