"""The nodes of a trace as they are recorded: fresh names, pure nodes once, constants lifted once."""

from __future__ import annotations

import re
from typing import Any

import torch

from guardgen.arguments import Path, unique
from guardgen.ir import Line, Node, TensorMeta, make_node
from guardgen.tracing.provenance import user_line

LETTER = {"bool": "b", "int": "i", "float": "f", "size": "s", "stride": "st", "tensor": "t", "list": "l", "none": "u"}
MOST_SHARED = 16  # literal tensors of so few values are lifted once however often the program makes them


class Nodes:
    """A graph in the making."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.taken: set[str] = set()
        self.count = 0
        self.known: dict[Any, str] = {}  # (op, inputs) -> the node that computes it
        self.constants: dict[Any, tuple[str, torch.Tensor]] = {}
        self.tensors: dict[str, TensorMeta] = {}
        self.grad = torch.is_grad_enabled()

    def fresh(self, kind: str) -> str:
        while True:
            name = f"{LETTER[kind]}{self.count}"
            self.count += 1
            if name not in self.taken:
                return name

    def claim(self, path: Path) -> str:
        """The name of the placeholder for the argument at `path`."""
        return unique(re.sub(r"\W+", "_", str(path)).strip("_") or "_", self.taken)

    def record(self, op: str, *inputs: str, kind: str = "", line: Line | None = None, **params: Any) -> str:
        name = self.fresh(kind) if kind else ""
        self.nodes.append(make_node(name, op, *inputs, line=line, **params))
        return name

    def record_torch_op(self, op: str, inputs: list[str], args: Any, kwargs: Any, kinds: tuple[str, ...]) -> list[str]:
        names = tuple(map(self.fresh, kinds))
        params: dict[str, Any] = {"args": args, "kwargs": kwargs}
        if torch.is_grad_enabled() != self.grad:
            params["grad"] = not self.grad
        self.nodes.append(Node(names, op, tuple(inputs), params, kinds, user_line()))
        return list(names)

    def once(self, op: str, *inputs: str, kind: str, **params: Any) -> str:
        """Record a pure node, or find it where it was recorded before."""
        key = (op, inputs, *((name, repr(value)) for name, value in params.items()))
        name = self.known.get(key)
        if name is None:
            name = self.known[key] = self.record(op, *inputs, kind=kind, **params)
        return name

    def constant(self, tensor: torch.Tensor) -> str:
        """The node of a tensor that is no input: a parameter, a buffer, anything closed over. Lifted once."""
        if id(tensor) not in self.constants:
            name = self.record("var_const", kind="tensor", val=tensor)
            self.constants[id(tensor)] = name, tensor
            self.tensors[name] = meta_of(tensor)
        return self.constants[id(tensor)][0]

    def literal(self, tensor: torch.Tensor) -> str:
        """The node of a tensor that the program made from Python numbers; the trace keeps a copy."""
        if tensor.numel() > MOST_SHARED or tensor.layout != torch.strided or tensor.device.type != "cpu":
            return self.constant(tensor.clone())
        key = (tensor.dtype, tensor.shape, tensor.stride(), repr(tensor.tolist()))
        if key not in self.constants:
            copy = tensor.clone()
            self.constants[key] = self.constant(copy), copy
        return self.constants[key][0]

    def describe(self, real: torch.Tensor, name: str) -> None:
        self.tensors[name] = meta_of(real)


def meta_of(tensor: torch.Tensor) -> TensorMeta:
    layout = tensor.layout
    stride = tensor.stride() if layout is torch.strided else None
    return TensorMeta(tuple(tensor.shape), stride, tensor.dtype, tensor.device, layout, tensor.requires_grad)
