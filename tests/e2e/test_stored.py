"""Stored guards where they are used: without PyTorch, and from the command line."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
import torch

import guardgen
from guardgen.cli import main
from tests.e2e.test_emitted_modules import run

ROOT = Path(__file__).parents[2]


def even(x: torch.Tensor, n: int) -> torch.Tensor:
    if x.shape[0] % n == 0 and bool((x > 0).all()):
        return x * 2
    return x


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, n in ("old", 2), ("new", 4):
        guards = guardgen.derive(guardgen.trace(lambda x, n=n: even(x, n), (torch.ones(8, 3),), name="even"))
        (tmp_path / f"{name}.json").write_text(guards.to_json(), encoding="utf-8")
        (tmp_path / f"{name}.py").write_text(guardgen.emit(guards, "python"), encoding="utf-8")
    return tmp_path


def test_stored_guards_are_read_and_asked_without_torch(files: Path) -> None:
    code = f"""
    sys.path.insert(0, {str(ROOT)!r})
    import guardgen
    from pathlib import Path
    guards = guardgen.load(Path("new.json"))
    print(guards.check_shapes((4, 3)), guards.check_shapes((6, 3)), guards.check_shapes("x"))
    print(guards.check(4), [str(each) for each in guards.violations(4)], "torch" in sys.modules)
    """
    told = ["x: expected a tensor of rank 2, got 4"]
    assert run(files, textwrap.dedent(code), "torch", "jinja2", "numpy") == f"True False False\nFalse {told} False\n"


def test_check_and_explain_answer_of_data_as_of_the_module(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = {}
    for name in ("new.json", "new.py"):
        codes = [main(["check", str(files / name), "--shape", shape]) for shape in ("x=8x3", "x=6x3")]
        codes += [main(["explain", str(files / name), "--shape", "x=6x3"])]
        answers[name] = codes, capsys.readouterr().out.replace(name, "")
    assert answers["new.json"] == answers["new.py"]
    assert answers["new.json"][0] == [0, 1, 1]
    assert "x.shape[0]: expected x.shape[0] % 4 == 0, got x.shape[0] = 6" in answers["new.json"][1]


def test_diff_compares_data_and_modules(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", str(files / "old.json"), str(files / "old.py")]) == 0
    capsys.readouterr()
    assert main(["diff", str(files / "old.py"), str(files / "new.json")]) == 1
    out = capsys.readouterr().out
    assert "- n: 2\n- x.shape[0] % 2 == 0\n+ n: 4\n+ x.shape[0] % 4 == 0\n" in out
    assert f"accepted by {files / 'old.py'} only: x: (6, 2)\n" in out


def test_nothing_in_a_json_file_is_run(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hostile = files / "hostile.json"
    hostile.write_text("# Made by guardgen\nraise SystemExit(7)\n")
    for command in (["check", str(hostile)], ["explain", str(hostile)], ["diff", str(hostile), str(hostile)]):
        assert main(command) == 2
        error = capsys.readouterr().err
        assert error.startswith(f"error: {hostile}: this is no JSON")
        assert error.count("\n") == 1


def test_show_prints_guards_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(ROOT / "examples" / "chunks.py"), "chunks", "--json"]) == 0
    guards = guardgen.load(capsys.readouterr().out)
    assert guards.check_shapes((12, 8), (8, 8))
    assert not guards.check_shapes((13, 8), (8, 8))


def test_show_json_takes_one_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(ROOT / "examples" / "textbook.py"), "--json"]) == 2
    assert "name one of its 2 programs" in capsys.readouterr().err
