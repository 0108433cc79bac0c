"""The shape interpretation of the pure ops: numbers are terms over the inputs' sizes."""

from __future__ import annotations

from typing import Any

from guardgen.interpret import RuleTable
from guardgen.rules.concrete import concrete_rules
from guardgen.terms import bools, ints
from guardgen.terms.ints import Float, Int, Term

term_rules = RuleTable("shape")

ZERO, ONE, INFINITY = 0, 1, float("inf")
LARGE = 1e300  # of which no sum, rounded or not, is infinite

term_rules.rule("int_add")(ints.add)
term_rules.rule("int_mul")(ints.mul)
term_rules.rule("int_floordiv")(ints.floordiv)
term_rules.rule("int_mod")(ints.mod)
term_rules.rule("int_min")(ints.minimum)
term_rules.rule("int_max")(ints.maximum)
term_rules.rule("int_pow")(ints.power)
term_rules.rule("int_ite")(bools.ite)
term_rules.rule("bool_and")(bools.both)
term_rules.rule("bool_or")(bools.either)
term_rules.rule("bool_not")(bools.negate)
term_rules.rule("bool_to_int")(bools.to_int)

for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    term_rules.rule(f"int_{_name}")(getattr(bools, _name))


@term_rules.rule("int_sub")
def int_sub(left: Any, right: Any) -> Any:
    return ints.add(left, ints.mul(right, -1))


@term_rules.rule("int_neg")
def int_neg(value: Any) -> Any:
    return ints.mul(value, -1)


@term_rules.rule("int_abs")
def int_abs(value: Any) -> Any:
    """Piecewise by sign, which is known of sizes."""
    return bools.ite(bools.ge(value, 0), value, ints.mul(value, -1))


@term_rules.rule("bool_eq")
def bool_eq(left: Any, right: Any) -> Any:
    return bools.either(bools.both(left, right), bools.both(bools.negate(left), bools.negate(right)))


@term_rules.rule("bool_const", "int_const", "float_const")
def const(*, val: Any) -> Any:
    return val


def _opaque(op: str, make: Any) -> Any:
    """A rule that computes with numbers, and builds an opaque term where one of the values is symbolic."""

    def rule(*values: Any) -> Any:
        if not any(isinstance(value, Term) for value in values):
            return concrete_rules[op](*values)
        return make(op, *values)

    return rule


for _op in ("int_lshift", "int_rshift", "int_and", "int_or", "int_xor", "int_invert"):
    term_rules.rule(_op)(_opaque(_op, ints.opaque_int))
for _op in ("float_floor", "float_ceil", "float_trunc", "float_round"):
    term_rules.rule(_op)(_opaque(_op, ints.opaque_int))
for _op in ("int_truediv", "int_to_float", "float_round_to"):
    term_rules.rule(_op)(_opaque(_op, bools.float_term))
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "neg", "abs"):
    term_rules.rule(f"float_{_name}")(_opaque(f"float_{_name}", bools.float_term))

_COMPARE = {_name: _opaque(f"float_{_name}", bools.opaque) for _name in ("eq", "ne", "lt", "le", "gt", "ge")}


def compare_floats(name: str, left: Any, right: Any) -> Any:
    """A comparison of floats; an int that became a float is never infinite or NaN, and compares with 0 as an int."""
    whole = integer_of(left)
    if whole is not None and isinstance(right, float) and right == 0.0:
        return getattr(bools, name)(whole, 0)
    if finite(left) and right in (INFINITY, -INFINITY):
        return concrete_rules[f"float_{name}"](0.0, right)
    return _COMPARE[name](left, right)


def integer_of(value: Any) -> Int | None:
    """The int whose conversion this float is."""
    return value.args[0] if isinstance(value, Float) and value.op == "int_to_float" else None


def finite(value: Any) -> bool:
    """Whether a float term is known to be finite: ints that convert, and quotients of them, since overflow raises; and
    what is computed from sizes without coming near the largest float."""
    if not isinstance(value, Float):
        return False
    return value.op in ("int_to_float", "int_truediv") or magnitude(value) < LARGE


def magnitude(value: Any) -> float:
    """A bound of the absolute value of a float term, infinity where none is known."""
    if not isinstance(value, Float):
        return abs(value) if isinstance(value, float) and value == value else INFINITY
    if value.op == "int_to_float":
        low, high = ints.bounds(value.args[0])
        return INFINITY if low is None or high is None else float(max(abs(low), abs(high)))
    if value.op in ("float_neg", "float_abs"):
        return magnitude(value.args[0])
    left, right = value.args if len(value.args) == 2 else (INFINITY, INFINITY)
    if value.op in ("float_add", "float_sub"):
        return magnitude(left) + magnitude(right)
    if value.op == "float_mul":
        product = magnitude(left) * magnitude(right)
        return product if product == product else INFINITY
    if value.op == "float_truediv" and isinstance(right, float) and abs(right) > 1 / LARGE:
        return magnitude(left) / abs(right)
    if value.op == "float_pow" and isinstance(right, float) and 0 <= right <= 1 and not_negative(left):
        return max(1.0, magnitude(left))
    return INFINITY


def not_negative(value: Any) -> bool:
    """Whether a float is known to be at least 0: a size that became one."""
    whole = integer_of(value)
    return whole is not None and (ints.bounds(whole)[0] or 0) >= 0 and ints.bounds(whole)[0] is not None


def _comparison(name: str) -> Any:
    def rule(left: Any, right: Any) -> Any:
        return compare_floats(name, left, right)

    return rule


for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    term_rules.rule(f"float_{_name}")(_comparison(_name))
