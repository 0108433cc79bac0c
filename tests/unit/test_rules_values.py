"""Indices that sizes give must be in range: which conditions that makes, and that they are exact."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from guardgen import derive, trace

Program = Callable[[torch.Tensor, torch.Tensor], Any]


def positions(x: torch.Tensor) -> torch.Tensor:
    return torch.arange(x.shape[0])


LOOK_UPS: dict[str, Program] = {
    "index": lambda x, table: table[positions(x)],
    "negative index": lambda x, table: table[positions(x) - 2],
    "index of two": lambda x, table: table.expand(2, -1)[1, positions(x)],
    "gather": lambda x, table: table.gather(0, positions(x)),
    "index_select": lambda x, table: table.index_select(0, positions(x)),
    "index_add": lambda x, table: table.index_add(0, positions(x), x),
    "index_fill": lambda x, table: table.index_fill(0, positions(x), 0.0),
    "scatter": lambda x, table: table.scatter(0, positions(x), 1.0),
    "take": lambda x, table: table.take(positions(x)),
    "classes": lambda x, table: torch.nn.functional.one_hot(positions(x), 9) * table.sum(),
    "counted": lambda x, table: table[torch.ones(x.shape[0], dtype=torch.int64).cumsum(0) * 2],
    "a part of the positions": lambda x, table: table[positions(x)[:2]],
    "sums that do not meet": lambda x, table: table[positions(x) + positions(x).flip(0)],
    "sums that meet": lambda x, table: table[positions(x)[:, None] + torch.arange(2)],
}
MAY_MISS = ("a part of the positions", "sums that do not meet")  # what is known there is no tight bound, so not used


@pytest.mark.parametrize("name", LOOK_UPS)
def test_indices_from_sizes_are_in_range_exactly_where_the_program_runs(name: str) -> None:
    program = LOOK_UPS[name]
    guards = derive(trace(program, (torch.ones(3), torch.ones(9))))
    answers = []
    for count in (0, 1, 2, 3, 5, 8):
        for entries in (0, 1, 2, 3, 5, 9, 10):
            args = torch.ones(count), torch.ones(entries)
            try:
                program(*args)
                runs = True
            except (IndexError, RuntimeError):
                runs = False
            answers.append((count, entries, runs, guards.check(*args)))
    assert not [each for each in answers if each[2] and not each[3]]
    if name not in MAY_MISS:
        assert not [each for each in answers if each[3] and not each[2]]
