"""Cutting a trace in two at an observation that cannot be checked on entry.

The first part runs up to the observation and hands on what the second needs: tensors, and ints. Numbers computed from
those (scale factors, comparisons) are computed again, and constants are constants of both. The second part begins with
the observation, which it makes of what it is handed, so there it can be checked on entry.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterable, Mapping
from typing import Any

from guardgen.arguments import Binder, Leaf, Parameter, Path, Signature, TensorFacts
from guardgen.interpret import interpret
from guardgen.ir import Graph, Node, Ref, drop_unused, refs, verify
from guardgen.ops import BAILOUTS, PURE, is_torch_op
from guardgen.rules.concrete import concrete_rules
from guardgen.tracing import Trace


def cut(trace: Trace, at: int) -> tuple[Trace, Trace]:
    """The trace up to node `at`, which returns the arguments of what follows, in order, and the trace from there on."""
    before, after = trace.graph.nodes[:at], list(trace.graph.nodes[at:])
    makers = {name: node for node in before for name in node.names}
    again: dict[int, Node] = {}  # what the second part computes once more
    handed: dict[str, None] = {}
    pending = list(dict.fromkeys([*(name for node in after for name in node.inputs), *refs(trace.graph.result)]))
    while pending:
        name = pending.pop(0)
        node = makers.get(name)
        if node is None or id(node) in again:
            continue
        if is_handed(node, name):
            handed[name] = None
        else:
            again[id(node)] = node
            pending += node.inputs
    placeholders = [placeholder(name, kind_of(makers[name], name)) for name in handed]
    repeated = [node for node in before if id(node) in again]
    first = Graph(before, tuple(map(Ref, handed)))
    second = Graph((*placeholders, *repeated, *after), trace.graph.result)
    before_cut = dataclasses.replace(part(trace, first, trace.signature, 0), declared=trace.declared)
    return before_cut, part(trace, second, signature_of(trace, placeholders), 1)


def is_handed(node: Node, name: str) -> bool:
    """Whether a name is handed on, rather than computed again: tensors and ints, but no constants."""
    return node.op not in ("var_const", "int_const") and kind_of(node, name) in ("tensor", "int")


def kind_of(node: Node, name: str) -> str:
    return node.kinds[node.names.index(name)]


def placeholder(name: str, kind: str) -> Node:
    return Node((name,), "var_placeholder" if kind == "tensor" else "int_placeholder", (), {"name": name}, (kind,))


def part(trace: Trace, graph: Graph, signature: Signature, index: int) -> Trace:
    graph = verify(drop_unused(graph, has_effect))
    used = {name for node in graph for name in node.inputs}
    reads = frozenset(node.name for node in graph.placeholders if node.name in used or node.name in trace.reads)
    name, found = f"{trace.name}_{index}", (trace.tensors, trace.numbers)
    return Trace(name, trace.level, graph, signature, reads, *found, environment=trace.environment)


def has_effect(node: Node) -> bool:
    return node.op in BAILOUTS or node.op.endswith("_placeholder") or is_torch_op(node.op)


def signature_of(trace: Trace, placeholders: Iterable[Node]) -> Signature:
    """The parameters of a part that is handed these, by the names that they have in the trace."""
    numbers = traced_numbers(trace)
    leaves = []
    for node in placeholders:
        path = Path(node.name)
        if node.kinds == ("int",):
            leaves.append(Leaf(path, "int", numbers[node.name], node.name))
            continue
        meta = trace.tensors[node.name]
        facts = TensorFacts(len(meta.shape), meta.dtype, meta.device, meta.layout)
        leaves.append(Leaf(path, "tensor", None, node.name, facts))
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    names = [leaf.node for leaf in leaves]
    binder = Binder(inspect.Signature([inspect.Parameter(name, kind) for name in names]))
    parameters = tuple(Parameter(name, "positional_or_keyword") for name in names)
    return Signature(parameters, (), tuple(leaves), binder)


def traced_numbers(trace: Trace) -> Mapping[str, Any]:
    """What every number of the trace was in the traced run."""
    inputs = {leaf.node: leaf.value for leaf in trace.signature.leaves if leaf.node}

    def step(node: Node, *values: Any) -> Any:
        if node.op in PURE:
            return concrete_rules[node.op](*values, **node.params)
        if len(node.names) == 1 and node.names[0] in trace.numbers:
            return trace.numbers[node.names[0]]
        if node.op in ("var_size", "var_stride"):
            meta = trace.tensors[node.inputs[0]]
            return meta.shape if node.op == "var_size" else meta.stride
        if node.op in ("size_index", "stride_index"):
            return values[0][node.params["index"]]
        return (None,) * len(node.names) if len(node.names) != 1 else None

    return interpret(trace.graph, step, inputs)
