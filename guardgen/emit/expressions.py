"""Guards as expressions of a target, by its rule table. What is computed twice is computed once, if it cannot raise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

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
NEGATED_JOINS = {"bool_and": ("or", p.OR), "bool_or": ("and", p.AND)}
DIVISIONS = ("int_floordiv", "int_mod")


class Condition(NamedTuple):
    """A guard's test: `shared` are (name, text) to compute before; `fails` is the negation of `holds`.

    The negation is given in parts at which it can be broken into lines; any but the first begin with `and` or `or`.
    """

    shared: tuple[tuple[str, str], ...]
    holds: str
    fails: tuple[str, ...]


class Terms:
    """The conditions of `guards` as one graph. With `total`, each is false where that says it has no value."""

    def __init__(self, guards: list[Guard], *, total: type[Definedness] | None = None) -> None:
        graph = TermGraph()
        roots = {id(guard): graph.term(guard.condition) for guard in guards}
        self.defined: Callable[[str], str | None] = lambda name: None
        if total:
            definedness = total(graph)
            roots = {guard: definedness.guarded(root) for guard, root in roots.items()}
            self.defined = definedness.of
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
        return Condition(tuple(shared), str(holds), tuple(self.negation(root, p.TERNARY, shared)))

    def negation(self, node: Node, level: int, shared: list[tuple[str, str]]) -> list[str]:
        """The parts of the negation, which goes down to the comparisons. What is evaluated, and when, is the same."""
        kind, _, name = node.op.partition("_")
        if node.name in self.named or node.name in self.locals:
            return [f"not {self.text(node.name, shared)}"]
        if node.op in NEGATED_JOINS:
            return self.negated_join(node, level, shared)
        if kind == "int" and name in COMPARISONS:
            return [str(self.apply(f"int_{COMPARISONS[name]}", node, shared))]
        if node.op == "bool_not":
            return [self.text(node.inputs[0], shared).at(level)]
        return [self.table["bool_not"](self.text(node.name, shared)).at(level)]

    def negated_join(self, node: Node, level: int, shared: list[tuple[str, str]]) -> list[str]:
        operator, own = NEGATED_JOINS[node.op]
        first, second = (self.negation(self.nodes[name], own, shared) for name in node.inputs)
        parts = [*first, f"{operator} {second[0]}", *second[1:]]
        return parts if own >= level else [f"({' '.join(parts)})"]

    def text(self, name: str, shared: list[tuple[str, str]]) -> Text:
        if name in self.locals:
            return self.rule(self.nodes[name].op)(name=self.locals[name])
        if name in self.named:
            return Text(self.named[name])
        node = self.nodes[name]
        text = self.apply(node.op, node, shared)
        if name not in self.shared:
            return text
        self.named[name] = local = self.fresh()
        shared.append((local, str(text)))
        return Text(local)

    def apply(self, op: str, node: Node, shared: list[tuple[str, str]]) -> Text:
        return self.rule(op)(*(self.text(name, shared) for name in node.inputs), **node.params)

    def rule(self, op: str) -> Callable[..., Text]:
        return self.table[op]
