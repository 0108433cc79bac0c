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
