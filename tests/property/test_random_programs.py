"""Random programs, from fixed seeds: every answer of every form is right. `make fuzz` asks about ever new ones."""

from __future__ import annotations

import pytest

from benchmarks.exactness.random_programs import generate, measure
from tests.property.strategies_calls import CALLS

PAIRS = 2000
PARTS = 8  # so that workers share them
PROGRAMS = -(-PAIRS // (PARTS * (CALLS + 1)))


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.filterwarnings("ignore::UserWarning")  # PyTorch's, of what random programs do
def test_every_answer_about_random_programs_is_right(part: int) -> None:
    count = measure(part, PROGRAMS)
    assert count.faults == []
    assert count.right + count.wrong + count.untraced * (CALLS + 1) >= PROGRAMS * (CALLS + 1)
    assert count.accepted > PROGRAMS


@pytest.mark.parametrize("level", ["aten", "prims"])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_the_other_levels_accept_is_right(level: str) -> None:
    assert measure(PARTS, 5, level=level).faults == []


def test_programs_of_one_seed_are_the_same() -> None:
    assert list(generate(3, 4)) == list(generate(3, 4))
