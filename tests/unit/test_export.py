"""Guards before programs of torch.export: our conditions, and what the export assumed, in our words."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.export import Dim

from guardgen import export
from guardgen.errors import EmitError
from guardgen.runtime import GuardError
from tests.unit.emitted import guards_of


class Even(torch.nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        if x.shape[0] % 2 == 0 and x.shape[0] > 4:
            return x * 2 + y
        return x + y


class Plain(torch.nn.Module):
    def forward(self, x: torch.Tensor, pair: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        return x.sum() + pair[0].sum() + pair[1].sum()


def exported(module: torch.nn.Module, args: tuple[Any, ...], shapes: Any) -> Any:
    return torch.export.export(module, args, dynamic_shapes=shapes, strict=False)


@pytest.fixture
def even() -> export.Guarded:
    args = torch.ones(8, 3), torch.ones(8, 3)
    program = exported(Even(), args, {"x": {0: Dim.AUTO}, "y": {0: Dim.AUTO}})
    return export.guard(program, guards_of(Even(), *args))


def raised(module: torch.nn.Module, *args: Any) -> str:
    with pytest.raises(GuardError) as caught:
        module(*args)
    return str(caught.value)


@pytest.mark.parametrize("rows", [0, 1, 3, 4, 7, 9])
def test_what_the_program_observed_is_told_with_its_line(even: export.Guarded, rows: int) -> None:
    told = raised(even, torch.ones(rows, 3), torch.ones(rows, 3))
    assert f"got x.shape[0] = {rows}, since tests/unit/test_export.py:" in told


@pytest.mark.parametrize("rows", [6, 8, 100])
def test_what_is_right_is_answered(even: export.Guarded, rows: int) -> None:
    x, y = torch.randn(rows, 3), torch.randn(rows, 3)
    assert torch.equal(even(x, y), Even()(x, y))


def test_what_the_export_fixed_is_told_as_its_assumption(even: export.Guarded) -> None:
    assert raised(even, torch.ones(8, 5), torch.ones(8, 5)) == (
        "x.shape[1]: expected 3, got 5, since torch.export assumed it\n"
        "y.shape[1]: expected 3, got 5, since torch.export assumed it"
    )
    assert "since torch.export assumed it" in raised(even, torch.ones(8, 3), torch.ones(1, 3))


def test_ranges_and_sums_of_sizes_are_assumptions() -> None:
    args = torch.ones(4, 2), (torch.ones(8, 2), torch.ones(5))
    rows = Dim("rows", min=3, max=64)
    shapes = {"x": {0: rows}, "pair": ({0: 2 * rows}, {0: rows + 1})}
    module = export.guard(exported(Plain(), args, shapes), guards_of(Plain(), *args))
    texts = [each.text for each in module.assumptions]
    assert "x.shape[0] >= 3" in texts
    assert "x.shape[0] <= 64" in texts
    assert module(torch.ones(3, 2), (torch.ones(6, 2), torch.ones(4))).item() == 22
    assert "x.shape[0] = 2, since torch.export" in raised(module, torch.ones(2, 2), (torch.ones(4, 2), torch.ones(3)))
    told = raised(module, torch.ones(4, 2), (torch.ones(9, 2), torch.ones(6)))
    assert "pair[0].shape[0] = 9" in told
    assert "pair[1].shape[0] = 6" in told


def test_the_check_can_be_off(monkeypatch: pytest.MonkeyPatch, even: export.Guarded) -> None:
    even.guard_enabled = False
    with pytest.raises(AssertionError, match="Guard failed"):  # PyTorch's own words
        even(torch.ones(7, 3), torch.ones(7, 3))
    monkeypatch.setenv("GUARDGEN_CHECK", "0")
    args = torch.ones(8, 3), torch.ones(8, 3)
    program = exported(Even(), args, {"x": {0: Dim.AUTO}, "y": {0: Dim.AUTO}})
    assert export.guard(program, guards_of(Even(), *args)).guard_enabled is False


def test_guards_of_other_arguments_are_refused() -> None:
    program = exported(Even(), (torch.ones(8, 3), torch.ones(8, 3)), None)
    with pytest.raises(EmitError, match="takes 2 values, the guards are about 1"):
        export.guard(program, guards_of(torch.relu, torch.ones(3)))
