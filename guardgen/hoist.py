"""Numbers computed from data, on entry: the operators that lead from the arguments to an observation of data."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import torch

from guardgen.conditions import Way
from guardgen.errors import DeriveError
from guardgen.guards import Hoist
from guardgen.ir import Line, Node
from guardgen.ops import is_torch_op
from guardgen.rules.aliasing import OUTSIDE, Aliases
from guardgen.rules.concrete import torch_op
from guardgen.terms import Symbol
from guardgen.terms.evaluate import GraphBuilder
from guardgen.terms.ints import symbols
from guardgen.tracing import Trace

ON_DATA = ("hoist", "split", "error")
MOST_CONSTANTS = 64  # elements of a closed-over tensor that a guard may carry


class CannotHoist(DeriveError):
    """An observation of data that cannot be checked on entry; `why` is the reason, and `at` its line."""

    def __init__(self, why: str, line: Line | None) -> None:
        self.why, self.at = why, line
        super().__init__(
            f"this observation of tensor data cannot be checked on entry: {why}; "
            'compute it outside the traced function and pass it in, or derive with on_data="split"',
            line=line,
        )


class Hoister:
    """Collects the hoists of one derivation. `values` has what each name of the trace is, as far as it is derived.

    A number that is known as a term over the arguments' sizes is computed from them, and not from the tensors whose
    sizes the program read on the way.
    """

    def __init__(self, trace: Trace, values: Mapping[str, Any], on_data: str) -> None:
        self.on_data = on_data
        self.makers = {name: node for node in trace.graph for name in node.names}
        self.order = {name: i for i, node in enumerate(trace.graph) for name in node.names}
        self.trace, self.values = trace, values
        self.aliases = Aliases(trace.graph)
        self.hoists: dict[Symbol, Hoist] = {}
        self.ways: list[Way] = []

    def hoist(self, data: list[Symbol], kind: str, line: Line | None) -> bool:
        """Whether the numbers that a condition reads from data can be computed on entry.

        An operator's requirement is checked only where an observation needs the same numbers. Raises `DeriveError` for
        an observation that is not to be hoisted, or cannot be.
        """
        if kind == "precondition" and not all(each in self.hoists for each in data):
            return False
        if self.on_data == "error":
            raise DeriveError("this observation depends on the data of a tensor", line=line)
        for each in data:
            self.add(each, line)
        if kind != "precondition":
            names = ", ".join(each.name for each in data)
            self.ways.append(Way("hoist", f"{names} is computed from the arguments", line))
        return True

    def add(self, symbol: Symbol, line: Line | None) -> None:
        """Hoist the number that `symbol` stands for; raises `DeriveError` where the guard cannot compute it."""
        if symbol in self.hoists:
            return
        name = symbol.source[1]
        nodes = self.slice(name, line)
        if symbol.source[0] == "data_size":
            nodes += size_of(name, *symbol.source[2:])
            name = nodes[-1].name
        self.hoists[symbol] = Hoist(symbol, tuple(nodes), name)

    def slice(self, name: str, line: Line | None) -> list[Node]:
        """The nodes that `name` depends on, in order."""
        numbers: dict[str, Any] = {}
        needed: dict[str, Node] = {}
        pending = [name]
        while pending:
            while pending:
                each = pending.pop()
                if each in needed or each in numbers:
                    continue
                if each != name and self.from_sizes(each):
                    numbers[each] = self.values[each]
                    continue
                node = self.makers[each]
                self.check(node, line)
                needed[each] = node
                pending += node.inputs
            pending += self.written_before(needed, self.order[name], line)
        ordered = sorted({id(node): node for node in needed.values()}.values(), key=self.position)
        return self.compute(numbers, ordered)

    def position(self, node: Node) -> int:
        return self.order[node.names[0]]

    def from_sizes(self, name: str) -> bool:
        """Whether a name is a number that the arguments' sizes give, rather than one of the arguments itself."""
        node = self.makers[name]
        if node.op in ("int_placeholder", "var_item") or node.kinds[0] not in ("int", "float", "bool"):
            return False
        return name in self.values and all(each.source[0] in ("size", "int") for each in symbols(self.values[name]))

    def compute(self, numbers: Mapping[str, Any], ordered: list[Node]) -> list[Node]:
        """Nodes that compute `numbers` from the placeholders, before the others, which then use them."""
        placeholders = {node.name: node for node in ordered if node.op.endswith("_placeholder")}
        by_path = {leaf.path: leaf.node for leaf in self.trace.signature.leaves if leaf.node}
        reads: dict[str, list[Node]] = {}

        def read(symbol: Symbol) -> str:
            node = by_path[symbol.source[1]]
            placeholders.setdefault(node, self.makers[node])
            if symbol.source[0] == "int":
                return node
            reads[f"{node}_{symbol.source[2]}_size"] = size_of(node, symbol.source[2])
            return size_of(node, symbol.source[2])[-1].name

        builder = GraphBuilder(read, "h")
        names = {name: builder.term(value) for name, value in numbers.items()}
        sizes = {each.names: each for nodes in reads.values() for each in nodes}
        computed = [node for node in builder.nodes if not node.op.endswith("_placeholder")]
        rest = [rename(node, names) for node in ordered if not node.op.endswith("_placeholder")]
        return [*placeholders.values(), *sizes.values(), *computed, *rest]

    def check(self, node: Node, line: Line | None) -> None:
        if node.op == "var_const" and node.params["val"].numel() > MOST_CONSTANTS:
            raise CannotHoist(f"it depends on a constant of {node.params['val'].numel()} elements", line)
        if is_torch_op(node.op) and torch.Tag.nondeterministic_seeded in torch_op(node.op).tags:
            raise CannotHoist(f"{node.op} is random", line)

    def written_before(self, needed: Mapping[str, Node], last: int, line: Line | None) -> list[str]:
        """What operators up to the observation write to the memory of what is needed, which the guard must write too.

        That memory must be the trace's own: the guard may not write to an argument, and arguments may share memory.
        """
        if not self.aliases.writing:
            return []
        outside = {self.aliases.of(name) for name, node in self.makers.items() if node.op in OUTSIDE}
        memory = {self.aliases.of(name) for name in needed}
        found: list[str] = []
        for i, node in self.aliases.writing:
            if i > last:
                break
            written = self.aliases.of_written(node)
            if written in outside or (written in memory and not node.names):
                raise CannotHoist(f"{node.op} writes to a tensor before it", line)
            if written in memory:
                found += (name for name in node.names if name not in needed)
        return found


def size_of(name: str, dim: int | None, item: int | None = None) -> list[Node]:
    """The nodes that read one size of a tensor, of an item of a list, or (`dim` is None) the length of a list."""
    if dim is None:
        return [Node((f"{name}_len",), "list_len", (name,), {}, ("int",))]
    if item is not None:
        tensor = Node((f"{name}_{item}",), "list_index", (name,), {"index": item}, ("tensor",))
        return [tensor, *size_of(tensor.name, dim)]
    size = Node((f"{name}_size",), "var_size", (name,), {}, ("size",))
    return [size, Node((f"{name}_size_{dim}",), "size_index", size.names, {"index": dim}, ("int",))]


def rename(node: Node, names: Mapping[str, str]) -> Node:
    return dataclasses.replace(node, inputs=tuple(names.get(name, name) for name in node.inputs))
