"""The pipeline: a program through every stage, and what is then on disk."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from guardgen import GuardgenError, pipeline, spec
from guardgen.pipeline import Built
from guardgen.spec import Program

PROGRAMS = """
import torch
from guardgen import spec

@spec.program(args=lambda: (torch.ones(4), torch.ones(4)), level="prims")
def add(a, b):
    return a + b

@spec.program(args=lambda: (torch.ones(4),), targets=("python",))
def double(a):
    return a * 2

@spec.program(args=lambda: (torch.ones(4),), requires="no_such_package_anywhere")
def skipped(a):
    return a
"""


@pytest.fixture
def programs(tmp_path: Path) -> list[Program]:
    path = tmp_path / "programs.py"
    path.write_text(PROGRAMS)
    return spec.load(path)


@pytest.fixture
def built(programs: list[Program]) -> list[Built]:
    return [pipeline.build(program) for program in programs if not program.missing]


def test_building_gives_one_text_a_target_and_writes_nothing(built: list[Built], tmp_path: Path) -> None:
    assert [list(each.texts) for each in built] == [["add.py", "add_torchscript.py", "add.hpp"], ["double.py"]]
    assert [path.name for path in tmp_path.iterdir()] == ["programs.py"]


def test_every_stage_is_kept(built: list[Built]) -> None:
    add = built[0]
    assert add.trace.level == add.guards.level == "prims"
    assert [guard.text for guard in add.guards.guards] == ["a.shape[0] != 1", "a.shape[0] == b.shape[0]"]
    assert add.texts["add.py"].startswith("# Made by guardgen ")


def test_building_twice_gives_the_same_texts(programs: list[Program], built: list[Built]) -> None:
    assert pipeline.build(programs[0]).texts == built[0].texts


def test_writing_says_which_files_changed(built: list[Built], tmp_path: Path) -> None:
    out = tmp_path / "generated"
    assert [path.name for path in pipeline.write(built, out)] == [
        "add.py",
        "add_torchscript.py",
        "add.hpp",
        "double.py",
    ]
    (out / "double.py").write_text("something else")
    assert pipeline.write(built, out) == [out / "double.py"]
    assert pipeline.write(built, out) == []


def test_differences_tell_missing_changed_and_stale_files(
    programs: list[Program], built: list[Built], tmp_path: Path
) -> None:
    skipped = [program for program in programs if program.missing]
    pipeline.write(built, tmp_path)
    assert pipeline.differences(built, skipped, tmp_path) == {}
    (tmp_path / "add.py").unlink()
    (tmp_path / "double.py").write_text("something else")
    for name in ("gone", "skipped"):
        (tmp_path / f"{name}.py").write_text("# Made by guardgen 0.1.0; do not edit\n")
    found = {path.name: how for path, how in pipeline.differences(built, skipped, tmp_path).items()}
    assert found == {"add.py": "missing", "double.py": "differs", "gone.py": "stale"}


def test_python_text_is_that_of_the_python_target(programs: list[Program], built: list[Built]) -> None:
    assert pipeline.python_text(programs[0]) == built[0].texts["add.py"]


def test_compiled_torchscript_answers_after_it_was_saved_and_loaded(built: list[Built], tmp_path: Path) -> None:
    compiled = pipeline.compile_torchscript(built[0])
    pipeline.save_torchscript({"add": compiled}, tmp_path)
    loaded = torch.jit.load(str(tmp_path / "add.pt"))
    assert loaded(torch.ones(8), torch.ones(8)) is True
    assert loaded(torch.ones(1), torch.ones(1)) is False
    assert [path.name for path in tmp_path.glob("*.pt*")] == ["add.pt"]


def test_a_program_without_the_torchscript_target_compiles_to_nothing(built: list[Built]) -> None:
    assert pipeline.compile_torchscript(built[1]) is None


def test_torchscript_that_does_not_compile_names_the_program(built: list[Built]) -> None:
    broken = Built(
        built[0].program, built[0].trace, built[0].guards, {"add_torchscript.py": "def check(x: Nope): pass\n"}
    )
    with pytest.raises(GuardgenError, match="refuses the TorchScript source of add"):
        pipeline.compile_torchscript(broken)
