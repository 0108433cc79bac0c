"""The TorchScript interpretation of the pure ops in artifacts: numbers that are Python's, or raise.

Guards are answered where they cannot be computed, so their tables presume that they can; an artifact computes after its
guards hold, and raises rather than go on with another number than the program's.
"""

from __future__ import annotations

from typing import Any

from guardgen.interpret import RuleTable
from guardgen.rules import precedence as p
from guardgen.rules.precedence import Text
from guardgen.rules.torchscript import torchscript_rules

exact_rules = RuleTable("exact TorchScript")

for _name in ("add", "sub", "mul", "floordiv", "mod", "truediv", "pow", "lshift", "rshift"):
    exact_rules.rule(f"int_{_name}")(p.call(f"exact_{_name}"))
exact_rules.rule("float_pow")(p.call("exact_float_pow"))


@exact_rules.rule("int_neg")
def int_neg(value: Text) -> Text:
    return Text(f"exact_sub(0, {value})")


@exact_rules.rule("int_abs")
def int_abs(value: Text) -> Text:
    return Text(f"max({value}, exact_sub(0, {value}))")


for _name in ("floor", "ceil", "trunc", "round"):
    exact_rules.rule(f"float_{_name}")(p.call(f"exact_{_name}"))


def divided(rule: Any) -> Any:
    return lambda left, right: rule(left, Text(f"exact_float_divisor({right})"))


for _name in ("truediv", "floordiv", "mod"):
    exact_rules.rule(f"float_{_name}")(divided(torchscript_rules[f"float_{_name}"]))

for _op, _rule in torchscript_rules.rules.items():
    if _op not in exact_rules:
        exact_rules.rule(_op)(_rule)
