"""Compare two emitted modules, or guards stored as JSON: which guards came and went, and shapes only one accepts.

Exit code 0 if they have the same guards, 1 if not. The shapes are searched for; that none are found proves nothing.
Of a module, the data at its end is read and no code is run; only where `JSON` is None, the module is imported.

example:
  guardgen diff old/model.py generated/model.py
"""

from __future__ import annotations

import argparse
import inspect
from pathlib import Path
from typing import Any

from guardgen import diff
from guardgen.cli import given
from guardgen.cli.emitted import containers, load
from guardgen.diff import Accepts, Difference, Shapes
from guardgen.errors import SpecError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("old", type=Path, metavar="OLD", help="an emitted module, guards as JSON, or an artifact")
    parser.add_argument("new", type=Path, metavar="NEW", help="the one to compare with it")


def run(options: argparse.Namespace) -> int:
    old, new = load(options.old, as_data=True), load(options.new, as_data=True)
    found = diff.diff(old.GUARDS, new.GUARDS, accepts(old), accepts(new))
    print(shown(found, str(options.old), str(options.new)))
    return 0 if found.same else 1


def accepts(module: Any) -> Accepts:
    """Whether the module's `check_shapes` says True of shapes; what else it needs is as its guards say."""
    inside = containers(module)
    literals = {path: what for path, what in inside.items() if is_literal(what)}

    def check(shapes: Shapes) -> bool:
        sizes = [f"{path}={'x'.join(map(str, each)) or '()'}" for path, each in shapes.items() if type(each) is tuple]
        ints = [f"{path}={each}" for path, each in shapes.items() if type(each) is int]
        constants = [f"{path}={text}" for path, text in literals.items() if path not in shapes]
        try:
            arguments = given.arguments(sizes, ints, constants, inside)
            for name, each in inspect.signature(module.check_shapes).parameters.items():
                if each.default is each.empty:
                    arguments.setdefault(name, None)  # nothing reads it
            return bool(given.call(module.check_shapes, arguments))
        except SpecError:  # an argument that the module does not have
            return False

    return check


def is_literal(text: str) -> bool:
    try:
        given.constant(text)
    except SpecError:
        return False
    return True


def shown(found: Difference, old: str, new: str) -> str:
    if found.same:
        return f"{old} and {new} have the same guards"
    lines = [f"- {guard.condition}" for guard in found.went] + [f"+ {guard.condition}" for guard in found.came]
    for shapes, name in ((found.only_old, old), (found.only_new, new)):
        text = "none were found" if shapes is None else ", ".join(f"{path}: {each}" for path, each in shapes.items())
        lines.append(f"accepted by {name} only: {text}")
    return "\n".join(lines)
