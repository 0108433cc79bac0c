"""Running a program, and comparing what came out. guardgen has no part in this."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

import torch
from torch.utils import _pytree as pytree

from benchmarks.exactness.arguments import SEED, fresh

CLOSE = 1e-4
MOST_LINES = 100_000  # that one run may take


@dataclass(frozen=True)
class Outcome:
    """One run: the result and the arguments after it, or the error; and the lines of the program that ran, if asked."""

    result: Any = None
    error: str = ""
    path: tuple[int, ...] = ()

    @property
    def ran(self) -> bool:
        return not self.error


def run(fn: Callable[..., Any], args: Any, kwargs: Mapping[str, Any] | None = None, *, watch: str = "") -> Outcome:
    """Call `fn` on copies of the arguments, from a fixed random state. `watch` is the file whose lines are noted."""
    torch.manual_seed(SEED)
    random.seed(SEED)
    mine, keywords = fresh((args, dict(kwargs or {})))
    lines: list[int] = []
    try:
        with torch.no_grad(), lines_of(watch, lines):
            result = fn(*mine, **keywords)
    except Exception as error:  # every failure of the program is an outcome
        return Outcome(error=f"{type(error).__name__}: {str(error)[:100]}", path=tuple(lines))
    return Outcome((result, mine, keywords), path=tuple(lines))


@contextmanager
def lines_of(file: str, lines: list[int]) -> Iterator[None]:
    """Note the number of every line of `file` that runs in this context."""

    def enter(frame: FrameType, event: str, arg: Any) -> Any:
        return step if frame.f_code.co_filename == file else None

    def step(frame: FrameType, event: str, arg: Any) -> Any:
        if event == "line":
            if len(lines) == MOST_LINES:  # a program that was cut down may run for ever
                raise RuntimeError(f"more than {MOST_LINES} lines")
            lines.append(frame.f_lineno)
        return step

    before = sys.gettrace()
    if file:
        sys.settrace(enter)
    try:
        yield
    finally:
        sys.settrace(before)


def same(left: Any, right: Any) -> bool:
    """Equal structure, types, sizes, dtypes and values, as far as floating point allows."""
    (mine, structure), (others, other) = pytree.tree_flatten(left), pytree.tree_flatten(right)
    return structure == other and all(map(same_leaf, mine, others))


def same_kind(left: Any, right: Any) -> bool:
    """Equal structure, sizes and dtypes: all that can be asked of a program that is no function of its inputs."""
    (mine, structure), (others, other) = pytree.tree_flatten(left), pytree.tree_flatten(right)
    return structure == other and [kind_of(x) for x in mine] == [kind_of(x) for x in others]


def kind_of(value: Any) -> Any:
    return (value.shape, value.dtype) if isinstance(value, torch.Tensor) else type(value)


def same_leaf(left: Any, right: Any) -> bool:
    if isinstance(left, torch.Tensor) and isinstance(right, torch.Tensor):
        return same_tensor(left, right)
    return type(left) is type(right) and bool(left == right or (left != left and right != right))


def same_tensor(left: torch.Tensor, right: torch.Tensor) -> bool:
    if (left.shape, left.dtype, left.layout) != (right.shape, right.dtype, right.layout):
        return False
    if left.layout != torch.strided or left.is_meta or not left.numel():
        return True
    return torch.allclose(wide(left), wide(right), rtol=CLOSE, atol=CLOSE, equal_nan=True)


def wide(tensor: torch.Tensor) -> torch.Tensor:
    tensor = tensor.detach().resolve_conj().resolve_neg()
    if tensor.is_quantized:
        tensor = tensor.dequantize()
    return tensor.to(torch.complex128 if tensor.is_complex() else torch.float64)
