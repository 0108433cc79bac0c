"""Proofs: what z3 says of guard sets, examples included, and what is said where it cannot."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from guardgen import derive, satisfy, spec, trace
from guardgen.cli import main
from guardgen.guards import GuardSet
from guardgen.interpret import RuleTable
from guardgen.ops import PURE
from guardgen.satisfy import Answer, ProveError

pytest.importorskip("z3")
ROOT = Path(__file__).parents[2]


def guards_of(fn: Callable[..., Any], *args: Any) -> GuardSet:
    return derive(trace(fn, args))


def decides(x: torch.Tensor, n: int) -> torch.Tensor:
    if x.shape[0] % 4 == 0 and n // 3 == 2:
        return x + 1
    return x


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_every_example_is_proved(path: Path) -> None:
    for program in spec.load(path):
        if program.missing:
            pytest.skip(f"needs {', '.join(program.missing)}")
        fn, args, kwargs = program.example()
        proof = derive(trace(fn, args, kwargs, level=program.level), on_data=program.on_data).prove()
        assert proof.proved, str(proof)


def test_a_guard_too_weak_is_refuted_with_shapes() -> None:
    guards = guards_of(decides, torch.ones(8), 7)
    weaker = dataclasses.replace(guards, guards=guards.guards[:1])
    (claim,) = weaker.prove().refuted
    assert (claim.text, claim.line and claim.line.text) == (
        "n // 3 == 2 follows from the guards",
        "if x.shape[0] % 4 == 0 and n // 3 == 2:",
    )
    assert claim.shapes["x"][0] % 4 == 0
    assert claim.shapes["n"] // 3 != 2
    assert not weaker.prove().proved


def test_a_guard_too_strong_is_refuted() -> None:
    guards = guards_of(decides, torch.ones(8), 7)
    stronger = dataclasses.replace(guards, raw=guards.raw[:1])
    assert [claim.text for claim in stronger.prove().refuted] == ["n // 3 == 2 follows from what the trace needs"]


def test_a_redundant_guard_is_refuted() -> None:
    guards = guards_of(decides, torch.ones(8), 7)
    weak = guards_of(lambda x: x + 1 if x.shape[0] % 2 == 0 else x, torch.ones(8))
    twice = dataclasses.replace(guards, guards=(*guards.guards, *weak.guards), raw=(*guards.raw, *weak.raw))
    assert [claim.text for claim in twice.prove().refuted] == ["x.shape[0] % 2 == 0 is needed"]


@pytest.mark.parametrize("n", [-7, -1, 0, 5, 8])
@pytest.mark.parametrize("k", [-3, 2])
def test_division_is_that_of_python(n: int, k: int) -> None:
    def divides(x: torch.Tensor, n: int, k: int) -> torch.Tensor:
        if n // k == n % k:
            return x + 1
        return x

    guards = guards_of(divides, torch.ones(2), n, k)
    values = {each: value for each, value in guards.traced.items() if each.source[0] == "int"}
    from guardgen.witness import holds

    for guard in guards.raw:
        assert holds(guard.condition, values)
    proof = guards.prove()
    assert not proof.refuted, str(proof)


def test_what_divides_by_zero_does_not_hold() -> None:
    def multiple(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        if x.shape[0] % y.shape[0] == 0:
            return x + 1
        return x

    guards = guards_of(multiple, torch.ones(8), torch.ones(2))
    assert [guard.text for guard in guards.guards] == ["x.shape[0] % y.shape[0] == 0"]
    assert guards.prove().proved


def test_floats_are_told_apart_where_z3_knows_them() -> None:
    def scaled(x: torch.Tensor) -> torch.Tensor:
        if x.shape[0] * 0.5 > 3.0 and x.shape[0] * 0.5 > 2.0:
            return x + 1
        return x

    proof = guards_of(scaled, torch.ones(8)).prove(seconds=2)
    assert [claim.text for claim in proof.refuted] == ["float(x.shape[0]) * 0.5 > 2.0 is needed"]
    assert not proof.undecided


def test_what_z3_leaves_open_is_tried_and_never_called_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(satisfy, "find", lambda *_: Answer("unknown"))
    guards = guards_of(decides, torch.ones(8), 7)
    proof = dataclasses.replace(guards, guards=()).prove()
    assert {claim.verdict for claim in proof.claims} == {"refuted"}  # the grid finds counterexamples by itself
    missing = dataclasses.replace(guards, raw=guards.raw * 1, guards=guards.guards).prove()
    assert not any(claim.verdict == "refuted" for claim in missing.claims)


def test_an_implication_that_only_z3_could_prove_is_undecided_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def chain(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        if x.shape[0] > y.shape[0] and y.shape[0] > 5 and x.shape[0] > 5:
            return x
        return y

    guards = guards_of(chain, torch.ones(8), torch.ones(6))
    monkeypatch.setattr(satisfy, "find", lambda *_: Answer("unknown"))
    assert {claim.text for claim in guards.prove().undecided} == {"x.shape[0] >= 6 follows from the guards"}


def test_without_z3_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(satisfy, "available", lambda: False)
    with pytest.raises(ProveError, match=r"guardgen\[prove\]"):
        guards_of(decides, torch.ones(8), 7).prove()


def test_a_model_of_z3_is_computed_once_more_before_it_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    guards = guards_of(decides, torch.ones(8), 7)
    symbols = list(guards.traced)
    monkeypatch.setattr(satisfy, "find", lambda *_: Answer("some", dict.fromkeys(symbols, 1)))
    assert not guards.prove().refuted


def test_the_z3_table_covers_every_op_on_numbers() -> None:
    from guardgen.rules.z3 import z3_rules

    assert isinstance(z3_rules, RuleTable)
    assert z3_rules.missing(op for op in PURE if not op.endswith("_placeholder")) == []
    assert [op for op in z3_rules.rules if op not in PURE] == []


def test_the_command_line_proves(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", str(ROOT / "examples" / "textbook.py"), "textbook_prims"]) == 0
    assert capsys.readouterr().out == "textbook_prims: 8 of 8 proved\n"
