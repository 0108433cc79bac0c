"""Conditions as a reader would write them, in the names of the program: `x.shape[1] % 64 == 0`."""

from __future__ import annotations

from typing import Any

from guardgen.interpret import RuleTable, by_table, interpret
from guardgen.ir import Graph, Node
from guardgen.rules import precedence as p
from guardgen.rules.precedence import Text
from guardgen.rules.python import plain_power, python_rules
from guardgen.terms import Symbol
from guardgen.terms.evaluate import GraphBuilder

text_rules = RuleTable("text")
text_rules.rule("int_pow")(plain_power)
text_rules.rule("int_lshift")(p.infix("<<", p.SHIFT))
for _op, _rule in python_rules.rules.items():
    if _op not in text_rules:
        text_rules.rule(_op)(_rule)


def condition_text(value: Any) -> str:
    """The canonical text of a bool term, or of any term; symbols print as their names."""
    graph = TermGraph()
    root = graph.term(value)
    texts = {name: Text(symbol.name) for name, symbol in graph.symbols.items()}
    return str(interpret(Graph(tuple(graph.nodes)), by_table(text_rules), texts)[root])


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
