"""The strides of computed tensors, worked out only where something observes them.

Size rules say how the sizes of a result come about, and its strides where that is simple. Where it is not (a sum of two
tensors takes the order of dimensions of the first that has one, a convolution its memory format), PyTorch's own meta
kernels are run on terms for strides too, back to where they are known: the arguments at the latest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from guardgen.ir import Graph, Node
from guardgen.ops import is_torch_op
from guardgen.rules.iterating import in_rows_if_empty, iterates, odd_if_empty, rows_if_empty
from guardgen.rules.laying import lay
from guardgen.rules.operators import Operators
from guardgen.rules.shape import Pieces, Sizes
from guardgen.terms import BoolLike, IntLike, both


class Layouts:
    """The layouts of one derivation. `values` has what each name of the graph is, as far as it is derived."""

    def __init__(self, graph: Graph, values: Mapping[str, Any], operators: Operators) -> None:
        self.makers = {name: node for node in graph for name in node.names}
        self.order = {name: i for i, node in enumerate(graph) for name in node.names}
        self.values, self.operators = values, operators
        self.laid: dict[str, Any] = {}  # values with strides
        self.assumed: dict[str, BoolLike] = {}
        self.dense: set[str] = set()  # tensors without gaps, since a loop over elements made them
        self.if_any: set[str] = set()  # tensors whose strides are known only if they have elements

    def note(self, node: Node, inputs: tuple[Any, ...], outputs: tuple[Any, ...]) -> None:
        """A node as it is derived: which of its strides, where they are known, are so only of tensors with elements."""
        if any(map(unlaid, outputs)) or in_rows_if_empty(node, inputs):
            return
        if not self.if_any.isdisjoint(node.inputs) or odd_if_empty(node, inputs):
            self.if_any.update(node.names)

    def of(self, name: str) -> tuple[tuple[IntLike, ...], BoolLike]:
        """The strides of the tensor `name`, and what must hold for them to be right."""
        for node in self.leading_to(name):
            self.lay(node)
        return self.value(name).strides, self.assumed.get(name, True)

    def value(self, name: str) -> Any:
        return self.laid.get(name, self.values[name])

    def leading_to(self, name: str) -> list[Node]:
        """The nodes whose results have unknown strides and decide those of `name`, in order."""
        needed: dict[str, Node] = {}
        pending = [name]
        while pending:
            each = pending.pop()
            if each in needed or each in self.laid or not unlaid(self.value(each)):
                continue
            node = self.makers[each]
            needed.update(dict.fromkeys(node.names, node))
            pending += node.inputs
        return sorted({id(node): node for node in needed.values()}.values(), key=lambda node: self.order[node.names[0]])

    def lay(self, node: Node) -> None:
        inputs = tuple(self.value(name) for name in node.inputs)
        assumed = both(*(self.assumed.get(name, True) for name in node.inputs))
        if node.op == "list_index":
            outputs = (inputs[0].at(node.params["index"]),)
        elif is_torch_op(node.op):
            result = lay(self.operators, node, inputs, self.dense)
            outputs, assumed = result.values, both(assumed, result.assumed)
            self.dense.update(node.names if iterates(node) else ())
            self.if_any.update(() if result.empty_too else node.names)
        else:
            return
        if not self.if_any.isdisjoint(node.inputs) and not rows_if_empty(node, inputs):
            self.if_any.update(node.names)
        for name, value in zip(node.names, outputs, strict=True):
            sizes = self.values[name]
            laid = isinstance(value, Sizes)
            self.laid[name] = Sizes(sizes, sizes.dtype, value.strides, sizes.contiguous) if laid else value
            if assumed is not True:
                self.assumed[name] = assumed


def unlaid(value: Any) -> bool:
    """Whether strides are missing from a value, so that its maker must be asked."""
    return isinstance(value, Pieces) or (isinstance(value, Sizes) and value.strides is None)
