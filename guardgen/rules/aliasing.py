"""Which tensors of a trace may share memory, and which of its operators write to it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from torch.utils._pytree import tree_leaves

from guardgen.ir import Graph, Node, Slot
from guardgen.ops import is_torch_op
from guardgen.rules.concrete import torch_op

# Operators that may return an input, or a view of it, without saying so in their schema; found by looking at the
# storages of what each returns, on PyTorch's own samples in tests/exactness, and by reading those that may.
SILENT = {
    "alpha_dropout", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_tensors", "cartesian_prod", "conj_physical",
    "dropout", "einsum", "feature_alpha_dropout", "feature_dropout", "histogramdd", "meshgrid", "native_dropout",
    "sum_to_size", "type_as", "unsafe_chunk", "unsafe_split", "unsafe_split_with_sizes", "_unsafe_view",
}  # fmt: skip
OUTSIDE = ("var_placeholder", "var_const")  # tensors that are not the trace's own
RENAMES = ("list_index",)  # of our own operators, those whose result is a tensor among the inputs


class Aliases:
    """Classes of names that may share memory, over all operators of a graph.

    An operator that returns views says so in its schema, or is one of `SILENT` (`dropout`, outside training).
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.writing = [(i, node) for i, node in enumerate(graph) if writes(node)]

    @cached_property
    def parents(self) -> dict[str, str]:
        self.parents = {}
        for node in self.graph:
            first, *others = (*node.names, *may_alias(node), "")  # a name at least: some operators return nothing
            for name in others[:-1]:
                self.join(first, name)
        return self.parents

    @cached_property
    def written(self) -> set[str]:
        """The classes that are written to. Arguments may share memory, so that one written to is as good as all."""
        written = {self.of_written(node) for _, node in self.writing}
        outside = {self.of(node.name) for node in self.graph if written and node.op in OUTSIDE}
        return written | outside if written & outside else written

    def of_written(self, node: Node) -> str:
        """The class that a writing operator writes to."""
        return self.of(next(may_alias(node), ""))

    def is_written(self, name: str) -> bool:
        return bool(self.writing) and self.of(name) in self.written

    def of(self, name: str) -> str:
        """The representative of the class of `name`."""
        while (parent := self.parents.get(name, name)) != name:
            self.parents[name] = self.parents.get(parent, parent)
            name = parent
        return name

    def join(self, left: str, right: str) -> None:
        left, right = self.of(left), self.of(right)
        if left != right:
            self.parents[right] = left


def may_alias(node: Node) -> Iterator[str]:
    """The inputs of an operator that its results may share memory with."""
    if not is_torch_op(node.op):
        yield from node.inputs if node.op in RENAMES else ()
        return
    op = torch_op(node.op)
    schema = op._schema
    says_so = any(each.alias_info is not None for each in (*schema.returns, *schema.arguments))
    if not says_so:
        yield from node.inputs if schema.name.partition("::")[2] in SILENT else ()
        return
    for i, argument in enumerate(schema.arguments):
        if argument.alias_info is not None:
            args, kwargs = node.params["args"], node.params["kwargs"]
            given = args[i] if i < len(args) else kwargs.get(argument.name)
            yield from (node.inputs[leaf.index] for leaf in tree_leaves(given) if isinstance(leaf, Slot))


def writes(node: Node) -> bool:
    """Whether an operator changes a tensor that it is given. That `detach_` does is of no matter to its value."""
    return is_torch_op(node.op) and torch_op(node.op)._schema.is_mutable and node.op != "aten.detach_.default"
