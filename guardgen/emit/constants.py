"""Entry facts about values that are no tensors, as Python conditions."""

from __future__ import annotations

import dataclasses
import enum
from typing import Any, NamedTuple

from torch.utils import _pytree as pytree

from guardgen.arguments import Container, Path
from guardgen.constants import TORCH_CONSTANTS, Told
from guardgen.emit.literals import items_text, literal, string
from guardgen.errors import EmitError
from guardgen.facts import positions

BUILTIN = {list: "list", tuple: "tuple", dict: "dict"}


class Test(NamedTuple):
    """One condition, and its negation."""

    holds: str
    fails: str


def type_test(value: str, kind: type) -> Test:
    """The exact type: builtin ones by identity, others by where they are defined, so that nothing is imported."""
    if kind in BUILTIN:
        return Test(f"type({value}) is {BUILTIN[kind]}", f"type({value}) is not {BUILTIN[kind]}")
    call = f"is_a({value}, {string(kind.__module__)}, {string(kind.__qualname__)})"
    return Test(call, f"not {call}")


def container_tests(value: str, container: Container) -> list[Test]:
    """The container's type, and its keys in order or its length."""
    tests = [type_test(value, container.type)]
    keys = f"[*{value}]"
    if container.is_dict and all(type(key) is str for key in container.keys):
        wanted = items_text("[", map(literal, container.keys), "]")
        return [*tests, Test(f"{keys} == {wanted}", f"{keys} != {wanted}")]
    if container.is_dict:
        call = f"same({keys}, {items_text('[', (key_literal(container.path, key) for key in container.keys), ']')})"
        return [*tests, Test(call, f"not {call}")]
    if dataclasses.is_dataclass(container.type) and container.type not in pytree.SUPPORTED_NODES:
        return tests  # the type says which attributes it has
    keys = value if positions(container) else f"children({value})"
    return [*tests, Test(f"len({keys}) == {len(container.keys)}", f"len({keys}) != {len(container.keys)}")]


def key_literal(path: Path, key: Any) -> str:
    text = literal(key)
    if text is None:
        raise EmitError(f"argument {path}: the key {type(key).__qualname__} of this dict has no literal")
    return text


def constant_tests(value: str, path: Path, constant: Any) -> list[Test]:
    """The constant's type and value; raises `EmitError` where no text can say what it is."""
    if constant is None or isinstance(constant, bool):
        return [Test(f"{value} is {constant}", f"{value} is not {constant}")]
    text = literal(constant)
    kind = type(constant)
    if text is not None and (kind in (int, str, bytes) or (kind is float and constant != 0)):
        name = kind.__name__
        equal = Test(f"{value} == {text}", f"{value} != {text}")
        return [Test(f"type({value}) is {name}", f"type({value}) is not {name}"), equal]
    if isinstance(constant, enum.Enum) and constant.name:
        name = string(constant.name)
        return [type_test(value, kind), Test(f"{value}.name == {name}", f"{value}.name != {name}")]
    if isinstance(constant, TORCH_CONSTANTS):
        name = string(str(constant))
        return [type_test(value, kind), Test(f"str({value}) == {name}", f"str({value}) != {name}")]
    if isinstance(constant, Told):
        parts = (string(constant.module), string(constant.name), expression(constant.state))
        call = f"is_told({value}, {', '.join(map(str, parts))})"
        return [Test(call, f"not {call}")]
    expected = expression(constant)
    if expected is None:
        raise EmitError(
            f"argument {path}: its value, a {kind.__module__}.{kind.__qualname__}, cannot be written down; "
            "pass a constant, a function by its name or an object that can be pickled and has no tensors"
        )
    call = f"same({value}, {expected})"
    return [Test(call, f"not {call}")]


def expression(constant: Any) -> str | None:
    """An expression for a constant: odd floats, complex numbers, and tuples and frozensets of constants."""
    kind = type(constant)
    if kind in (float, complex):
        return f"{kind.__name__}({string(repr(constant))})"
    if kind in (tuple, frozenset):
        items = [expression(item) for item in constant]
        if None in items:
            return None
        if kind is tuple:
            return items_text("(", items, ",)" if len(items) == 1 else ")")
        return f"frozenset({items_text('{', sorted(map(str, items)), '}') if items else ''})"
    return literal(constant)
