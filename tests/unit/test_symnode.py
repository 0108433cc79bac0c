"""What PyTorch's own code sees of a symbolic number."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from guardgen.symnode import SymNode
from guardgen.tracing import trace
from tests.unit.tracing_checks import RIGHT, outcomes


class Counting:
    """A host that computes with plain numbers and keeps what it was asked."""

    lays_out = False

    def __init__(self) -> None:
        self.asked: list[tuple[str, Any]] = []

    def kind(self, value: Any) -> str:
        return type(value).__name__

    def apply(self, op: str, *values: Any) -> Any:
        from guardgen.rules.concrete import concrete_rules

        return concrete_rules[op](*values)

    def decide(self, value: Any) -> bool:
        self.asked.append(("decide", value))
        return bool(value)

    def expect(self, value: Any) -> bool:
        self.asked.append(("expect", value))
        return bool(value)

    def guess(self, value: Any, default: bool) -> bool:
        self.asked.append(("guess", value))
        return default

    def number(self, value: Any) -> Any:
        self.asked.append(("number", value))
        return value

    def hint(self, value: Any) -> Any:
        return value


def symbol(value: int) -> tuple[torch.SymInt, Counting]:
    host = Counting()
    return torch.SymInt(SymNode(value, host)), host


def test_arithmetic_asks_nothing() -> None:
    n, host = symbol(6)
    assert ((n + 1) * 2 - n // 4 - n % 4).node.value == 11
    assert (-n).node.value == -6
    assert (n / 4).node.value == 1.5
    assert torch.sym_max(n, 9).node.value == 9
    assert host.asked == []


def test_branches_ask() -> None:
    n, host = symbol(6)
    assert bool(n > 5)
    torch._check(n < 10)
    assert int(n) == 6
    assert [kind for kind, _ in host.asked] == ["decide", "expect", "number"]


def test_meta_tensors_take_it_as_a_size() -> None:
    n, _ = symbol(6)
    x = torch.empty((n, 8), device="meta")
    assert x.shape[0] == 6
    assert x.sum(1).shape[0] == 6


@pytest.mark.parametrize(
    "f",
    [
        lambda n, m: torch.sym_max(n, m) * 1,
        lambda n, m: torch.sym_min(n, m),
        lambda n, m: torch.sym_int(n / m),
        lambda n, m: torch.sym_float(n) * 2,
        lambda n, m: torch.sym_not(n > m),
        lambda n, m: torch.sym_sum([n, m, 1]),
    ],
)
def test_torch_s_symbolic_functions_take_guarded_numbers(f: Any) -> None:
    assert outcomes(f, (6, 4), (9, 2)) == [RIGHT]


def test_checks_are_observations() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        torch._check(x.shape[0] == 2 * x.shape[1])
        return x * 1

    made = trace(f, (torch.zeros(4, 2),))
    assert made.observations == 1
    assert outcomes(f, (torch.zeros(4, 2),), (torch.zeros(6, 3),), (torch.zeros(6, 2),)) == [RIGHT, "bailout"]
