"""Constants among the arguments: what each must be in another call."""

from __future__ import annotations

import dataclasses
import enum
from typing import Any

import torch

from guardgen.objects import is_told, told

PLAIN = (bool, int, float, complex, str, bytes)
TORCH_CONSTANTS = (torch.dtype, torch.device, torch.layout, torch.memory_format)
MOST_ITEMS = 200  # that a guard may spell out of an object


@dataclasses.dataclass(frozen=True)
class Told:
    """An object of any class among the constants, as it was in the traced call: its type, and `told` of it."""

    module: str
    name: str
    state: Any

    @staticmethod
    def of(value: Any) -> Any:
        """The object told, or itself where it is a plain constant, or cannot be told."""
        kind = type(value)
        if value is None or kind in PLAIN or isinstance(value, (enum.Enum, *TORCH_CONSTANTS)):
            return value
        try:
            if kind in (tuple, frozenset) and all(Told.of(item) is item for item in value):
                return value
            state = told(value)
        except Exception:  # pickling a stranger's object may do anything
            return value
        return Told(kind.__module__, kind.__qualname__, state) if items_in(state) <= MOST_ITEMS else value


def items_in(state: Any) -> int:
    return sum(map(items_in, state)) if isinstance(state, tuple) else 1 + len(state) // 64 if is_text(state) else 1


def is_text(state: Any) -> bool:
    return isinstance(state, (str, bytes))


def same_constant(value: Any, recorded: Any) -> bool:
    """Whether a constant argument is what it was in the traced call: same type, same value, NaN equal to NaN."""
    if isinstance(recorded, Told):
        try:
            return is_told(value, recorded.module, recorded.name, recorded.state)
        except Exception:  # another object may have nothing to tell
            return False
    if value is recorded:
        return True
    if type(value) is not type(recorded):
        return False
    try:
        if isinstance(value, (float, complex)):
            return repr(value) == repr(recorded)
        equal = value == recorded
        return bool(equal.all()) and value.shape == recorded.shape if hasattr(equal, "all") else bool(equal)
    except Exception:  # comparing a stranger's object may do anything
        return False
