"""Objects of any class, taken apart so that two can be compared.

guardgen runs this file as it is, and includes what is below the imports in every Python module that it emits for a
program with such arguments.
"""

from __future__ import annotations

import sys
from typing import Any

from guardgen.runtime import is_a, same


def is_told(value: Any, module: str, name: str, expected: Any) -> bool:
    """Whether `value` is of this type and, taken apart, what the traced call's was."""
    return is_a(value, module, name) and same(told(value), expected)


def told(value: Any, depth: int = 0) -> Any:
    """An object as nests of tuples of plain constants: what pickling it would write, functions and classes by name.

    Raises where that does not say all: for tensors, functions inside others, and what cannot be pickled.
    """
    kind = type(value)
    if value is None or kind in (bool, int, float, complex, str, bytes):
        return value
    if depth > 16 or hasattr(kind, "__torch_function__"):
        raise ValueError("too deep, or a tensor")
    if isinstance(value, type) or kind.__name__ in ("function", "builtin_function_or_method"):
        return ("name", *named(value, value.__qualname__))
    if kind in (tuple, list):
        return (kind.__name__, *(told(item, depth + 1) for item in value))
    if kind in (set, frozenset):
        return (kind.__name__, *sorted((told(item, depth + 1) for item in value), key=repr))
    if kind is dict:
        kept = (item for item in value.items() if not is_empty(*item))
        return ("dict", *(told(item, depth + 1) for item in kept))
    parts = value.__reduce_ex__(4)
    if isinstance(parts, str):
        return ("name", *named(value, parts))
    if parts[0].__name__ == "__newobj__" and len(parts[1]) == 1 and not any(parts[3:]):
        if not parts[2]:
            raise ValueError("nothing tells it from another of its class, which may stand for something else")
        return ("state", told(parts[2], depth + 1))  # its class is known, and it was made of nothing else
    return ("object", *(told(part if i < 3 else tuple(part or ()), depth + 1) for i, part in enumerate(parts)))


def named(value: Any, name: str) -> tuple[str, str]:
    """Where a function or class is found, and its name there. Raises where that name does not mean it."""
    module = str(getattr(value, "__module__", type(value).__module__))
    if type(value).__name__ == "builtin_function_or_method":  # not all of PyTorch's are where they say
        if isinstance(value.__self__, type) or type(value.__self__).__name__ in ("module", "NoneType"):
            return module, name
        raise ValueError("bound to an object")
    found: Any = sys.modules[module]
    for part in name.split("."):
        found = getattr(found, part)
    if found is not value:
        raise ValueError("more than its name")
    return module, name


def is_empty(key: Any, value: Any) -> bool:
    """Whether this is a private attribute that holds nothing, of which PyTorch's modules have many."""
    return type(key) is str and key.startswith("_") and hasattr(type(value), "__len__") and len(value) == 0
