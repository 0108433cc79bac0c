"""What a number read from data is, in the words of a program: `mask.eq(1).all()`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from guardgen.ir import Graph, Node, Slot
from guardgen.ops import is_torch_op
from guardgen.rules.aliasing import writes
from guardgen.rules.text import condition_text
from guardgen.terms.ints import Term

LONGEST, DEEPEST = 60, 8


class Calls:
    """Texts of the calls in a graph, of which `values` has the numbers. A text that is too long is the node's name."""

    def __init__(self, graph: Graph, values: Mapping[str, Any]) -> None:
        self.makers = {name: node for node in graph for name in node.names}
        self.values = values

    def text(self, name: str) -> str:
        try:
            text = self.of(self.makers[name], DEEPEST)
        except LookupError:
            return name
        return text if len(text) <= LONGEST else name

    def of(self, node: Node, room: int) -> str:
        """Raises `LookupError` for what is no chain of calls, and for a long one."""
        if room <= 0:
            raise LookupError
        if node.op == "var_placeholder":
            return str(node.params["name"])
        if node.op == "var_item":
            called = self.of(self.makers[node.inputs[0]], room)
            return called if node.params["type"] == "bool" else f"{called}.item()"
        if not is_torch_op(node.op) or writes(node) or len(node.names) > 1:
            raise LookupError
        first, *rest = (self.argument(node, each, room) for each in node.params["args"])
        rest += [f"{key}={self.argument(node, each, room)}" for key, each in node.params["kwargs"].items()]
        return f"{first}.{node.op.split('.')[1].strip('_')}({', '.join(rest)})"

    def argument(self, node: Node, template: Any, room: int) -> str:
        if isinstance(template, Slot):
            name = node.inputs[template.index]
            value = self.values.get(name)
            if isinstance(value, Term):
                return condition_text(value)
            if isinstance(value, (bool, int, float)):
                return repr(value)
            return self.of(self.makers[name], room - 1)
        if isinstance(template, (list, tuple)):
            return f"[{', '.join(self.argument(node, each, room) for each in template)}]"
        return repr(template) if isinstance(template, (bool, int, float, str, type(None))) else str(template)
