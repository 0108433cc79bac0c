"""The header of every emitted file, whatever its target."""

from __future__ import annotations

from importlib import metadata

from guardgen.emit.literals import comment
from guardgen.guards import GuardSet


def header(guards: GuardSet, mark: str = "#") -> tuple[str, ...]:
    """What the file was made from, and by what; nothing that differs between two machines."""
    files = {line.file: None for guard in guards.raw for line in guard.lines}
    place = f" of {next(iter(files))}" if files else ""
    texts = (
        f"Made by guardgen {version()}; do not edit, change the program and build again.",
        f"For which arguments a trace is valid: function {guards.name}{place}, traced at level {guards.level}.",
        *guards.environment.texts(),
    )
    return tuple(f"{mark} {comment(text, len(mark) - 1)}" for text in texts)


def version() -> str:
    try:
        return metadata.version("guardgen")
    except metadata.PackageNotFoundError:
        return "0.1.0"
