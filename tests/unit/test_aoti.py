"""What the makers of a package assumed, as conditions, and files inside it; nothing is compiled here."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest
import sympy  # type: ignore[import-untyped]  # has no annotations; it is PyTorch's
import torch
from torch.export import Dim
from torch.utils._sympy.functions import FloatPow, FloorDiv, Max, Mod, ModularIndexing, ToFloat, TruncToInt

from guardgen import aoti, archive, assumed, loaded, packaged
from guardgen.errors import EmitError, LoadError
from guardgen.exported import EXPORT
from guardgen.guards import GuardSet
from guardgen.rules.sympy_terms import term
from guardgen.rules.text import condition_text
from guardgen.terms import Symbol, floordiv, symbol
from tests.unit.emitted import guards_of

S, T = sympy.symbols("s t", integer=True, positive=True)
KNOWN = {S: symbol(Symbol("a")), T: symbol(Symbol("b"))}


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (sympy.Eq(Mod(S * T, 4), 0), "a * b % 4 == 0"),
        (sympy.Ne(FloorDiv(S - 3, 2) + 1, 1), "(a + 1) // 2 != 2"),
        (S**2 > T, "a * a > b"),
        (sympy.Eq(ModularIndexing(S, 2, 3), T), "b == a // 2 % 3"),
        (Max(S, T) >= 3, "a >= 3 or b >= 3"),
        (sympy.Eq(TruncToInt(ToFloat(S) * 0.5), T), "b == math.trunc(0.5 * float(a))"),
        (sympy.And(S > 3, sympy.Not(sympy.Eq(T, 2))), "a >= 4 and b != 2"),
    ],
)
def test_expressions_of_pytorch_are_conditions_of_ours(expression: Any, text: str) -> None:
    assert condition_text(term(expression, KNOWN)) == text


def test_an_expression_without_a_form_is_none() -> None:
    assert term(sympy.sin(S) > 0, KNOWN) is None
    assert term(sympy.Ge(FloatPow(ToFloat(S), 0.5), 0.0, evaluate=False), {S: symbol(Symbol("a", low=0))}) is True
    assert term(sympy.Eq(sympy.Symbol("u0"), 1), KNOWN) is None


def merged(fn: Any, args: tuple[Any, ...], shapes: Any = None) -> GuardSet:
    """The guards of a program with what its export assumed; as if AOTInductor had assumed nothing beside strides."""
    guards = guards_of(fn, *args)
    program = aoti.exported(fn, args, {}, aoti.free(fn, args, {}, guards) if shapes is None else shapes)
    before = assumed.before(program)
    return assumed.with_assumptions(guards, *assumed.assumptions(program, guards, before))


def artifact(guards: GuardSet) -> list[str]:
    return [each.text for each in guards.guards if each.kind == "artifact"]


def test_ranges_and_relations_of_the_export_are_guards() -> None:
    rows = Dim("rows", min=3, max=64)
    both = torch.ones(4, 2), torch.ones(8, 2)
    guards = merged(lambda x, y: x.sum() + y.sum(), both, {"x": {0: rows}, "y": {0: 2 * rows}})
    assert artifact(guards)[:5] == [
        "x.shape[1] == 2",
        "2 * x.shape[0] == y.shape[0]",
        "y.shape[1] == 2",
        "x.shape[0] >= 3",
        "x.shape[0] <= 64",
    ]
    assert {each.since for each in guards.guards if each.kind == "artifact"} == {(EXPORT,), (assumed.INDUCTOR,)}


def test_strides_are_those_of_the_example() -> None:
    turned = merged(lambda x: x * 2, (torch.ones(3, 5).t(),))
    assert artifact(turned) == ["x.stride(0) == 1 or x.shape[0] <= 1", "x.shape[0] == x.stride(1) or x.shape[1] <= 1"]
    assert turned.check(torch.ones(4, 7).t())
    assert not turned.check(torch.ones(7, 4))
    one = merged(lambda x: x * 2, (torch.ones(1, 5),))
    assert one.check(torch.ones(1, 8)[:, :8].as_strided((1, 8), (99, 1)))  # there is one row: nothing steps to another


def test_an_int_is_the_number_of_the_traced_call() -> None:
    def times(x: torch.Tensor, n: int) -> torch.Tensor:
        return x * n

    guards = merged(times, (torch.ones(3), 4))
    assert guards.check(torch.ones(5), 4)
    assert [str(each) for each in guards.explain(torch.ones(5), 3)] == ["n: expected 4, got 3, since " + EXPORT]


def test_a_tensor_that_the_artifact_reads_has_its_dtype() -> None:
    def same(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return x, y + 1

    assert guards_of(same, torch.ones(3), torch.ones(3)).check(torch.ones(3).double(), torch.ones(3))
    assert not merged(same, (torch.ones(3), torch.ones(3))).check(torch.ones(3).double(), torch.ones(3))


def test_what_cannot_be_compiled_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def looks(x: torch.Tensor) -> torch.Tensor:
        return x + 1 if bool((x > 0).all()) else x

    def constant(x: torch.Tensor) -> tuple[torch.Tensor, int]:
        return x + 1, 3

    with pytest.raises(EmitError, match=r"constant\.so: the name of a package ends in \.pt2"):
        aoti.compile(constant, (torch.ones(3),), package_path=tmp_path / "constant.so")
    with pytest.raises(EmitError, match="returns the constant 3, which AOTInductor cannot"):
        aoti.compile(constant, (torch.ones(3),), package_path=tmp_path / "constant.pt2")
    with pytest.raises(EmitError, match=r"torch\.export refuses the program: "):
        aoti.compile(looks, (torch.ones(3),), package_path=tmp_path / "looks.pt2")
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(EmitError, match=r"needs a C\+\+ compiler: install g\+\+"):
        aoti.compile(torch.relu, (torch.ones(3),))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "number"),
    [("3L", "3"), ("3L*s17", "3*a"), ("(-1L) + arg0_1_size[0]", "a + -1"), ("c10::div_floor_integer(s17, 2L)", "a//2")],
)
def test_sizes_in_the_source_of_a_package_are_read(text: str, number: str) -> None:
    a = symbol(Symbol("a"))
    assert packaged.number(text, {"s17": a, "arg0_1_size_0": a}) == {
        "3": 3, "3*a": 3 * a, "a + -1": a - 1, "a//2": floordiv(a, 2),
    }[number]  # fmt: skip
    assert packaged.number("std::pow(s17, 2)", {"s17": a}) is None


def test_calls_that_guards_can_tell_apart_are_looked_at_as_others() -> None:
    x = torch.ones(4, 4)
    views = [x, x.t(), x[:2], x.view(16)[:4].view(1, 4), x.double(), x.clone().requires_grad_(), x[1:], x[:3]]
    calls: list[tuple[Any, ...]] = [(each,) for each in views]
    calls += [(x, x), (x, x.clone()), (1,), (True,), ("1",), (None,), ()]
    looked = [loaded.look(each) for each in calls]
    assert len(set(looked)) == len(calls)
    assert loaded.look((x,)) == loaded.look((torch.zeros(4, 4),))
    assert loaded.look(([x],)) is None
    assert loaded.look((torch.conj(torch.ones(2, dtype=torch.complex64)).imag,)) is None


def test_files_are_put_into_an_archive_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.pt2"
    with zipfile.ZipFile(path, "w") as written:
        written.writestr("a/archive_format", "pt2")
        written.writestr("a/data/weights", b"\0" * 1000)
    for text in "first", "second":
        archive.write(path, path, {archive.GUARDS: text})
        assert archive.guards_in(path) == text
    with zipfile.ZipFile(path) as opened:
        assert opened.namelist() == ["a/archive_format", "a/data/weights", "a/extra/guardgen.json"]
        assert opened.read("a/data/weights") == b"\0" * 1000
    assert archive.is_package(path)
    assert [each.name for each in tmp_path.iterdir()] == ["a.pt2"]
    with pytest.raises(LoadError, match="No such file"):
        archive.guards_in(tmp_path / "none.pt2")
