"""Guard sets as lines to read, and all that made each guard."""

from __future__ import annotations

import torch

import guardgen
from guardgen import derive, trace
from guardgen.guards import GuardSet
from tests.unit.emitted import load


def chained(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
    if x.shape[0] != y.shape[0]:
        return x
    assert z.shape[0] == y.shape[0]
    assert x.shape[1] > 1
    return torch.tanh(x) if x.shape[1] < 7 else x


def args(*sizes: tuple[int, ...]) -> tuple[torch.Tensor, ...]:
    return tuple(torch.ones(*each) for each in sizes)


def lines_of(guards: GuardSet) -> list[list[str]]:
    """The lines after those of the facts: the condition, and what made it."""
    return [each.split("  # ") for each in str(guards).splitlines()[len(guards.facts) :]]


def test_equal_sizes_are_one_chain_and_two_guards() -> None:
    guards = derive(trace(chained, args((3, 4), (3,), (3,))))
    assert len(guards.guards) == 3
    facts, lines = str(guards).splitlines()[: len(guards.facts)], lines_of(guards)
    assert facts[0] == "x: a tensor of rank 2, torch.float32 on cpu"
    assert [text for text, *_ in lines] == [
        "x.shape[0] == y.shape[0] == z.shape[0]",
        "2 <= x.shape[1] <= 6",
    ]
    assert [since.partition(": ")[2] for since in lines[0][1:]] == [
        "if x.shape[0] != y.shape[0]:",
        "assert z.shape[0] == y.shape[0]",
    ]


def test_equalities_with_something_else_between_them_are_other_chains() -> None:
    def pairs(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        assert x.shape == y.shape
        assert x.shape[0] == 2 * x.shape[1]
        return torch.tanh(x)

    guards = derive(trace(pairs, args((4, 2), (4, 2))))
    texts = {text for text, *_ in lines_of(guards)}
    assert len(texts) == 3
    assert {"x.shape[0] == y.shape[0]", "x.shape[1] == y.shape[1]"} & texts


def test_every_failing_guard_is_reported_with_its_sizes_and_all_its_lines() -> None:
    guards = derive(trace(chained, args((3, 4), (3,), (3,))))
    wrong = args((5, 9), (3,), (4,))
    found = guards.explain(*wrong)
    assert found == load(guardgen.emit(guards, "python")).violations(*wrong)
    assert [each.condition for each in found] == [
        "x.shape[0] == y.shape[0]",
        "x.shape[0] == z.shape[0]",
        "2 <= x.shape[1] <= 6",
    ]
    assert [each.actual for each in found] == [
        "x.shape[0] = 5, y.shape[0] = 3",
        "x.shape[0] = 5, z.shape[0] = 4",
        "x.shape[1] = 9",
    ]
    assert [line.partition(": ")[2] for line in found[2].lines] == [
        "assert x.shape[1] > 1",
        "return torch.tanh(x) if x.shape[1] < 7 else x",
    ]
