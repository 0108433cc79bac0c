# Made by guardgen 0.1.0; do not edit, change the program and build again.
# For which arguments a trace is valid: function convnet of examples/convnet.py, traced at level call.
# Traced with grad mode on, default dtype torch.float32, default device cpu, autocast off.
# The module was in evaluation.
"""For which arguments a trace is valid: `check` and `check_shapes`, for `torch.jit.script`."""

from __future__ import annotations

from typing import List

import torch
from torch import Tensor

__all__ = ["check", "check_shapes"]


def check(images: Tensor) -> bool:
    """Whether the trace is valid for these arguments."""
    if images.dtype != torch.float32 or images.dim() != 4 or images.layout != torch.strided or not images.is_cpu:
        return False
    images_1 = images.size(1)
    images_2 = images.size(2)
    images_3 = images.size(3)
    if not _sizes(images_1, images_2, images_3):
        return False
    return True


def check_shapes(images: List[int]) -> bool:
    """Whether the trace is valid for tensors of these sizes, as far as sizes tell.

    Dtypes, devices, layouts, strides, the identity of tensors and what is in them are not looked at: `check` does.
    """
    if len(images) != 4:
        return False
    images_1 = images[1]
    images_2 = images[2]
    images_3 = images[3]
    if not _sizes(images_1, images_2, images_3):
        return False
    return True


def _sizes(images_1: int, images_2: int, images_3: int) -> bool:
    # sizes whose products could be beyond 64 bits
    if not (float(images_2) + 1.0) * (float(images_3) + 1.0) < 4.611686018427388e18:
        return _sizes_wide(images_1, images_2, images_3)
    # at examples/convnet.py:22: x = self.pool(torch.relu(self.first(images)))
    if images_1 != 3:
        return False
    # at examples/convnet.py:24: logits: torch.Tensor = self.head(x.flatten(1))
    if images_2 // 4 * (images_3 // 4) != 16:
        return False
    return True


def _sizes_wide(images_1: int, images_2: int, images_3: int) -> bool:
    # at examples/convnet.py:22: x = self.pool(torch.relu(self.first(images)))
    if images_1 != 3:
        return False
    # at examples/convnet.py:24: logits: torch.Tensor = self.head(x.flatten(1))
    if not wide_eq(wide_mul(wide_floordiv(wide(images_2), [1, 4]), wide_floordiv(wide(images_3), [1, 4])), [1, 16]):
        return False
    return True


# What follows is the same in every module that needs it.


def wide(value: int) -> list[int]:
    """The number of an int of 64 bits."""
    if value < 0:  # its negation may not fit
        return wide_sub(wide_neg(wide_positive(-(value + 1))), [1, 1])
    return wide_positive(value)


def wide_positive(value: int) -> list[int]:
    digits: list[int] = []
    while value > 0:
        digits.append(value % 1073741824)
        value = value // 1073741824
    return wide_number(1, digits)


def wide_number(sign: int, digits: list[int]) -> list[int]:
    """The number with that sign and those digits, without leading zeros."""
    count = len(digits)
    while count > 0 and digits[count - 1] == 0:
        count -= 1
    if count == 0:
        return [0]
    number = digits[:count]
    number.insert(0, sign)
    return number


def wide_compare_size(left: list[int], right: list[int]) -> int:
    """-1, 0 or 1 as the absolute value of `left` is less, equal or greater."""
    if len(left) != len(right):
        return -1 if len(left) < len(right) else 1
    at = len(left) - 1
    while at > 0:
        if left[at] != right[at]:
            return -1 if left[at] < right[at] else 1
        at -= 1
    return 0


def wide_compare(left: list[int], right: list[int]) -> int:
    if left[0] != right[0]:
        return -1 if left[0] < right[0] else 1
    return left[0] * wide_compare_size(left, right)


def wide_eq(left: list[int], right: list[int]) -> bool:
    return wide_compare(left, right) == 0


def wide_lt(left: list[int], right: list[int]) -> bool:
    return wide_compare(left, right) < 0


def wide_neg(number: list[int]) -> list[int]:
    negated = number[:]
    negated[0] = -number[0]
    return negated


def wide_abs(number: list[int]) -> list[int]:
    return wide_neg(number) if number[0] < 0 else number


