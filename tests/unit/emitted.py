"""Emitted modules as tests use them: traced from a function, executed in an empty namespace."""

from __future__ import annotations

import importlib.util
import itertools
import linecache
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import torch

import guardgen
from guardgen.conditions import Guard, TensorFact
from guardgen.guards import GuardSet
from guardgen.ir import Line
from guardgen.rules.text import condition_text
from guardgen.terms import Bool

NUMBERS = itertools.count()


def guards_of(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> GuardSet:
    return guardgen.derive(guardgen.trace(fn, args, kwargs))


def load(text: str) -> ModuleType:
    """The module of an emitted text; the TorchScript compiler finds its source in linecache."""
    name = f"emitted_{next(NUMBERS)}"
    file = f"<{name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    spec = importlib.util.spec_from_loader(name, loader=None, origin=file)
    assert spec is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    exec(compile(text, file, "exec"), module.__dict__)
    return module


def python_of(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> ModuleType:
    return load(guardgen.emit(guards_of(fn, *args, **kwargs), "python"))


def script(function: Any) -> Any:
    """The one place where tests compile TorchScript, which PyTorch calls deprecated."""
    return torch.jit.script(function)


def guard(condition: Any, *lines: Line, kind: str = "observation") -> Guard:
    assert isinstance(condition, Bool)
    return Guard(condition, kind, condition_text(condition), lines)


def by_hand(fn: Callable[..., Any], args: tuple[Any, ...], facts: tuple[Any, ...], *guards: Guard) -> GuardSet:
    """A guard set with those facts and guards on the signature of a call."""
    signature = guardgen.trace(fn, args).signature
    return GuardSet("program", "call", signature, facts, guards, guards, ())


def tensor(path: Any, rank: int) -> TensorFact:
    return TensorFact(path, rank, "torch.float32", "cpu", "torch.strided")


class Strange:
    """An object whose every attribute and operator raises."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparison")

    __hash__ = None  # type: ignore[assignment]


class Point(NamedTuple):
    first: Any
    second: Any


def garbage() -> dict[str, Any]:
    """Arguments that no program was traced with."""
    values = [
        None,
        True,
        3,
        2**70,
        1.5,
        "text",
        b"bytes",
        object(),
        Strange(),
        [],
        {},
        (1, 2),
        {"a"},
        range(3),
        np.zeros((2, 3), dtype=np.float32),
        torch.zeros(2, 3),
        torch.zeros(()),
        torch.zeros(2, 3, dtype=torch.int64),
        torch.zeros(2, 3, device="meta"),
        torch.zeros(2, 3).to_sparse(),
        torch.Tensor,
        Point(1, 2),
        len,
    ]
    return {f"{i}_{type(value).__name__}": value for i, value in enumerate(values)}


GARBAGE = tuple(garbage())
