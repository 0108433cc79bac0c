"""Files on disk: written whole or not at all, and only if they change."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

MARK = "Made by guardgen"  # the first line of every generated file has it
SUFFIXES = (".py", ".hpp")


def differs(path: Path, text: str) -> bool:
    """Whether the file is missing or has another text."""
    try:
        return path.read_bytes() != text.encode()
    except FileNotFoundError:
        return True


def write(path: Path, text: str) -> bool:
    """Make `text` what the file has; whether that changed anything."""
    if not differs(path, text):
        return False
    replace(path, lambda temporary: save(temporary, text))
    return True


def save(path: Path, text: str) -> None:
    with path.open("wb") as file:
        file.write(text.encode())
        file.flush()
        os.fsync(file.fileno())


def replace(path: Path, save: Callable[[Path], None]) -> None:
    """What `save` writes to a temporary file becomes `path` in one step: a reader, or a build that was interrupted,
    finds the old file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        save(temporary)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def stale(folder: Path, made: Iterable[Path]) -> list[Path]:
    """The generated files in `folder` that are none of `made`: their programs are gone."""
    known = {path.resolve() for path in made}
    found = [path for suffix in SUFFIXES for path in folder.glob(f"*{suffix}")]
    return [path for path in sorted(found) if path.resolve() not in known and is_generated(path)]


def is_generated(path: Path) -> bool:
    with path.open(encoding="utf-8", errors="replace") as file:
        return MARK in file.readline()
