"""Guard set -> render model -> text; one module a target."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from guardgen.emit.cpp import emit_cpp
from guardgen.emit.python import emit_python
from guardgen.emit.torchscript import emit_torchscript
from guardgen.errors import EmitError
from guardgen.guards import GuardSet

TARGETS: dict[str, Callable[[GuardSet], str]] = {
    "python": emit_python,
    "torchscript": emit_torchscript,
    "cpp": emit_cpp,
}


def emit(guards: GuardSet, target: str, *, name: str | None = None) -> str:
    """The source text of the guards for `target`, `python`, `torchscript` or `cpp`.

    `name` is what the header calls the traced function. Raises `EmitError` where the target cannot express an argument,
    which it names.
    """
    if target not in TARGETS:
        raise EmitError(f"there is no target {target!r}; the targets are {', '.join(TARGETS)}")
    return TARGETS[target](dataclasses.replace(guards, name=name or guards.name))
