"""Where an expression has a value, as an expression that always has one: for targets in which nothing can be caught.

In Python a guard whose evaluation raises is one that fails. `a % b == 0` becomes `b != 0 and a % b == 0`.
"""

from __future__ import annotations

from guardgen.ir import Node
from guardgen.rules.text import TermGraph

DIVISIONS = frozenset(
    f"{kind}_{name}"
    for kind, names in {"int": "floordiv mod truediv", "float": "floordiv mod truediv"}.items()
    for name in names.split()
)


class Definedness:
    """Adds to `graph` the nodes that say where its nodes have a value; None stands for everywhere."""

    def __init__(self, graph: TermGraph) -> None:
        self.graph = graph
        self.nodes = {node.name: node for node in graph.nodes}
        self.known: dict[str, str | None] = {}

    def guarded(self, root: str) -> str:
        """The node of `root`, false where it has no value."""
        defined = self.of(root)
        return root if defined is None else self.both(defined, root) or root

    def of(self, name: str) -> str | None:
        if name not in self.known:
            self.known[name] = self.find(self.nodes[name])
        return self.known[name]

    def find(self, node: Node) -> str | None:
        if node.op in ("bool_and", "bool_or"):
            left, right = node.inputs
            skipped = self.add("bool_not", left) if node.op == "bool_and" else left
            return self.both(self.of(left), self.either(skipped, self.of(right)))
        if node.op == "int_ite":
            condition, then, otherwise = node.inputs
            first = self.either(self.add("bool_not", condition), self.of(then))
            return self.both(self.of(condition), self.both(first, self.either(condition, self.of(otherwise))))
        inside: str | None = None
        for name in node.inputs:
            inside = self.both(inside, self.of(name))
        return self.both(inside, self.own(node))

    def own(self, node: Node) -> str | None:
        """What the op itself asks of its operands."""
        if node.op in DIVISIONS:
            return self.not_zero(node.op.partition("_")[0], node.inputs[1])
        if node.op in ("int_pow", "int_lshift"):
            return self.add({"int_pow": "int_can_power", "int_lshift": "int_can_shift"}[node.op], *node.inputs)
        if node.op == "int_rshift":
            return self.compared("int_ge", node.inputs[1], self.graph.const(0))
        return self.add("float_can_power", *node.inputs) if node.op == "float_pow" else None

    def not_zero(self, kind: str, name: str) -> str | None:
        zero = self.graph.const(0 if kind == "int" else 0.0)
        return self.compared(f"{kind}_ne", name, zero)

    def compared(self, op: str, name: str, limit: str) -> str | None:
        """The comparison with a constant; None where it is known to hold."""
        node = self.nodes[name]
        if node.op.endswith("_const"):
            value = node.params["val"]
            if value != 0 if op.endswith("_ne") else value >= 0:
                return None
        return self.add(op, name, limit)

    def both(self, left: str | None, right: str | None) -> str | None:
        if left is None or right is None or left == right:
            return right if left is None else left
        return self.add("bool_and", left, right)

    def either(self, left: str, right: str | None) -> str | None:
        return None if right is None else self.add("bool_or", left, right)

    def add(self, op: str, *inputs: str) -> str:
        """A node of the graph; those of `int_can_power` and its like are in no list of ops."""
        key = (op, inputs)
        if key not in self.graph.names:
            self.graph.names[key] = name = f"b{len(self.graph.nodes)}"
            self.graph.nodes.append(Node((name,), op, inputs, {}, ("bool",)))
        return self.graph.names[key]
