"""Emitted TorchScript source, compiled: what `torch.jit.script` makes of its `check`, saved and loaded back."""

from __future__ import annotations

import linecache
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from guardgen import files
from guardgen.errors import EmitError


def compile_check(text: str, name: str) -> Any:
    """The compiled `check` of an emitted TorchScript module. Raises `EmitError` where TorchScript refuses it."""
    file = f"<guardgen {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)  # the compiler reads the source
    module: dict[str, Any] = {"__name__": name}
    try:
        exec(compile(text, file, "exec", dont_inherit=True), module)
        with quiet():
            return torch.jit.script(module["check"])
    except Exception as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        why = lines[0].rstrip(":") if lines else type(error).__name__
        raise EmitError(f"torch.jit.script refuses the TorchScript source of {name}: {why}") from error


def save(compiled: Any, path: Path) -> None:
    """Save what was compiled, and load it back."""
    with quiet():
        files.replace(path, lambda temporary: torch.jit.save(compiled, str(temporary)))
        torch.jit.load(str(path))


@contextmanager
def quiet() -> Iterator[None]:
    """TorchScript is deprecated in PyTorch, and stays one of guardgen's targets: nobody needs to hear it each time."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"`torch\.jit\.\w+` is deprecated", DeprecationWarning)
        yield
