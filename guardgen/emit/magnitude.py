"""How large the ints of a guard can grow, for targets whose ints are of 64 bits.

Sums, differences and products wrap to the right value modulo 2**64, so that only what is compared, divided or chosen
must fit. Where the greatest sizes there can be would not, a bound on it is computed in floats before the guard.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import inf

from guardgen.ir import Node
from guardgen.rules import precedence as p
from guardgen.rules.precedence import Text

LARGEST = 2**63 - 1
SAFE = 2.0**62  # bounds are compared with this, so that no rounding of floats counts
EXACT = 2**53  # ints up to here are exact as floats
RING = frozenset({"int_add", "int_sub", "int_mul", "int_neg"})
LEAVES = ("placeholder", "const")
ALWAYS_WIDE = ("int_pow", "int_lshift", "int_rshift")


class Magnitudes:
    """Bounds on the absolute values of a graph's numbers: for all sizes there are, and as text in floats."""

    def __init__(self, nodes: Mapping[str, Node], text: Callable[[str], Text], sizes: frozenset[str]) -> None:
        self.nodes, self.plain, self.sizes = nodes, text, sizes
        self.limits: dict[str, float] = {}
        for node in nodes.values():
            self.limits[node.name] = self.limit(node)

    def limit(self, node: Node) -> float:
        """The greatest absolute value there can be; a whole number where it is not infinite."""
        if node.op.endswith("_placeholder"):
            return LARGEST if node.name in self.sizes else LARGEST + 1 if node.op.startswith("int") else inf
        if node.op in ("int_const", "float_const"):
            return abs(node.params["val"])
        if node.kinds == ("bool",) or node.op == "bool_to_int":
            return 1
        operands = [self.limits[name] for name in node.inputs]
        if node.op in ("int_add", "int_sub"):
            return sum(operands)
        if node.op == "int_mul":
            return operands[0] * operands[1] if all(operands) else 0
        if node.op in ("int_neg", "int_abs", "int_to_float", "int_truediv", "int_floordiv"):
            return max(operands[0], 1)
        if node.op == "int_mod":
            return operands[1]
        if node.op in ("int_min", "int_max", "int_ite"):
            return max(operands[-2:])
        if node.op in ("int_and", "int_or", "int_xor", "int_invert"):
            return 2 * max(operands) + 1
        return operands[0] + 1 if node.op in ("float_floor", "float_ceil", "float_trunc", "float_round") else inf

    def bound(self, name: str) -> Text:
        """The bound as a float, computed from the sizes."""
        node = self.nodes[name]
        if node.kinds == ("float",):
            return Text(f"abs({self.plain(name)})")
        if node.op.endswith("_placeholder"):
            text = Text(f"float({self.plain(name)})")
            return text if name in self.sizes else Text(f"abs({text})")
        if node.op == "int_const":
            return Text(repr(float(abs(node.params["val"]))))
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
            node.op in ALWAYS_WIDE or (node.op == "int_const" and self.limits[node.name] > LARGEST)
            for node in self.reachable(root)
        )

    def risks(self, root: str) -> list[str]:
        """Bounds, as texts, which must be below `SAFE` for the guard to be computed in 64 bits."""
        texts: dict[str, None] = {}
        for node in self.reachable(root):
            for at, name in enumerate(node.inputs):
                for text in self.risk(node, at, name):
                    texts[text] = None
        return list(texts)

    def risk(self, node: Node, at: int, name: str) -> list[str]:
        operand = self.nodes[name]
        if node.op == "int_truediv":
            return [f"{self.bound(name).at(p.PRODUCT)} * 512.0"] if self.limits[name] > EXACT else []
        if self.limits[name] <= LARGEST or operand.kinds == ("bool",) or node.op in RING:
            return []
        if operand.kinds == ("float",):
            to_int = node.op in ("float_floor", "float_ceil", "float_trunc", "float_round")
            return [str(self.bound(name))] if to_int else []
        divided = node.op in ("int_floordiv", "int_mod") and at == 0  # the least int there is, by -1, is a trap
        return [str(self.bound(name))] if divided or not operand.op.endswith(LEAVES) else []
