"""Guards as data: what `GuardSet.to_json` writes, read back and asked. Nothing here imports PyTorch.

    text  --parse-->  document  --conform-->  document of the right form  --read-->  Guards
          bounded               schema.json                    indices and kinds     check, check_shapes, violations

A stored guard set is data from anywhere: reading it evaluates nothing, every size and depth has a limit, and what is
wrong with it is one `LoadError`. `docs/guard-format.md` describes the format.
"""

from __future__ import annotations

import os
from pathlib import Path

from guardgen.errors import LoadError
from guardgen.runtime import GuardError
from guardgen.stored.document import MOST_BYTES, parse
from guardgen.stored.guards import Guards
from guardgen.stored.read import read
from guardgen.stored.schema import conform

__all__ = ["GuardError", "Guards", "in_module", "load", "loaded"]

IN_MODULE = '\nJSON: str | None = r"""\n'  # how the Python target writes it


def load(source: str | bytes | os.PathLike[str]) -> Guards:
    """The guards in a JSON text, or in the file at a path; a `str` is always the text itself.

    Raises `LoadError`, whatever is wrong with it: no JSON, too large, of another version, cut off, inconsistent.
    Nothing in it is ever run, and PyTorch is not needed before a tensor is checked.
    """
    if not isinstance(source, (str, bytes)):
        return loaded(read_file(Path(source)))
    return loaded(source)


def read_file(path: Path) -> bytes:
    """What is in a file, but no more than a guard set can have."""
    try:
        with path.open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except OSError as error:
        raise LoadError(f"{path}: {error.strerror or error}") from error


def loaded(text: str | bytes) -> Guards:
    """The guards in a text; see `load`."""
    document = parse(text)
    conform(document)
    return read(document)


def in_module(text: str) -> str | None:
    """The guards as data in the text of an emitted Python module, which is not run; None where it has none."""
    _, found, after = text.rpartition(IN_MODULE)
    data, end, _ = after.partition('\n"""')
    return data if found and end else None
