"""How large the ints of a guard can grow, for targets whose ints are of 64 bits.

Sums, differences and products wrap to the right value modulo 2**64, so that only what is compared, divided or chosen
must fit. Where the greatest sizes there can be would not, a bound on it is computed in floats before the guard.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import inf

from guardgen.emit.ranges import LAWS, Range
from guardgen.ir import Node
from guardgen.rules import precedence as p
from guardgen.rules.precedence import Text
from guardgen.rules.python import number

LARGEST = 2**63 - 1
SAFE = 2.0**62  # bounds are compared with this, so that no rounding of floats counts
EXACT = 2**53  # ints up to here are exact as floats
RING = frozenset({"int_add", "int_sub", "int_mul", "int_neg"})
TO_INT = frozenset({"float_floor", "float_ceil", "float_trunc", "float_round"})
ALWAYS_WIDE = ("int_pow", "int_lshift", "int_rshift")


class Magnitudes:
    """The ranges of a graph's numbers for all sizes there are, and bounds on absolute values as text in floats."""

    def __init__(
        self,
        nodes: Mapping[str, Node],
        text: Callable[[str], Text],
        sizes: frozenset[str],
        defined: Callable[[str], str | None] = lambda name: None,
    ) -> None:
        """`text` is that of a number, `defined` the condition under which it has a value, `sizes` are not negative."""
        self.nodes, self.plain, self.sizes, self.defined = nodes, text, sizes, defined
        self.ranges: dict[str, Range] = {}  # whole numbers, where they are not infinite
        for node in nodes.values():
            self.ranges[node.name] = self.range(node)

    def limit(self, name: str) -> float:
        """The greatest absolute value there can be."""
        return max(map(abs, self.ranges[name]))

    def range(self, node: Node) -> Range:
        if node.op.endswith("_placeholder"):
            return (0 if node.name in self.sizes else -LARGEST - 1), LARGEST
        if node.op == "int_const":
            return node.params["val"], node.params["val"]
        if node.kinds == ("bool",) or node.op == "bool_to_int":
            return 0, 1
        if node.op in LAWS:
            return LAWS[node.op](*(self.ranges[name] for name in node.inputs))
        return -inf, inf

    def bound(self, name: str) -> Text:
        """The bound as a float, computed from the sizes."""
        node = self.nodes[name]
        if node.kinds == ("float",):
            where = self.defined(name)
            bound = Text(f"abs({self.plain(name)})")  # of no matter where it has no value: the guard fails there
            return bound if where is None else p.conditional(self.plain(where), bound, Text("0.0"))
        if node.op.endswith("_placeholder"):
            text = Text(f"float({self.plain(name)})")
            return text if name in self.sizes else Text(f"abs({text})")
        if node.op == "int_const":
            return Text(number(float(abs(node.params["val"]))))
        if node.op == "bool_to_int":
            return Text("1.0")
        if node.op in ("int_add", "int_sub"):
            return self.joined("+", p.SUM, node.inputs)
        if node.op == "int_mul":
            return self.joined("*", p.PRODUCT, node.inputs)
        if node.op == "int_mod":
            return self.bound(node.inputs[1])
        if node.op in ("int_min", "int_max", "int_ite"):
            left, right = map(self.bound, node.inputs[-2:])
            return Text(f"max({left}, {right})")
        if node.op in ("int_and", "int_or", "int_xor", "int_invert"):
            inside = " + ".join(self.bound(each).at(p.SUM) for each in node.inputs)
            return Text(f"2.0 * ({inside}) + 1.0", p.SUM)
        return Text(f"{self.bound(node.inputs[0]).at(p.SUM)} + 1.0", p.SUM)

    def joined(self, operator: str, level: int, names: Iterable[str]) -> Text:
        left, right = map(self.bound, names)
        return p.infix(operator, level)(left, right)

    def reachable(self, root: str) -> list[Node]:
        found: dict[str, Node] = {}
        pending = [root]
        while pending:
            name = pending.pop()
            if name not in found:
                found[name] = self.nodes[name]
                pending += reversed(self.nodes[name].inputs)
        return list(found.values())

    def always_wide(self, root: str) -> bool:
        """Whether a guard has an op or a constant that 64 bits never hold."""
        return any(
            node.op in ALWAYS_WIDE or (node.op == "int_const" and self.limit(node.name) > LARGEST)
            for node in self.reachable(root)
        )

    def risks(self, root: str) -> list[str]:
        """Bounds, as texts, which must be below `SAFE` for the guard to be computed in 64 bits."""
        texts: dict[str, None] = {}
        for node in self.reachable(root):
            for at, name in enumerate(node.inputs):
                for text in self.risk(node, at, name):
                    texts[text] = None
        return [text for text in texts if not any(implies(other, text) for other in texts)]

    def risk(self, node: Node, at: int, name: str) -> list[str]:
        operand = self.nodes[name]
        if node.op == "int_truediv":
            return [f"{self.bound(name).at(p.PRODUCT)} * 512.0"] if self.limit(name) > EXACT else []
        if operand.kinds == ("bool",) or node.op in RING:
            return []
        if operand.kinds == ("float",):
            return [self.bound(name).at(p.SUM)] if node.op in TO_INT else []
        return [] if self.fits(name) and not (at == 0 and self.traps(node)) else [self.bound(name).at(p.SUM)]

    def fits(self, name: str) -> bool:
        low, high = self.ranges[name]
        return low >= -LARGEST - 1 and high <= LARGEST

    def traps(self, node: Node) -> bool:
        """Whether the least int there is may be divided by -1, which ends the process."""
        if node.op not in ("int_floordiv", "int_mod"):
            return False
        dividend, divisor = (self.ranges[name] for name in node.inputs)
        return dividend[0] < -LARGEST and divisor[0] <= -1 <= divisor[1]


def implies(other: str, text: str) -> bool:
    """Whether the bound `other` is a sum or maximum that has the bound `text` in it."""
    return other != text and text in other and "*" not in other and "abs(" not in other
