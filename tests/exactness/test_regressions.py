"""Faults that random programs found, each cut down to the lines that matter, with calls around the one that failed."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import guardgen
from benchmarks.exactness.arguments import T
from benchmarks.exactness.watched import ask

FOUND: dict[str, tuple[str, tuple[Any, ...], list[tuple[Any, ...]]]] = {
    "an argument that is never read may be anything": (
        "def program(x, y, n):\n    return x * 2\n",
        (T(3), T(2), 4),
        [(T(5), None, 4), (T(5), T(2), "x"), (T(5), [], 2.5), (T(5), 3, T(2))],
    ),
    "a number that is only computed with is read": (
        "def program(x, n, m):\n    k = n % 2\n    d = m - 4\n    return x\n",
        (T(3), 1, 5),
        [(T(3), "x", 5), (T(3), 1, T(2)), (T(3), 2.5, 5), (T(4), 2, 9), (T(3), 1, None)],
    ),
    "a number that is compared with itself is read": (
        "def program(x, n):\n    if n != n:\n        return x - 1\n    return x * 2\n",
        (T(3), 1),
        [(T(3), T(2)), (T(3), 7), (T(3), 1.5)],
    ),
    "the smaller and the larger of two sizes are no decisions": (
        "def program(x, y):\n    n = min(x.shape[0], y.shape[0])\n    m = max(n - 2, 0)\n"
        "    return x[:n] + y[:n], x[m:]\n",
        (T(4), T(3)),
        [(T(3), T(4)), (T(2), T(2)), (T(0), T(5)), (T(9), T(1)), (T(1), T(0))],
    ),
    "a remainder by 0 inside a rounded float": (
        "def program(x, y, n):\n    return F.pad(x, (4, 1, 0, round(n % y.shape[1] / 2)))\n",
        (T(5, 5, 1), T(1, 5), -2),
        [(T(1, 1, 6), T(16, 0), -2), (T(0, 1, 6), T(1, 3), 2), (T(1, 1, 6), T(2, 2), -9)],
    ),
    "what was made contiguous is seen as anything": (
        "def program(x):\n    y = x.transpose(1, 2).contiguous().view(x.shape[0], -1)\n"
        "    return y * 2 if y.is_contiguous() else y\n",
        (T(2, 3, 4),),
        [(T(3, 1, 1),), (T(1, 5, 1),), (T(2, 0, 4),), (T(1, 1, 5),)],
    ),
    "the largest of several sizes": (
        "def program(x):\n    n = max(s + 1 for s in x.shape)\n    return torch.zeros(max(x.shape), min(x.shape)), n\n",
        (T(2, 3, 4),),
        [(T(4, 3, 2),), (T(1, 1, 1),), (T(0, 5, 3),)],
    ),
    "a number as an index beside slices, None and tensors": (
        "def program(x, n):\n    y = x.clone()\n    y[n, 1:] = n\n    y[..., n] = x[..., 0]\n    y[n] += 5\n"
        "    return y[n], y[1:, n, None], y[torch.arange(2), n], y[n, ..., n], y[:, n, n:]\n",
        (T(3, 5, 4), 1),
        [(T(3, 5, 4), 2), (T(3, 3, 4), -1), (T(2, 2, 2), 3), (T(2, 2, 2), 0), (T(2, 2, 2), -3), (T(3, 5, 1), 1)],
    ),
    "sizes are compared at once, and those of other ranks not at all": (
        "def program(x, y):\n    if x.shape == y.shape:\n        return x + 1\n    if x.shape[1:] != y.shape:\n"
        "        return x - 1\n    return x * y\n",
        (T(2, 3), T(3)),
        [(T(3, 3), T(3)), (T(2, 4), T(3)), (T(3, 1), T(1)), (T(0, 0), T(0))],
    ),
    "sizes that differ may differ elsewhere": (
        "def program(x, y):\n    if x.shape == y.shape:\n        return x + y\n    return x * 2\n",
        (T(2, 3), T(2, 4)),
        [(T(3, 4), T(2, 4)), (T(1, 1), T(2, 2)), (T(2, 4), T(2, 4)), (T(0, 1), T(1, 0))],
    ),
    "a size divided by 1 is a float in TorchScript too": (
        "def program(x):\n    return torch.eye(math.ceil(x.shape[0] / 1))\n",
        (T(3),),
        [(T(0),), (T(7),)],
    ),
    "a root is taken only of what is not negative": (
        "def program(x):\n    n = int(max(x.shape[0] - 2, 0) ** 0.5)\n"
        "    if n > 3:\n        return x + 1\n    return x * 2\n",
        (T(4),),
        [(T(1),), (T(0),), (T(9),), (T(17),), (T(18),), (T(30),)],
    ),
    "bits of a number that may be of any size": (
        "def program(x, n):\n    if (x.shape[0] ^ round(x.shape[1] / 2)) > n:\n        return x + 1\n    return x\n",
        (T(3, 4), 2),
        [(T(5, 4), 2), (T(3, 0), 3), (T(2, 4), 0), (T(8, 2), -1)],
    ),
    "strides of what has no elements": (
        "def program(x):\n    y = torch.maximum(x * x, x)\n    z = x.softmax(-2)\n"
        "    if y.stride(-1) == z.stride(-1) == 1:\n"
        "        return x\n    return x + 1\n",
        (T(2, 5, 1, 2),),
        [(T(8, 0, 1, 8),), (T(2, 0, 3, 1),), (T(0, 1, 1, 0),)],
    ),
    "a loop that halves": (  # 12 would do as well, by broadcasting once: docs/exactness.md, long sizes
        "def program(x):\n    while x.shape[0] > 1:\n        half = x.shape[0] // 2\n"
        "        x = x[:half] + x[half:]\n    return x\n",
        (T(16),),
        [(T(16),), (T(8),), (T(17),), (T(18),), (T(20),), (T(24),), (T(32),), (T(0),)],
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_every_answer_is_right(name: str) -> None:
    source, traced, asked = FOUND[name]
    assert ask(source, traced, asked) == []


@pytest.mark.parametrize("dtype", [torch.int64, torch.bool])
def test_sizes_are_compared_at_once_whatever_the_dtype(dtype: torch.dtype) -> None:
    source, _, _ = FOUND["sizes that differ may differ elsewhere"]
    traced = (T(2, 3, dtype=dtype), T(2, 4, dtype=dtype))
    assert ask(source, traced, [(T(5, 4, dtype=dtype), T(2, 4, dtype=dtype)), (T(2, 3), T(2, 4))]) == []


def test_an_argument_that_is_given_other_sizes_is_no_other_argument() -> None:
    def program(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x.unsqueeze_(0)
        return y + 1 if y.dim() == 2 else y * 2

    guards = guardgen.derive(guardgen.trace(program, (torch.ones(3, 2), torch.ones(3, 2))))
    twice = torch.ones(3, 2)
    assert guards.check(twice, twice.clone())
    assert not guards.check(twice, twice)
    assert "y is not x" in str(guards)
