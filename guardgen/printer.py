"""Graphs as text, one node a line, with the user's line of each bailout as a trailing comment."""

from __future__ import annotations

from typing import Any

from guardgen.ir import Graph, Node, Ref, Slot
from guardgen.ops import BAILOUTS, is_torch_op


def print_graph(graph: Graph) -> str:
    """`name = op(inputs, param=value)` for every node, then `return` with the result."""
    lines = [print_node(node) for node in graph]
    if graph.result is not None:
        lines.append(f"return {show(graph.result)}")
    return "\n".join(lines)


def print_node(node: Node) -> str:
    if is_torch_op(node.op):
        arguments = torch_arguments(node)
    else:
        arguments = [*node.inputs, *(f"{key}={show(value)}" for key, value in node.params.items())]
    text = f"{node.op}({', '.join(arguments)})"
    if node.names:
        text = f"{', '.join(node.names)} = {text}"
    if node.op in BAILOUTS and node.line is not None:
        text = f"{text}  # {node.line}"
    return text


def torch_arguments(node: Node) -> list[str]:
    """The arguments of one of PyTorch's operators, with names where the template has slots."""
    args = [show(value, node.inputs) for value in node.params["args"]]
    return args + [f"{key}={show(value, node.inputs)}" for key, value in node.params["kwargs"].items()]


def show(value: Any, inputs: tuple[str, ...] = ()) -> str:
    """A static value as text that is the same on every machine."""
    if isinstance(value, Slot):
        return inputs[value.index]
    if isinstance(value, Ref):
        return value.name
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {show(item, inputs)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(show(item, inputs) for item in value) + "]"
    if isinstance(value, tuple):
        inner = ", ".join(show(item, inputs) for item in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if type(value).__name__ in ("Tensor", "Parameter", "Buffer"):
        return f"{type(value).__name__}({tuple(value.shape)}, {value.dtype})"
    if value is None or isinstance(value, (bool, int, float, complex, str, slice)):
        return repr(value)
    text = str(value)
    return text if text.startswith("torch.") else f"<{type(value).__name__}>"
