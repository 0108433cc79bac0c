"""Traces that are cut at observations of data that cannot be checked on entry."""

from __future__ import annotations

import pytest
import torch

import guardgen
from guardgen.hoist import CannotHoist
from guardgen.segments import SegmentError

LAYER = torch.nn.Linear(16, 16).requires_grad_(False)


def gated(x: torch.Tensor) -> tuple[torch.Tensor, int]:
    hidden = LAYER(x)
    if hidden.mean() > 0:
        result = torch.relu(hidden)
    else:
        result = torch.tanh(hidden) * 2
    if result.shape[0] % 2 == 0:
        result = result + 1
    count = int((hidden > 0).sum())
    if count > 3:
        result = result[:count]
    return result, x.shape[0] * 2


def towards(sign: int, rows: int) -> torch.Tensor:
    """An input on which the mean of the hidden layer has this sign."""
    for seed in range(100):
        x = torch.randn(rows, 16, generator=torch.Generator().manual_seed(seed))
        if (LAYER(x).mean() > 0) == (sign > 0):
            return x
    raise AssertionError("no input found")


@pytest.mark.parametrize("sign", [1, -1])
def test_a_branch_on_data_in_the_middle_is_followed_both_ways(sign: int) -> None:
    guards = guardgen.derive(guardgen.trace(gated, (towards(sign, 4),)), on_data="split")
    assert len(guards.segments) == 2
    for rows in (2, 6):
        x = towards(sign, rows)
        (result, double), (expected, twice) = guards.run(x), gated(x)
        assert torch.equal(result, expected)
        assert double == twice


def test_each_observation_of_data_says_which_way_was_taken() -> None:
    guards = guardgen.derive(guardgen.trace(gated, (towards(1, 4),)), on_data="split")
    cut, *others = map(str, guards.ways)
    assert cut.startswith("split: it depends on a constant of 256 elements  # ")
    assert "if hidden.mean() > 0" in cut
    assert all(each.startswith("hoist: ") for each in others)
    assert any("if count > 3" in each for each in others)


def test_the_mismatch_names_segment_values_and_line() -> None:
    guards = guardgen.derive(guardgen.trace(gated, (towards(1, 4),)), on_data="split")
    with pytest.raises(SegmentError, match=r"segment 1: .*expected True, got False.*if hidden.mean\(\) > 0") as caught:
        guards.run(towards(-1, 4))
    assert caught.value.segment == 1


def test_a_size_that_differs_is_refused_where_it_is_seen() -> None:
    guards = guardgen.derive(guardgen.trace(gated, (towards(1, 4),)), on_data="split")
    with pytest.raises(SegmentError, match="segment 0"):
        guards.run(torch.randn(4, 15))
    with pytest.raises(SegmentError, match="segment 1"):
        guards.run(towards(1, 5))


def test_without_splitting_the_line_is_named() -> None:
    trace = guardgen.trace(gated, (towards(1, 4),))
    with pytest.raises(CannotHoist, match=r"test_split.py:\d+: this observation of tensor data"):
        guardgen.derive(trace)
    with pytest.raises(guardgen.DeriveError, match="depends on the data"):
        guardgen.derive(trace, on_data="error")


def test_what_can_be_checked_on_entry_is_not_cut() -> None:
    def masked(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return x if mask.all() else x * mask

    guards = guardgen.derive(guardgen.trace(masked, (torch.randn(3), torch.ones(3))), on_data="split")
    assert guards.segments == ()
    assert guards.check(torch.randn(5), torch.ones(5))
    assert not guards.check(torch.randn(5), torch.zeros(5))
