"""The measured tables, as the Markdown of `docs/performance.md`."""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata

from benchmarks.speed.check import RATIOS, Checked
from benchmarks.speed.derive import SYSTEMS, Derived
from benchmarks.speed.growth import Grown
from benchmarks.speed.limits import Held

FORMS = ("check", "check_shapes", "native", "TorchScript", "Dynamo", "floor")
MEGABYTE = 1 << 20


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Words to the left, numbers to the right."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def checks(rows: Sequence[Checked]) -> str:
    forms = [form for form in FORMS if any(form in row.times for row in rows)]
    times = table(
        ["ns a check", "tensors", "guards", *map(code, forms)],
        ([row.program, str(row.tensors), str(row.guards), *(nanoseconds(row.times, form) for form in forms)]
         for row in rows),
    )  # fmt: skip
    labels = [f"{one} / {other}" for one, other in RATIOS if one in forms]
    found = [(row.program, dict(row.ratios())) for row in rows]
    ratios = table(
        ["ratio", *labels], ([name, *(str(ratios.get(label, "")) for label in labels)] for name, ratios in found)
    )
    return f"{times}\n\n{ratios}"


def nanoseconds(times: Mapping[str, Sequence[float]], form: str) -> str:
    return f"{statistics.median(times[form]) * 1e9:,.0f}" if form in times else ""


def code(form: str) -> str:
    return f"`{form}`" if form.startswith("check") else form


def derivations(rows: Sequence[Derived]) -> str:
    others = list(SYSTEMS)[1:]
    heads = ["seconds", "operators", *SYSTEMS, *(f"guardgen / {name}" for name in others)]
    lines = []
    for row in rows:
        seconds = [f"{statistics.median(row.times[name]):.3f}" if name in row.times else "fails" for name in SYSTEMS]
        ratios = [str(row.ratio(name)) if name in row.times else "" for name in others]
        lines.append([row.model, str(row.operators), *seconds, *ratios])
    notes = [f"\n`{name}` of {row.model}: {why}" for row in rows for name, why in row.failures.items()]
    return "\n".join([table(heads, lines), *notes])


def growth(grown: Grown) -> str:
    lines = []
    for depth, seconds in grown.seconds.items():
        median, operators = statistics.median(seconds), grown.operators[depth]
        times = [f"{median:.3f}", f"{median / depth * 1e3:.2f}", f"{median / operators * 1e6:.0f}"]
        memory = [f"{found[depth] / MEGABYTE:.1f}" if depth in found else "" for found in (grown.kept, grown.peak)]
        others = [f"{found[depth]:.2f}" if depth in found else "" for found in grown.peers.values()]
        lines.append([str(depth), f"{operators:,}", *times, *memory, *others])
    units = ["seconds", "ms a block", "µs an operator", "MB kept", "MB at most"]
    return table(["blocks", "operators", *units, *(f"{name}, s" for name in grown.peers)], lines)


def limits(held: Iterable[Held]) -> str:
    rows = ([each.what, str(each.found), f"{each.limit:g}", "no" if each.exceeded else "yes"] for each in held)
    return table(["ratio", "measured", "at most", "kept"], rows)


def machine() -> str:
    """What was measured, and on what; figures of two machines are not to be compared."""
    packages = ["torch", "transformers"]
    versions = [f"{name} {version}" for name in packages if (version := installed(name))]
    what = f"Python {platform.python_version()}, {', '.join(versions)}"
    return f"{processor()}, {os.cpu_count()} cores, {platform.system()}; {what}; one thread."


def installed(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()
