"""What two emitted modules differ in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from guardgen import derive, emit, files, trace
from guardgen.cli import main


def even(x: torch.Tensor, pair: tuple[torch.Tensor, int], mode: str = "a") -> torch.Tensor:
    if x.shape[1] % 2 == 0 and pair[1] > 2 and mode == "a":
        return x + pair[0]
    return x


def by_eight(x: torch.Tensor, pair: tuple[torch.Tensor, int], mode: str = "a") -> torch.Tensor:
    if x.shape[1] % 8 == 0 and pair[1] > 2 and mode == "a":
        return x + pair[0]
    return x


def small(x: torch.Tensor, pair: tuple[torch.Tensor, int], mode: str = "a") -> torch.Tensor:
    if x.shape[1] <= 64 and pair[1] > 2 and mode == "a":
        return x + pair[0]
    return x


@pytest.fixture
def emitted(tmp_path: Path) -> Callable[..., str]:
    def make(fn: Callable[..., Any], name: str) -> str:
        args = torch.ones(2, 8), (torch.ones(2, 8), 5), "a"
        path = tmp_path / f"{name}.py"
        files.write(path, emit(derive(trace(fn, args)), "python", name="model"))
        return str(path)

    return make


def test_a_module_does_not_differ_from_itself(emitted: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    old, new = emitted(even, "old"), emitted(even, "new")
    assert main(["diff", old, new]) == 0
    assert capsys.readouterr().out == f"{old} and {new} have the same guards\n"


def test_a_stronger_guard_shows_what_is_no_longer_accepted(
    emitted: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = emitted(even, "old"), emitted(by_eight, "new")
    assert main(["diff", old, new]) == 1
    went, came, only_old, only_new = capsys.readouterr().out.splitlines()
    assert (went, came) == ("- x.shape[1] % 2 == 0", "+ x.shape[1] % 8 == 0")
    assert only_old.startswith(f"accepted by {old} only: x: (")
    assert only_new == f"accepted by {new} only: none were found"


def test_guards_that_overlap_show_shapes_of_both(
    emitted: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = emitted(by_eight, "old"), emitted(small, "new")
    assert main(["diff", old, new]) == 1
    *_, only_old, only_new = capsys.readouterr().out.splitlines()
    assert "none were found" not in only_old
    assert "none were found" not in only_new


def test_the_data_of_modules_is_compared_and_none_of_their_code_run(
    emitted: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = emitted(even, "old"), emitted(by_eight, "new")
    for path in (Path(old), Path(new)):
        path.write_text(path.read_text().replace("import sys\n", "raise SystemExit('this was run')\n", 1))
    assert main(["diff", old, new]) == 1
    assert "+ x.shape[1] % 8 == 0" in capsys.readouterr().out
    Path(old).write_text(Path(old).read_text().replace('{\n"guardgen":1', '{\n"guardgen":2', 1))
    assert main(["diff", old, new]) == 2
    assert f"{old}: this is no guard set of version 1" in capsys.readouterr().err


def test_modules_without_data_are_compared_by_running_them(
    emitted: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    def program(x: torch.Tensor, pair: tuple[torch.Tensor, int], mode: str) -> torch.Tensor:
        return x + 1 if torch.fft.fft(x).abs().sum() > 4 else x

    old, new = emitted(even, "old"), emitted(program, "new")
    assert "JSON: str | None = None  # this guard on data runs aten.fft_fft.default" in Path(new).read_text()
    assert main(["diff", old, new]) == 1
    assert "- x.shape[1] % 2 == 0" in capsys.readouterr().out
