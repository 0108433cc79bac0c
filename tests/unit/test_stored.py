"""Guards as data: the same answers as the emitted module, and one clear error for any other data."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
import torch

import guardgen
from guardgen import pipeline, spec
from guardgen.errors import EmitError
from tests.unit.emitted import GARBAGE, garbage, guards_of, load
from tests.unit.stored_cases import Pair, nested, nested_call, nested_text

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


@pytest.fixture(scope="module")
def text() -> str:
    return nested_text()


# -- the same answers


def examples() -> list[Any]:
    return [program for path in EXAMPLES for program in spec.load(path) if not program.missing]


@pytest.mark.parametrize("program", examples(), ids=lambda program: program.name)
def test_every_example_answers_as_its_emitted_module(program: Any) -> None:
    built = pipeline.build(program)
    module, guards = load(built.texts[f"{program.name}.py"]), guardgen.load(built.guards.to_json())
    assert [tuple(each) for each in guards.guards] == [tuple(each) for each in module.GUARDS]
    assert json.loads(module.JSON) == json.loads(built.guards.to_json())
    _, args, kwargs = program.example()
    assert guards.check(*args, **kwargs) is True
    pick = random.Random(program.name)
    for _ in range(40):
        other = [changed(each, pick) for each in args]
        expected = [tuple(each) for each in module.violations(*other, **kwargs)]
        assert [tuple(each) for each in guards.violations(*other, **kwargs)] == expected
        assert guards.check(*other, **kwargs) is module.check(*other, **kwargs) is (not expected)
        shapes = [tuple(each.shape) if isinstance(each, torch.Tensor) else each for each in other]
        assert guards.check_shapes(*shapes, **kwargs) is module.check_shapes(*shapes, **kwargs)


def changed(value: Any, pick: random.Random) -> Any:
    """A tensor with some of its sizes changed; in one of ten, the rank."""
    if not isinstance(value, torch.Tensor) or pick.random() < 0.4:
        return value
    sizes = [pick.choice((n, n, 0, 1, n + 1, 2 * n)) for n in value.shape]
    return torch.ones(sizes[: -1 if pick.random() < 0.1 else None], dtype=value.dtype)


@pytest.mark.parametrize(
    ("change", "valid"),
    [
        ({}, True),
        ({"rows": 13, "columns": 4}, True),
        ({"rows": 3}, False),
        ({"columns": 6}, False),
        ({"right": 0}, False),
        ({"mask": 0.0}, False),
        ({"n": True}, False),
        ({"n": 2**80}, False),
        ({"n": 2**71, "right": 2}, False),
    ],
)
def test_containers_constants_ints_and_data(text: str, change: dict[str, Any], valid: bool) -> None:
    derived, guards = guards_of(nested, *nested_call(), dtype=torch.float64), guardgen.load(text)
    args = nested_call(**change)
    assert guards.check(*args, dtype=torch.float64) is derived.check(*args, dtype=torch.float64) is valid
    told = [str(each) for each in guards.explain(*args, dtype=torch.float64)]
    assert told == [str(each) for each in derived.explain(*args, dtype=torch.float64)]


@pytest.mark.parametrize("what", GARBAGE)
def test_any_arguments_have_an_answer(text: str, what: str) -> None:
    value, guards = garbage()[what], guardgen.load(text)
    inside = {"x": value, "mask": value}, [value], Pair(value, value), 2
    for args in [(value,) * 4, (*nested_call()[:3], None if type(value) is int else value), inside]:
        assert guards.check(*args, dtype=torch.float64) is False
        assert guards.check_shapes(*args, dtype=torch.float64) is False
        assert guards.violations(*args, dtype=torch.float64) != []


def test_a_call_that_the_program_would_not_take_is_a_type_error(text: str) -> None:
    with pytest.raises(TypeError, match="missing a required argument"):
        guardgen.load(text).check()


def test_require_raises_what_violations_says(text: str) -> None:
    guards = guardgen.load(text)
    guards.require(*nested_call(), dtype=torch.float64)
    with pytest.raises(guardgen.stored.GuardError, match=r"expected batch\['x'\]\.shape\[1\] % 4 == 0"):
        guards.require(*nested_call(columns=6), dtype=torch.float64)


def test_what_was_loaded_is_written_again(text: str, tmp_path: Path) -> None:
    (tmp_path / "guards.json").write_text(text)
    assert guardgen.load(tmp_path / "guards.json").to_json() == guardgen.load(text.encode()).to_json() == text


# -- what has no form as data


def test_an_operator_that_data_may_not_name_is_told() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        return x + 1 if torch.fft.fft(x).abs().sum() > 100 else x

    with pytest.raises(EmitError, match=r"test_stored\.py:\d+: this guard on data runs aten.fft_fft.default"):
        guards_of(program, torch.ones(4)).to_json()


def test_a_constant_without_a_form_names_its_argument() -> None:
    with pytest.raises(EmitError, match=r"argument thing: a builtins.object cannot be written down as data"):
        guards_of(lambda x, thing: x, torch.ones(4), object()).to_json()


def test_a_default_that_has_no_form_may_be_left_out() -> None:
    def program(x: torch.Tensor, thing: Any = EXAMPLES[0].parent) -> torch.Tensor:
        return x + 1

    guards = guardgen.load(guards_of(program, torch.ones(4)).to_json())
    assert guards.check(torch.ones(4))
    assert not guards.check(torch.ones(4), None)


def test_what_extra_arguments_got_follows_the_others() -> None:
    def program(x: torch.Tensor, scale: float = 2.0, *rest: torch.Tensor, **named: torch.Tensor) -> torch.Tensor:
        return x + rest[0] if x.shape[0] > 2 else x * scale

    x = torch.ones(3)
    guards = guards_of(program, x, 2.0, x)
    stored = guardgen.load(guards.to_json())
    for args in [(x, 2.0, x), (torch.ones(1), 2.0, x), (x, 3.0, x), (torch.ones(4), 2.0, torch.ones(4))]:
        assert stored.check(*args) is guards.check(*args)
