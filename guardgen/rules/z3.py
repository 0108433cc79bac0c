"""The z3 interpretation of the pure ops: ints without bounds, floats as IEEE doubles, and where each has a value.

A value is paired with the condition that it has one: `a // b` has none where b is 0. Division is Python's, which
floors, where z3's leaves a remainder that is never negative. What z3 cannot say is a function that nothing is known of:
what is proved holds all the same, and what is refuted has to be computed once more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import z3

from guardgen.interpret import RuleTable
from guardgen.ops import PURE

z3_rules = RuleTable("z3")

MOST_FACTORS = 16  # of a power that is written out
DOUBLE, NEAREST = z3.Float64(), z3.RNE()
SORTS = {"int": z3.IntSort(), "bool": z3.BoolSort(), "float": DOUBLE}


class Value(NamedTuple):
    """An expression, and the condition under which Python computes it without raising."""

    value: Any
    defined: Any = z3.BoolVal(True)


def strict(op: str, rule: Callable[..., Any], needs: Callable[..., Any] | None = None) -> None:
    """An op that computes all of its operands; `needs` is what it asks of them."""

    def lifted(*operands: Value) -> Value:
        values = [each.value for each in operands]
        own = [needs(*values)] if needs else []
        return Value(rule(*values), z3.And(*(each.defined for each in operands), *own))

    z3_rules.rule(op)(lifted)


def unknown(op: str) -> Callable[..., Any]:
    """A function that nothing is known of."""
    spec = PURE[op]
    function = z3.Function(op, *(SORTS[kind] for kind in spec.inputs), SORTS[spec.output or "bool"])
    return lambda *values: function(*values)


def allowed(op: str) -> Callable[..., Any]:
    """Whether Python computes it: nothing is known of where."""
    function = z3.Function(f"{op} is computed", *(SORTS[kind] for kind in PURE[op].inputs), z3.BoolSort())
    return lambda *values: function(*values)


def floordiv(left: Any, right: Any) -> Any:
    return z3.If(right > 0, left / right, (-left) / (-right))


def mod(left: Any, right: Any) -> Any:
    return z3.If(right > 0, left % right, -((-left) % (-right)))


def not_zero(left: Any, right: Any) -> Any:
    return right != 0


INT_RULES: Mapping[str, Callable[..., Any]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "min": lambda a, b: z3.If(a <= b, a, b),
    "max": lambda a, b: z3.If(a >= b, a, b),
    "neg": lambda a: -a,
    "abs": lambda a: z3.If(a >= 0, a, -a),
    "invert": lambda a: -a - 1,
}
for _name, _rule in INT_RULES.items():
    strict(f"int_{_name}", _rule)

strict("int_floordiv", floordiv, not_zero)
strict("int_mod", mod, not_zero)
strict("bool_not", z3.Not)
strict("bool_eq", lambda a, b: a == b)
strict("bool_to_int", lambda a: z3.If(a, z3.IntVal(1), z3.IntVal(0)))
for _name in ("and", "or", "xor"):
    strict(f"int_{_name}", unknown(f"int_{_name}"))


def power(base: Any, exponent: Any) -> Any:
    """Written out for a small constant exponent."""
    if z3.is_int_value(exponent) and 0 <= exponent.as_long() <= MOST_FACTORS:
        result = z3.IntVal(1)
        for _ in range(exponent.as_long()):
            result = result * base
        return result
    return unknown("int_pow")(base, exponent)


def can_power(base: Any, exponent: Any) -> Any:
    small = z3.is_int_value(exponent) and 0 <= exponent.as_long() <= MOST_FACTORS
    return z3.BoolVal(True) if small else z3.And(exponent >= 0, allowed("int_pow")(base, exponent))


def shifted(op: str, by: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def rule(value: Any, count: Any) -> Any:
        if z3.is_int_value(count) and 0 <= count.as_long() <= 64:
            return by(value, z3.IntVal(1 << count.as_long()))
        return unknown(op)(value, count)

    return rule


strict("int_pow", power, can_power)
strict(
    "int_lshift", shifted("int_lshift", lambda a, b: a * b), lambda a, n: z3.And(n >= 0, allowed("int_lshift")(a, n))
)
strict("int_rshift", shifted("int_rshift", floordiv), lambda a, n: n >= 0)

# -- floats

FLOAT_RULES: Mapping[str, Callable[..., Any]] = {
    "eq": z3.fpEQ,
    "ne": z3.fpNEQ,
    "lt": z3.fpLT,
    "le": z3.fpLEQ,
    "gt": z3.fpGT,
    "ge": z3.fpGEQ,
    "add": lambda a, b: z3.fpAdd(NEAREST, a, b),
    "sub": lambda a, b: z3.fpSub(NEAREST, a, b),
    "mul": lambda a, b: z3.fpMul(NEAREST, a, b),
    "neg": z3.fpNeg,
    "abs": z3.fpAbs,
}
for _name, _rule in FLOAT_RULES.items():
    strict(f"float_{_name}", _rule)

strict("float_truediv", lambda a, b: z3.fpDiv(NEAREST, a, b), lambda a, b: z3.Not(z3.fpIsZero(b)))
for _name in ("floordiv", "mod"):
    strict(f"float_{_name}", unknown(f"float_{_name}"), lambda a, b: z3.Not(z3.fpIsZero(b)))
for _op in ("int_to_float", "float_pow", "float_round_to"):
    strict(_op, unknown(_op), allowed(_op))
strict("int_truediv", unknown("int_truediv"), lambda a, b: z3.And(b != 0, allowed("int_truediv")(a, b)))
for _name in ("floor", "ceil", "trunc", "round"):
    strict(f"float_{_name}", unknown(f"float_{_name}"), lambda a: z3.Not(z3.Or(z3.fpIsNaN(a), z3.fpIsInf(a))))

# -- what does not compute all of its operands


@z3_rules.rule("bool_and")
def bool_and(left: Value, right: Value) -> Value:
    defined = z3.And(left.defined, z3.Or(z3.Not(left.value), right.defined))
    return Value(z3.And(left.value, right.value), defined)


@z3_rules.rule("bool_or")
def bool_or(left: Value, right: Value) -> Value:
    defined = z3.And(left.defined, z3.Or(left.value, right.defined))
    return Value(z3.Or(left.value, right.value), defined)


@z3_rules.rule("int_ite")
def int_ite(condition: Value, then: Value, otherwise: Value) -> Value:
    defined = z3.And(condition.defined, z3.If(condition.value, then.defined, otherwise.defined))
    return Value(z3.If(condition.value, then.value, otherwise.value), defined)


@z3_rules.rule("bool_const", "int_const", "float_const")
def const(*, val: Any) -> Value:
    if isinstance(val, bool):
        return Value(z3.BoolVal(val))
    return Value(z3.IntVal(val) if isinstance(val, int) else z3.FPVal(val, DOUBLE))


def free(name: str, kind: str) -> Value:
    """A variable of that kind."""
    return Value(z3.Const(name, SORTS[kind]))
