"""Numbers computed from data: private functions of an emitted module that run PyTorch's operators on the arguments."""

from __future__ import annotations

from typing import Any

import torch

from guardgen.arguments import unique
from guardgen.emit.constants import expression
from guardgen.emit.literals import call_lines, identifier, items_text, string
from guardgen.emit.model import Function
from guardgen.emit.names import RESERVED
from guardgen.emit.python_check import Source
from guardgen.errors import EmitError
from guardgen.guards import Hoist
from guardgen.interpret import RuleTable
from guardgen.ir import Node, Slot
from guardgen.ops import is_torch_op
from guardgen.rules.precedence import Text, call
from guardgen.rules.python import python_rules

tensor_rules = RuleTable("Python tensor")  # the ops that read tensors; the pure ones are in the Python table
tensor_rules.rule("list_len")(call("len"))


def attribute(text: str) -> Any:
    def rule(value: Text) -> Text:
        return Text(f"{value}.{text}")

    return rule


tensor_rules.rule("var_size")(attribute("shape"))
tensor_rules.rule("var_stride")(attribute("stride()"))
tensor_rules.rule("var_rank")(attribute("dim()"))
tensor_rules.rule("var_requires_grad")(attribute("requires_grad"))
tensor_rules.rule("var_storage_offset")(attribute("storage_offset()"))


@tensor_rules.rule("var_is_contiguous")
def var_is_contiguous(value: Text, *, memory_format: Any) -> Text:
    return Text(f"{value}.is_contiguous(memory_format={memory_format})")


@tensor_rules.rule("var_item")
def var_item(value: Text, *, type: str) -> Text:
    return Text(f"{value}.item()")


@tensor_rules.rule("size_index", "stride_index", "list_index")
def index_of(value: Text, *, index: int) -> Text:
    return Text(f"{value}[{index}]")


@tensor_rules.rule("size_ctor")
def size_ctor(*sizes: Text) -> Text:
    return Text(items_text("(", map(str, sizes), ",)" if len(sizes) == 1 else ")"))


@tensor_rules.rule("var_const")
def var_const(*, val: torch.Tensor) -> Text:
    """A small tensor, written out."""
    device = "" if val.device.type == "cpu" else f", device={string(str(val.device))}"
    flat = val.detach().cpu().resolve_conj().resolve_neg().flatten().tolist()
    items = items_text("[", map(expression, flat), "]")
    return Text(f"torch.tensor({items}, dtype={val.dtype}{device}).reshape({list(val.shape)})")


def value_functions(source: Source) -> tuple[Function, ...]:
    """A function for every hoist; `source` learns how each is called."""
    functions = []
    paths = {leaf.node: leaf.path for leaf in source.guards.signature.leaves if leaf.node}
    for number, (symbol, hoist) in enumerate(source.guards.hoists.items()):
        writer = ValueWriter(hoist)
        arguments = [source.names.path(paths[name]) for name in writer.parameters]
        source.calls[symbol] = f"_value_{number}({', '.join(arguments)})"
        declared = [f"{local}: Any" for local in writer.parameters.values()]
        head = call_lines(f"def _value_{number}", declared, " -> Any:")
        functions.append(Function(tuple(head), body=tuple(writer.lines)))
    return tuple(functions)


class ValueWriter:
    """The statements that compute one hoist. `parameters` are the placeholders with their locals."""

    numbers, tensors = python_rules, tensor_rules
    tuples = "(", ")"

    def __init__(self, hoist: Hoist) -> None:
        self.taken = set(RESERVED | {"torch", "math", "power", "shift_left"})
        self.parameters: dict[str, str] = {}
        self.texts: dict[str, Text] = {}
        self.lines: list[str] = []
        for node in hoist.nodes:
            self.node(node)
        self.lines.append(f"return {hoist.symbol.kind}({self.texts[hoist.read]})")

    def node(self, node: Node) -> None:
        if node.op.endswith("_placeholder"):
            self.parameters[node.name] = local = self.local(node.name)
            self.texts[node.name] = Text(local)
            return
        inputs = [self.texts[name] for name in node.inputs]
        if is_torch_op(node.op):
            self.assign(node, self.torch_call(node, inputs))
        elif node.op.endswith("_const") and node.op != "var_const":
            self.texts[node.name] = self.numbers[node.op](**node.params)
        else:
            table = self.numbers if node.op in self.numbers else self.tensors
            self.assign(node, [str(table[node.op](*inputs, **node.params))])

    def assign(self, node: Node, lines: list[str]) -> None:
        locals_ = [self.local(name) for name in node.names]
        self.texts.update(zip(node.names, map(Text, locals_), strict=True))
        head = f"{', '.join(locals_)} = " if locals_ else ""
        self.lines += [head + lines[0], *lines[1:]]

    def local(self, name: str) -> str:
        return unique(identifier(name), self.taken)

    def function(self, node: Node) -> str:
        return f"torch.ops.{node.op}"

    def torch_call(self, node: Node, inputs: list[Text]) -> list[str]:
        """The call of one of PyTorch's operators."""
        arguments = [self.argument(node, value, inputs) for value in node.params["args"]]
        arguments += [f"{key}={self.argument(node, value, inputs)}" for key, value in node.params["kwargs"].items()]
        return call_lines(self.function(node), arguments, indent=24)

    def argument(self, node: Node, value: Any, inputs: list[Text]) -> str:
        if isinstance(value, Slot):
            return str(inputs[value.index])
        if isinstance(value, (list, tuple)):
            left, right = ("[", "]") if isinstance(value, list) else self.tuples
            items = [self.argument(node, item, inputs) for item in value]
            return items_text(left, items, f",{right}" if len(items) == 1 and right == ")" else right)
        if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
            return str(value)
        if isinstance(value, torch.device):
            return f"torch.device({string(str(value))})"
        text = expression(value)
        if text is None:
            what = type(value).__qualname__
            raise EmitError(f"{node.op} takes a {what}, which cannot be written down", line=node.line)
        return text
