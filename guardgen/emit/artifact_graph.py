"""A recorded graph as statements of TorchScript: operators as calls of torch.ops, sizes read where the trace does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from guardgen.arguments import Leaf, Path, Signature, unique
from guardgen.emit.literals import call_lines, identifier, items_text, literal, string
from guardgen.emit.names import RESERVED
from guardgen.emit.steps import child
from guardgen.emit.torchscript_types import Types
from guardgen.errors import EmitError
from guardgen.interpret import RuleTable
from guardgen.ir import Graph, Node, Slot
from guardgen.ops import BAILOUTS, is_torch_op
from guardgen.rules.concrete import torch_op
from guardgen.rules.exact import exact_rules
from guardgen.rules.precedence import Text
from guardgen.tracing.tracer import generator_id

INDENT = 8
CONSTANTS = (torch.dtype, torch.layout, torch.memory_format)

read_rules = RuleTable("TorchScript read")  # what is read of tensors
for _op, _text in {
    "var_size": "{0}.size()",
    "var_stride": "{0}.stride()",
    "var_rank": "{0}.dim()",
    "var_requires_grad": "{0}.requires_grad",
    "var_storage_offset": "{0}.storage_offset()",
    "list_len": "len({0})",
}.items():
    read_rules.rule(_op)(lambda value, text=_text: Text(text.format(value)))


@read_rules.rule("var_is_contiguous")
def var_is_contiguous(value: Text, *, memory_format: Any) -> Text:
    return Text(f"{value}.is_contiguous(memory_format={memory_format})")


@read_rules.rule("var_item")
def var_item(value: Text, *, type: str) -> Text:
    return Text(f"{type}({value})")


@read_rules.rule("size_index", "stride_index", "list_index")
def index_of(value: Text, *, index: int) -> Text:
    return Text(f"{value}[{index}]")


@read_rules.rule("size_ctor")
def size_ctor(*sizes: Text) -> Text:
    return Text(items_text("[", map(str, sizes), "]"))


class GraphWriter:
    """Writes `lines`. `tensors` has the expressions of constants. Observations in the graph are checked on the way."""

    def __init__(self, graph: Graph, signature: Signature, types: Types, tensors: Mapping[str, str]) -> None:
        self.signature, self.types, self.tensors = signature, types, tensors
        self.taken = {*RESERVED, *types.names.values(), "self", "torch", "math", "Tensor"}
        self.texts: dict[str, Text] = {}
        self.kinds: dict[str, str] = {}
        self.lines: list[str] = []
        self.known: dict[Path, str] = {Path(name): local for name, local in types.names.items()}
        self.no_grad = False
        for node in graph:
            self.kinds.update(zip(node.names, node.kinds, strict=True))
            self.node(node)

    # -- nodes

    def node(self, node: Node) -> None:
        inputs = [self.texts[name] for name in node.inputs]
        if node.op.endswith("_placeholder"):
            self.texts[node.name] = Text(self.argument(node.name))
        elif node.op == "var_const":
            self.texts[node.name] = Text(self.tensors[node.name])
        elif node.op.endswith("_const"):
            self.texts[node.name] = exact_rules[node.op](**node.params)
        elif node.op in BAILOUTS:
            self.check(node, inputs[0])
        elif is_torch_op(node.op):
            self.assign(node, self.torch_call(node, inputs), grad=node.params.get("grad"))
        else:
            rules = exact_rules if node.op in exact_rules else read_rules
            self.assign(node, [str(rules[node.op](*inputs, **node.params))])

    def assign(self, node: Node, lines: Sequence[str], grad: bool | None = None) -> None:
        if grad:
            raise EmitError("TorchScript cannot switch gradients on where they are off", line=node.line)
        names = [self.local(name) for name in node.names]
        self.texts.update(zip(node.names, map(Text, names), strict=True))
        head = f"{', '.join(names)} = " if names else ""
        for line in [head + lines[0], *lines[1:]]:
            self.statement(line, no_grad=grad is False)

    def statement(self, line: str, *, no_grad: bool = False) -> None:
        """One line; consecutive operators without gradients are in one block."""
        if no_grad and not self.no_grad:
            self.lines.append("with torch.no_grad():")
        self.no_grad = no_grad
        self.lines.append(f"    {line}" if no_grad else line)

    def local(self, name: str) -> str:
        return unique(identifier(name), self.taken)

    def check(self, node: Node, value: Text) -> None:
        """An observation that entry guards cannot decide, checked where the program made it."""
        expect = literal(node.params["expect"])
        if expect is None:
            raise EmitError(f"{node.params['expect']} has no literal in TorchScript", line=node.line)
        since = f", since {node.line}" if node.line else ""
        self.statement(f"if {value} != {expect}:")
        told = f"{string(f'{node.inputs[0]}: expected {expect}, got ')} + str({value}) + {string(since)}"
        self.statement(f"    raise ValueError({told})")

    # -- arguments

    def argument(self, node: str) -> str:
        """The local of an argument, of the type that it is known to have where the guards hold."""
        leaf = next(leaf for leaf in self.signature.leaves if leaf.node == node)
        return self.path(leaf.path, leaf)

    def path(self, path: Path, leaf: Leaf | None = None) -> str:
        if path not in self.known:
            parent = self.path(Path(path.root, path.steps[:-1]))
            self.known[path] = local = self.local(str(path))
            self.statement(f"{local} = {child(parent, path.steps[-1], path)}")
        local = self.known[path]
        if self.types.optional(path) and self.types.type(path) != "Optional[Tensor]":
            self.once(f"assert {local} is not None")
        if leaf is not None and leaf.kind == "int":
            self.once(f"assert isinstance({local}, int)")
        elif leaf is not None and self.types.is_any(path):
            self.once(f"assert isinstance({local}, Tensor)")
        return local

    def once(self, line: str) -> None:
        if line not in self.lines:
            self.statement(line)

    # -- operators

    def torch_call(self, node: Node, inputs: Sequence[Text]) -> list[str]:
        """The call of one of PyTorch's operators, by packet: TorchScript has no way to name the overload."""
        namespace, packet, _ = node.op.split(".")
        if namespace == "prims":
            raise EmitError(f"{node.op} is written in Python; trace at level 'call' or 'aten'", line=node.line)
        schema = torch_op(node.op)._schema
        types = {argument.name: argument.type for argument in schema.arguments}
        by_place = [argument.type for argument in schema.arguments]
        arguments = [self.operand(node, value, by_place[i], inputs) for i, value in enumerate(node.params["args"])]
        for key, value in node.params["kwargs"].items():
            arguments.append(f"{key}={self.operand(node, value, types[key], inputs)}")
        return call_lines(f"torch.ops.{namespace}.{packet}", arguments, indent=INDENT + 16)

    def operand(self, node: Node, value: Any, wanted: Any, inputs: Sequence[Text]) -> str:
        """An argument of an operator, as TorchScript must be given it for a parameter of type `wanted`."""
        if isinstance(value, Slot):
            text, kind = str(inputs[value.index]), self.kinds[node.inputs[value.index]]
            convert = {"float": kind in ("int", "bool"), "int": kind == "bool"}.get(kind_of(wanted), False)
            return f"{kind_of(wanted)}({text})" if convert else text
        if isinstance(value, (list, tuple)):
            item = element_of(wanted)
            text = items_text("[", [self.operand(node, each, item, inputs) for each in value], "]")
            named = list_type(item)
            return text if named is None or (value and named != "Optional[Tensor]") else annotated(named, text)
        if isinstance(value, CONSTANTS):
            return str(value)
        if isinstance(value, torch.device):
            return f"torch.device({string(str(value))})"
        if isinstance(value, torch.Generator) and generator_id(value) == generator_id(torch.default_generator):
            return "None"
        if isinstance(value, (bool, int)) and kind_of(wanted) == "float":
            return literal(float(value)) or ""
        return number(node, value)


