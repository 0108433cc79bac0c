"""At each level, a guard is True exactly where tracing the program again at that level records the same graph."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

import guardgen


def add(a: Tensor, b: Tensor) -> Tensor:
    return a + b


def product(a: Tensor, b: Tensor) -> Tensor:
    return torch.relu(a @ b.t())


def reshaped(a: Tensor, b: Tensor) -> Tensor:
    return a.reshape(-1) + b.sum()


def turned(a: Tensor, b: Tensor) -> Tensor:
    return a.t().contiguous().view(-1) * b.sum()


def joined(a: Tensor, b: Tensor) -> Tensor:
    return torch.cat([a, b], 0)


def normalised(a: Tensor, b: Tensor) -> Tensor:
    return torch.softmax(a, -1) + F.layer_norm(b, b.shape[1:])


def pieces(a: Tensor, b: Tensor) -> Tensor:
    return torch.stack([each.sum() for each in a.chunk(2)]) + b.mean()


def rows(a: Tensor, b: Tensor) -> Tensor:
    for row in range(a.shape[0]):
        b = b + a[row]
    return b


def attention(a: Tensor, b: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(a[None, None], b[None, None], b[None, None])


def padded(a: Tensor, b: Tensor) -> Tensor:
    return F.pad(a, (1, 2)) * b.sum()


def sliced(a: Tensor, b: Tensor) -> Tensor:
    return a[1:, ::2] + b.sum()


def written(a: Tensor, b: Tensor) -> Tensor:
    copied = a.clone()
    copied.add_(b.sum())
    return copied


def branch(a: Tensor, b: Tensor) -> Tensor:
    return a * 2.0 if a.shape[0] % 2 == 0 and a.shape[1] < 4 else a - b.var(1).sum()


PROGRAMS = [
    add,
    product,
    reshaped,
    turned,
    joined,
    normalised,
    pieces,
    rows,
    attention,
    padded,
    sliced,
    written,
    branch,
]
SIZES = (0, 1, 2, 3, 4)
OTHERS = ((4, 3), (1, 3), (4, 1), (3, 4))


@pytest.mark.filterwarnings("ignore:var\\(\\)")  # of fewer than two elements
@pytest.mark.parametrize("level", ["call", "aten", "prims"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_guard_is_true_where_retracing_gives_the_same_graph(program: Callable[..., Tensor], level: str) -> None:
    trace = guardgen.trace(program, (torch.randn(4, 3), torch.randn(4, 3)), level=level)
    guards = guardgen.derive(trace)
    accepted = 0
    for shape in itertools.product(SIZES, SIZES):
        for other in (shape, *OTHERS):
            a, b = torch.randn(shape), torch.randn(other)
            assert guards.check(a, b) is trace.same_path(a, b), (shape, other)
            accepted += guards.check(a, b)
    assert accepted > 1


def test_two_graphs_differ_in_operators_observations_constants_and_results() -> None:
    x = torch.randn(4, 3)

    def program(x: Tensor, scale: float, names: list[str]) -> dict[str, Tensor]:
        y = x * scale if x.shape[0] > 2 else x + scale
        return dict.fromkeys(names, y)

    trace = guardgen.trace(program, (x, 2.0, ["a"]))
    assert trace.same_path(torch.randn(5, 6), 2.0, ["a"])
    for different in [(torch.randn(2, 3), 2.0, ["a"]), (x, 3.0, ["a"]), (x, 2.0, ["b"]), (x.double(), 2.0, ["a"])]:
        assert not trace.same_path(*different)
