"""Two charts as SVG, drawn from the measurements with logarithmic axes; no library is needed for that."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2

from benchmarks.speed.check import Checked
from benchmarks.speed.derive import OURS
from benchmarks.speed.growth import Grown

COLOURS = {
    "check": "#1b6ca8", "check_shapes": "#6fb1de", "native": "#0b3954", "TorchScript": "#9a9a9a",
    "Dynamo": "#c8553d", "floor": "#d9d9d9",
    OURS: "#1b6ca8", "torch.export": "#c8553d", "make_fx": "#e09f3e", "jit.trace": "#9a9a9a",
}  # fmt: skip
LEFT, TOP, WIDTH, HEIGHT = 70, 50, 640, 300


@dataclass(frozen=True)
class Axis:
    """A logarithmic axis from `start` to `end`, in pixels."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        part = math.log(value / self.low) / math.log(self.high / self.low)
        return round(self.start + part * (self.end - self.start), 1)

    def ticks(self) -> list[tuple[float, str]]:
        first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
        return [(self.at(10.0**power), f"{10.0**power:,g}") for power in range(first, last + 1)]


def upwards(values: Sequence[float]) -> Axis:
    low, high = 10 ** math.floor(math.log10(min(values))), 10 ** math.ceil(math.log10(max(values)))
    return Axis(low, high, TOP + HEIGHT, TOP)


def checks(rows: Sequence[Checked]) -> str:
    """A group of bars for each program, in nanoseconds."""
    forms = [form for form in COLOURS if any(form in row.times for row in rows)]
    medians = [{form: statistics.median(row.times[form]) * 1e9 for form in forms if form in row.times} for row in rows]
    axis = upwards([value for each in medians for value in each.values()])
    group = WIDTH / len(rows)
    bar = group * 0.8 / len(forms)
    bars, names = [], []
    for i, row in enumerate(rows):
        left = LEFT + group * i + group * 0.1
        names.append((round(LEFT + group * (i + 0.5), 1), row.program))
        for j, form in enumerate(forms):
            if form in medians[i]:
                top = axis.at(medians[i][form])
                height = round(TOP + HEIGHT - top, 1)
                bars.append((round(left + bar * j, 1), top, round(bar * 0.9, 1), height, COLOURS[form]))
    return fill("One check, in nanoseconds", axis.ticks(), names, legend(forms), bars=bars)


def lengths(grown: Grown) -> str:
    """Seconds against blocks; both axes logarithmic, so a straight line of slope 1 is growth in proportion."""
    ours = {depth: statistics.median(seconds) for depth, seconds in grown.seconds.items()}
    series: Mapping[str, Mapping[int, float]] = {OURS: ours, **grown.peers}
    axis = upwards([value for each in series.values() for value in each.values()])
    across = Axis(min(ours), max(ours), LEFT + 20, LEFT + WIDTH - 20)
    lines = [
        ([(across.at(depth), axis.at(value)) for depth, value in sorted(each.items())], COLOURS[name])
        for name, each in series.items()
    ]
    names = [(across.at(depth), str(depth)) for depth in ours]
    return fill("Trace and derive, in seconds, against the number of blocks", axis.ticks(), names,
                legend(list(series)), lines=lines)  # fmt: skip


def legend(names: Sequence[str]) -> list[tuple[float, str, str]]:
    step = WIDTH / max(len(names), 4)
    return [(LEFT + step * i, name, COLOURS[name]) for i, name in enumerate(names)]


def fill(title: str, ticks: object, names: object, legend: object, *, bars: object = (), lines: object = ()) -> str:
    loader = jinja2.FileSystemLoader(Path(__file__).parent)
    options = {"undefined": jinja2.StrictUndefined, "trim_blocks": True, "lstrip_blocks": True}
    chart = jinja2.Environment(loader=loader, autoescape=True, keep_trailing_newline=True, **options)  # type: ignore[arg-type]
    frame = {"left": LEFT, "right": LEFT + WIDTH, "top": TOP, "bottom": TOP + HEIGHT}
    text: str = chart.get_template("chart.svg.jinja").render(
        title=title, ticks=ticks, names=names, legend=legend, bars=bars, lines=lines, **frame
    )
    return text
