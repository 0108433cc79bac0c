"""Conditions as a reader would write them, in the names of the program: `x.shape[1] % 64 == 0`."""

from __future__ import annotations

from typing import Any

from guardgen.interpret import RuleTable, by_table, interpret
from guardgen.ir import Graph, Node
from guardgen.rules import precedence as p
from guardgen.rules.precedence import Text
from guardgen.rules.python import plain_power, python_rules
from guardgen.terms import Bool, Int, IntLike, Symbol
from guardgen.terms.evaluate import GraphBuilder
from guardgen.terms.ints import pairs_of, split_constant

text_rules = RuleTable("text")
text_rules.rule("int_pow")(plain_power)
text_rules.rule("int_lshift")(p.infix("<<", p.SHIFT))
for _op, _rule in python_rules.rules.items():
    if _op not in text_rules:
        text_rules.rule(_op)(_rule)


def condition_text(value: Any) -> str:
    """The canonical text of a bool term, or of any term; symbols print as their names."""
    if (limits := limits_of(value)) is not None:
        low, form, high = limits
        return f"{low} <= {condition_text(form)} <= {high}"
    graph = TermGraph()
    root = graph.term(value)
    texts = {name: Text(symbol.name) for name, symbol in graph.symbols.items()}
    return str(interpret(Graph(tuple(graph.nodes)), by_table(text_rules), texts)[root])


def limits_of(value: Any) -> tuple[int, Int, int] | None:
    """The bounds and the value of a condition such as `2 <= n <= 6`; None for any other."""
    if not isinstance(value, Bool) or value.op != "and" or [each.op for each in value.args] != ["ge", "ge"]:
        return None
    (first, low), (second, high) = sorted(
        (split_constant(each.args[0]) for each in value.args), key=leading, reverse=True
    )
    return (-low, first, high) if isinstance(first, Int) and first + second == 0 else None


def leading(side: tuple[IntLike, int]) -> int:
    return pairs_of(side[0])[0][1]


class TermGraph(GraphBuilder):
    """Terms as nodes whose names are no identifiers, so that no name of the program is one of them.

    `symbols` are those of the terms, by the name of their placeholder.
    """

    def __init__(self) -> None:
        super().__init__(lambda symbol: f"symbol {len(self.symbols)}")
        self.symbols: dict[str, Symbol] = {}

    def placeholder(self, symbol: Symbol) -> str:
        if symbol not in self.names:
            self.names[symbol] = name = self.name(symbol)
            self.symbols[name] = symbol
            kind = symbol.kind
            self.nodes.append(Node((name,), f"{kind}_placeholder", (), {"name": symbol.name}, (kind,)))
        return self.names[symbol]
