"""The command line: exit codes, what is printed, and what is on disk afterwards."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from guardgen import pipeline, spec
from guardgen.cli import main
from tests.unit.test_files import environment

PROGRAMS = """
import torch
from guardgen import spec

@spec.program(args=lambda: (torch.ones(4), torch.ones(4)), level="prims")
def add(a, b):
    return a + b

@spec.program(args=lambda: ({"x": torch.ones(4), "mask": torch.ones(4)}, [torch.ones(2)], 3, 0.5))
def nested(batch, many, n, scale):
    if batch["x"].shape[0] > n:
        return batch["x"] * batch["mask"] * scale + many[0].sum()
    return batch["x"]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a spec file."""
    (tmp_path / "programs.py").write_text(PROGRAMS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The generated modules, made once."""
    made = tmp_path_factory.mktemp("made")
    (made / "programs.py").write_text(PROGRAMS)
    pipeline.write([pipeline.build(program) for program in spec.load(made / "programs.py")], made / "generated")
    return made / "generated"


@pytest.fixture
def built(folder: Path, generated: Path) -> Path:
    """The working directory, with the generated modules too."""
    shutil.copytree(generated, folder / "generated")
    return folder


# -- build


def test_build_ends_with_a_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "programs.py", "--out", "generated", "--torchscript", "scripted"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["program", "operators", "observations", "guards", "time"]
    assert lines[1].split()[:4] == ["add", "1", "6", "2"]
    assert lines[-2:] == [
        "generated: 6 modules, 6 changed",
        "scripted: 2 TorchScript modules, saved and loaded back",
    ]
    assert sorted(path.name for path in (folder / "scripted").iterdir()) == ["add.pt", "nested.pt"]


def test_build_again_changes_nothing(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "programs.py", "--out", "generated"]) == 0
    assert capsys.readouterr().out.endswith("generated: 6 modules, 0 changed\n")


def test_check_is_silent_about_what_is_up_to_date(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "programs.py", "--out", "generated", "--check"]) == 0
    assert capsys.readouterr().out == "generated: all 6 modules up to date\n"


def test_check_says_what_differs_and_changes_nothing(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    generated = built / "generated"
    (generated / "add.py").write_text("changed by hand")
    (generated / "nested.py").unlink()
    (generated / "gone.py").write_text("# Made by guardgen 0.1.0; do not edit\n")
    before = {path.name: path.read_text() for path in generated.iterdir()}
    assert main(["build", "programs.py", "--out", "generated", "--check"]) == 1
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [
        "generated/add.py: is not what its program gives",
        "generated/gone.py: is of no program in these spec files",
        "generated/nested.py: is missing",
    ]
    assert printed.err == "3 differences; build without --check and delete what is stale\n"
    assert {path.name: path.read_text() for path in generated.iterdir()} == before


def test_programs_that_need_a_package_are_skipped_and_their_files_stay(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (built / "programs.py").read_text().replace('level="prims"', 'level="prims", requires="no_such_package"')
    (built / "programs.py").write_text(text)
    before = (built / "generated" / "add.py").read_text()
    for options in ([], ["--check"]):
        assert main(["build", "programs.py", "--out", "generated", *options]) == 0
        says = "skipped add (programs.py:5): needs no_such_package; its generated files stay as they are\n"
        assert capsys.readouterr().err == says
    assert (built / "generated" / "add.py").read_text() == before


FAILING = """
import torch
from guardgen import spec

@spec.program(args=lambda: (torch.ones(4),))
def right(x):
    return x + 1

@spec.program(args=lambda: (torch.ones(4),))
def raises(x):
    raise ValueError("too short,\\nas ever")

@spec.program(args=lambda: (torch.ones(4),), level="pirms")
def misspelt(x):
    return x
"""


def test_a_failing_program_is_one_line_and_nothing_is_written(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (built / "failing.py").write_text(FAILING)
    before = {path.name: path.read_text() for path in (built / "generated").iterdir()}
    assert main(["build", "failing.py", "--out", "generated", "--torchscript", "scripted"]) == 2
    printed = capsys.readouterr()
    assert printed.err.splitlines() == [
        "error: failing.py:11: ValueError: too short, as ever (program raises)",
        "error: failing.py:13: there is no level 'pirms'; the levels are call, aten, prims (program misspelt)",
        "nothing was written",
    ]
    assert printed.out == ""
    assert {path.name: path.read_text() for path in (built / "generated").iterdir()} == before
    assert not (built / "scripted").exists()


def test_a_traceback_is_shown_where_it_is_asked_for(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "failing.py").write_text(FAILING)
    assert main(["build", "failing.py", "--out", "generated", "--traceback"]) == 2
    assert "Traceback (most recent call last)" in capsys.readouterr().err


# -- show


def test_show_prints_trace_and_guards(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "programs.py", "add"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("add, of programs.py:5, traced at level prims: 1 operator, 6 observations\n")
    assert "\n    a = var_placeholder(name='a')\n" in out
    assert "\nguards\n    a: a tensor of rank 1, torch.float32 on cpu\n" in out
    assert out.endswith("    a.shape[0] == b.shape[0]  # programs.py:7: return a + b\n")


def test_show_says_why_conditions_were_dropped(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "programs.py", "add", "--why"]) == 0
    _, _, dropped = capsys.readouterr().out.partition("\ndropped\n")
    line = "  # programs.py:7: return a + b\n"
    assert f"    a.shape[0] == b.shape[0]{line}        is checked once\n" in dropped
    assert f"    a.shape[0] != 1 or b.shape[0] != 1{line}        follows from a.shape[0] != 1\n" in dropped


# -- check


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["add.py", "--shape", "a=8", "b=8"], 0, "generated/add.py: valid for a=8, b=8\n"),
        (["add.py", "--shape", "a=0", "--shape", "b=0"], 0, "valid for a=0, b=0"),
        (
            ["add.py", "--shape", "a=1", "b=1"],
            1,
            "\n  a.shape[0]: expected a.shape[0] != 1, got a.shape[0] = 1, since programs.py:7: return a + b\n",
        ),
        (["add.py", "--shape", "a=4", "b=8"], 1, "got a.shape[0] = 4, b.shape[0] = 8"),
        (["add.py", "--shape", "a=2x3", "b=()"], 1, "  a.dim(): expected 1, got 2\n  b.dim(): expected 1, got 0\n"),
    ],
)
def test_check_answers_by_its_exit_code(
    built: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, says: str
) -> None:
    module, *others = arguments
    assert main(["check", f"generated/{module}", *others]) == code
    assert says in capsys.readouterr().out


