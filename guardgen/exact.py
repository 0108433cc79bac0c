"""Numbers of TorchScript that answer as Python's do or raise, in the part of Python that TorchScript compiles.

TorchScript's ints have 64 bits and wrap, and its divisions by 0 end the process or give infinities. Artifacts include
what is below the imports.
"""

from __future__ import annotations

import math


def exact_add(left: int, right: int) -> int:
    if abs(float(left) + float(right)) >= 9.2e18:
        raise OverflowError("a sum is beyond 64 bits")
    return left + right


def exact_sub(left: int, right: int) -> int:
    if abs(float(left) - float(right)) >= 9.2e18:
        raise OverflowError("a difference is beyond 64 bits")
    return left - right


def exact_mul(left: int, right: int) -> int:
    if abs(float(left) * float(right)) >= 9.2e18:
        raise OverflowError("a product is beyond 64 bits")
    return left * right


def exact_divisor(left: int, right: int) -> int:
    if right == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    if right == -1 and abs(float(left)) >= 9.2e18:
        raise OverflowError("a quotient is beyond 64 bits")
    return right


def exact_floordiv(left: int, right: int) -> int:
    return left // exact_divisor(left, right)


def exact_mod(left: int, right: int) -> int:
    """By a difference, since TorchScript's own `%` wraps for divisors beyond 2**62."""
    return left - left // exact_divisor(left, right) * right


def exact_truediv(left: int, right: int) -> float:
    if right == 0:
        raise ZeroDivisionError("division by zero")
    if abs(float(left)) >= 9007199254740992.0 or abs(float(right)) >= 9007199254740992.0:
        raise OverflowError("a number is too large to be divided exactly")
    return float(left) / float(right)


def exact_pow(base: int, exponent: int) -> int:
    if exponent < 0:
        raise ValueError("a negative power of an int is no int")
    result = 1
    if base == 0 or base == 1:
        return base if exponent > 0 else 1
    if base == -1:
        return 1 if exponent % 2 == 0 else -1
    for _ in range(min(exponent, 64)):
        result = exact_mul(result, base)
    return result


def exact_lshift(value: int, count: int) -> int:
    if count < 0 or (value != 0 and count > 62):
        raise OverflowError("a number cannot be shifted so far")
    return exact_mul(value, 1 << count) if value != 0 else 0


def exact_rshift(value: int, count: int) -> int:
    if count < 0:
        raise ValueError("negative shift count")
    return value >> min(count, 63)


def exact_trunc(value: float) -> int:
    if not abs(value) < 9.2e18:
        raise OverflowError("a float is no int of 64 bits")
    return int(value)


def exact_floor(value: float) -> int:
    whole = exact_trunc(value)
    return whole - 1 if float(whole) > value else whole


def exact_ceil(value: float) -> int:
    whole = exact_trunc(value)
    return whole + 1 if float(whole) < value else whole


def exact_round(value: float) -> int:
    """To the nearest, ties to the even one."""
    whole = exact_floor(value)
    above = value - float(whole)
    up = above > 0.5 or (above == 0.5 and whole % 2 == 1)
    return whole + 1 if up else whole


def exact_float_divisor(value: float) -> float:
    if value == 0.0:
        raise ZeroDivisionError("float division by zero")
    return value


def exact_float_pow(base: float, exponent: float) -> float:
    """Refused where Python raises, or makes a complex number."""
    if (base == 0.0 and exponent < 0.0) or (base < 0.0 and exponent != math.floor(exponent)):
        raise ValueError("a power that is no float")
    power: float = base**exponent
    if abs(power) == math.inf and abs(base) != math.inf and abs(exponent) != math.inf:
        raise OverflowError("a power is too large")
    return power
