"""The numbers of a stored guard set, computed without trusting it: flat, in order, each once, and none without a limit.

A number that cannot be computed (a division by 0, a result too long) is an exception in its place. What uses it is one
too, unless it need not look: `and`, `or` and piecewise numbers take what decides them, as Python does.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from guardgen.runtime import computed, is_error, power, shift_left

MOST_BITS = 1 << 16  # of any number: one multiplication of such takes a tenth of a millisecond


def bounded(function: Callable[..., Any]) -> Callable[..., Any]:
    """The operation, refused where an operand or the result is too long."""

    def apply(*values: Any) -> Any:
        bits = sum(value.bit_length() for value in values if isinstance(value, int))
        if bits > MOST_BITS:
            raise OverflowError("a number is too long to compute with")
        return function(*values)

    return apply


RULES: dict[str, Callable[..., Any]] = {
    "bool_not": operator.not_,
    "bool_eq": operator.eq,
    "bool_to_int": int,
    "int_to_float": float,
    "int_min": min,
    "int_max": max,
    "int_pow": bounded(power),
    "int_lshift": bounded(shift_left),
    "int_rshift": operator.rshift,
    "int_and": operator.and_,
    "int_or": operator.or_,
    "int_xor": operator.xor,
    "int_invert": operator.invert,
    "float_floor": math.floor,
    "float_ceil": math.ceil,
    "float_trunc": math.trunc,
    "float_round": round,
    "float_round_to": round,
    "float_pow": operator.pow,
}
for _kind in ("int", "float"):
    for _name in ("eq", "ne", "lt", "le", "gt", "ge", "neg", "abs"):
        RULES[f"{_kind}_{_name}"] = getattr(operator, _name)
    for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod"):
        RULES[f"{_kind}_{_name}"] = bounded(getattr(operator, _name))


def apply(op: str, values: Sequence[Any]) -> Any:
    """The value of an operation, or the exception that stands for it."""
    if op in ("bool_and", "bool_or"):
        first, second = values
        decided = not is_error(first) and bool(first) is (op == "bool_or")
        return first if decided or is_error(first) else second
    if op == "int_ite":
        condition, then, otherwise = values
        return condition if is_error(condition) else then if condition else otherwise
    for value in values:
        if is_error(value):
            return value
    return computed(lambda: RULES[op](*values))


def evaluate(numbers: Sequence[Any], symbols: Sequence[Any]) -> list[Any]:
    """Every number of a document, where its symbols have these values."""
    values: list[Any] = []
    for number in numbers:
        if "symbol" in number:
            values.append(symbols[number["symbol"]])
        elif "const" in number:
            values.append(constant(number["const"]))
        else:
            values.append(apply(number["op"], [values[i] for i in number["of"]]))
    return values


def constant(value: Any) -> Any:
    """A number as it is stored."""
    return float(value["float"]) if isinstance(value, dict) else value
