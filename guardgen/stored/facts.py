"""Stored facts about values that are no tensors, and the way to a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from guardgen.runtime import children, is_a, same
from guardgen.stored.constants import is_constant, plain

LEFT_OUT: Any = object()  # stands for a default that has no literal
BUILTIN: dict[str, type] = {"list": list, "tuple": tuple, "dict": dict}


def take(value: Any, path: Sequence[Any]) -> Any:
    """What the steps of a path lead to, from the value of its parameter."""
    for step in path[1:]:
        if "key" in step:
            value = value[plain(step["key"])]
        elif "attribute" in step:
            value = getattr(value, step["attribute"])
        else:
            value = children(value)[step["child"]]
    return value


def holds(fact: Mapping[str, Any], value: Any) -> bool:
    """Whether a fact that is not about a tensor, nor about two arguments, is true of a value."""
    if fact["fact"] == "int":
        return type(value) is int
    if fact["fact"] == "container":
        return is_container(fact, value)
    if value is LEFT_OUT:
        return "may_be_left_out" in fact
    return "value" in fact and is_constant(value, fact["value"])


def is_container(fact: Mapping[str, Any], value: Any) -> bool:
    module, name = fact["type"]
    kind = BUILTIN.get(name) if module == "builtins" else None
    if not (type(value) is kind if kind else is_a(value, module, name)):
        return False
    if "keys" in fact:
        return same([*value], [plain(key) for key in fact["keys"]])
    if "children" in fact:
        return bool(len(children(value)) == fact["children"])
    return "length" not in fact or bool(len(value) == fact["length"])
