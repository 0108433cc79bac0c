"""Constants as they are stored, and the test whether an argument is one.

JSON's null, booleans, ints and strings stand for themselves; any other constant is an object whose one key says what
it is. Enums and PyTorch's constants are compared by name, so that nothing has to be imported.
"""

from __future__ import annotations

from typing import Any

from guardgen.errors import LoadError
from guardgen.objects import is_told
from guardgen.runtime import is_a, same

TORCH = {"dtype": "dtype", "device": "device", "layout": "layout", "memory_format": "memory_format"}


def is_plain(stored: Any) -> bool:
    """Whether Python has the constant itself, without importing anything."""
    if not isinstance(stored, dict):
        return True
    ((kind, inside),) = stored.items()
    return kind not in ("enum", "object", "torch") and (
        kind not in ("tuple", "frozenset") or all(map(is_plain, inside))
    )


def plain(stored: Any) -> Any:
    """The constant itself. Raises `LoadError` where there is none."""
    if not isinstance(stored, dict):
        return stored
    ((kind, inside),) = stored.items()
    try:
        if kind in ("float", "complex"):
            return {"float": float, "complex": complex}[kind](inside)
        if kind == "bytes":
            return bytes.fromhex(inside)
        if kind in ("tuple", "frozenset"):
            return {"tuple": tuple, "frozenset": frozenset}[kind](map(plain, inside))
    except ValueError as error:
        raise LoadError(f"{str(inside)[:40]!r} is no {kind}") from error
    raise LoadError(f"a constant of kind {kind!r} cannot stand here")


def is_constant(value: Any, stored: Any) -> bool:
    """Whether an argument is the constant: same type, same value."""
    if is_plain(stored):
        return same(value, plain(stored))
    ((kind, inside),) = stored.items()
    if kind == "enum":
        module, qualified, name = inside
        return is_a(value, module, qualified) and value.name == name
    if kind == "object":
        module, qualified, state = inside
        return is_told(value, module, qualified, plain(state))
    if kind == "torch":
        return is_a(value, "torch", inside[0]) and str(value) == inside[1]
    return False
