"""Guard set -> document: guards as data, which `guardgen.stored` reads back. `docs/guard-format.md` has the format."""

from __future__ import annotations

import dataclasses
import enum
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch.utils import _pytree as pytree

from guardgen import stored
from guardgen.arguments import Container, Parameter, Path
from guardgen.checking import uses
from guardgen.conditions import ConstantFact, ContainerFact, Fact, Guard, Hoist, IntFact, SameFact, TensorFact
from guardgen.constants import TORCH_CONSTANTS, Told, same_constant
from guardgen.errors import EmitError, LoadError
from guardgen.facts import expected_text, fact_text, positions
from guardgen.ir import Node, Slot
from guardgen.ops import is_torch_op
from guardgen.rules.text import TermGraph
from guardgen.runtime import same
from guardgen.stored.constants import is_plain
from guardgen.stored.data import OPERATORS, can_run
from guardgen.terms.ints import symbols

if TYPE_CHECKING:
    from guardgen.guards import GuardSet

VERSION = 1


def to_json(guards: GuardSet) -> str:
    """The guards as a JSON text, which `guardgen.load` reads.

    Raises `EmitError` for a constant that cannot be written down, and for a guard on data whose operators are not among
    those that stored guards may run; it names the argument or the line.
    """
    return checked(compact(document(guards)))


def json_lines(guards: GuardSet) -> list[str]:
    """The same, for people to read: every argument, number and guard on a line of its own."""
    lines = ["{"]
    for key, value in document(guards).items():
        head = f"{compact(key)}:"
        if isinstance(value, list) and value:
            lines += [f"{head}[", *(f"{compact(each)}," for each in value[:-1]), compact(value[-1]), "],"]
        else:
            lines.append(f"{head}{compact(value)},")
    lines[-1] = lines[-1].removesuffix(",")
    lines.append("}")
    checked("\n".join(lines))
    return lines


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def checked(text: str) -> str:
    """The text, if the loader accepts it."""
    try:
        stored.loaded(text)
    except LoadError as error:
        raise EmitError(f"these guards are beyond what the JSON form may hold: {error}") from error
    return text


def document(guards: GuardSet) -> dict[str, Any]:
    """The guards as Python's own dicts, lists, strings and numbers."""
    graph = TermGraph()
    ordered = sorted(guards.guards, key=lambda guard: uses(guard, guards.hoists))  # as they are asked: data last
    roots = [graph.term(guard.condition) for guard in ordered]
    index = {node.name: i for i, node in enumerate(graph.nodes)}
    used = list(graph.symbols.values())
    placeholders = {name: used.index(symbol) for name, symbol in graph.symbols.items()}
    paths = {leaf.node: leaf.path for leaf in reversed(guards.signature.leaves) if leaf.node}
    hoists = list(guards.hoists.values())
    return {
        "guardgen": VERSION,
        "name": guards.name,
        "level": guards.level,
        "parameters": parameters(guards.signature.parameters),
        "facts": [fact(each, guards.signature.parameters) for each in guards.facts],
        "symbols": [symbol_entry(each, [hoist.symbol for hoist in hoists]) for each in used],
        "numbers": [number(node, index, placeholders) for node in graph.nodes],
        "data": [data(hoist, paths) for hoist in hoists],
        "guards": [guard_entry(guard, index[root], used) for guard, root in zip(ordered, roots, strict=True)],
    }


# -- parts


def parameters(every: Sequence[Parameter]) -> list[dict[str, Any]]:
    """The parameters of one function. What `*args` got are positional only and have no defaults, so that those before
    them are and have none either."""
    entries = [parameter(each) for each in every]
    last = max((i for i, each in enumerate(every) if each.kind == "positional_only"), default=-1)
    for i, entry in enumerate(entries[: last + 1]):
        entry["kind"] = "positional_only"
        if any("default" not in each and "default_without_literal" not in each for each in entries[i + 1 : last + 1]):
            entry.pop("default", None)
            entry.pop("default_without_literal", None)
    return entries


def parameter(each: Parameter) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": each.name, "kind": each.kind}
    if each.has_default:
        try:
            default = constant(each.default)
        except EmitError:
            return entry | {"default_without_literal": True}
        return entry | ({"default": default} if is_plain(default) else {"default_without_literal": True})
    return entry


def path_entry(path: Path) -> list[Any]:
    names = {"index": "key", "attr": "attribute", "child": "child"}
    return [path.root, *({names[how]: constant(key) if how == "index" else key} for how, key in path.steps)]


def fact(each: Fact, parameters: Sequence[Parameter]) -> dict[str, Any]:
    entry: dict[str, Any] = {"at": path_entry(each.path), "name": str(each.path)}
    if isinstance(each, SameFact):
        other = {"other": path_entry(each.other), "other_name": str(each.other)}
        return {"fact": "same", **entry, "text": fact_text(each), **other, "same": each.same}
    entry["text"] = expected_text(each)
    if isinstance(each, TensorFact):
        entry |= {"rank": each.rank, "dtype": each.dtype, "device": each.device, "layout": each.layout}
        return {
            "fact": "tensor",
            **entry,
            **({} if each.requires_grad is None else {"requires_grad": each.requires_grad}),
        }
    if isinstance(each, IntFact):
        return {"fact": "int", **entry}
    if isinstance(each, ContainerFact):
        return {"fact": "container", **entry, **container(each.container)}
    return {"fact": "constant", **entry, **constant_fact(each, parameters)}


