"""Expression text that knows how tightly it binds, so that it is put in parentheses only where that is needed.

Python and TorchScript share these levels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

TERNARY, OR, AND, NOT, COMPARE, BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, PRODUCT, UNARY, POWER, CALL = range(14)


class Text(NamedTuple):
    """An expression, and the level of its outermost operator."""

    text: str
    level: int = CALL

    def __str__(self) -> str:
        return self.text

    def at(self, level: int) -> str:
        """The text as an operand that must bind at least as tightly as `level`."""
        return self.text if self.level >= level else f"({self.text})"


def infix(operator: str, level: int) -> Callable[[Text, Text], Text]:
    """`left operator right`, grouping to the left."""

    def rule(left: Text, right: Text) -> Text:
        return Text(f"{left.at(level)} {operator} {right.at(level + 1)}", level)

    return rule


def joint(operator: str, level: int) -> Callable[[Text, Text], Text]:
    """`left operator right` where the grouping does not matter: `and`, `or`."""

    def rule(left: Text, right: Text) -> Text:
        return Text(f"{left.at(level)} {operator} {right.at(level)}", level)

    return rule


def comparison(operator: str) -> Callable[[Text, Text], Text]:
    """`left operator right`; an operand that compares itself is put in parentheses, since comparisons chain."""

    def rule(left: Text, right: Text) -> Text:
        return Text(f"{left.at(COMPARE + 1)} {operator} {right.at(COMPARE + 1)}", COMPARE)

    return rule


def prefix(operator: str, level: int) -> Callable[[Text], Text]:
    def rule(value: Text) -> Text:
        return Text(f"{operator}{value.at(level)}", level)

    return rule


def call(function: str) -> Callable[..., Text]:
    def rule(*values: Text) -> Text:
        return Text(f"{function}({', '.join(map(str, values))})")

    return rule


def conditional(condition: Text, then: Text, otherwise: Text) -> Text:
    """`then if condition else otherwise`: only the chosen branch is evaluated."""
    return Text(f"{then.at(OR)} if {condition.at(OR)} else {otherwise.at(TERNARY)}", TERNARY)
