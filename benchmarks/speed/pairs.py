"""Times measured in turns, so that what disturbs the machine disturbs all that are compared, and their ratios."""

from __future__ import annotations

import gc
import statistics
import time
import timeit
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Call = Callable[[], Any]
LOOP = 0.01  # seconds, of one loop of calls that take less
SLOW = 0.5  # seconds, of a call that is not made more often than must be


@dataclass(frozen=True)
class Spread:
    """A median, and the quartiles around it."""

    low: float
    middle: float
    high: float

    @staticmethod
    def of(values: Sequence[float]) -> Spread:
        if len(values) < 2:
            return Spread(values[0], values[0], values[0])
        return Spread(*statistics.quantiles(values, n=4, method="inclusive"))

    def __str__(self) -> str:
        return f"{self.middle:.3g} ({self.low:.3g} to {self.high:.3g})"


Times = Mapping[str, list[float]]


def in_turns(calls: Mapping[str, Call], rounds: int) -> Times:
    """The seconds of one call of each, in every round; nothing is collected meanwhile."""
    numbers = {name: how_many(call) for name, call in calls.items()}
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            times[name].append(seconds(call, numbers[name]))
    return times


def how_many(call: Call) -> int:
    """How many calls make a loop that is long enough to be timed. Those before fill caches, and TorchScript optimises
    what it runs for the second time."""
    slow = 0
    for _ in range(3):
        slow += timed(call, 1) > SLOW
        if slow == 2:
            return 1
    number = 1
    while number < 1 << 20:
        if timed(call, number) > LOOP:
            break
        number *= 2
    return number


def seconds(call: Call, number: int) -> float:
    """The seconds of one call: the best of three loops if loops are short, whose disturbances only add to them."""
    gc.collect()
    gc.disable()
    try:
        return min(timed(call, number) for _ in range(3 if number > 1 else 1)) / number
    finally:
        gc.enable()


def timed(call: Call, number: int) -> float:
    """The seconds of the processor: what else the machine does is not counted."""
    return timeit.Timer(call, timer=time.process_time).timeit(number)


def ratio(times: Times, one: str, other: str) -> Spread:
    """How often `other` fits into `one`, in the same round."""
    return Spread.of([a / b for a, b in zip(times[one], times[other], strict=True)])
