"""Where in the user's program an observation was made: the first frame outside torch and guardgen."""

from __future__ import annotations

import functools
import os
import sys
import sysconfig
from pathlib import Path
from types import CodeType, FrameType

import torch

import guardgen
from guardgen.ir import Line

_TORCH, _OURS = (str(Path(module.__file__ or "").parent) + os.sep for module in (torch, guardgen))
_STDLIB = sysconfig.get_paths()["stdlib"] + os.sep
_PACKAGES = f"{os.sep}site-packages{os.sep}"
START_FILE, START_FUNCTION = f"{_OURS}tracing{os.sep}trace.py", "call_program"
_PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg", ".git")


def is_user_file(path: str) -> bool:
    """Whether code of that file is the user's: not torch, not guardgen, not the standard library."""
    if path.startswith((_TORCH, _OURS, "<frozen", "<__array_function__")):
        return False
    return not path.startswith(_STDLIB) or _PACKAGES in path


_origins: dict[int, tuple[CodeType, str]] = {}  # by identity, since hashing a code object reads all of it


def origin(code: CodeType) -> str:
    """Whose code it is: `user`, `start` (guardgen calling the program), `torch` (a module's forward) or nobody's."""
    known = _origins.get(id(code))
    if known is None:
        known = _origins[id(code)] = code, whose(code)  # which keeps the code alive, so that its id stays its own
    return known[1]


def whose(code: CodeType) -> str:
    path = code.co_filename
    if path == START_FILE and code.co_name == START_FUNCTION:
        return "start"
    generated = path == "<string>" and code.co_name.startswith("__")  # as by dataclasses and namedtuple
    if is_user_file(path) and not generated:
        return "user"
    return "torch" if path.startswith(_TORCH) and code.co_name == "forward" else ""


@functools.lru_cache(maxsize=4096)
def relative(path: str) -> str:
    """The path relative to its project or to site-packages, so that it is the same on every machine."""
    if not os.path.isabs(path):
        return path
    if _PACKAGES in path:
        return path.rsplit(_PACKAGES, 1)[1].replace(os.sep, "/")
    for folder in Path(path).parents:
        if any((folder / name).exists() for name in _PROJECT_FILES):
            return Path(path).relative_to(folder).as_posix()
    return os.path.basename(path)


@functools.lru_cache(maxsize=65536)
def line_at(path: str, number: int) -> Line:
    return Line(relative(path), number, path)


def user_line() -> Line | None:
    """The user's line that is being executed; for a module of torch.nn by itself, the line in its `forward`."""
    frame: FrameType | None = sys._getframe(1)
    forward: FrameType | None = None
    while frame is not None:
        found = origin(frame.f_code)
        if found == "user":
            return line_at(frame.f_code.co_filename, frame.f_lineno)
        if found == "start":
            break
        if found == "torch" and forward is None:
            forward = frame
        frame = frame.f_back
    return line_at(forward.f_code.co_filename, forward.f_lineno) if forward is not None else None
