"""The user's functions that a call may reach, found without running it: what their code names, closes over or is a
method of. What is reached through a registry or a computed name is not found."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FunctionType, MethodType, ModuleType
from typing import Any

import torch

from guardgen.tracing.bytecode import codes, compares_identity, compares_types, names_builtins
from guardgen.tracing.provenance import is_user_file

MOST_FUNCTIONS = 5000


@dataclass(frozen=True)
class Reach:
    """What a call may reach: `scopes` are the globals of the functions that name a builtin of `tracing.builtins`,
    `compares_identity` says whether one of them may compare tensors by `is`."""

    scopes: tuple[dict[str, Any], ...]
    compares_identity: bool


def reach(fn: Callable[..., Any]) -> Reach:
    """What calling `fn` may reach; modules of the same classes, and functions of the same code, share the answer."""
    if isinstance(fn, torch.nn.Module):
        return reach_of_types(tuple(dict.fromkeys(map(type, fn.modules()))))
    return reach_from([fn])


@functools.lru_cache(maxsize=64)
def reach_of_types(types: tuple[type, ...]) -> Reach:
    return reach_from(list(types))


def reach_from(roots: list[Any]) -> Reach:
    functions = reachable(roots)
    unsafe = {id(function.__globals__) for function in functions if compares_types(function)}
    scopes = {id(function.__globals__): function.__globals__ for function in functions if names_builtins(function)}
    chosen = tuple(scope for key, scope in scopes.items() if key not in unsafe)
    return Reach(chosen, compares_identity(functions))


def reachable(roots: list[Any]) -> list[FunctionType]:
    """The functions of user files that calling one of `roots` may run, in the order in which they are found."""
    found: dict[int, FunctionType] = {}
    seen: set[int] = set()
    pending = list(roots)
    while pending and len(found) < MOST_FUNCTIONS:
        value = pending.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, FunctionType) and is_user_file(value.__code__.co_filename):
            found[id(value)] = value
        pending += follow(value)
    return list(found.values())


def follow(value: Any) -> Iterator[Any]:
    """What can be called through `value`."""
    if isinstance(value, FunctionType):
        yield from (cell.cell_contents for cell in value.__closure__ or () if not empty(cell))
        if is_user_file(value.__code__.co_filename):
            yield from named(value)
    elif isinstance(value, MethodType):
        yield value.__func__
        yield value.__self__
    elif isinstance(value, functools.partial):
        yield value.func
    elif isinstance(value, torch.nn.Module):
        yield from (type(module) for module in value.modules())
    elif isinstance(value, type):
        yield from methods(value)
    elif isinstance(value, (staticmethod, classmethod)):
        yield value.__func__
    elif isinstance(value, property):
        yield value.fget
    elif callable(value) and not isinstance(value, torch.Tensor):
        yield type(value)


def empty(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - reading an empty cell raises
    except ValueError:
        return True
    return False


def methods(cls: type) -> Iterator[Any]:
    for each in cls.__mro__:
        if is_user_module(each.__module__):
            yield from each.__dict__.values()


@functools.lru_cache(maxsize=4096)
def is_user_module(name: str) -> bool:
    file = getattr(sys.modules.get(name), "__file__", None)
    return name.partition(".")[0] not in ("torch", "builtins", "guardgen") if file is None else is_user_file(file)


def named(function: FunctionType) -> Iterator[Any]:
    """The globals that the function's code names, and the attributes that it names of modules among them."""
    for code in codes(function.__code__):
        for name in code.co_names:
            value = function.__globals__.get(name)
            if isinstance(value, (FunctionType, type, functools.partial, torch.nn.Module)):
                yield value
            elif isinstance(value, ModuleType) and is_user_module(value.__name__):
                yield from (value.__dict__.get(attribute) for attribute in code.co_names)
