"""A program with every kind of argument that stored guards can be about, and calls of it."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

import torch

from tests.unit.emitted import guards_of


class Mode(enum.Enum):
    FAST = 1


@dataclass
class Pair:
    left: torch.Tensor
    right: int


def nested(
    batch: Any, many: Any, pair: Any, n: Any, mode: Any = Mode.FAST, *, eps: Any = 1e-5, dtype: Any = None
) -> Any:
    x = batch["x"]
    if x.shape[0] * n > 12 and x.shape[1] % 4 == 0 and n // pair.right < 2**70 and mode is Mode.FAST:
        x = x + many[0] + pair.left
    if (batch["mask"] > 0).all():
        x = x * eps
    return x if x.shape[0] ** 2 >= 4 else x.to(dtype)


def nested_call(rows: int = 4, columns: int = 8, n: Any = 4, right: Any = 2, mask: float = 1.0) -> tuple[Any, ...]:
    x = torch.zeros(rows, columns)
    return {"x": x, "mask": torch.full((3,), mask)}, [torch.zeros(columns)], Pair(torch.zeros(1), right), n


def nested_text() -> str:
    """Its guards as data."""
    return guards_of(nested, *nested_call(), dtype=torch.float64).to_json()
