"""What a random program has in scope while it is written, and running a block of it there, in plain PyTorch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F

from benchmarks.exactness.arguments import fresh

MOST_ELEMENTS = 4_000  # of any tensor, so that a program stays quick
MOST_DIMENSIONS = 5
LARGEST = 1_000  # number that a program computes
MOST_TRIPS = 12  # of the loops of one block in the first call
SCOPE = {"torch": torch, "F": F, "math": math}


@dataclass(frozen=True)
class Names:
    """The variables in scope, as they are in the first call."""

    values: dict[str, Any]

    @property
    def tensors(self) -> list[str]:
        return [name for name, value in self.values.items() if isinstance(value, torch.Tensor)]

    @property
    def numbers(self) -> list[str]:
        return [name for name, value in self.values.items() if type(value) is int]

    def holds(self, condition: str) -> bool:
        try:
            return bool(eval(condition, {**SCOPE, **self.values}))
        except Exception:  # then it is no condition to write
            return True

    def after(self, block: list[str]) -> Names | None:
        """What is in scope after the block; None where it raises or makes too much."""
        scope = fresh(self.values)
        try:
            exec("\n".join(limited(block)), {**SCOPE}, scope)
        except Exception:  # then it is no block to write
            return None
        del scope["_trips"]
        return Names(scope) if all(map(is_modest, scope.values())) else None


def is_modest(value: Any) -> bool:
    if isinstance(value, torch.Tensor):
        return value.numel() <= MOST_ELEMENTS and value.dim() <= MOST_DIMENSIONS
    return type(value) is not int or abs(value) <= LARGEST


def limited(block: list[str]) -> list[str]:
    """The block with its loops cut off: one that runs long raises."""
    lines = ["_trips = 0"]
    for line in block:
        lines.append(line)
        head = line.lstrip()
        if head.startswith(("for ", "while ")):
            inner = " " * (len(line) - len(head) + 4)
            lines += [f"{inner}_trips += 1", f"{inner}assert _trips <= {MOST_TRIPS}"]
    return lines
