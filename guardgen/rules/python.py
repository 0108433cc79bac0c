"""The Python interpretation of the pure ops: numbers are expressions of a Python module.

Names that are not builtins, `math`, `power` and `shift_left`, are what an emitted module imports or includes.
"""

from __future__ import annotations

import math
from typing import Any

from guardgen.interpret import RuleTable
from guardgen.rules import precedence as p
from guardgen.rules.precedence import Text

python_rules = RuleTable("Python")

COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
ARITHMETIC = {
    "add": ("+", p.SUM),
    "sub": ("-", p.SUM),
    "mul": ("*", p.PRODUCT),
    "truediv": ("/", p.PRODUCT),
    "floordiv": ("//", p.PRODUCT),
    "mod": ("%", p.PRODUCT),
}
BITS = {"rshift": (">>", p.SHIFT), "and": ("&", p.BIT_AND), "xor": ("^", p.BIT_XOR), "or": ("|", p.BIT_OR)}

for _kind in ("int", "float"):
    for _name, _operator in COMPARISONS.items():
        python_rules.rule(f"{_kind}_{_name}")(p.comparison(_operator))
    for _name, (_operator, _level) in ARITHMETIC.items():
        python_rules.rule(f"{_kind}_{_name}")(p.infix(_operator, _level))
    python_rules.rule(f"{_kind}_neg")(p.prefix("-", p.UNARY))
    python_rules.rule(f"{_kind}_abs")(p.call("abs"))

for _name, (_operator, _level) in BITS.items():
    python_rules.rule(f"int_{_name}")(p.infix(_operator, _level))
for _name in ("min", "max"):
    python_rules.rule(f"int_{_name}")(p.call(_name))
for _name in ("floor", "ceil", "trunc"):
    python_rules.rule(f"float_{_name}")(p.call(f"math.{_name}"))

python_rules.rule("int_lshift")(p.call("shift_left"))
python_rules.rule("int_invert")(p.prefix("~", p.UNARY))
python_rules.rule("int_ite")(p.conditional)
python_rules.rule("int_to_float")(p.call("float"))
python_rules.rule("float_round", "float_round_to")(p.call("round"))
python_rules.rule("bool_to_int")(p.call("int"))
python_rules.rule("bool_and")(p.joint("and", p.AND))
python_rules.rule("bool_or")(p.joint("or", p.OR))
python_rules.rule("bool_not")(p.prefix("not ", p.NOT))
python_rules.rule("bool_eq")(p.comparison("=="))


@python_rules.rule("int_placeholder", "bool_placeholder", "float_placeholder")
def placeholder(*, name: str) -> Text:
    return Text(name)


@python_rules.rule("bool_const", "int_const", "float_const")
def const(*, val: Any) -> Text:
    """A literal; infinities and NaN have none."""
    if isinstance(val, float) and not math.isfinite(val):
        return Text(f'float("{val!r}")')
    text = number(val)
    return Text(text, p.UNARY if text.startswith("-") else p.CALL)


def number(value: Any) -> str:
    """A bool, int or finite float as a formatter leaves it: 1e22, where Python says 1e+22."""
    return repr(value).replace("e+", "e")


def plain_power(base: Text, exponent: Text) -> Text:
    """`base ** exponent`, which groups to the right and binds tighter than a minus on its left."""
    return Text(f"{base.at(p.CALL)} ** {exponent.at(p.UNARY)}", p.POWER)


@python_rules.rule("int_pow")
def int_pow(base: Text, exponent: Text) -> Text:
    """Plain for a small constant exponent; else by a function that refuses results too long to compute."""
    if exponent.text.isdecimal() and len(exponent.text) <= 2:
        return plain_power(base, exponent)
    return Text(f"power({base}, {exponent})")


python_rules.rule("float_pow")(plain_power)
