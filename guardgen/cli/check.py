"""Ask an emitted Python module, or guards stored as JSON, whether the trace is valid for tensors of these sizes.

Exit code 0 if it is, 1 if not, with the guards that fail. Dtypes, devices, strides and data are taken to be right.

examples:
  guardgen check generated/textbook_prims.py --shape a=8 b=8
  guardgen check generated/kv_cache.py --shape query=1x4x1x16 --int position=5
"""

from __future__ import annotations

import argparse
from pathlib import Path

from guardgen.cli import emitted
from guardgen.cli.emitted import failing, load, question


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "module",
        type=Path,
        metavar="MODULE",
        help="an emitted module, guards as JSON, or an artifact",
    )
    emitted.add_arguments(parser)


def run(options: argparse.Namespace) -> int:
    found = failing(load(options.module), options)
    if not found:
        print(f"{options.module}: valid for {question(options)}")
        return 0
    print(f"{options.module}: not valid for {question(options)}")
    for violation in found:
        print(f"  {violation}")
    return 1
