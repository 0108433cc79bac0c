"""The print interpretation of int-only graphs: Python assertions, such as `assert not (a0 == 1)`."""

from __future__ import annotations

from typing import Any

from guardgen.interpret import RuleTable, interpret
from guardgen.ir import Graph, Node
from guardgen.ops import BAILOUTS
from guardgen.rules import precedence as p
from guardgen.rules.precedence import Text
from guardgen.rules.text import text_rules

assertion_rules = RuleTable("print")
for _op, _rule in text_rules.rules.items():
    assertion_rules.rule(_op)(_rule)


@assertion_rules.rule("bool_bailout")
def bool_bailout(value: Text, *, expect: bool) -> Text:
    return Text(f"assert {value}" if expect else f"assert not ({value})")


@assertion_rules.rule("int_bailout")
def int_bailout(value: Text, *, expect: int) -> Text:
    return Text(f"assert {value.at(p.COMPARE + 1)} == {expect!r}")


@assertion_rules.rule("float_bailout")
def float_bailout(value: Text, *, expect: float) -> Text:
    """NaN equals nothing, itself included."""
    if expect != expect:
        return Text(f"assert {value.at(p.COMPARE + 1)} != {value.at(p.COMPARE + 1)}")
    return Text(f"assert {value.at(p.COMPARE + 1)} == {expect!r}")


def assertions(graph: Graph) -> str:
    """One assertion a bailout, each with the user's line; expressions are in the names of the placeholders."""
    lines: list[str] = []

    def step(node: Node, *values: Any) -> Any:
        text = assertion_rules[node.op](*values, **node.params)
        if node.op not in BAILOUTS:
            return text
        lines.append(f"{text}  # {node.line}" if node.line is not None else str(text))
        return None

    interpret(graph, step, {node.name: Text(node.name) for node in graph.placeholders})
    return "\n".join(lines)
