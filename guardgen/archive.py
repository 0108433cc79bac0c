"""Guards inside a package of PyTorch, a `.pt2`: files of a zip archive, read and written without PyTorch.

<package>/extra/guardgen.json   the guards as data: docs/guard-format.md
<package>/extra/guardgen.hpp    the same as a C++ header, for servers without Python
<package>/data/aotinductor/...  what AOTInductor put there
"""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from guardgen.errors import LoadError
from guardgen.stored.document import MOST_BYTES, parse

GUARDS, HEADER, CALL = "guardgen.json", "guardgen.hpp", "guardgen.call.json"
EXTRA = "extra"  # torch.export.pt2_archive.constants.EXTRA_DIR: what `load_pt2` gives as extra_files
MODELS = "data/aotinductor/"


def guards_in(path: Path) -> str:
    """The guards as data that a package carries. Raises `LoadError` where it is none, or carries none."""
    with opened(path) as archive:
        found = named(archive, GUARDS)
        if not found:
            raise LoadError("this package carries no guards; guardgen.aoti.guard puts them into it")
        if archive.getinfo(found).file_size > MOST_BYTES:
            raise LoadError(f"a guard set has at most {MOST_BYTES} bytes")
        return archive.read(found).decode(errors="replace")


def call_in(path: Path) -> dict[str, Any]:
    """How a package is called, as `guardgen.aoti` wrote it down; empty where it did not. Raises `LoadError`."""
    with opened(path) as archive:
        found = named(archive, CALL)
        if not found:
            return {}
        if archive.getinfo(found).file_size > MOST_BYTES:
            raise LoadError(f"{CALL} has more than {MOST_BYTES} bytes")
        call = parse(archive.read(found))
    kinds = {"numbers": int, "written": int, "tensors": str}
    if not isinstance(call, dict) or any(
        not isinstance(call.get(key), list) or any(type(each) is not kind for each in call[key])
        for key, kind in kinds.items()
    ):
        raise LoadError(f"{CALL} is not of the form that guardgen writes")
    return call


def is_package(path: Path) -> bool:
    """Whether a file is a zip archive with the mark of a `.pt2`; a TorchScript file has another."""
    try:
        with zipfile.ZipFile(path) as archive:
            return any(name.endswith("/archive_format") for name in archive.namelist())
    except (OSError, zipfile.BadZipFile):
        return False


def sources(path: Path) -> dict[str, str]:
    """The C++ sources of the wrappers that AOTInductor put into a package, by the name of the model."""
    with opened(path) as archive:
        found = {}
        for name in archive.namelist():
            _, where, inside = name.partition(f"/{MODELS}")
            if where and name.endswith(".wrapper.cpp"):
                found[inside.split("/")[0]] = archive.read(name).decode(errors="replace")
        return found


def write(path: Path, target: Path, texts: Mapping[str, str]) -> None:
    """Write the package at `path` to `target`, which may be the same, with these texts: whole, or not at all."""
    with opened(path) as archive:
        root = archive.namelist()[0].partition("/")[0]
        old = [name for name in (named(archive, text) for text in texts) if name]
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".pt2")
    os.close(handle)
    try:
        without(path, Path(name), old)
        with zipfile.ZipFile(name, "a", zipfile.ZIP_STORED) as archive:
            for text, content in texts.items():
                archive.writestr(zipfile.ZipInfo(f"{root}/{EXTRA}/{text}"), content)  # a fixed date: 1980
        shutil.copymode(path, name)
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def without(path: Path, copy: Path, names: list[str]) -> None:
    """Copy an archive without some of its files; where all stay, byte for byte."""
    if not names:
        shutil.copyfile(path, copy)
        return
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(copy, "w", zipfile.ZIP_STORED) as written:
        for info in archive.infolist():
            if info.filename not in names:
                with archive.open(info) as source, written.open(info.filename, "w", force_zip64=True) as target:
                    shutil.copyfileobj(source, target, 1 << 20)


def opened(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except OSError as error:
        raise LoadError(f"{path}: {error.strerror or error}") from error
    except zipfile.BadZipFile as error:
        raise LoadError(f"{path}: this is no package of PyTorch: {error}") from error


def named(archive: zipfile.ZipFile, text: str) -> str:
    """The name of one of our files in an archive, whose files are all in one folder; empty where it is not there."""
    return next((name for name in archive.namelist() if name.partition("/")[2] == f"{EXTRA}/{text}"), "")
