"""What the arguments contribute: the symbols of their sizes, and the facts that are checked on entry."""

from __future__ import annotations

import itertools
import keyword
from dataclasses import dataclass, field
from typing import Any

from guardgen.arguments import Path
from guardgen.conditions import ConstantFact, ContainerFact, Fact, IntFact, SameFact, TensorFact
from guardgen.ops import is_torch_op
from guardgen.rules.aliasing import Aliases
from guardgen.rules.shape import Sizes
from guardgen.terms import Symbol, symbol
from guardgen.terms.ints import SIZE_LIMIT
from guardgen.tracing import Trace

# Operators that change the sizes or strides of the tensor that they are given.
RESHAPE = {
    "as_strided_",
    "resize_",
    "resize_as_",
    "set_",
    "squeeze_",
    "swapaxes_",
    "swapdims_",
    "t_",
    "transpose_",
    "unsqueeze_",
}


@dataclass
class InputSymbols:
    """`values` of the placeholders: sizes of symbols, or a symbol; `hints` are what each was in the traced run.

    `names` are those that were declared, by the source of the symbol.
    """

    names: dict[tuple[Any, ...], str] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    hints: dict[Symbol, Any] = field(default_factory=dict)
    paths: dict[str, Path] = field(default_factory=dict)

    def new(self, name: str, source: tuple[Any, ...], hint: int, low: int | None, high: int | None) -> Any:
        unknown = Symbol(self.names.get(source, name), "int", source, len(self.hints), low, high)
        self.hints[unknown] = hint
        return symbol(unknown)

    def offset(self, node: str) -> Any:
        path = self.paths[node]
        return self.new(f"{path}.storage_offset()", ("offset", path), 0, 0, SIZE_LIMIT)


def input_symbols(trace: Trace) -> InputSymbols:
    """A symbol for every size, stride and int among the arguments."""
    inputs = InputSymbols(declared_names(trace))
    for leaf in trace.signature.leaves:
        if not leaf.node or leaf.node in inputs.values:
            continue
        inputs.paths[leaf.node] = path = leaf.path
        if leaf.kind == "int":
            inputs.values[leaf.node] = inputs.new(str(path), ("int", path), leaf.value, None, None)
            continue
        meta = trace.tensors[leaf.node]
        sizes = [
            inputs.new(f"{path}.shape[{i}]", ("size", path, i), n, 0, SIZE_LIMIT) for i, n in enumerate(meta.shape)
        ]
        strides = meta.stride and [
            inputs.new(f"{path}.stride({i})", ("stride", path, i), n, 0, SIZE_LIMIT) for i, n in enumerate(meta.stride)
        ]
        inputs.values[leaf.node] = Sizes(sizes, meta.dtype, strides if meta.stride is not None else None)
    return inputs


def declared_names(trace: Trace) -> dict[tuple[Any, ...], str]:
    """The declared name of the first size that has it, unless a parameter has that name too."""
    names: dict[str, tuple[Any, ...]] = {}
    for each in trace.declared:
        if each.kind == "dim" and each.same_as_name:
            first = next(leaf.path for leaf in trace.signature.leaves if leaf.node == each.node)
            names.setdefault(each.name, ("int", first) if each.dim is None else ("size", first, each.dim))
    parameters = {parameter.name for parameter in trace.signature.parameters}
    found = {source: name for name, source in names.items() if name not in parameters}
    return {source: name for source, name in found.items() if not keyword.iskeyword(name)}


def entry_facts(trace: Trace) -> tuple[Fact, ...]:
    """What each argument must be, containers first; an argument that the program never reads is left out."""
    facts: list[Fact] = [ContainerFact(container) for container in trace.signature.containers]
    first: dict[str, Path] = {}
    for leaf in trace.signature.leaves:
        if leaf.kind == "constant":
            facts.append(ConstantFact(leaf.path, leaf.expected))
        elif leaf.node in first:
            facts.append(SameFact(leaf.path, first[leaf.node]))
        elif leaf.node in trace.reads:
            facts.append(IntFact(leaf.path) if leaf.kind == "int" else tensor_fact(trace, leaf.node, leaf.path))
        if leaf.node:
            first.setdefault(leaf.node, leaf.path)
    if trace.compares_identity or reshapes_an_argument(trace):
        tensors = [first[leaf.node] for leaf in trace.signature.leaves if leaf.kind == "tensor"]
        pairs = itertools.combinations(dict.fromkeys(tensors), 2)
        facts += [SameFact(later, earlier, same=False) for earlier, later in pairs]
    return tuple(facts)


def reshapes_an_argument(trace: Trace) -> bool:
    """Whether the trace changes the sizes of an argument, and with them those of the same tensor passed again."""
    changed = [node.inputs[0] for node in trace.graph if is_torch_op(node.op) and node.op.split(".")[1] in RESHAPE]
    aliases = Aliases(trace.graph) if changed else None
    arguments = {aliases.of(leaf.node) for leaf in trace.signature.leaves if leaf.node} if aliases else set()
    return any(aliases.of(name) in arguments for name in changed) if aliases else False


def tensor_fact(trace: Trace, node: str, path: Path) -> TensorFact:
    meta = trace.tensors[node]
    looked_at = any(each.op == "var_requires_grad" and each.inputs == (node,) for each in trace.graph)
    grad = meta.requires_grad if looked_at else None
    return TensorFact(path, len(meta.shape), str(meta.dtype), str(meta.device), str(meta.layout), grad)
