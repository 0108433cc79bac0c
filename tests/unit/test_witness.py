"""Witnesses: shapes that satisfy a guard set, and shapes that break one guard alone."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from guardgen import derive, satisfy, trace
from guardgen.guards import GuardSet
from guardgen.terms import Symbol, eq, ge, symbol
from guardgen.witness import search, shapes


def model(q: torch.Tensor, k: torch.Tensor, n: int) -> torch.Tensor:
    if q.shape[1] % k.shape[1] == 0 and n >= 2:
        return q @ k.transpose(0, 1)[:0].new_zeros(q.shape[1], 3)
    return q


def guards() -> GuardSet:
    return derive(trace(model, (torch.ones(2, 8), torch.ones(3, 4), 5)))


def tensors(found: dict[str, Any]) -> list[Any]:
    return [torch.ones(value) if isinstance(value, tuple) else value for value in found.values()]


def test_the_example_is_the_traced_run() -> None:
    found = guards().example()
    assert found == {"q": (2, 8), "k": (3, 4), "n": 5}
    assert guards().check(*tensors(found))


def test_a_counterexample_breaks_its_guard_and_no_other() -> None:
    derived = guards()
    for i, guard in enumerate(derived.guards):
        violations = derived.explain(*tensors(derived.counterexample(i)))
        assert [violation.condition for violation in violations] == [guard.text]


def test_a_number_from_data_is_named_after_its_node() -> None:
    def masked(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return x if bool(mask.all()) else x * mask

    derived = derive(trace(masked, (torch.ones(3), torch.ones(3, dtype=torch.bool))))
    (guard,) = derived.guards
    assert derived.example() == {"x": (3,), "mask": (3,), guard.text: True}
    assert derived.counterexample(0) == {"x": (3,), "mask": (3,), guard.text: False}


A, B = (Symbol(name, "int", ("size", name, 0), order, 0, 2**63 - 1) for order, name in enumerate("ab"))
a, b = symbol(A), symbol(B)


@pytest.mark.skipif(not satisfy.available(), reason="z3 is not installed")
def test_z3_finds_what_trying_does_not() -> None:
    true = [eq(a * 7919 + b * 7907, 10**12 + 7)]
    assert all(isinstance(each, type(eq(a, b))) for each in true)
    found = search(true, None, {A: 1, B: 1})  # type: ignore[arg-type]
    assert found is not None
    assert found[A] * 7919 + found[B] * 7907 == 10**12 + 7


def test_nothing_is_found_where_there_is_nothing() -> None:
    assert search([ge(a, 3)], ge(a, 2), {A: 4}) is None  # type: ignore[arg-type, list-item]


def test_sizes_that_no_guard_is_about_are_those_of_the_traced_run() -> None:
    derived = derive(trace(torch.tanh, (torch.ones(2, 3),)))
    assert shapes(derived, {}) in ({name: (2, 3)} for name in ("input", "args_0", "x"))
