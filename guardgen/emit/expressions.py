"""Guards as expressions of a target, by its rule table. What is computed twice is computed once, if it cannot raise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from guardgen.emit.definedness import Definedness
from guardgen.guards import Guard
from guardgen.interpret import RuleTable
from guardgen.ir import Node
from guardgen.ops import COMPARISONS
from guardgen.rules import precedence as p
from guardgen.rules.precedence import Text
from guardgen.rules.text import TermGraph
from guardgen.terms import Symbol

TOTAL = frozenset(  # int and bool ops that have a value for all operands
    f"{kind}_{name}"
    for kind, names in {
        "bool": "and or not eq to_int const placeholder",
        "int": "eq ne lt le gt ge add sub mul min max neg abs and or xor invert ite const placeholder",
    }.items()
    for name in names.split()
)
DIVISIONS = ("int_floordiv", "int_mod")


class Condition(NamedTuple):
    """A guard's test: `shared` are (name, text) to compute before; `fails` is the negation of `holds`."""

    shared: tuple[tuple[str, str], ...]
    holds: str
    fails: Text


class Terms:
    """The conditions of `guards` as one graph. With `total`, each is false where it has no value."""

    def __init__(self, guards: list[Guard], *, total: bool = False) -> None:
        graph = TermGraph()
        roots = {id(guard): graph.term(guard.condition) for guard in guards}
        if total:
            definedness = Definedness(graph)
            roots = {guard: definedness.guarded(root) for guard, root in roots.items()}
        self.roots, self.symbols = roots, graph.symbols
        self.nodes = {node.name: node for node in graph.nodes}

    def root(self, guard: Guard) -> str:
        return self.roots[id(guard)]


class Expressions:
    """The texts of `terms` under `table`; `local` names the symbols, `fresh` gives names for shared values."""

    def __init__(
        self, terms: Terms, table: RuleTable, local: Callable[[Symbol], str], fresh: Callable[[], str] | None = None
    ) -> None:
        self.terms, self.table = terms, table
        self.fresh = fresh or (lambda: "")
        self.nodes = terms.nodes
        self.locals = {name: local(symbol) for name, symbol in terms.symbols.items()}
        self.total: set[str] = set()
        self.weight: dict[str, int] = {}
        for node in self.nodes.values():
            self.measure(node)
        uses = Counter(name for node in self.nodes.values() for name in node.inputs)
        uses.update(terms.roots.values())
        self.shared = {name for name, count in uses.items() if fresh and count > 1 and self.worth_sharing(name)}
        self.named: dict[str, str] = {}

    def measure(self, node: Node) -> None:
        """Whether the node's value can be computed for all sizes, and how many operations it takes."""
        safe = node.op in TOTAL or (node.op in DIVISIONS and self.is_not_zero(node.inputs[1]))
        if safe and self.total.issuperset(node.inputs):
            self.total.add(node.name)
        self.weight[node.name] = bool(node.inputs) + sum(self.weight[name] for name in node.inputs)

    def is_not_zero(self, name: str) -> bool:
        node = self.nodes[name]
        return node.op == "int_const" and node.params["val"] != 0

    def worth_sharing(self, name: str) -> bool:
        return name in self.total and self.weight[name] > 1

    def condition(self, guard: Guard) -> Condition:
        """The test of a guard; a shared value is computed before the first guard that uses it."""
        shared: list[tuple[str, str]] = []
        root = self.nodes[self.terms.root(guard)]
        holds = self.text(root.name, shared)
        return Condition(tuple(shared), str(holds), self.negation(root, holds, shared))

    def negation(self, root: Node, holds: Text, shared: list[tuple[str, str]]) -> Text:
        kind, _, name = root.op.partition("_")
        if root.name in self.named:
            return Text(f"not {holds}", p.NOT)
        if kind == "int" and name in COMPARISONS:
            return self.apply(f"int_{COMPARISONS[name]}", root, shared)
        if root.op == "bool_not":
            return self.text(root.inputs[0], shared)
        return self.table["bool_not"](holds)  # type: ignore[no-any-return]

    def text(self, name: str, shared: list[tuple[str, str]]) -> Text:
        if name in self.locals:
            node = self.nodes[name]
            return self.table[node.op](name=self.locals[name])  # type: ignore[no-any-return]
        if name in self.named:
            return Text(self.named[name])
        node = self.nodes[name]
        text = self.apply(node.op, node, shared)
        if name not in self.shared:
            return text
        self.named[name] = local = self.fresh()
        shared.append((local, str(text)))
        return Text(local)

    def apply(self, op: str, node: Node, shared: list[tuple[str, str]]) -> Any:
        return self.table[op](*(self.text(name, shared) for name in node.inputs), **node.params)
