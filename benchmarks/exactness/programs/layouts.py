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


@program(
    "layouts of results",
    traced=(T(3, 4),),
    valid=[(T(5, 2),), (T(1, 1),), (T(0, 4),), (T(4, 0),)],
    invalid=[(turned(3, 4),), (turned(5, 2),)],
)
@program("layouts of results", traced=(turned(3, 4),), valid=[(turned(5, 2),)], invalid=[(T(3, 4),), (T(1, 4),)])
def if_result_is_contiguous(x: Tensor) -> Tensor:
    y = torch.relu(x) + 1
    if y.is_contiguous():
        return y.view(-1)
    return y.t().contiguous()


@program(
    "layouts of results",
    traced=(T(3, 4), T(5, 4)),
    valid=[(T(1, 2), T(7, 2)), (turned(3, 4), T(5, 4)), (T(3, 0), T(5, 0)), (T(3, 4), turned(6, 4))],
    invalid=[(T(3, 4), T(5, 3)), (T(3, 4), T(4))],
)
def of_a_product(x: Tensor, weight: Tensor) -> Tensor:
    y = torch.nn.functional.linear(x, weight)
    if y.is_contiguous():
        return y * 2
    return y


@program(
    "where a part begins",
    traced=(T(4, 8),),
    valid=[(T(9, 8),), (T(2, 8),), (T(1, 8),)],
    invalid=[(T(4, 7),), (T(0, 8),), (turned(4, 8),)],
)
def by_offset(x: Tensor) -> Tensor:
    part = x[1:]
    if part.storage_offset() == 8:
        return part + 1
    return part


class Options:
    """An argument of a class of its own."""

    def __init__(self, scale: float, bias: bool) -> None:
        self.scale, self.bias = scale, bias

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Options) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]  # as Python sets it


def options(scale: float, bias: bool) -> Made:
    return Made(f"Options({scale}, {bias})", lambda: Options(scale, bias))


@program(
    "objects among the arguments",
    traced=(T(3), options(2.0, True)),
    valid=[(T(5), options(2.0, True)), (T(0), options(2.0, True))],
    invalid=[(T(3), options(2.0, False)), (T(3), 2.0)],
)
def by_options(x: Tensor, settings: Options) -> Tensor:
    x = x * settings.scale
    if settings.bias:
        x = x + 1
    return x


@program(
    "data read after a write elsewhere",
    traced=(T(4),),
    valid=[(T(6),), (T(2),)],
    invalid=[(T(0),)],
)
def after_a_write(x: Tensor) -> Tensor:
    seen = torch.zeros(x.shape[0] + 1)
    seen[0] = 1
    seen[1:] = x
    if seen.sum() > x.sum() + 0.5 and x.numel() > 0:
        return x * 2
    return x