def wide_add(left: list[int], right: list[int]) -> list[int]:
    if left[0] == 0:
        return right
    if right[0] == 0:
        return left
    small, large = (left, right) if wide_compare_size(left, right) < 0 else (right, left)
    factor = small[0] * large[0]  # the digits of the smaller one are added to those of the larger, or taken from them
    digits: list[int] = []
    carry = 0
    for at in range(1, len(large)):
        carry += large[at]
        if at < len(small):
            carry += factor * small[at]
        digits.append(carry % 1073741824)
        carry = carry // 1073741824
    digits.append(carry)
    return wide_number(large[0], digits)


def wide_sub(left: list[int], right: list[int]) -> list[int]:
    return wide_add(left, wide_neg(right))


def wide_mul(left: list[int], right: list[int]) -> list[int]:
    digits = [0 for _ in range(len(left) + len(right))]
    for i in range(1, len(left)):
        carry = 0
        for j in range(1, len(right)):
            carry += digits[i + j - 2] + left[i] * right[j]
            digits[i + j - 2] = carry % 1073741824
            carry = carry // 1073741824
        digits[i + len(right) - 2] = carry
    return wide_number(left[0] * right[0], digits)


def wide_floordiv(left: list[int], right: list[int]) -> list[int]:
    """`left // right`, rounded down; `right` is not 0. Bit by bit."""
    divisor = wide_abs(right)
    digits = [0 for _ in range(len(left))]
    rest = [0]
    for i in range(len(left) - 1):
        at = len(left) - 1 - i
        for j in range(30):
            rest = wide_add(wide_add(rest, rest), wide((left[at] >> (29 - j)) & 1))
            if wide_compare(rest, divisor) >= 0:
                rest = wide_sub(rest, divisor)
                digits[at - 1] += 1 << (29 - j)
    quotient = wide_number(left[0] * right[0], digits)
    return wide_sub(quotient, [1, 1]) if rest[0] != 0 and left[0] != right[0] else quotient


def wide_mod(left: list[int], right: list[int]) -> list[int]:
    """`left % right`, with the sign of `right`, which is not 0."""
    return wide_sub(left, wide_mul(wide_floordiv(left, right), right))


def wide_min(left: list[int], right: list[int]) -> list[int]:
    return right if wide_compare(right, left) < 0 else left


def wide_max(left: list[int], right: list[int]) -> list[int]:
    return right if wide_compare(right, left) > 0 else left


def wide_bits(number: list[int]) -> int:
    """How many bits the absolute value has."""
    if number[0] == 0:
        return 0
    bits = 30 * (len(number) - 2)
    last = number[len(number) - 1]
    while last > 0:
        bits += 1
        last = last >> 1
    return bits


def wide_can_power(base: list[int], exponent: list[int]) -> bool:
    """Whether `base ** exponent` is a whole number that is not too long to compute, as in the Python form."""
    if exponent[0] < 0:
        return False
    small = exponent[0] == 0 or len(base) == 1 or (len(base) == 2 and base[1] == 1)
    return small or (len(exponent) == 2 and exponent[1] * wide_bits(base) <= 4096)


def wide_power(base: list[int], exponent: list[int]) -> list[int]:
    """`base ** exponent`, by squares, where `wide_can_power` says so."""
    power, factor = [1, 1], base
    for at in range(1, len(exponent)):
        rest = exponent[at]
        for _ in range(30):
            if rest & 1:
                power = wide_mul(power, factor)
            rest = rest >> 1
            if rest > 0 or at < len(exponent) - 1:
                factor = wide_mul(factor, factor)
    return power


def wide_can_shift(value: list[int], count: list[int]) -> bool:
    """Whether `value << count` is a number that is not too long to compute, as in the Python form."""
    return count[0] >= 0 and (value[0] == 0 or count[0] == 0 or (len(count) == 2 and count[1] <= 4096))


def wide_lshift(value: list[int], count: list[int]) -> list[int]:
    return wide_mul(value, wide_power([1, 2], count)) if value[0] != 0 else value


def wide_rshift(value: list[int], count: list[int]) -> list[int]:
    if len(count) > 2 or (len(count) == 2 and count[1] > 30 * len(value)):
        return [-1, 1] if value[0] < 0 else [0]
    return wide_floordiv(value, wide_power([1, 2], count))
