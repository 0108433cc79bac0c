"""The programs of a spec file that the command line names, built."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from guardgen import spec
from guardgen.cli.failures import failure
from guardgen.errors import GuardgenError, SpecError
from guardgen.spec import Program

Made = TypeVar("Made")


def chosen(path: Path, name: str | None, make: Callable[[Program], Made]) -> list[Made]:
    """What `make` makes of each program of a spec file, or of the one called `name`; errors become one line."""
    programs = [program for program in spec.load(path) if name in (None, program.name)]
    if not programs:
        known = ", ".join(program.name for program in spec.load(path))
        raise SpecError(f"{path}: there is no program {name!r}; there are {known}")
    return [made(program, make) for program in programs]


def made(program: Program, make: Callable[[Program], Made]) -> Made:
    if program.missing:
        raise SpecError(f"program {program.name} needs {', '.join(program.missing)}", line=program.line)
    try:
        return make(program)
    except Exception as error:
        raise GuardgenError(failure(program, error)) from error
