"""Guard sets asked of arguments: every answer is True or False, and every violation says what was found."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

import guardgen
from guardgen.arguments import Path
from guardgen.checking import check, violations
from guardgen.conditions import IntFact, SameFact
from guardgen.guards import GuardSet
from guardgen.terms import Symbol, eq, floordiv, mod, symbol
from tests.unit.emitted import GARBAGE, by_hand, garbage, guard, guards_of, tensor


class Pair(NamedTuple):
    first: Any
    second: Any


def texts(guards: GuardSet, *args: Any, **kwargs: Any) -> list[str]:
    return [str(each) for each in violations(guards, args, kwargs)]


def same_rows(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    if a.shape[0] != b.shape[0]:
        raise ValueError
    return a.sum() + b.sum()


def test_a_relation_names_the_sizes_involved() -> None:
    guards = guards_of(same_rows, torch.zeros(4, 2), torch.zeros(4, 3))
    assert texts(guards, torch.zeros(5, 1), torch.zeros(5, 0)) == []
    (text,) = texts(guards, torch.zeros(4, 2), torch.zeros(5, 3))
    assert text.startswith("a.shape[0]: expected a.shape[0] == b.shape[0], got a.shape[0] = 4, b.shape[0] = 5, since ")
    assert text.endswith(": if a.shape[0] != b.shape[0]:")


def test_a_size_that_must_be_a_number_says_which() -> None:
    x = symbol(Symbol("x.shape[1]", "int", ("size", Path("x"), 1), 0, 0))
    guards = by_hand(lambda x: x + 1, (torch.zeros(2, 3),), (tensor(Path("x"), 2),), guard(eq(x, 3)))
    assert texts(guards, torch.zeros(2, 4)) == ["x.shape[1]: expected 3, got 4"]


def test_every_fact_that_fails_is_told_and_what_depends_on_it_is_not() -> None:
    guards = guards_of(same_rows, torch.zeros(4, 2), torch.zeros(4, 3))
    assert texts(guards, torch.zeros(4, dtype=torch.float64), torch.zeros(4, 3).to("meta")) == [
        "a.dtype: expected torch.float32, got torch.float64",
        "a.dim(): expected 2, got 1",
        "b.device: expected cpu, got meta",
    ]
    assert texts(guards, 3, np.zeros((4, 3))) == [
        "a: expected a tensor of rank 2, got 3",
        "b: expected a tensor of rank 2, got a numpy.ndarray",
    ]


@pytest.mark.parametrize(
    ("traced", "wrong", "text"),
    [
        ([1, 2], (1, 2), "n: expected list of 2, got a tuple"),
        ([1, 2], [1], "n: expected list of 2, got a list"),
        ([1, 2], [1, True], "n[1]: expected an int, got True"),
        ({"a": 1}, {"b": 1}, "n: expected dict with the keys 'a', got a dict"),
        ({"a": 1}, OrderedDict(a=1), "n: expected dict with the keys 'a', got a collections.OrderedDict"),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, "n: expected dict with the keys 'a', 'b', got a dict"),
        (Pair(1, 2), (1, 2), "n: expected Pair of 2, got a tuple"),
        ({}, {1: 2}, "n: expected empty dict, got a dict"),
        (True, 1, "n: expected True, got 1"),
        (None, 0, "n: expected None, got 0"),
        ("sum", "mean", "n: expected 'sum', got 'mean'"),
        (1.5, 2.5, "n: expected 1.5, got 2.5"),
        (0.0, -0.0, "n: expected 0.0, got -0.0"),
        (torch.float32, torch.float64, "n: expected torch.float32, got a torch.dtype"),
    ],
)
def test_containers_and_constants(traced: Any, wrong: Any, text: str) -> None:
    def program(x: torch.Tensor, n: Any) -> Any:
        numbers = n.values() if isinstance(n, dict) else n if isinstance(n, (list, tuple)) else []
        return x + sum(numbers)

    guards = guards_of(program, torch.zeros(3), traced)
    assert check(guards, (torch.zeros(3), traced), {})
    assert texts(guards, torch.zeros(3), wrong) == [text]


def test_a_guard_that_cannot_be_evaluated_fails() -> None:
    x, n = (Symbol("x.shape[0]", "int", ("size", Path("x"), 0), 0, 0), Symbol("n", "int", ("int", Path("n")), 1))
    facts = (tensor(Path("x"), 1), IntFact(Path("n")))
    conditions = eq(mod(symbol(x), symbol(n)), 0), eq(floordiv(symbol(x), symbol(n)), 2)
    guards = by_hand(lambda x, n: x + n, (torch.zeros(4), 2), facts, *map(guard, conditions))
    assert texts(guards, torch.zeros(4), 2) == []
    assert len(texts(guards, torch.zeros(4), 0)) == 2


def test_identity_of_arguments() -> None:
    facts = tensor(Path("a"), 1), tensor(Path("b"), 1), SameFact(Path("b"), Path("a"))
    guards = by_hand(lambda a, b: a + b, (torch.zeros(4), torch.zeros(4)), facts)
    x = torch.zeros(4)
    assert texts(guards, x, x) == []
    assert texts(guards, x, x.clone()) == ["b: expected the same object as a, got another object than a"]


@pytest.mark.parametrize("name", GARBAGE)
def test_any_argument_gets_an_answer(name: str) -> None:
    value = garbage()[name]

    def program(a: Any, b: Any, c: Any) -> Any:
        return a[0] + b["k"] * c

    guards = guards_of(program, [torch.zeros(2, 3)], {"k": torch.zeros(2, 3)}, 4)
    good = [torch.zeros(2, 3)], {"k": torch.zeros(2, 3)}, 4
    assert check(guards, good, {}) is True
    for args in (value, *good[1:]), ([value], *good[1:]), (good[0], {"k": value}, 4), (*good[:2], value):
        assert check(guards, args, {}) is (not texts(guards, *args))


def test_only_a_call_that_cannot_be_bound_raises() -> None:
    guards = guards_of(same_rows, torch.zeros(4, 2), torch.zeros(4, 3))
    with pytest.raises(TypeError, match="missing a required argument"):
        check(guards, (torch.zeros(4, 2),), {})
    with pytest.raises(TypeError, match="unexpected keyword"):
        check(guards, (torch.zeros(4, 2), torch.zeros(4, 2)), {"c": 1})


def masked(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return x * 2 if (mask > 0).all() else x * mask


def test_data_is_read_only_where_all_else_holds() -> None:
    guards = guards_of(masked, torch.zeros(3), torch.ones(3))
    assert check(guards, (torch.zeros(5), torch.ones(5)), {})
    (text,) = texts(guards, torch.zeros(5), torch.zeros(5))
    assert "expected True, got False" in text
    assert not any("True" in text for text in texts(guards, torch.zeros(5), torch.zeros(5, 1)))


def test_the_methods_of_guard_sets_ask_the_same() -> None:
    guards = guardgen.derive(guardgen.trace(same_rows, (torch.zeros(4, 2), torch.zeros(4, 3))))
    assert guards.check(torch.zeros(1, 1), torch.zeros(1, 1)) is True
    assert [str(each) for each in guards.explain(torch.zeros(1), torch.zeros(1, 1))] == ["a.dim(): expected 2, got 1"]