def number(node: Node, value: Any) -> str:
    """A literal of TorchScript."""
    if isinstance(value, complex):
        return f"complex({number(node, value.real)}, {number(node, value.imag)})"
    if isinstance(value, float) and literal(value) is None:
        return f'float("{value!r}")'
    text = literal(value)
    if text is None or isinstance(value, (bytes, tuple)):
        raise EmitError(
            f"{node.op} takes a {type(value).__qualname__}, which TorchScript cannot express", line=node.line
        )
    return text


def kind_of(wanted: Any) -> str:
    """`float`, `int` or another type's name; of an optional type, what it may be."""
    while wanted is not None and wanted.kind() == "OptionalType":
        wanted = wanted.getElementType()
    kinds = {"FloatType": "float", "IntType": "int", "SymIntType": "int", "BoolType": "bool"}
    return "" if wanted is None else kinds.get(wanted.kind(), wanted.kind())


def element_of(wanted: Any) -> Any:
    while wanted is not None and wanted.kind() == "OptionalType":
        wanted = wanted.getElementType()
    return wanted.getElementType() if wanted is not None and wanted.kind() == "ListType" else None


def list_type(item: Any) -> str | None:
    """How a list's items are declared, where the list itself does not say so."""
    if item is None:
        return None
    if item.kind() == "OptionalType":
        return "Optional[Tensor]"
    return {"int": "int", "float": "float", "bool": "bool", "TensorType": "Tensor"}.get(kind_of(item))


def annotated(item: str, text: str) -> str:
    return f"torch.jit.annotate(List[{item}], {text})"
