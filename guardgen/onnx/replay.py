"""A recorded trace as a module that torch.export can run: tensors in, tensors out, sizes read where the trace does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

import torch

from guardgen.errors import EmitError
from guardgen.interpret import interpret
from guardgen.ir import Graph, Node, drop_unused, refs
from guardgen.ops import is_torch_op
from guardgen.rules.concrete import concrete_rules, fill, torch_op
from guardgen.torchscript import copy_state
from guardgen.tracing import Trace

SYMBOLIC = {"int_min": torch.sym_min, "int_max": torch.sym_max}  # the builtins would choose, and thereby fix


class Replay(torch.nn.Module):
    """The graphs of a trace without observations; their results are one tuple.

    Parameters and buffers are those of the traced module, under their names. `inputs` are the nodes of the tensors that
    `forward` takes, by the names of the model's inputs; `down` names the quotients that may be negative, which ONNX
    would round towards zero, unless there is nothing to round.
    """

    def __init__(
        self, fn: Callable[..., Any], graphs: Sequence[Graph], inputs: Mapping[str, str], down: Set[str]
    ) -> None:
        super().__init__()
        source = fn if isinstance(fn, torch.nn.Module) else getattr(fn, "__self__", None)
        if isinstance(source, torch.nn.Module):
            copy_state(source, self, "self", {}, {})
        for name in inputs:  # a model has its inputs and its weights in one table of names
            self._parameters.pop(name, None)
            self._buffers.pop(name, None)
        names = {id(value): name for name, value in (*self.named_parameters(), *self.named_buffers())}
        used = {
            node.name: names.get(id(node.params["val"])) for graph in graphs for node in graph if node.op == "var_const"
        }
        self._replayed = tuple(graphs), tuple(inputs.values()), used, down

    def forward(self, *tensors: torch.Tensor) -> tuple[Any, ...]:
        graphs, inputs, used, down = self._replayed

        def step(node: Node, *values: Any) -> Any:
            if node.op == "var_const":
                path = used[node.name]
                return node.params["val"].detach() if path is None else attribute(self, path)
            if is_torch_op(node.op):
                arguments = [fill(each, values) for each in node.params["args"]]
                named = {key: fill(each, values) for key, each in node.params["kwargs"].items()}
                return torch_op(node.op)(*arguments, **named)
            if node.names[0] in down:
                dividend, divisor = values
                return (dividend - dividend % divisor) // divisor
            rule: Any = SYMBOLIC.get(node.op, concrete_rules[node.op])
            return rule(*values, **node.params)

        given = dict(zip(inputs, tensors, strict=True))
        found = [interpret(each, step, given)[name] for each in graphs for name in refs(each.result)]
        return tuple(tensor(each) for each in found if is_output(each))


def attribute(module: Any, path: str) -> Any:
    for name in path.split("."):
        module = getattr(module, name)
    return module


def is_output(value: Any) -> bool:
    return isinstance(value, (torch.Tensor, torch.SymInt)) or type(value) is int


def tensor(value: Any) -> Any:
    """A size among the results is a tensor of rank 0: ONNX has tensors only."""
    return value if isinstance(value, torch.Tensor) else torch.scalar_tensor(value, dtype=torch.int64)


def computed(recorded: Trace, numbers: Mapping[str, Any]) -> Graph:
    """What the result is made of, without the observations, and with constants in place of `numbers`.

    Raises `EmitError` where an operator writes to an argument or a parameter, or a number is read from data, and for a
    result that has no form in ONNX.
    """
    kinds = {name: kind for node in recorded.graph for name, kind in zip(node.names, node.kinds, strict=True)}
    for name in refs(recorded.graph.result):
        if kinds[name] not in ("tensor", "int", "float", "bool"):
            raise EmitError(f"the result has a {kinds[name]}, which ONNX has no type for; return tensors")
    if not any(kinds[name] in ("tensor", "int") for name in refs(recorded.graph.result)):
        raise EmitError("the result has no tensor and no size, and a model must have an output")
    nodes = tuple(
        constant(node, numbers[node.names[0]]) if numbers.keys() & node.names else node for node in recorded.graph
    )
    graph = drop_unused(Graph(nodes, recorded.graph.result), keep)
    for node in graph:
        if node.op == "var_item":
            raise EmitError("a number is read from the data of a tensor here, which an ONNX model "
                            "does not hand on; compute with the tensor", line=node.line)  # fmt: skip
    return graph


def constant(node: Node, value: Any) -> Node:
    return Node(node.names, f"{node.kinds[0]}_const", (), {"val": value}, node.kinds, node.line)


def keep(node: Node) -> bool:
    return node.op.endswith("_placeholder") or (is_torch_op(node.op) and torch_op(node.op)._schema.is_mutable)
