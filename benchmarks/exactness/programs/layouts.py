"""Layouts, aliasing, identity and dtypes of the arguments."""

import torch
from torch import Tensor

from benchmarks.exactness.arguments import Made, Same, T
from benchmarks.exactness.programs.registry import program

HALF, LONG = torch.float16, torch.int64


def turned(rows: int, columns: int) -> Made:
    return Made(f"randn({columns}, {rows}).t()", lambda: torch.arange(1.0 * rows * columns).view(columns, rows).t())


def every_other(count: int) -> Made:
    return Made(f"arange({2 * count})[::2]", lambda: torch.arange(2.0 * count)[::2])


@program(
    "layouts",
    traced=(T(3, 4),),
    valid=[(T(5, 2),), (T(1, 1),), (turned(1, 4),), (T(0, 4),)],
    invalid=[(turned(3, 4),)],
)
@program("layouts", traced=(turned(3, 4),), valid=[(turned(5, 2),)], invalid=[(T(3, 4),), (turned(1, 4),)])
def if_contiguous(x: Tensor) -> Tensor:
    if x.is_contiguous():
        return x.view(-1)
    return x.sum(0)


@program(
    "layouts, not observed",
    traced=(T(3, 4),),
    valid=[(turned(3, 4),), (turned(1, 2),), (T(2, 2),)],
    invalid=[(every_other(4),)],
)
def flattened(x: Tensor) -> Tensor:
    return x.reshape(x.shape[0] * x.shape[1]) * 2


@program(
    "identity",
    traced=(T(3), T(3)),
    valid=[(T(5), T(5)), (T(1), T(4))],
    invalid=[(T(3), Same(0)), (T(3), T(4))],
)
@program("identity", traced=(T(3), Same(0)), valid=[(T(5), Same(0)), (T(0), Same(0))], invalid=[(T(3), T(3))])
def unless_same(x: Tensor, y: Tensor) -> Tensor:
    if x is y:
        return x * 4
    return x + y


@program(
    "aliasing",
    traced=(T(4), T(4)),
    valid=[(T(6), T(6)), (T(1), T(1)), (T(3), T(1))],
    invalid=[(T(4), T(5))],
)
def doubled_first(x: Tensor, y: Tensor) -> Tensor:
    x.mul_(2)
    return x + y


@program(
    "aliasing through a view",
    traced=(T(5, 2),),
    valid=[(T(3, 2),), (T(1, 9),)],
    invalid=[(T(0, 2),)],
)
def clear_first(x: Tensor) -> Tensor:
    first = x[0]
    first.zero_()
    return x.sum(0)


@program(
    "dtype promotion",
    traced=(T(3), T(3)),
    valid=[(T(1), T(7)), (T(0), T(0))],
    invalid=[(T(3, dtype=LONG), T(3)), (T(3), T(3, dtype=torch.float64))],
)
def mixed(x: Tensor, y: Tensor) -> Tensor:
    if torch.result_type(x, y) == torch.float32:
        return x + y
    return (x - y).float()


@program(
    "dtype asked",
    traced=(T(3, dtype=HALF), 2),
    valid=[(T(9, dtype=HALF), 3), (T(0, dtype=HALF), 0)],
    invalid=[(T(3), 2), (T(3, dtype=LONG), 2), (T(3, dtype=HALF), 2.0)],
)
def upcast(x: Tensor, n: int) -> Tensor:
    if x.dtype == torch.float16:
        return x.float() * n
    return x * n
