"""Questions about the memory layout of a tensor of symbolic sizes, as PyTorch's symbolic tensors ask them.

Source: c10/core/Contiguity.h and c10/core/MemoryFormat.h.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Protocol


class Host(Protocol):
    """What computes with the values behind the nodes. Whether it `lays_out` tensors: else every format is row-major."""

    lays_out: bool

    def kind(self, value: Any) -> str: ...
    def apply(self, op: str, *values: Any) -> Any: ...
    def decide(self, value: Any) -> bool: ...
    def expect(self, value: Any) -> bool: ...
    def guess(self, value: Any, default: bool) -> bool: ...
    def number(self, value: Any) -> Any: ...
    def hint(self, value: Any) -> Any: ...


def contiguous(host: Host, sizes: list[Any], strides: list[Any]) -> Any:
    """Whether the layout is row-major: c10/core/Contiguity.h, `_compute_contiguous`."""
    expected, holds, empty = 1, True, False
    for size, stride in zip(reversed(sizes), reversed(strides), strict=True):
        fits = host.apply("bool_or", host.apply("int_eq", size, 1), host.apply("int_eq", stride, expected))
        holds = host.apply("bool_and", holds, fits)
        empty = host.apply("bool_or", empty, host.apply("int_eq", size, 0))
        expected = host.apply("int_mul", expected, size)
    return host.apply("bool_or", empty, holds)


def follows(host: Host, sizes: list[Any], strides: list[Any], order: Sequence[int]) -> bool:
    """Whether a tensor is dense and its dimensions vary in `order`, fastest first."""
    if len(sizes) != len(order):
        return False
    expected: Any = 1
    for dim in order:
        if not host.decide(host.apply("int_eq", sizes[dim], 1)):
            if not host.decide(host.apply("int_eq", strides[dim], expected)):
                return False
            expected = host.apply("int_mul", expected, sizes[dim])
    return True


def grows(host: Host, sizes: list[Any], strides: list[Any], order: Sequence[int]) -> bool:
    """Whether the strides grow in this order of a channels-last format, gaps allowed."""
    if len(sizes) != len(order) or host.decide(host.apply("int_eq", strides[1], 0)):
        return False
    least: Any = 0
    for dim in order:
        if host.decide(host.apply("int_eq", sizes[dim], 0)):
            return False
        if host.decide(host.apply("int_lt", strides[dim], least)):
            return False
        if dim == 0 and host.decide(host.apply("int_eq", least, strides[1])):
            return False  # all sizes but one are 1: row-major is as good
        single = host.decide(host.apply("int_eq", sizes[dim], 1))
        least = strides[dim] if single else host.apply("int_mul", strides[dim], sizes[dim])
    return True


def dense(host: Host, sizes: list[Any], strides: list[Any]) -> bool:
    """Whether no element lies on another and none lies between them: dense in some order of the dimensions."""
    if host.decide(contiguous(host, sizes, strides)):
        return True
    rows = tuple(reversed(range(len(sizes))))
    by_stride = sorted(rows, key=lambda dim: host.hint(strides[dim]))
    orders = dict.fromkeys([tuple(by_stride), *itertools.permutations(rows)])
    del orders[rows]
    return any(follows(host, sizes, strides, order) for order in orders)
