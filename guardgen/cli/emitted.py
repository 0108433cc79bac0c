"""Emitted Python modules, and guards stored as data, loaded and asked about shapes."""

from __future__ import annotations

import argparse
import functools
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch

from guardgen import archive, files, onnx, stored, torchscript
from guardgen.cli import given
from guardgen.errors import LoadError, SpecError

# What sizes do not tell, and meta tensors therefore must not be blamed for.
NOT_SIZES = (".dtype", ".device", ".layout", ".requires_grad")
NOT_SHAPES = (".stride(", ".storage_offset()")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that give arguments."""
    options = (
        ("--shape", "x=8x128", "the sizes of a tensor"),
        ("--int", "n=3", "an int"),
        ("--value", "mode='a'", "a literal"),
    )
    for option, example, what in options:
        parser.add_argument(
            option, nargs="+", action="extend", default=[], metavar=example, help=f"{what} among the arguments"
        )


def load(path: Path, *, as_data: bool = False) -> Any:
    """The emitted module in a file, or stored guards under the same names, which run nothing of what is in the file.

    With `as_data`, a module is not run either where it has its guards as data.
    """
    if not path.is_file():
        raise SpecError(f"{path}: there is no such file")
    if is_stored(path):
        return as_module(read(path))
    if not files.is_generated(path):
        raise SpecError(f"{path}: was not made by guardgen")
    text = path.read_text(encoding="utf-8")
    if as_data and (found := stored.in_module(text)) is not None:
        return as_module(reading(path, lambda: stored.loaded(found)))
    return module(text, path.stem, str(path))


def is_stored(path: Path) -> bool:
    """Whether a file has guards as data: a JSON text, an ONNX model, or another artifact, which is a zip file."""
    with path.open("rb") as file:
        return path.suffix in (".json", ".onnx") or file.read(2) == b"PK"


def read(path: Path) -> stored.Guards:
    if path.suffix == ".json":
        return reading(path, lambda: stored.load(path))
    if archive.is_package(path):
        return reading(path, lambda: stored.loaded(archive.guards_in(path)))
    embedded = onnx.embedded if path.suffix == ".onnx" else torchscript.embedded
    return reading(path, lambda: stored.loaded(embedded(path)))


def reading(path: Path, read: Callable[[], stored.Guards]) -> stored.Guards:
    try:
        return read()
    except (LoadError, RuntimeError) as error:
        raise SpecError(f"{path}: {str(error).splitlines()[0]}") from error


def as_module(guards: stored.Guards) -> Any:
    """What is asked of an emitted module, answered by stored guards."""
    functions: dict[str, Any] = {
        name: functools.partial(getattr(guards, name)) for name in ("check_shapes", "violations")
    }
    for function in functions.values():
        function.__signature__ = guards.signature  # inspect looks for it
    return SimpleNamespace(GUARDS=guards.guards, **functions)


def module(text: str, name: str, file: str) -> Any:
    """The module that a text is."""
    found = importlib.util.module_from_spec(importlib.machinery.ModuleSpec(name, None, origin=file))
    exec(compile(text, file, "exec", dont_inherit=True), found.__dict__)
    if not hasattr(found, "GUARDS"):
        raise SpecError(f"{file}: is no Python module of guards; give the one without _torchscript")
    return found


def failing(module: Any, options: argparse.Namespace) -> list[Any]:
    """The violations for the arguments that the options give; what sizes do not tell is taken to be right."""
    arguments = given.arguments(options.shape, options.int, options.value, containers(module))
    if given.call(module.check_shapes, arguments):
        return []
    tensors = {name: with_tensors(value) for name, value in arguments.items()}
    data = {guard.condition for guard in module.GUARDS if guard.kind == "data"}
    found = [each for each in given.call(module.violations, tensors) if of_sizes(each, data)]
    return found or ["refused"]


def containers(module: Any) -> dict[str, str]:
    """What each container among the arguments is, by its path, from the text of its guard."""
    facts = [guard.condition.partition(": ") for guard in module.GUARDS if guard.kind == "fact"]
    return {path: what for path, _, what in facts}


def with_tensors(value: Any) -> Any:
    if isinstance(value, given.Shape):
        return torch.empty((), device="meta").expand(value)
    if isinstance(value, Mapping):
        return {key: with_tensors(item) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(with_tensors, value))
    return value


def of_sizes(violation: Any, data: set[str]) -> bool:
    """Whether sizes alone show a violation."""
    identity = violation.expected.startswith(("another object than ", "the same object as "))
    strides = any(text in violation.condition for text in NOT_SHAPES)
    return not (identity or strides or violation.what.endswith(NOT_SIZES) or violation.condition in data)


def question(options: argparse.Namespace) -> str:
    """The arguments as they were given."""
    texts: Sequence[str] = [*options.shape, *options.int, *options.value]
    return ", ".join(texts) or "no arguments"
