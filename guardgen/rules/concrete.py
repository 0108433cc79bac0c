"""The concrete interpretation: Python's own numbers, PyTorch's own tensors. Replaying a trace is running this table."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import torch

from guardgen.errors import BailoutError, GraphError
from guardgen.interpret import RuleTable
from guardgen.ir import Node, Slot
from guardgen.ops import is_torch_op

concrete_rules = RuleTable("concrete")

ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
    "neg": operator.neg,
    "abs": abs,
    "truediv": operator.truediv,
}
COMPARE: dict[str, Callable[..., Any]] = {
    name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")
}

for _kind in ("int", "float"):
    for _name, _function in {**ARITHMETIC, **COMPARE}.items():
        concrete_rules.rule(f"{_kind}_{_name}")(_function)

for _name in ("min", "max"):
    concrete_rules.rule(f"int_{_name}")({"min": min, "max": max}[_name])

BITWISE: dict[str, Callable[..., Any]] = {
    "lshift": operator.lshift,
    "rshift": operator.rshift,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "invert": operator.invert,
}
ROUNDING: dict[str, Callable[..., Any]] = {"floor": math.floor, "ceil": math.ceil, "trunc": math.trunc, "round": round}

for _name, _function in BITWISE.items():
    concrete_rules.rule(f"int_{_name}")(_function)
for _name, _function in ROUNDING.items():
    concrete_rules.rule(f"float_{_name}")(_function)

concrete_rules.rule("float_round_to")(round)
concrete_rules.rule("int_to_float")(float)
concrete_rules.rule("bool_to_int")(int)
concrete_rules.rule("bool_and")(operator.and_)
concrete_rules.rule("bool_or")(operator.or_)
concrete_rules.rule("bool_not")(operator.not_)
concrete_rules.rule("bool_eq")(operator.eq)


@concrete_rules.rule("bool_const", "int_const", "float_const", "var_const")
def const(*, val: Any) -> Any:
    return val


@concrete_rules.rule("int_ite")
def int_ite(condition: bool, then: int, otherwise: int) -> int:
    return then if condition else otherwise


@concrete_rules.rule("var_size")
def var_size(tensor: torch.Tensor) -> torch.Size:
    return tensor.size()


@concrete_rules.rule("var_stride")
def var_stride(tensor: torch.Tensor) -> tuple[int, ...]:
    return tensor.stride()


@concrete_rules.rule("var_rank")
def var_rank(tensor: torch.Tensor) -> int:
    return tensor.dim()


@concrete_rules.rule("var_requires_grad")
def var_requires_grad(tensor: torch.Tensor) -> bool:
    return tensor.requires_grad


@concrete_rules.rule("var_storage_offset")
def var_storage_offset(tensor: torch.Tensor) -> int:
    return int(tensor.storage_offset())


@concrete_rules.rule("var_is_contiguous")
def var_is_contiguous(tensor: torch.Tensor, *, memory_format: torch.memory_format) -> bool:
    return tensor.is_contiguous(memory_format=memory_format)


@concrete_rules.rule("var_item")
def var_item(tensor: torch.Tensor, *, type: str) -> Any:
    return {"bool": bool, "int": int, "float": float}[type](tensor.item())


@concrete_rules.rule("size_index", "stride_index", "list_index")
def index_of(items: Any, *, index: int) -> Any:
    return items[index]


@concrete_rules.rule("size_ctor")
def size_ctor(*sizes: int) -> torch.Size:
    return torch.Size(sizes)


@concrete_rules.rule("list_len")
def list_len(items: Any) -> int:
    return len(items)


def check_bailout(node: Node, value: Any) -> None:
    """Raise `BailoutError` where `value` is not what the bailout `node` expects; NaN equals NaN."""
    expect = node.params["expect"]
    if value != expect and not (value != value and expect != expect):
        raise BailoutError(node.inputs[0], expect, value, line=node.line)


@functools.cache
def torch_op(name: str) -> Any:
    """PyTorch's operator of that name: `aten.add.Tensor` is `torch.ops.aten.add.Tensor`."""
    namespace, packet, overload = name.split(".")
    try:
        return getattr(getattr(getattr(torch.ops, namespace), packet), overload)
    except AttributeError:
        raise GraphError(f"PyTorch {torch.__version__} has no operator {name}") from None


def fill(template: Any, values: tuple[Any, ...]) -> Any:
    """The call's arguments: `template` with each slot replaced by its value."""
    if isinstance(template, Slot):
        return values[template.index]
    if isinstance(template, (list, tuple)):
        return type(template)([fill(item, values) for item in template])
    return template


def run_torch_op(node: Node, *values: Any) -> Any:
    args = [fill(item, values) for item in node.params["args"]]
    kwargs = {key: fill(item, values) for key, item in node.params["kwargs"].items()}
    if "grad" not in node.params:
        return torch_op(node.op)(*args, **kwargs)
    with torch.set_grad_enabled(node.params["grad"]):
        return torch_op(node.op)(*args, **kwargs)


def concrete_step(node: Node, *values: Any) -> Any:
    """One step of a replay."""
    if is_torch_op(node.op):
        return run_torch_op(node, *values)
    if node.op.endswith("_bailout"):
        return check_bailout(node, values[0])
    return concrete_rules[node.op](*values, **node.params)
