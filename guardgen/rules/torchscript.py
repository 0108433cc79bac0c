"""The TorchScript interpretations of the pure ops: as ints of 64 bits, and, where these could wrap, as wide numbers.

Neither can raise, so both presume what `guardgen.emit.definedness` states: a divisor is not 0, a shift not negative.
The ops `int_can_power`, `int_can_shift` and `float_can_power` are of these tables only.
"""

from __future__ import annotations

from typing import Any

from guardgen.errors import EmitError
from guardgen.interpret import RuleTable
from guardgen.rules import precedence as p
from guardgen.rules.precedence import Text
from guardgen.rules.python import python_rules

torchscript_rules = RuleTable("TorchScript")
wide_rules = RuleTable("wide TorchScript")  # of ints and bools; an int is a list: see guardgen.wide


def truncated(function: str) -> Any:
    """A float rounded by `function`, as an int."""

    def rule(value: Text) -> Text:
        return Text(f"int({function}({value}))" if function else f"int({value})")

    return rule


for _op, _function in {"floor": "math.floor", "ceil": "math.ceil", "trunc": "", "round": "round"}.items():
    torchscript_rules.rule(f"float_{_op}")(truncated(_function))


@torchscript_rules.rule("float_round_to")
def float_round_to(value: Text, digits: Text) -> Text:
    raise EmitError(f"round({value}, {digits}): TorchScript rounds otherwise than Python")


@torchscript_rules.rule("int_invert")
def int_invert(value: Text) -> Text:
    return Text(f"{value.at(p.BIT_XOR)} ^ -1", p.BIT_XOR)


@torchscript_rules.rule("int_mod")
def int_mod(value: Text, divisor: Text) -> Text:
    """By a function that cannot wrap, unless the divisor is a small constant."""
    if divisor.text.isdecimal() and len(divisor.text) < 19:
        return p.infix("%", p.PRODUCT)(value, divisor)
    return Text(f"modulo({value}, {divisor})")


@torchscript_rules.rule("int_truediv")
def int_truediv(value: Text, divisor: Text) -> Text:
    """As in Python within 2**53; in floats, since TorchScript takes `n / 1` to be the int `n`."""
    return Text(f"float({value}) / float({divisor})", p.PRODUCT)


@torchscript_rules.rule("int_pow")
def int_pow(base: Text, exponent: Text) -> Text:
    raise EmitError(f"{base} ** {exponent}: TorchScript makes a float of it; the wide rules compute it")


torchscript_rules.rule("int_lshift")(p.infix("<<", p.SHIFT))
torchscript_rules.rule("float_can_power")(p.call("can_power"))

for _op, _rule in python_rules.rules.items():
    if _op not in torchscript_rules:
        torchscript_rules.rule(_op)(_rule)


# -- wide numbers

for _name in ("eq", "lt"):
    wide_rules.rule(f"int_{_name}")(p.call(f"wide_{_name}"))


def swapped(function: str) -> Any:
    return lambda left, right: Text(f"{function}({right}, {left})")


def negated(rule: Any) -> Any:
    return lambda left, right: Text(f"not {rule(left, right)}", p.NOT)


wide_rules.rule("int_ne")(negated(p.call("wide_eq")))
wide_rules.rule("int_ge")(negated(p.call("wide_lt")))
wide_rules.rule("int_gt")(swapped("wide_lt"))
wide_rules.rule("int_le")(negated(swapped("wide_lt")))

for _name in ("add", "sub", "mul", "floordiv", "mod", "min", "max", "neg", "abs", "lshift", "rshift"):
    wide_rules.rule(f"int_{_name}")(p.call(f"wide_{_name}"))
wide_rules.rule("int_pow")(p.call("wide_power"))
wide_rules.rule("int_invert")(lambda value: Text(f"wide_sub([-1, 1], {value})"))
wide_rules.rule("int_can_power")(p.call("wide_can_power"))
wide_rules.rule("int_can_shift")(p.call("wide_can_shift"))
wide_rules.rule("int_ite")(p.conditional)

for _op in ("bool_and", "bool_or", "bool_not", "bool_eq", "bool_const", "bool_placeholder"):
    wide_rules.rule(_op)(python_rules[_op])


@wide_rules.rule("bool_to_int")
def bool_to_int(value: Text) -> Text:
    return Text(f"wide(int({value}))")


@wide_rules.rule("int_placeholder")
def int_placeholder(*, name: str) -> Text:
    return Text(f"wide({name})")


@wide_rules.rule("int_const")
def int_const(*, val: int) -> Text:
    """The digits of a constant, which need not fit 64 bits."""
    digits, rest = [(val > 0) - (val < 0)], abs(val)
    while rest:
        digits.append(rest % 2**30)
        rest //= 2**30
    return Text(str(digits))
