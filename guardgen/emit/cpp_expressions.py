"""Guards as C++ expressions: in ints of 64 bits where every size leaves room in these, as `Int`s of any length else."""

from __future__ import annotations

from collections.abc import Callable

from guardgen.emit.definedness import Definedness
from guardgen.emit.expressions import Expressions, Terms
from guardgen.emit.magnitude import TO_INT, Magnitudes
from guardgen.ir import Node
from guardgen.ops import COMPARISONS
from guardgen.rules.cpp import cpp_rules
from guardgen.rules.precedence import Text
from guardgen.rules.text import TermGraph
from guardgen.terms import Symbol

FINITE = 2.0**1000  # floats hold every int up to here
DIVISIONS = {"int_floordiv": "int_plain_floordiv", "int_mod": "int_plain_mod"}
ENDLESS = frozenset({"int_pow", "int_lshift", "int_rshift", *TO_INT})  # the header computes these as `Int`s only
OVERLOADED = "add sub mul neg abs floordiv mod min max and or xor invert"
LIFTED = frozenset(
    f"int_{name}" for name in OVERLOADED.split()
)  # their first operand is made an `Int` where the result needs one


def magnitudes(nodes: dict[str, Node], symbols: dict[str, Symbol]) -> Magnitudes:
    sizes = frozenset(name for name, symbol in symbols.items() if symbol.source[0] == "size")
    return Magnitudes(nodes, Text, sizes)


class CppDefinedness(Definedness):
    """As for TorchScript, and where a number is too large for a float, or a float no number."""

    def __init__(self, graph: TermGraph) -> None:
        super().__init__(graph)
        self.magnitudes = magnitudes(self.nodes, graph.symbols)

    def own(self, node: Node) -> str | None:
        if node.op in TO_INT:
            return self.add("float_is_finite", *node.inputs)
        if node.op in ("int_to_float", "int_truediv") and self.magnitudes.limit(node.inputs[0]) > FINITE:
            return self.add("int_can_convert" if node.op == "int_to_float" else "int_can_divide", *node.inputs)
        return super().own(node)


class CppExpressions(Expressions):
    """The texts of guards. `wide` are the nodes whose type is `Int`."""

    def __init__(self, terms: Terms, local: Callable[[Symbol], str], fresh: Callable[[], str] | None = None) -> None:
        super().__init__(terms, cpp_rules, local, fresh)
        self.magnitudes = magnitudes(self.nodes, terms.symbols)
        self.wide: set[str] = set()
        for node in self.nodes.values():
            if node.kinds == ("int",) and self.is_wide(node):
                self.wide.add(node.name)

    def is_wide(self, node: Node) -> bool:
        return node.op in ENDLESS or not self.magnitudes.fits(node.name) or not self.wide.isdisjoint(node.inputs)

    def apply(self, op: str, node: Node, shared: list[tuple[str, str]]) -> Text:
        texts = [self.text(name, shared) for name in node.inputs]
        if op in LIFTED and node.name in self.wide and self.wide.isdisjoint(node.inputs):
            texts[0] = Text(f"Int({texts[0]})")
        if op in DIVISIONS and node.name not in self.wide and self.never_negative(node):
            op = DIVISIONS[op]
        return self.rule(op)(*texts, **node.params)

    def never_negative(self, node: Node) -> bool:
        return all(self.magnitudes.ranges[name][0] >= 0 for name in node.inputs)

    def fails(self, root: str, shared: list[tuple[str, str]]) -> list[Text]:
        """The negation of a condition, in parts of which one must hold."""
        node = self.nodes[root]
        if node.op == "bool_and":
            return [part for name in node.inputs for part in self.fails(name, shared)]
        return [self.opposite(node, shared)]

    def opposite(self, node: Node, shared: list[tuple[str, str]]) -> Text:
        """The negation, which goes down to the comparisons; floats have no opposite one, since NaN fails both."""
        kind, _, name = node.op.partition("_")
        if node.op in ("bool_and", "bool_or"):
            other = "bool_or" if node.op == "bool_and" else "bool_and"
            return self.rule(other)(*(self.opposite(self.nodes[each], shared) for each in node.inputs))
        if kind == "int" and name in COMPARISONS:
            return self.apply(f"int_{COMPARISONS[name]}", node, shared)
        if node.op == "bool_not":
            return self.text(node.inputs[0], shared)
        return self.rule("bool_not")(self.text(node.name, shared))
