"""Prove that the guards of the programs of a spec file mean what the traces observed, and that none is redundant.

Needs z3: pip install "guardgen[prove]". Exit code 0 if all is proved, 1 if something is refuted or undecided.

examples:
  guardgen prove examples/textbook.py
  guardgen prove examples/kv_cache.py kv_cache --seconds 60
"""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path

from guardgen import pipeline
from guardgen.cli.chosen import chosen
from guardgen.prove import SECONDS, Proof
from guardgen.spec import Program


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("spec", type=Path, metavar="SPEC.py", help="a file that registers programs")
    parser.add_argument("program", nargs="?", metavar="PROGRAM", help="the name of one of them; all if left out")
    parser.add_argument(
        "--seconds", type=float, default=SECONDS, metavar="N", help=f"time for one program; {SECONDS:g} if left out"
    )


def run(options: argparse.Namespace) -> int:
    def proof(program: Program) -> Proof:
        guards = pipeline.build(dataclasses.replace(program, targets=("python",))).guards
        return dataclasses.replace(guards.prove(seconds=options.seconds), name=program.name)

    proofs = chosen(options.spec, options.program, proof)
    print("\n".join(map(str, proofs)))
    return 0 if all(each.proved for each in proofs) else 1
