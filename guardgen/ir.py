"""The IR: straight-line programs in administrative normal form.

    graph  ::= node* "return" outputs
    node   ::= names "=" op "(" names "," params ")"     # inputs positional, static data keyword-only

`Graph` and `Node` are those two lines. A node of one of PyTorch's operators keeps its call as a template in the params
`args` and `kwargs`, in which `Slot(i)` stands for the i-th input; where the program had switched gradients on or off,
the param `grad` says which.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from guardgen.containers import Atom, leaves
from guardgen.errors import GraphError
from guardgen.ops import OPS, Op, is_torch_op


@dataclass(frozen=True, slots=True)
class Line:
    """A place in the user's program; its text is looked up only when shown.

    `file` is relative to its project (or to site-packages), `path` is where it is on this machine.
    """

    file: str
    number: int
    path: str = field(default="", compare=False, repr=False)

    @property
    def place(self) -> str:
        return f"{self.file}:{self.number}"

    @property
    def text(self) -> str:
        import linecache

        return linecache.getline(self.path or self.file, self.number).strip()

    def __str__(self) -> str:
        return f"{self.place}: {self.text}" if self.text else self.place


@dataclass(frozen=True, slots=True)
class Slot(Atom):
    """The place of an input in the call of one of PyTorch's operators."""

    index: int


@dataclass(frozen=True, slots=True)
class Node:
    """One step: `names = op(inputs, **params)`. `kinds` are those of the names, `line` is the user's."""

    names: tuple[str, ...]
    op: str
    inputs: tuple[str, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    kinds: tuple[str, ...] = ()
    line: Line | None = None

    @property
    def name(self) -> str:
        """The only name that this node defines."""
        (name,) = self.names
        return name


@dataclass(frozen=True, slots=True)
class TensorMeta:
    """What a tensor of the traced run was, without its values. `stride` is None for layouts that have none."""

    shape: tuple[int, ...]
    stride: tuple[int, ...] | None
    dtype: Any
    device: Any
    layout: Any
    requires_grad: bool = False


@dataclass(frozen=True, slots=True)
class Graph:
    """A program: its nodes in order, and its result, a nest of containers in which `Ref`s name nodes."""

    nodes: tuple[Node, ...]
    result: Any = None

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __len__(self) -> int:
        return len(self.nodes)

    def __str__(self) -> str:
        from guardgen.printer import print_graph

        return print_graph(self)

    @property
    def placeholders(self) -> list[Node]:
        return [node for node in self.nodes if node.op.endswith("_placeholder")]


@dataclass(frozen=True, slots=True)
class Ref(Atom):
    """A node's name inside a graph's result."""

    name: str


def result_kind(op: Op, params: Mapping[str, Any]) -> str | None:
    return params["type"] if op.name == "var_item" else op.output


def make_node(name: str, op: str, /, *inputs: str, line: Line | None = None, **params: Any) -> Node:
    """A node of one of the listed ops; bailouts define no name, so their `name` is ignored."""
    spec = known(op)
    kind = result_kind(spec, params)
    names = (name,) if kind else ()
    return Node(names, op, inputs, params, (kind,) if kind else (), line)


def known(op: str) -> Op:
    try:
        return OPS[op]
    except KeyError:
        raise GraphError(f"unknown op {op!r}; the ops are {', '.join(sorted(OPS))}, and PyTorch's own") from None


def verify(graph: Graph) -> Graph:
    """The graph itself, if names are defined once and before use, and arity, kinds and params are right."""
    kinds: dict[str, str] = {}
    for node in graph:
        verify_node(node, kinds)
        for name, kind in zip(node.names, node.kinds, strict=True):
            if name in kinds:
                raise GraphError(f"{name!r} is defined twice", line=node.line)
            kinds[name] = kind
    for name in refs(graph.result):
        if name not in kinds:
            raise GraphError(f"the result uses {name!r}, which is not defined")
    return graph


def verify_node(node: Node, kinds: Mapping[str, str]) -> None:
    for name in node.inputs:
        if name not in kinds:
            raise GraphError(f"{node.op} uses {name!r} before it is defined", line=node.line)
    if is_torch_op(node.op):
        return
    op = known(node.op)
    got = tuple(kinds[name] for name in node.inputs)
    wanted = op.inputs
    if op.variadic:
        wanted = op.inputs[:-1] + op.inputs[-1:] * (len(got) - len(op.inputs) + 1)
    if got != wanted:
        raise GraphError(f"{op.name} takes ({', '.join(wanted)}), got ({', '.join(got)})", line=node.line)
    if set(node.params) != set(op.params):
        raise GraphError(f"{op.name} has the params {list(op.params)}, got {sorted(node.params)}", line=node.line)
    kind = result_kind(op, node.params)
    if node.kinds != ((kind,) if kind else ()) or len(node.names) != len(node.kinds):
        raise GraphError(f"{op.name} defines {kind or 'nothing'}, got {node.names} of {node.kinds}", line=node.line)


def refs(value: Any) -> Iterator[str]:
    """The names that a result uses, in order."""
    return (leaf.name for leaf in leaves(value) if isinstance(leaf, Ref))


def drop_unused(graph: Graph, keep: Any) -> Graph:
    """The graph without the nodes for which `keep(node)` is False and whose names nobody uses."""
    used = set(refs(graph.result))
    kept = []
    for node in reversed(graph.nodes):
        if keep(node) or used.intersection(node.names):
            kept.append(node)
            used.update(node.inputs)
    return Graph(tuple(reversed(kept)), graph.result)
