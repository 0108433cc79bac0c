"""Measure how exact guards are, and print one table.

python -m benchmarks.exactness                      everything; what `make exact` runs
python -m benchmarks.exactness programs --faults    some of it, with every fault in words
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from collections.abc import Iterator

import torch

from benchmarks.exactness import architectures, operators, peers, random_programs, small
from benchmarks.exactness.forms import Guardgen
from benchmarks.exactness.judge import COLUMNS, Count, row

PARTS = ("programs", "architectures", "operators", "random")


def measured(options: argparse.Namespace) -> Iterator[tuple[str, str, Count]]:
    """The rows of the table: what was asked, of which system, and the answers."""
    systems = (Guardgen, *(() if options.alone else peers.PEERS))
    if "programs" in options.parts:
        for name, count in small.measure(systems).items():
            yield "programs", name, count
    if "architectures" in options.parts and importlib.util.find_spec("transformers") is not None:
        for name, count in architectures.measure(systems).items():
            yield "architectures", name, count
    if "operators" in options.parts:
        yield "operators", Guardgen.name, operators.measure(samples=options.samples)
    if "random" in options.parts:
        yield "random programs", Guardgen.name, random_programs.measure(options.seed, options.programs)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"some of: {', '.join(PARTS)}; all, if none is named")
    parser.add_argument("--alone", action="store_true", help="without PyTorch's own systems")
    parser.add_argument("--faults", action="store_true", help="print every fault of guardgen")
    parser.add_argument("--samples", type=int, default=operators.SAMPLES, help="samples of each operator")
    parser.add_argument("--programs", type=int, default=500, help="random programs, with 21 calls each")
    parser.add_argument("--seed", type=int, default=0, help="where the random programs begin")
    options = parser.parse_args()
    unknown = sorted(set(options.parts) - set(PARTS))
    if unknown:
        parser.error(f"there is no part {unknown[0]!r}; the parts are {', '.join(PARTS)}")
    options.parts = options.parts or PARTS
    torch.set_num_threads(1)
    peers.quiet()
    print("| asked about | of | " + " | ".join(COLUMNS) + " | seconds |")
    print("|---|---|" + "---|" * (len(COLUMNS) + 1))
    started, failed = time.time(), False
    for what, system, count in measured(options):
        print(f"| {what} | {system} | " + " | ".join(row(count)) + f" | {time.time() - started:.0f} |", flush=True)
        if system == Guardgen.name:
            failed = failed or bool(count.unsound or count.not_total or count.inconsistent)
            if options.faults:
                print("\n".join(count.faults))
        started = time.time()
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