def constant_fact(each: ConstantFact, parameters: Sequence[Parameter]) -> dict[str, Any]:
    """The value, where it can be written down; leaving the argument out is right where its default is that value."""
    found = {parameter.name: parameter.default for parameter in parameters if parameter.has_default}
    root = each.path.root
    left_out = not each.path.steps and root in found and is_default(each.value, found[root])
    try:
        return {"value": constant(each.value), **({"may_be_left_out": True} if left_out else {})}
    except EmitError as error:
        if left_out:
            return {"may_be_left_out": True}
        raise EmitError(f"argument {each.path}: {error.message}") from error


def is_default(value: Any, default: Any) -> bool:
    try:
        return same_constant(default, value) if isinstance(value, Told) else value is default or same(value, default)
    except Exception:  # comparing a stranger's object may do anything
        return False


def container(each: Container) -> dict[str, Any]:
    entry: dict[str, Any] = {"type": [each.type.__module__, each.type.__qualname__]}
    if each.is_dict:
        return entry | {"keys": [constant(key) for key in each.keys]}
    if dataclasses.is_dataclass(each.type) and each.type not in pytree.SUPPORTED_NODES:
        return entry  # the type says which attributes it has
    return entry | {"length" if positions(each) else "children": len(each.keys)}


def constant(value: Any) -> Any:
    """A constant as it is stored. Raises `EmitError` where there is no form for it."""
    kind = type(value)
    if value is None or kind in (bool, int, str):
        return value
    if kind in (float, complex):
        return {kind.__name__: repr(value)}
    if kind is bytes:
        return {"bytes": value.hex()}
    if kind is tuple:
        return {"tuple": [constant(each) for each in value]}
    if kind is frozenset:
        return {"frozenset": sorted((constant(each) for each in value), key=json.dumps)}
    if isinstance(value, enum.Enum) and value.name:
        return {"enum": [kind.__module__, kind.__qualname__, value.name]}
    if isinstance(value, TORCH_CONSTANTS):
        return {"torch": [kind.__qualname__, str(value)]}
    if isinstance(value, Told):
        return {"object": [value.module, value.name, constant(value.state)]}
    raise EmitError(f"a {kind.__module__}.{kind.__qualname__} cannot be written down as data")


# -- numbers


def symbol_entry(symbol: Any, computed: Sequence[Any]) -> dict[str, Any]:
    if symbol in computed:
        return {"name": symbol.title, "read": "data", "data": computed.index(symbol)}
    how, path, *rest = symbol.source
    entry = {"name": symbol.title, "read": how, "at": path_entry(path)}
    return entry | ({"index": rest[0]} if rest else {})


def number(node: Node, index: dict[str, int], placeholders: dict[str, int]) -> dict[str, Any]:
    if node.op.endswith("_placeholder"):
        return {"symbol": placeholders[node.name]}
    if node.op.endswith("_const"):
        return {"const": constant(node.params["val"])}
    return {"op": node.op, "of": [index[name] for name in node.inputs]}


def guard_entry(guard: Guard, number: int, used: Sequence[Any]) -> dict[str, Any]:
    reads = [used.index(symbol) for symbol in dict.fromkeys(symbols(guard.condition))]
    return {"condition": guard.text, "kind": guard.kind, "lines": list(guard.since), "symbols": reads, "number": number}


# -- data


def data(hoist: Hoist, paths: dict[str, Path]) -> dict[str, Any]:
    """The operators that lead to a number, those alone that stored guards may run."""
    steps: list[dict[str, Any]] = []
    at: dict[str, Any] = {}
    for node in hoist.nodes:
        if node.op.endswith("_const") and node.op != "var_const":
            at[node.name] = constant(node.params["val"])
            continue
        if len(node.names) != 1:
            raise refused(node)
        at[node.name] = {"step": len(steps)}
        steps.append(step(node, at, paths))
        if node.name == hoist.read:
            break
    return {"kind": hoist.symbol.kind, "steps": steps}


def step(node: Node, at: dict[str, Any], paths: dict[str, Path]) -> dict[str, Any]:
    if node.op.endswith("_placeholder"):
        return {"argument": path_entry(paths[node.name])}
    if node.op == "var_const":
        return tensor(node)
    if not can_run(node.op):
        raise refused(node)
    inputs = [at[name] for name in node.inputs]
    if not is_torch_op(node.op):
        return {"op": node.op, "args": [*inputs, *node.params.values()], "kwargs": {}}
    assert node.op in OPERATORS
    kwargs = {key: operand(each, inputs) for key, each in node.params["kwargs"].items()}
    return {"op": node.op, "args": [operand(each, inputs) for each in node.params["args"]], "kwargs": kwargs}


def operand(template: Any, inputs: Sequence[Any]) -> Any:
    if isinstance(template, Slot):
        return inputs[template.index]
    if isinstance(template, (list, tuple)):
        return {"list": [operand(each, inputs) for each in template]}
    return constant(template)


def tensor(node: Node) -> dict[str, Any]:
    value: torch.Tensor = node.params["val"]
    if value.device.type != "cpu" or value.is_complex() or value.layout != torch.strided or value.is_quantized:
        raise refused(node)
    items = [constant(each) for each in value.detach().flatten().tolist()]
    return {"tensor": items, "shape": list(value.shape), "dtype": str(value.dtype)}


def refused(node: Node) -> EmitError:
    return EmitError(
        f"this guard on data runs {node.op}, which guards stored as data may not; the emitted modules have it",
        line=node.line,
    )