NESTED = ["--shape", "batch['mask']=5", "batch['x']=5", "many[0]=7", "--value", "scale=0.5"]


@pytest.mark.parametrize(("n", "code"), [(4, 0), (5, 1)])
def test_containers_ints_and_constants_are_given_by_their_names(built: Path, n: int, code: int) -> None:
    assert main(["check", "generated/nested.py", *NESTED, "--int", f"n={n}"]) == code


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["generated/none.py"], "generated/none.py: there is no such file"),
        (["programs.py"], "programs.py: was not made by guardgen"),
        (["generated/add_torchscript.py"], "generated/add_torchscript.py: is no Python module of guards"),
        (["generated/add.py", "--shape", "a=8"], "the argument 'b' is needed too"),
        (["generated/add.py", "--shape", "a=8", "b=8", "c=8"], "there is no argument 'c'; there are a, b"),
        (["generated/add.py", "--shape", "a=8,8"], "'8,8' is no shape"),
        (["generated/add.py", "--shape", "a"], "'a': write NAME=VALUE"),
        (["generated/add.py", "--shape", "a+b=3"], "'a+b' names no argument"),
        (["generated/add.py", "--shape", "a=3", "a=4"], "a is given twice"),
        (["generated/add.py", "--int", "a=x"], "'x' is no int"),
        (["generated/add.py", "--value", "a=x"], "'x' is no literal"),
        (["generated/nested.py", "--shape", "many[1]=3"], "many: the items 0 to 0 must be given, not [1]"),
    ],
)
def test_a_question_that_cannot_be_asked_is_an_error(
    built: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    assert main(["check", *arguments]) == 2
    err = capsys.readouterr().err
    assert err.startswith("error: ")
    assert says in err
    assert err.count("\n") == 1


# -- explain


def test_explain_gives_every_guard_with_its_line(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "generated/add.py"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("generated/add.py: the trace is valid where all of these hold.\n")
    says = "otherwise the program would go another way than in the traced run\n      programs.py:7: return a + b\n"
    assert f"\n  a.shape[0] != 1\n      {says}" in out


def test_explain_of_a_spec_file_is_that_of_its_module(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["explain", "generated/add.py"])
    of_module = capsys.readouterr().out
    main(["explain", "programs.py", "add"])
    assert capsys.readouterr().out == of_module.replace("generated/add.py", "add")


@pytest.mark.parametrize(
    ("sizes", "code", "says"),
    [("a=8 b=8", 0, "For a=8, b=8 it is valid."), ("a=1 b=1", 1, "it is not valid.\n  a.shape[0]: ")],
)
def test_explain_says_why_shapes_fail(
    built: Path, capsys: pytest.CaptureFixture[str], sizes: str, code: int, says: str
) -> None:
    assert main(["explain", "programs.py", "add", "--shape", *sizes.split()]) == code
    assert says in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["show", "programs.py", "sub"], "programs.py: there is no program 'sub'; there are add, nested"),
        (["show", "none.py"], "none.py: there is no such spec file"),
        (["explain", "programs.py", "--shape", "a=1"], "programs.py: name one of the programs add, nested"),
    ],
)
def test_errors_are_one_line(folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err == f"error: {says}\n"


# -- help, and as a process


@pytest.mark.parametrize("command", ["", "build", "show", "check", "explain"])
def test_every_help_shows_an_example(capsys: pytest.CaptureFixture[str], command: str) -> None:
    with pytest.raises(SystemExit) as caught:
        main([*command.split(), "--help"])
    assert caught.value.code == 0
    assert f"\n  guardgen {command or 'build'} " in capsys.readouterr().out


def test_python_m_guardgen(built: Path) -> None:
    command = [sys.executable, "-m", "guardgen", "check", "generated/add.py", "--shape", "a=1", "b=1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment())
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("generated/add.py: not valid for a=1, b=1\n")


def test_an_interrupt_is_no_traceback(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("guardgen.pipeline.build", interrupt)
    assert main(["build", "programs.py", "--out", "generated"]) == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_what_declared_dimensions_need_is_a_line_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "narrow.py"
    path.write_text(
        "import torch\nfrom torch.export import Dim\nfrom guardgen import spec\n\n"
        '@spec.program(args=lambda: (torch.ones(4),), dynamic_shapes={"x": {0: Dim("n")}})\n'
        "def narrow(x):\n    return x + 1 if x.shape[0] > 1 else x\n"
    )
    assert main(["build", str(path), "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.splitlines()[:3] == [
        'error: narrow.py:7: dynamic_shapes={"x": {0: Dim("n")}} promises more than the trace is valid for '
        "(program narrow)",
        "  n (x.shape[0]): needs n >= 2, since narrow.py:7: return x + 1 if x.shape[0] > 1 else x",
        'declare dynamic_shapes={"x": {0: Dim("n", min=2)}}',
    ]
