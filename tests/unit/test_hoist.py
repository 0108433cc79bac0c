"""Observations of data in traces that write: the guard computes them on entry, and writes to nobody's memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

import guardgen
from guardgen.hoist import CannotHoist
from tests.unit.emitted import load


def elsewhere(x: Tensor) -> Tensor:
    counts = torch.zeros(x.shape[0])
    counts[1:] = 1
    return x + 1 if x.sum() > 0 else x - counts


def into_what_is_observed(x: Tensor) -> Tensor:
    sums = torch.zeros(x.shape[0])
    sums[0] = x[0]
    sums.mul_(2)
    return x + 1 if sums.sum() > 0 else x


def after_a_view_was_taken(x: Tensor) -> Tensor:
    doubled = x * 2
    first = doubled[0]
    doubled.add_(10)
    return x + 1 if first > 5 else x


def its_metadata(x: Tensor) -> Tensor:
    copied = x.clone()
    copied.unsqueeze_(0)
    return x + 1 if copied[0].sum() > 0 else x


@pytest.mark.parametrize("program", [elsewhere, into_what_is_observed, after_a_view_was_taken, its_metadata])
def test_writes_to_the_trace_s_own_memory_are_made_in_the_guard_too(program: Callable[..., Any]) -> None:
    high, low = torch.ones(3), torch.full((3,), -20.0)
    guards = guardgen.derive(guardgen.trace(program, (high,)))
    module = load(guardgen.emit(guards, "python"))
    for x, expected in [(high, True), (low, False), (torch.ones(5), True)]:
        before = x.clone()
        assert guards.check(x) is module.check(x) is expected
        assert torch.equal(x, before)


def an_argument(x: Tensor, y: Tensor) -> Tensor:
    x.add_(1)
    return x + 1 if x.sum() > 0 else x


def another_argument_which_may_share_memory(x: Tensor, y: Tensor) -> Tensor:
    y[0] = 1.0
    return x + 1 if x.sum() > 0 else x


def what_an_operator_returned_unchanged(x: Tensor, y: Tensor) -> Tensor:
    F.dropout(x, 0.5, False).add_(1)
    return x + 1 if x.sum() > 0 else x


def by_an_operator_that_returns_nothing(x: Tensor, y: Tensor) -> Tensor:
    copied, other = x.clone(), x + 1
    torch._foreach_add_([copied, other], 1.0)
    return x + 1 if copied.sum() > 0 else other


REFUSED = [an_argument, another_argument_which_may_share_memory, what_an_operator_returned_unchanged]
REFUSED.append(by_an_operator_that_returns_nothing)


@pytest.mark.parametrize("program", REFUSED)
def test_a_write_that_the_guard_may_not_make_is_refused(program: Callable[..., Any]) -> None:
    trace = guardgen.trace(program, (torch.ones(3), torch.ones(3)))
    with pytest.raises(CannotHoist, match="writes to a tensor before it"):
        guardgen.derive(trace)


def test_positions_are_known_where_the_trace_writes_elsewhere() -> None:
    table = torch.nn.Embedding(8, 2).requires_grad_(False)

    def look_up(x: Tensor) -> Tensor:
        scratch = torch.zeros(2)
        scratch[0] = 1
        return table(torch.arange(x.shape[0])) + scratch

    guards = guardgen.derive(guardgen.trace(look_up, (torch.ones(3),)))
    assert [guards.check(torch.ones(n)) for n in (0, 8, 9)] == [True, True, False]
