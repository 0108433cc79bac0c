"""Observations that would narrow a declared dimension: one error with every line, and a declaration that fits."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.export import Dim

from guardgen import DeriveError, NarrowedError, derive, trace
from tests.unit.test_solve_counts import program


def many(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    if x.shape[0] % 2 == 0:
        x = x + 1
    if x.shape[0] % 8 == 0 and x.shape[1] > 3:
        x = x * 2
    return x @ y


def refused(fn: Any, args: Any, shapes: Any) -> NarrowedError:
    with pytest.raises(NarrowedError) as caught:
        derive(trace(fn, args, dynamic_shapes=shapes))
    return caught.value


def test_one_error_lists_every_line_and_the_declaration_that_fits() -> None:
    args = torch.ones(16, 8), torch.ones(8, 4)
    shapes = {"x": {0: Dim("batch"), 1: Dim("width", max=64)}, "y": {0: Dim.DYNAMIC}}
    error = refused(many, args, shapes)
    places = [number + many.__code__.co_firstlineno for number in (1, 3, 5)]
    here = "tests/unit/test_narrowing.py"
    assert isinstance(error, DeriveError)
    assert str(error) == "\n".join(
        [
            f'{here}:{places[0]}: dynamic_shapes={{"x": {{0: Dim("batch"), 1: Dim("width", max=64)}}, '
            '"y": {0: Dim.DYNAMIC}} promises more than the trace is valid for',
            f"  batch (x.shape[0]): needs batch % 2 == 0, since {here}:{places[0]}: if x.shape[0] % 2 == 0:",
            f"  batch (x.shape[0]): needs batch % 8 == 0, since {here}:{places[1]}: "
            "if x.shape[0] % 8 == 0 and x.shape[1] > 3:",
            f"  width (x.shape[1]): needs width >= 4, since {here}:{places[1]}: "
            "if x.shape[0] % 8 == 0 and x.shape[1] > 3:",
            f"  width (x.shape[1]), y.shape[0]: needs width == y.shape[0], since {here}:{places[2]}: return x @ y",
            'declare dynamic_shapes={"x": {0: 8 * Dim("batch"), 1: Dim("width", min=4, max=64)}, '
            '"y": {0: Dim("width", min=4, max=64)}}',
        ]
    )
    assert len(error.needs) == 4


# conditions on the sizes, these in the traced run, what is declared, and what fits
FITS: list[tuple[list[str], list[int], str, str]] = [
    (["a > 1"], [4], '{0: Dim("d")}', '{0: Dim("d", min=2)}'),
    (["a >= 2", "a <= 6"], [4], '{0: Dim("d")}', '{0: Dim("d", min=2, max=6)}'),
    (["a >= 2", "a <= 6"], [4], "{0: Dim.DYNAMIC}", "{0: Dim.DYNAMIC(min=2, max=6)}"),
    (["a == 4"], [4], '{0: Dim("d")}', "{0: 4}"),
    (["a == 4"], [4], "{0: Dim.DYNAMIC}", "{0: 4}"),
    (["a % 8 == 3"], [11], '{0: Dim("d", max=40)}', '{0: 8 * Dim("d", max=4) + 3}'),
    (["a % 8 == 0"], [16], "{0: Dim.DYNAMIC}", '{0: 8 * Dim("ta_0")}'),
    (["a % 2 == 0", "a % 3 == 0", "a > 5"], [12], '{0: Dim("d")}', '{0: 6 * Dim("d", min=1)}'),
    (["a % 8 == 0"], [24], '{0: 6 * Dim("d", min=2, max=9)}', '{0: 24 * Dim("d", min=1, max=2)}'),
    (["a != 4"], [2], '{0: Dim("d")}', '{0: Dim("d", max=3)}'),
    (["a != 4"], [7], '{0: Dim("d")}', '{0: Dim("d", min=5)}'),
    (["(a + 3) // 4 == 3"], [10], '{0: Dim("d")}', '{0: Dim("d", min=9, max=12)}'),
    (["a * a % 5 == 1"], [4], '{0: Dim("d", max=9)}', "{0: Dim.AUTO(max=9)}"),
    (["a == b"], [4, 4], '{0: Dim("d")}, {0: Dim("e", max=9)}', '{0: Dim("d", max=9)}, {0: Dim("d", max=9)}'),
    (["a == 2 * b"], [8, 4], '{0: Dim("d")}, {0: Dim("e")}', '{0: 2 * Dim("e")}, {0: Dim("e")}'),
    (["a == b + 1"], [5, 4], '{0: Dim("d")}, {0: Dim("e")}', '{0: Dim("d", min=1)}, {0: Dim("d", min=1) - 1}'),
    (["a < b"], [4, 6], '{0: Dim("d", max=9)}, {0: Dim("e")}', "{0: Dim.AUTO(max=9)}, {0: Dim.AUTO}"),
    (["a == b", "b % 4 == 0"], [4, 4], '{0: Dim("d")}, None', '{0: 4 * Dim("d")}'),
    (["b == a", "a % 4 == 0"], [4, 4], 'None, {0: Dim("d")}', '{0: 4 * Dim("d")}'),
    (["a <= b", "b <= 6"], [4, 5], '{0: Dim("d")}, None', '{0: Dim("d", max=6)}'),
    (["a + b <= 9"], [4, 3], '{0: Dim("d", max=20)}, None', '{0: Dim("d", max=9)}'),
    (["a == b + 2"], [4, 2], '{0: Dim("d")}, None', '{0: Dim("d", min=2)}'),
    (["a == b", "b == c"], [3, 3, 3], '{0: Dim("d")}, None, {0: Dim("e")}', '{0: Dim("d")}, {0: Dim("d")}'),
]


@pytest.mark.parametrize(("conditions", "sizes", "declared", "fits"), FITS, ids=[f"{each[0]}" for each in FITS])
def test_the_declaration_that_fits(conditions: list[str], sizes: list[int], declared: str, fits: str) -> None:
    fn = program(conditions, "abc"[: len(sizes)])
    args = [torch.ones(size) for size in sizes]
    error = refused(fn, args, eval(f"({declared},)"))
    assert [text for name in "abc" for text in error.fits.split(f'"t{name}": ')[1:]] != []
    shown = error.fits[1:-1]
    for name in "abc":
        shown = shown.replace(f'"t{name}": ', "")
    assert shown == fits
    guards = derive(trace(fn, args, dynamic_shapes=eval(error.fits)))
    assert guards.check(*args)


def test_what_an_undeclared_size_can_follow_narrows_nothing() -> None:
    d = Dim("d", min=2)
    for conditions in (["a == b"], ["a < b"], ["a % b == 0"], ["b == 2 * a", "b > 3"], ["b == a + 1", "b > 2"]):
        sizes = [4, 4 if conditions[0] == "a == b" else 8 if "2 *" in conditions[0] else 5]
        if "%" in conditions[0]:
            sizes = [4, 2]
        fn = program(conditions, "ab")
        guards = derive(trace(fn, [torch.ones(size) for size in sizes], dynamic_shapes={"ta": {0: d}}))
        assert guards.guards[0].text == "d >= 2", conditions


def test_what_an_operator_requires_narrows_too() -> None:
    table = torch.ones(16, 2)

    def look_up(x: torch.Tensor) -> torch.Tensor:
        return torch.ones(x.shape[0], 16) @ table[: x.shape[0]].repeat(1, 1) if x.shape[0] == 16 else x

    def padded(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.max_pool1d(x, 3)

    error = refused(padded, [torch.ones(2, 9)], {"x": {1: Dim("length")}})
    assert error.fits == '{"x": {1: Dim("length", min=3)}}'
    error = refused(look_up, [torch.ones(16)], {"x": {0: Dim("length")}})
    assert error.fits == '{"x": {0: 16}}'


def test_nested_arguments_are_declared_as_they_are_nested() -> None:
    def first(batch: dict[str, list[torch.Tensor]], *rest: torch.Tensor) -> torch.Tensor:
        assert batch["a b"][1].shape[0] > 2
        assert rest[0].shape[0] > 3
        return torch.tanh(batch["a b"][1])

    args = {"a b": [torch.ones(2), torch.ones(4)], "other": []}, torch.ones(5)
    shapes = {"batch": {"a b": [None, {0: Dim("n")}], "other": []}, "rest": ({0: Dim("m")},)}
    error = refused(first, args, shapes)
    assert eval(error.fits).keys() == {"batch", "rest"}
    assert error.fits == (
        """{"batch": {'a b': [None, {0: Dim("n", min=3)}], "other": []}, "rest": [{0: Dim("m", min=4)}]}"""
    )
    derive(trace(first, args, dynamic_shapes=eval(error.fits)))
