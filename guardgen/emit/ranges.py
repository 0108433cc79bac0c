"""The least and the greatest value that an int op can have, from those of its operands."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TypeAlias

Range: TypeAlias = "tuple[float, float]"


def within(limit: float) -> Range:
    return -limit, limit


def add(a: Range, b: Range) -> Range:
    return a[0] + b[0], a[1] + b[1]


def sub(a: Range, b: Range) -> Range:
    return a[0] - b[1], a[1] - b[0]


def mul(a: Range, b: Range) -> Range:
    products = [x * y if x and y else 0 for x in a for y in b]
    return min(products), max(products)


def floordiv(a: Range, b: Range) -> Range:
    if b[0] == b[1] > 0 and inf not in map(abs, a):
        return a[0] // b[0], a[1] // b[0]
    limit = max(*map(abs, a), 1)
    return (0, limit) if a[0] >= 0 and b[0] >= 0 else within(limit)


def mod(a: Range, b: Range) -> Range:
    """Between 0 and the divisor."""
    return min(b[0], 0), max(b[1], 0)


def neg(a: Range) -> Range:
    return -a[1], -a[0]


def absolute(a: Range) -> Range:
    return 0, max(map(abs, a))


def least(a: Range, b: Range) -> Range:
    return min(a[0], b[0]), min(a[1], b[1])


def greatest(a: Range, b: Range) -> Range:
    return max(a[0], b[0]), max(a[1], b[1])


def chosen(_: Range, a: Range, b: Range) -> Range:
    return min(a[0], b[0]), max(a[1], b[1])


def bitwise(*operands: Range) -> Range:
    """As many bits as the longest operand has."""
    if any(inf in map(abs, operand) for operand in operands):
        return within(inf)
    bits = 1
    while any(low < -bits or high >= bits for low, high in operands):
        bits *= 2
    return -bits, bits - 1


LAWS: dict[str, Callable[..., Range]] = {
    "int_add": add,
    "int_sub": sub,
    "int_mul": mul,
    "int_floordiv": floordiv,
    "int_mod": mod,
    "int_neg": neg,
    "int_abs": absolute,
    "int_min": least,
    "int_max": greatest,
    "int_ite": chosen,
    "int_and": bitwise,
    "int_or": bitwise,
    "int_xor": bitwise,
    "int_invert": bitwise,
}
