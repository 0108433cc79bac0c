"""Spec files: what they register, and what is said of those that cannot be used."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from guardgen import SpecError, spec
from guardgen.pipeline import build
from guardgen.spec import Program

WriteSpec = Callable[..., Path]


@pytest.fixture
def write_spec(tmp_path: Path) -> WriteSpec:
    def write(text: str, name: str = "programs.py") -> Path:
        path = tmp_path / name
        path.write_text("import torch\nfrom guardgen import spec\n\n" + text, encoding="utf-8")
        return path

    return write


def only(path: Path) -> Program:
    (program,) = spec.load(path)
    return program


def test_a_decorated_function_is_registered_under_its_name_and_stays_what_it_was(write_spec: WriteSpec) -> None:
    program = only(write_spec("@spec.program(args=(1, 2))\ndef add(a, b):\n    return a + b\n"))
    fn, args, kwargs = program.example()
    assert (program.name, program.level, program.on_data, program.targets) == ("add", "call", "hoist", ())
    assert fn(*args, **kwargs) == 3


def test_a_function_can_be_registered_twice_by_stacking(write_spec: WriteSpec) -> None:
    text = '@spec.program(args=(1,), name="two")\n@spec.program(args=(1,), level="prims")\ndef one(x):\n    return x\n'
    first, second = spec.load(write_spec(text))
    assert (first.name, first.level, second.name, second.level) == ("one", "prims", "two", "call")


def test_a_call_registers_modules_too(write_spec: WriteSpec) -> None:
    program = only(write_spec('spec.program(torch.nn.Linear(3, 4), args=(torch.ones(2, 3),), name="linear")\n'))
    module, args, _ = program.example()
    assert isinstance(module, torch.nn.Linear)
    assert module(*args).shape == (2, 4)


def test_what_a_module_maker_returns_is_the_program_and_is_made_only_when_asked(write_spec: WriteSpec) -> None:
    text = (
        "made = []\n"
        "@spec.module(args=lambda: (torch.ones(2, 3),), kwargs=lambda: {})\n"
        "def linear():\n    made.append(1)\n    return torch.nn.Linear(3, 4)\n"
    )
    program = only(write_spec(text))
    assert program.make.__globals__["made"] == []
    assert isinstance(program.example()[0], torch.nn.Linear)
    assert program.make.__globals__["made"] == [1]


def test_random_arguments_are_the_same_each_time_and_leave_the_generator_alone(write_spec: WriteSpec) -> None:
    program = only(write_spec("@spec.program(args=lambda: (torch.randn(3),))\ndef f(x):\n    return x\n"))
    torch.manual_seed(5)
    expected = torch.randn(2)
    torch.manual_seed(5)
    first, second = program.example()[1], program.example()[1]
    assert torch.equal(first[0], second[0])
    assert torch.equal(torch.randn(2), expected)


def test_a_package_that_is_not_installed_is_missing(write_spec: WriteSpec) -> None:
    text = '@spec.program(requires="no_such_package_anywhere")\ndef f():\n    return 1\n'
    assert only(write_spec(text)).missing == ["no_such_package_anywhere"]


def test_installed_packages_are_not_missing(write_spec: WriteSpec) -> None:
    assert only(write_spec('@spec.program(requires=("torch", "rich"))\ndef f():\n    return 1\n')).missing == []


def test_outside_a_build_registering_does_nothing() -> None:
    @spec.program(args=(1,), name="no identifier, and nobody minds")
    def twice(x: int) -> int:
        return 2 * x

    assert twice(3) == 6


def test_modules_beside_the_spec_file_can_be_imported(write_spec: WriteSpec, tmp_path: Path) -> None:
    (tmp_path / "beside_the_spec.py").write_text("def f(x):\n    return x\n")
    program = only(write_spec("from beside_the_spec import f\nspec.program(f, args=(1,))\n"))
    assert program.name == "f"


ONE = "@spec.program(args=(1,){options})\ndef f(x):\n    return x\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", r"programs\.py: registers no program"),
        ("x = (\n", r"programs\.py:4: '\(' was never closed"),
        ("\n1 / 0\n", r"programs\.py:5: ZeroDivisionError: division by zero"),
        ("import no_such_module_anywhere\n", r"programs\.py:4: ModuleNotFoundError"),
        (ONE.format(options=", name='a b'"), r"programs\.py:4: 'a b' cannot name a Python module"),
        (ONE.format(options=", name='class'"), r"programs\.py:4: 'class' cannot name a Python module"),
        (ONE.format(options=", levle='prims'"), r"programs\.py:4: unknown options \['levle'\]; there are \['kwargs'"),
        (ONE.format(options="") * 2, r"programs\.py:7: the name 'f' is taken, at programs\.py:4"),
        (ONE.format(options="") + ONE.format(options=", name='f_torchscript'"), r"'f_torchscript' is taken"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(write_spec: WriteSpec, text: str, says: str) -> None:
    with pytest.raises(SpecError, match=says):
        spec.load_all([write_spec(text)])


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"none\.py: there is no such spec file"):
        spec.load(tmp_path / "none.py")


def test_a_spec_file_that_fails_leaves_no_registration_open(write_spec: WriteSpec) -> None:
    with pytest.raises(SpecError):
        spec.load(write_spec(ONE.format(options="") + "1 / 0\n"))
    assert only(write_spec(ONE.format(options=""), "other.py")).name == "f"


def test_declared_dimensions_are_handed_to_the_trace(write_spec: WriteSpec) -> None:
    text = '@spec.program(args=(torch.ones(4),), dynamic_shapes=({0: torch.export.Dim("n", min=2)},))\ndef same(x):\n'
    built = build(only(write_spec(text + "    return torch.tanh(x)\n")))
    assert [guard.text for guard in built.guards.guards] == ["n >= 2"]
