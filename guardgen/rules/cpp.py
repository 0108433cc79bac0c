"""The C++ interpretation of the pure ops. The text is the same for ints of 64 bits and for `Int`s of any length.

Which of the two an operand is, the emitter decides; functions of the header have overloads for both. As in TorchScript,
what is asked of operands stands beside the expression: a divisor is not 0, a shift not negative. The ops
`int_plain_floordiv` and `int_plain_mod` are of this table only: C++'s own, for operands that are not negative.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from guardgen.errors import EmitError
from guardgen.interpret import RuleTable
from guardgen.rules import precedence as p
from guardgen.rules.precedence import Text
from guardgen.rules.python import number

cpp_rules = RuleTable("C++")

TERNARY, OR, AND, EQUAL, COMPARE, SUM, PRODUCT, UNARY, CALL = range(9)  # how tightly C++ binds
LARGEST = 2**63 - 1


def joint(operator: str, level: int) -> Callable[[Text, Text], Text]:
    """`&&` or `||`: each in parentheses inside the other, although `&&` binds tighter, since compilers warn."""

    def operand(value: Text) -> str:
        return value.text if value.level == level else value.at(EQUAL)

    return lambda left, right: Text(f"{operand(left)} {operator} {operand(right)}", level)


def comparison(operator: str, level: int) -> Callable[[Text, Text], Text]:
    return lambda left, right: Text(f"{left.at(SUM)} {operator} {right.at(SUM)}", level)


COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
for _kind in ("int", "float"):
    for _name, _operator in COMPARISONS.items():
        cpp_rules.rule(f"{_kind}_{_name}")(comparison(_operator, EQUAL if _name in ("eq", "ne") else COMPARE))

for _name, (_operator, _level) in {"add": ("+", SUM), "sub": ("-", SUM), "mul": ("*", PRODUCT)}.items():
    cpp_rules.rule(f"int_{_name}")(p.infix(_operator, _level))
cpp_rules.rule("int_plain_floordiv")(p.infix("/", PRODUCT))
cpp_rules.rule("int_plain_mod")(p.infix("%", PRODUCT))

for _op, _function in {
    "int_floordiv": "floordiv",
    "int_mod": "modulo",
    "int_truediv": "true_divide",
    "int_min": "least",
    "int_max": "greatest",
    "int_abs": "absolute",
    "int_pow": "power",
    "int_lshift": "shift_left",
    "int_rshift": "shift_right",
    "int_and": "bit_and",
    "int_or": "bit_or",
    "int_xor": "bit_xor",
    "int_to_float": "to_float",
    "int_can_power": "can_power",
    "int_can_shift": "can_shift",
    "int_can_convert": "can_convert",
    "int_can_divide": "can_divide",
    "float_abs": "std::fabs",
    "float_floordiv": "float_floordiv",
    "float_mod": "float_modulo",
    "float_pow": "std::pow",
    "float_floor": "rounded_down",
    "float_ceil": "rounded_up",
    "float_trunc": "Int::truncated",
    "float_round": "nearest",
    "float_can_power": "can_float_power",
    "float_is_finite": "std::isfinite",
}.items():
    cpp_rules.rule(_op)(p.call(_function))


def minus(value: Text) -> Text:
    return Text(f"-{value.at(CALL)}", UNARY)


def rounded(rule: Callable[[Text, Text], Text]) -> Callable[[Text, Text], Text]:
    return lambda left, right: Text(f"rounded({rule(left, right)})")


cpp_rules.rule("int_neg", "float_neg")(minus)
cpp_rules.rule("int_invert")(p.prefix("~", CALL))
for _name, (_operator, _level) in {"add": ("+", SUM), "sub": ("-", SUM), "mul": ("*", PRODUCT)}.items():
    cpp_rules.rule(f"float_{_name}")(rounded(p.infix(_operator, _level)))
cpp_rules.rule("float_truediv")(rounded(p.infix("/", PRODUCT)))

cpp_rules.rule("bool_and")(joint("&&", AND))
cpp_rules.rule("bool_or")(joint("||", OR))
cpp_rules.rule("bool_eq")(comparison("==", EQUAL))


@cpp_rules.rule("bool_not")
def bool_not(value: Text) -> Text:
    return Text(f"!{value.at(CALL)}", UNARY)


@cpp_rules.rule("bool_to_int")
def bool_to_int(value: Text) -> Text:
    return Text(f"std::int64_t{{{value}}}")


@cpp_rules.rule("int_ite")
def int_ite(condition: Text, then: Text, otherwise: Text) -> Text:
    return Text(f"{condition.at(OR)} ? {then.at(EQUAL)} : {otherwise.at(EQUAL)}", TERNARY)


@cpp_rules.rule("float_round_to")
def float_round_to(value: Text, digits: Text) -> Text:
    raise EmitError(f"round({value}, {digits}): C++ has no rounding to decimal digits")


@cpp_rules.rule("int_placeholder", "bool_placeholder", "float_placeholder")
def placeholder(*, name: str) -> Text:
    return Text(name)


@cpp_rules.rule("bool_const")
def bool_const(*, val: bool) -> Text:
    return Text(str(val).lower())


@cpp_rules.rule("int_const")
def int_const(*, val: int) -> Text:
    """A literal; C++ has none of the least int, nor of any beyond 64 bits. A sign is put in parentheses everywhere."""
    if val == -LARGEST - 1:
        return Text(f"({-LARGEST} - 1)")
    if abs(val) > LARGEST:
        return Text(f'Int::parse("{val}")')
    return Text(str(val), CALL if val >= 0 else SUM)


@cpp_rules.rule("float_const")
def float_const(*, val: Any) -> Text:
    if math.isnan(val):
        return Text("std::numeric_limits<double>::quiet_NaN()")
    if math.isinf(val):
        text = "std::numeric_limits<double>::infinity()"
        return Text(text) if val > 0 else Text(f"-{text}", SUM)
    text = number(val)
    return Text(text, SUM if text.startswith("-") else CALL)
