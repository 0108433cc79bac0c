"""What the measured ratios may be at most; a benchmark that finds more has failed."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.speed.check import Checked
from benchmarks.speed.derive import Derived
from benchmarks.speed.growth import Grown
from benchmarks.speed.pairs import Spread

CHECK = {"check / Dynamo": 0.35, "check_shapes / Dynamo": 0.08, "native / Dynamo": 0.10, "check / floor": 3.0}
DERIVE = 0.10
BLOCK = 1.2
LENGTHS = ((512, 8), (720, 72))  # in blocks


@dataclass(frozen=True)
class Held:
    """One ratio beside its limit. It is exceeded only if its lower quartile is: the rest is noise."""

    what: str
    found: Spread
    limit: float

    @property
    def exceeded(self) -> bool:
        return self.found.low > self.limit


def of_checks(rows: Sequence[Checked]) -> Iterator[Held]:
    """The median program; of the forms that all programs have."""
    for name, limit in CHECK.items():
        ratios = [found for row in rows for label, found in row.ratios() if label == name]
        if ratios:
            yield Held(f"{name}, median of the programs", median(ratios), limit)


def of_derivation(rows: Sequence[Derived]) -> Iterator[Held]:
    ratios = [row.ratio("torch.export") for row in rows if "torch.export" in row.times]
    if ratios:
        yield Held("trace, derive and emit / torch.export, median of the models", median(ratios), DERIVE)


def of_growth(grown: Grown) -> Iterator[Held]:
    for longer, shorter in LENGTHS:
        if longer in grown.seconds and shorter in grown.seconds:
            yield Held(f"a block of {longer} / a block of {shorter}", grown.ratio(longer, shorter), BLOCK)


def median(ratios: Sequence[Spread]) -> Spread:
    return Spread(*(statistics.median(getattr(each, name) for each in ratios) for name in ("low", "middle", "high")))
