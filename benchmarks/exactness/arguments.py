"""Arguments written down: a call is a tuple of these, printed as Python text and built afresh for every run."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

SEED = 42
HIGHEST = 3  # integer tensors hold numbers below this


@dataclass(frozen=True, init=False, repr=False)
class T:
    """A tensor of this shape, contiguous and on the CPU, with data from a fixed random state."""

    shape: tuple[int, ...]
    dtype: torch.dtype

    def __init__(self, *shape: int, dtype: torch.dtype = torch.float32) -> None:
        object.__setattr__(self, "shape", shape)
        object.__setattr__(self, "dtype", dtype)

    def __repr__(self) -> str:
        sizes = ", ".join(map(str, self.shape))
        if self.dtype == torch.float32:
            return f"T({sizes})"
        return f"T({sizes}{', ' if sizes else ''}dtype={self.dtype})"

    def build(self, random: torch.Generator) -> torch.Tensor:
        if self.dtype == torch.bool:
            return torch.rand(self.shape, generator=random) > 0.5
        if self.dtype.is_floating_point or self.dtype.is_complex:
            return torch.randn(self.shape, generator=random).to(self.dtype)
        return torch.randint(0, HIGHEST, self.shape, generator=random, dtype=self.dtype)


@dataclass(frozen=True)
class Same:
    """The object that an earlier argument is."""

    index: int


@dataclass(frozen=True)
class Made:
    """A tensor that a function makes: one of another layout, or with chosen data."""

    text: str
    make: Callable[[], Any]

    def __repr__(self) -> str:
        return self.text


def build(call: Sequence[Any]) -> tuple[Any, ...]:
    """The arguments that a call writes down, in order; the same ones at every call."""
    random = torch.Generator().manual_seed(SEED)
    built: list[Any] = []
    for each in call:
        built.append(built[each.index] if isinstance(each, Same) else build_one(each, random))
    return tuple(built)


def build_one(value: Any, random: torch.Generator) -> Any:
    if isinstance(value, T):
        return value.build(random)
    if isinstance(value, Made):
        return value.make()
    if isinstance(value, Mapping):
        return {key: build_one(item, random) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)([build_one(item, random) for item in value])
    return value


def fresh(value: Any) -> Any:
    """A copy that keeps what is shared, so that a program that writes does not disturb the next run."""
    return copy.deepcopy(value)
