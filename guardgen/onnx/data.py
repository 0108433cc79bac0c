"""Guards on data: the numbers that they read are computed by a second model, which the first has in its metadata."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from guardgen.conditions import Hoist
from guardgen.errors import EmitError
from guardgen.guards import GuardSet
from guardgen.ir import Graph, Ref
from guardgen.onnx.metadata import MOST_DATA
from guardgen.onnx.replay import constant


def graphs(guards: GuardSet, numbers: Mapping[str, Any]) -> tuple[Graph, ...]:
    """For each number that guards read from data, the graph that computes it; int arguments are constants."""
    return tuple(graph(guards, each, numbers) for each in guards.hoists.values())


def graph(guards: GuardSet, hoist: Hoist, numbers: Mapping[str, Any]) -> Graph:
    """Raises `EmitError` for a number that ONNX cannot compute as Python does."""
    if hoist.symbol.kind not in ("bool", "int"):
        guard = next(each for each in guards.guards if each.kind == "data")
        told = f"the guard {guard.text} reads a float from data, of which a model has fewer bits; compare tensors"
        raise EmitError(told, line=next(iter(guard.lines), None))
    nodes, read = list(hoist.nodes), hoist.read
    last = next(node for node in nodes if read in node.names)
    if last.op == "var_item":  # a model hands on the tensor
        nodes.remove(last)
        (read,) = last.inputs
    elif last.kinds[0] == "bool":
        raise EmitError(f"{last.op} gives a bool and no tensor, which ONNX has no form for", line=last.line)
    replaced = [constant(node, numbers[node.name]) if node.op == "int_placeholder" else node for node in nodes]
    return Graph(tuple(replaced), (Ref(read),))


def text(model: Any) -> str:
    """The model as the first one's metadata have it."""
    found = base64.b64encode(model.model_proto.SerializeToString()).decode()
    if len(found) > MOST_DATA:
        raise EmitError(f"the guards on data make a model of {len(found)} bytes, which is more than {MOST_DATA}")
    return found
