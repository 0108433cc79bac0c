"""One program a folder, shown after every stage. `make accept` rewrites the files; review the diff."""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path

import pytest

from guardgen import pipeline, spec
from guardgen.cli.show import dropped_lines
from guardgen.emit.native import emit_native
from guardgen.errors import EmitError
from guardgen.guards import GuardSet
from guardgen.pipeline import Built
from guardgen.rules.assertions import assertions
from guardgen.shapes import shape_graph

HERE = Path(__file__).parent
CASES = sorted(path.parent.name for path in HERE.glob("*/program.py"))
STAGES = {
    "trace.txt": lambda built: f"{built.trace.graph}\n",
    "shapes.txt": lambda built: shapes_text(built.guards),
    "guards.txt": lambda built: guards_text(built.guards),
    "module.py": lambda built: built.texts[f"{built.program.name}.py"],
    "module_torchscript.py": lambda built: built.texts[f"{built.program.name}_torchscript.py"],
    "header.txt": lambda built: own_part(built.texts[f"{built.program.name}.hpp"]),
    "native.txt": lambda built: native_text(built),
}


@functools.cache
def build(case: str) -> Built:
    (program,) = spec.load(HERE / case / "program.py")
    return pipeline.build(program)


def shapes_text(guards: GuardSet) -> str:
    """The int-only graph, and the same graph under the print table."""
    graph = shape_graph(guards)
    return f"{graph}\n\n{assertions(graph)}\n"


def guards_text(guards: GuardSet) -> str:
    """What is checked, and what is not since it follows."""
    dropped = [f"    {line}" for each in guards.dropped for line in dropped_lines(each)]
    return "\n".join([str(guards), "dropped:", *dropped]) + "\n"


def own_part(header: str) -> str:
    """A C++ header without what is the same in all of them."""
    return header[header.rindex("\nnamespace guardgen {") + 1 :]


def native_text(built: Built) -> str:
    """What is before the functions that are the same in all native forms, or why there is none."""
    try:
        text = emit_native(dataclasses.replace(built.guards, name=built.program.name))
    except EmitError as error:
        return f"{error}\n"
    return own_part(text).partition("PyObject* call(")[0].rstrip() + "\n"


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("case", CASES)
def test_every_stage_gives_its_golden_file(case: str, stage: str, accept: bool) -> None:
    text, path = STAGES[stage](build(case)), HERE / case / stage
    if accept:
        path.write_text(text, encoding="utf-8")
    assert path.is_file(), "no golden file; make accept writes it"
    assert text == path.read_text(encoding="utf-8")
