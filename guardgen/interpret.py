"""One loop and one kind of table: an interpretation of a graph is a `RuleTable`, op name -> function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from guardgen.errors import GraphError
from guardgen.ir import Graph, Node

Rule = Callable[..., Any]


class RuleTable:
    """The meaning of every op under one interpretation.

    A rule takes the node's input values by position and its params by keyword, and returns the value of its one name,
    or a tuple where the node defines several.
    """

    def __init__(self, interpretation: str) -> None:
        self.interpretation = interpretation
        self.rules: dict[str, Rule] = {}
        self.fallback: Callable[[str], Rule | None] | None = None  # makes a rule for an op that has none registered
        self._made: dict[str, Rule | None] = {}

    def rule(self, *ops: str) -> Callable[[Rule], Rule]:
        """Register the decorated function for `ops`; each op has one rule."""

        def register(function: Rule) -> Rule:
            for op in ops:
                if op in self.rules:
                    raise GraphError(f"{op!r} has a {self.interpretation} rule already: {self.rules[op]}")
                self.rules[op] = function
            return function

        return register

    def find(self, op: str) -> Rule | None:
        """The rule of `op`: the registered one, else what `fallback` makes of its name, else None."""
        if op in self.rules or self.fallback is None:
            return self.rules.get(op)
        if op not in self._made:
            self._made[op] = self.fallback(op)
        return self._made[op]

    def __contains__(self, op: str) -> bool:
        return self.find(op) is not None

    def __getitem__(self, op: str) -> Rule:
        rule = self.find(op)
        if rule is None:
            have = ", ".join(sorted(self.rules))
            raise GraphError(f"{op!r} has no {self.interpretation} rule; there are rules for {have}")
        return rule

    def missing(self, ops: Iterable[str]) -> list[str]:
        """Which of `ops` this table does not cover."""
        return sorted(op for op in ops if op not in self)


def interpret(graph: Graph, step: Callable[..., Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The value of every name of `graph`.

    `inputs` has the values of the placeholders by the node's name; `step(node, *values)` gives the value of any other
    node: see `by_table`.
    """
    values: dict[str, Any] = {}
    for node in graph:
        if node.op.endswith("_placeholder"):
            values[node.name] = inputs[node.name]
            continue
        value = step(node, *[values[name] for name in node.inputs])
        if len(node.names) == 1:
            values[node.names[0]] = value
        else:
            values.update(zip(node.names, value or (), strict=True))
    return values


def by_table(table: RuleTable) -> Callable[..., Any]:
    """The step that looks every op up in `table`."""

    def step(node: Node, *values: Any) -> Any:
        return table[node.op](*values, **node.params)

    return step
