"""Numbers computed from data, in TorchScript."""

from __future__ import annotations

from typing import Any

from guardgen.emit.constants import expression
from guardgen.emit.literals import items_text, string
from guardgen.emit.python_values import ValueWriter, tensor_rules
from guardgen.errors import EmitError
from guardgen.interpret import RuleTable
from guardgen.ir import Node
from guardgen.rules.precedence import Text
from guardgen.rules.torchscript import torchscript_rules

script_rules = RuleTable("TorchScript tensor")


@script_rules.rule("var_const")
def var_const(*, val: Any) -> Text:
    """A small tensor, written out; TorchScript cannot tell of what an empty list is."""
    device = "" if val.device.type == "cpu" else f", device={string(str(val.device))}"
    if not val.numel():
        return Text(f"torch.zeros({list(val.shape)}, dtype={val.dtype}{device})")
    return Text(f"torch.tensor({nested(val.detach().cpu().tolist())}, dtype={val.dtype}{device})")


def nested(value: Any) -> str:
    if isinstance(value, list):
        return items_text("[", map(nested, value), "]")
    text = expression(value)
    if text is None or isinstance(value, complex):
        raise EmitError("TorchScript has no literal for a constant of complex numbers")
    return text


@script_rules.rule("size_ctor")
def size_ctor(*sizes: Text) -> Text:
    return Text(items_text("[", map(str, sizes), "]"))


for _op, _rule in tensor_rules.rules.items():
    if _op not in script_rules:
        script_rules.rule(_op)(_rule)


class TorchScriptValue(ValueWriter):
    """The statements that compute one hoist. Operators are called by packet: TorchScript picks the overload itself."""

    numbers, tensors = torchscript_rules, script_rules
    tuples = "[", "]"

    def function(self, node: Node) -> str:
        return f"torch.ops.{node.op.rpartition('.')[0]}"
