"""The harness itself finds faults: a guard that is wrong on purpose is caught, whichever way it is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from benchmarks.exactness import random_programs
from benchmarks.exactness.arguments import Same, T, build
from benchmarks.exactness.forms import Guardgen
from benchmarks.exactness.judge import Count, row
from benchmarks.exactness.outcomes import run, same
from benchmarks.exactness.random_programs import shortest
from benchmarks.exactness.watched import ask, compiled
from tests.property.strategies_calls import Case

BRANCH = "def program(x):\n    if x.shape[0] > 2:\n        return x * 2\n    return x\n"


def branch(x: torch.Tensor) -> torch.Tensor:
    if x.shape[0] > 2:
        return x * 2
    return x.view(2, 1)


def answered(answer: Any, call: tuple[Any, ...]) -> Count:
    """The count of one question, to which the guard gives the answer."""
    system = Guardgen(branch, build((T(4),)))
    system.checks = {"derived": answer}
    count = Count()
    count.ask(system, branch, build(call))
    return count


def test_a_guard_that_accepts_everything_is_unsound_or_misses() -> None:
    assert answered(lambda x: True, (T(2),)).unsound == 1
    assert answered(lambda x: True, (T(1),)).missed == 1
    assert answered(lambda x: True, (T(5),)).faults == []


def test_a_guard_that_refuses_everything_is_over_strict() -> None:
    count = answered(lambda x: False, (T(5),))
    assert (count.accepted, count.right) == (0, 1)
    assert count.faults


def test_a_guard_that_raises_or_answers_no_bool_is_not_total() -> None:
    assert answered(lambda x: x.nothing, (T(5),)).not_total == 1
    assert answered(lambda x: 1, (T(5),)).not_total == 1


def test_forms_that_disagree_are_inconsistent() -> None:
    system = Guardgen(branch, build((T(4),)))
    system.checks["python"] = lambda x: False
    count = Count()
    count.ask(system, branch, build((T(5),)))
    assert count.inconsistent == 1
    assert row(count)[0] == "1/1"


def test_a_program_that_goes_another_way_is_noticed_even_where_the_answers_agree(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = BRANCH.replace("x * 2", "x * 1")
    assert ask(source, (T(4),), [(T(1),), (T(9),)]) == []
    monkeypatch.setattr(Guardgen, "accepts", lambda self, args, kwargs=None: (True, []))
    assert [fault.split()[0] for _, fault in ask(source, (T(4),), [(T(1),)])] == ["UNSOUND"]


def test_the_lines_that_run_are_those_of_the_program() -> None:
    program = compiled(BRANCH)
    assert run(program.fn, build((T(4),)), watch=program.file).path == (2, 3)
    assert run(program.fn, build((T(1),)), watch=program.file).path == (2, 4)


def test_a_program_that_runs_for_ever_is_stopped() -> None:
    endless = compiled("def program(x):\n    while True:\n        x = x + 1\n")
    assert run(endless.fn, (1,), watch=endless.file).error.startswith("RuntimeError: more than")


def test_calls_are_built_the_same_every_time_and_shared_arguments_are_one() -> None:
    call = (T(2, 3), Same(0), {"a": [T(dtype=torch.int64), 4]})
    assert same(build(call), build(call))
    x, y, _ = build(call)
    assert x is y


def test_a_failing_program_is_cut_to_the_lines_that_matter() -> None:
    source = "def program(x):\n    y = x + 1\n    for i in range(3):\n        y = y * 2\n    z = x @ x\n    return y\n"
    assert shortest(source, lambda text: "x @ x" in text) == "def program(x):\n    z = x @ x\n"


def test_a_failure_is_written_as_a_test_that_fails_until_it_is_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(random_programs, "FOUND", tmp_path)
    case = Case(BRANCH.replace("    if", "    y = x + 1\n    if"), (T(4),), ((T(9),), (T(1),)))
    with monkeypatch.context() as broken:
        broken.setattr(Guardgen, "accepts", lambda self, args, kwargs=None: (True, []))
        written = random_programs.write(random_programs.shrink(case, "call"), "call")
        scope: dict[str, Any] = {}
        exec(compile(written.read_text(), str(written), "exec"), scope)
        assert written.name.startswith("test_unsound_")
        assert scope["PROGRAM"] == BRANCH.removesuffix("    return x\n")
        assert scope["ASKED"] == ((T(1),),)
        with pytest.raises(AssertionError):
            scope["test_every_answer_is_right"]()
    scope["test_every_answer_is_right"]()
