"""Explain every guard of an emitted module, or of the programs of a spec file, and why given shapes fail.

examples:
  guardgen explain generated/textbook_prims.py
  guardgen explain generated/textbook_prims.py --shape a=1 b=1     # exit code 1: not valid
  guardgen explain examples/textbook.py textbook_prims
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from guardgen import files, pipeline
from guardgen.cli import emitted
from guardgen.cli.chosen import chosen
from guardgen.cli.emitted import failing, load, question
from guardgen.errors import SpecError
from guardgen.spec import Program

WHY = {
    "fact": "the program reads this argument",
    "observation": "otherwise the program would go another way than in the traced run",
    "declared": "the trace is promised for no other sizes",
    "precondition": "otherwise an operator would refuse its inputs",
    "artifact": "otherwise the artifact would answer for what its maker took to be so",
    "data": "otherwise what is in the tensors would send the program another way",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "path", type=Path, metavar="PATH", help="an emitted module, guards as JSON, an artifact, or a spec"
    )
    parser.add_argument("program", nargs="?", metavar="PROGRAM", help="the name of one of a spec file's programs")
    emitted.add_arguments(parser)


def run(options: argparse.Namespace) -> int:
    modules = find(options.path, options.program)
    asked = bool(options.shape or options.int or options.value)
    if asked and len(modules) > 1:
        raise SpecError(f"{options.path}: name one of the programs {', '.join(modules)}")
    code = 0
    for i, (name, module) in enumerate(modules.items()):
        print("\n" * bool(i) + explained(name, module.GUARDS))
        if asked:
            found = failing(module, options)
            print("\n" + answer(found, question(options)))
            code = 1 if found else 0
    return code


def find(path: Path, program: str | None) -> dict[str, Any]:
    """The emitted modules to explain, by name; those of a spec file are built for the purpose."""
    if path.is_file() and not files.is_generated(path) and not emitted.is_stored(path):
        return dict(chosen(path, program, emit_module))
    return {str(path): load(path)}


def emit_module(program: Program) -> tuple[str, Any]:
    text = pipeline.python_text(program)
    return program.name, emitted.module(text, program.name, program.line.file)


def explained(name: str, guards: Any) -> str:
    if not guards:
        return f"{name}: the trace is valid for any arguments."
    lines = [f"{name}: the trace is valid where all of these hold."]
    for guard in guards:
        lines += ["", f"  {guard.condition}", f"      {WHY[guard.kind]}"]
        lines += [f"      {line}" for line in guard.lines]
    return "\n".join(lines)


def answer(found: list[Any], question: str) -> str:
    if not found:
        return f"For {question} it is valid."
    return "\n".join([f"For {question} it is not valid.", *(f"  {violation}" for violation in found)])
