"""Branches, loops and asserts on sizes and ints, and branches on data."""

import math

import torch
from torch import Tensor

from benchmarks.exactness.arguments import Made, T
from benchmarks.exactness.programs.registry import program

POSITIVE = Made("ones(4)", lambda: torch.ones(4))
LARGER = Made("ones(9)", lambda: torch.ones(9))
NEGATIVE = Made("-ones(4)", lambda: -torch.ones(4))


@program(
    "branches",
    traced=(T(8, 3), T(8, 3)),
    valid=[(T(6, 2), T(6, 2)), (T(10, 1), T(1, 1)), (T(6, 0), T(6, 0))],
    invalid=[(T(7, 3), T(7, 3)), (T(4, 3), T(4, 3)), (T(0, 3), T(0, 3)), (T(8, 3), T(7, 3))],
)
def even_and_large(x: Tensor, y: Tensor) -> Tensor:
    if x.shape[0] % 2 == 0 and x.shape[0] > 4:
        return x * 2 + y
    return x - y


@program(
    "branches, several ways",
    traced=(T(5),),
    valid=[(T(4),), (T(9),), (T(7),)],
    invalid=[(T(3),), (T(10),), (T(0),), (T(1),)],
)
def by_length(x: Tensor) -> Tensor:
    n = x.shape[0]
    if n < 4:
        return x
    if n < 10:
        return x * n
    return x[:10]


@program(
    "loops",
    traced=(T(3, 4),),
    valid=[(T(3, 9),), (T(3, 0),), (T(3, 1),)],
    invalid=[(T(2, 4),), (T(4, 4),), (T(0, 4),)],
)
def row_by_row(x: Tensor) -> Tensor:
    state = torch.zeros(x.shape[1])
    for i in range(x.shape[0]):
        state = torch.tanh(state + x[i])
    return state


@program(
    "loops that halve",
    traced=(T(4),),
    valid=[(T(4),)],
    invalid=[(T(8),), (T(2),), (T(6),), (T(1),), (T(0),)],
)
def pairwise_sum(x: Tensor) -> Tensor:
    while x.shape[0] > 1:
        half = x.shape[0] // 2
        x = x[:half] + x[half:]
    return x


@program(
    "chunk counts",
    traced=(T(10, 2),),
    valid=[(T(11, 2),), (T(12, 1),), (T(10, 0),)],
    invalid=[(T(9, 2),), (T(8, 2),), (T(6, 2),), (T(1, 2),), (T(0, 2),), (T(13, 2),)],
)
def by_threes(x: Tensor) -> Tensor:
    total = torch.zeros(x.shape[1])
    for part in x.split(3):
        total = total + part.sum(0) * part.shape[0]
    if x.shape[0] > 12:
        return -total
    return total if x.shape[0] >= 9 else total * 2


@program(
    "chunk counts",
    traced=(T(2, 6),),
    valid=[(T(5, 5),), (T(1, 3),), (T(0, 9),), (T(3, 8),)],
    invalid=[(T(2, 4),), (T(2, 2),), (T(2, 1),), (T(2, 7, 1),)],
)
def three_parts(x: Tensor) -> Tensor:
    q, k, v = x.chunk(3, dim=-1)
    return q.sum(-1) * k.sum(-1) + v.sum(-1)


@program(
    "iterating a tensor",
    traced=(T(3, 4),),
    valid=[(T(3, 1),), (T(3, 0),)],
    invalid=[(T(2, 4),), (T(1, 4),), (T(0, 4),)],
)
def alternate(rows: Tensor) -> Tensor:
    result = torch.zeros(rows.shape[-1])
    for row in rows:
        result = row - result
    return result


@program(
    "asserts",
    traced=(T(2, 8), T(8, 3)),
    valid=[(T(1, 4), T(4, 1)), (T(0, 12), T(12, 0))],
    invalid=[(T(2, 6), T(6, 3)), (T(2, 0), T(4, 3)), (T(2, 8), T(4, 3))],
)
def checked_product(x: Tensor, weight: Tensor) -> Tensor:
    assert x.shape[1] == weight.shape[0], "the widths must agree"
    assert x.shape[1] % 4 == 0
    return x @ weight


@program(
    "int arguments",
    traced=(T(5, 2), 3),
    valid=[(T(5, 2), 5), (T(9, 7), 1), (T(1, 0), 1)],
    invalid=[(T(5, 2), 0), (T(5, 2), 6), (T(5, 2), -1), (T(2, 2), 3)],
)
def leading(x: Tensor, n: int) -> Tensor:
    if n > 0:
        return x.narrow(0, 0, n) * n
    return x


@program(
    "int arguments, divided",
    traced=(T(12), 3),
    valid=[(T(12), 4), (T(5), 1), (T(6), 6), (T(0), 2)],
    invalid=[(T(12), 5), (T(12), 0), (T(7), 3)],
)
def groups(x: Tensor, n: int) -> Tensor:
    return x.view(n, x.shape[0] // n).sum(1) / n


@program(
    "arithmetic on sizes",
    traced=(T(10),),
    valid=[(T(13),), (T(16),), (T(11),)],
    invalid=[(T(9),), (T(8),), (T(17),), (T(0),), (T(1),)],
)
def square(x: Tensor) -> Tensor:
    side = math.ceil(x.shape[0] ** 0.5)
    if side != 4:
        raise ValueError("for sides of 4 only")
    return torch.cat([x, x.new_zeros(side * side - x.shape[0])]).view(side, side)


@program(
    "data decides",
    traced=(POSITIVE,),
    valid=[(LARGER,), (POSITIVE,)],
    invalid=[(NEGATIVE,)],
)
def by_sign(x: Tensor) -> Tensor:
    if x.sum() > 0:
        return x * 2
    return x - 1
