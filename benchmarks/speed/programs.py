"""The programs whose checks are timed: from two tensors to many, in containers, and a model with its parameters."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from benchmarks.exactness import architectures

Pair = tuple[torch.Tensor, torch.Tensor]


@dataclass(frozen=True)
class Program:
    """A function with the arguments of the call that is traced and checked. All arguments are tensors, or hold them."""

    fn: Callable[..., Any]
    args: tuple[Any, ...]

    @property
    def name(self) -> str:
        return self.fn.__name__


def add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a + b


def branch(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    if x.shape[0] % 2 == 0 and x.shape[0] > 4:
        return x * 2 + y
    return x + y


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    batch, _, queries, width = q.shape
    if mask.shape != (batch, 1, queries, k.shape[2]):
        raise ValueError("the mask is for other sizes")
    return torch.softmax(q @ k.transpose(2, 3) / width**0.5 + mask, -1) @ v


def many(
    a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, d: torch.Tensor,
    e: torch.Tensor, f: torch.Tensor, g: torch.Tensor, h: torch.Tensor,
    i: torch.Tensor, j: torch.Tensor, k: torch.Tensor, l: torch.Tensor,  # noqa: E741
) -> torch.Tensor:  # fmt: skip
    """Twelve tensors; sizes that must agree, or be 1, since they broadcast."""
    return torch.cat([a + b, c * d, e - f, g / h], 1) @ torch.cat([i + j, k + l])


def nested(batch: dict[str, torch.Tensor], cache: list[Pair], position: int) -> torch.Tensor:
    """A step of decoding, with its state in containers."""
    x, mask = batch["x"], batch["mask"]
    if not 0 <= position < mask.shape[1]:
        raise IndexError("the position is outside the mask")
    for keys, values in cache:
        if keys.shape != values.shape:
            raise ValueError("keys and values differ")
        x = x + torch.softmax(x @ keys.transpose(1, 2), -1) @ values
    return x * mask[:, position : position + 1, None]


def arguments_of_many() -> tuple[torch.Tensor, ...]:
    return tuple(torch.randn(6, 4) for _ in range(8)) + tuple(torch.randn(8, 5) for _ in range(4))


def arguments_of_nested() -> tuple[Any, ...]:
    cache = [(torch.randn(2, 9, 8), torch.randn(2, 9, 8)) for _ in range(3)]
    return {"x": torch.randn(2, 1, 8), "mask": torch.ones(2, 9)}, cache, 4


def called(name: str, module: torch.nn.Module) -> Callable[..., Any]:
    """A module as a function, whose name and code are its own. Its parameters are constants of a trace; Dynamo guards
    them at every call, since a Python program may have changed them."""
    scope: dict[str, Any] = {"module": module}
    exec(f"def make(module):\n    def {name}(x):\n        return module(x)\n    return {name}", scope)
    fn: Callable[..., Any] = scope["make"](module)
    return fn


def convolutions() -> torch.nn.Module:
    layer = torch.nn.Conv2d
    return torch.nn.Sequential(layer(3, 8, 3), torch.nn.ReLU(), torch.nn.MaxPool2d(2), layer(8, 8, 3), torch.nn.GELU())


def roberta() -> Program:
    """BERT's sibling of `benchmarks.exactness`."""
    module, _ = architectures.instance("Roberta")
    ids = torch.arange(14).view(2, 7)

    def roberta(ids: torch.Tensor, types: torch.Tensor, positions: torch.Tensor) -> Any:
        return module(input_ids=ids, token_type_ids=types, position_ids=positions)

    return Program(roberta, (ids, torch.zeros_like(ids), ids % 7))


def programs() -> Iterator[Program]:
    torch.manual_seed(0)
    yield Program(add, (torch.randn(4, 8), torch.randn(4, 8)))
    yield Program(branch, (torch.randn(8, 3), torch.randn(8, 3)))
    heads = (torch.randn(2, 4, 16, 8), torch.randn(2, 4, 32, 8), torch.randn(2, 4, 32, 8))
    yield Program(attention, (*heads, torch.zeros(2, 1, 16, 32)))
    yield Program(many, arguments_of_many())
    yield Program(nested, arguments_of_nested())
    yield Program(called("convolutions", convolutions()), (torch.randn(2, 3, 17, 19),))
    if importlib.util.find_spec("transformers") is not None:
        yield roberta()
