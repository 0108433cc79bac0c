"""`guardgen build` as a process: whole files after an interrupt, the same bytes under any hash seed, `--check`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from guardgen.cli import main
from tests.unit.test_files import environment

GOLDEN = Path(__file__).parents[1] / "golden"
SPECS = [str(GOLDEN / case / "program.py") for case in ("textbook_prims", "chunks", "mask_all")]

# Sets, dicts and names, whose order could come from hashes.
HASHED = """
import torch
from guardgen import spec

def example():
    return {key: torch.ones(4) for key in "tzxyab"}, frozenset({"p", "q", "r"})

@spec.program(args=example, kwargs={"c": 1, "d": 2}, targets=("python",))
def hashed(batch, names, *, c, d):
    total = torch.zeros(4)
    for key in sorted(batch):
        if batch[key].shape[0] > c + d:
            total = total + batch[key]
    return total
"""


def start(arguments: list[str], folder: Path, **more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "guardgen", "build", *arguments]
    env = {**environment(), **more}
    return subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_two_hash_seeds_give_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "hashed.py").write_text(HASHED)
    outs = [tmp_path / f"seed {seed}" for seed in (1, 2)]
    running = [
        start([*SPECS, "hashed.py", "--out", str(out)], tmp_path, PYTHONHASHSEED=str(seed))
        for seed, out in enumerate(outs, start=1)
    ]
    errors = [process.communicate(timeout=300)[1] for process in running]
    assert errors == ["", ""]
    first, second = map(contents, outs)
    assert len(first) == 10
    assert first == second


def test_build_check_is_a_no_op_after_a_build_and_sees_a_changed_program(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text((GOLDEN / "padding" / "program.py").read_text())
    build = ["program.py", "--out", "generated"]
    outputs = []
    for arguments in (build, [*build, "--check"]):
        process = start(arguments, tmp_path)
        outputs.append(process.communicate(timeout=300))
        assert process.returncode == 0, outputs[-1]
    assert outputs[1] == ("generated: all 3 modules up to date\n", "")
    before = contents(tmp_path / "generated")
    (tmp_path / "program.py").write_text((GOLDEN / "padding" / "program.py").read_text().replace("64", "32"))
    process = start([*build, "--check"], tmp_path)
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 1
    assert out.splitlines() == [
        "generated/padding.hpp: is not what its program gives",
        "generated/padding.py: is not what its program gives",
        "generated/padding_torchscript.py: is not what its program gives",
    ]
    assert contents(tmp_path / "generated") == before


def test_nothing_is_on_stderr_of_a_build_without_a_terminal(tmp_path: Path) -> None:
    process = start([SPECS[0], "--out", "generated", "--torchscript", "scripted"], tmp_path)
    _, error = process.communicate(timeout=300)
    assert (process.returncode, error) == (0, "")


def test_an_interrupted_build_leaves_whole_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "generated"
    assert main(["build", *SPECS, "--out", str(out)]) == 0
    complete = contents(out)
    for name in complete:
        (out / name).write_text(f"# Made by guardgen 0.0.0: {name}\n")
    old = contents(out)
    written = 0

    def interrupted_at_the_third(descriptor: int) -> None:
        nonlocal written
        written += 1
        if written == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted_at_the_third)
    assert main(["build", *SPECS, "--out", str(out)]) == 130
    capsys.readouterr()
    now = contents(out)
    assert now.keys() == complete.keys()
    assert [name for name in now if now[name] == complete[name]] == [
        "textbook_prims.py",
        "textbook_prims_torchscript.py",
    ]
    assert all(now[name] in (old[name], complete[name]) for name in now)


def test_files_that_are_not_generated_are_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "README.py").write_text("# mine\n")
    assert main(["build", SPECS[0], "--out", str(tmp_path)]) == 0
    assert main(["build", SPECS[0], "--out", str(tmp_path), "--check"]) == 0
    capsys.readouterr()
    assert (tmp_path / "README.py").read_text() == "# mine\n"
