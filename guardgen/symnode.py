"""The face that a symbolic number of ours shows to PyTorch.

PyTorch's C++ code and its Python meta kernels compute with `torch.SymInt`, `SymFloat` and `SymBool`, which hand every
operation to their `node`. A `SymNode` passes it on to a host: the tracer, which records it, or the explorer of meta
kernels, which builds terms. There is no `shape_env`, so that PyTorch's helpers ask the node itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from guardgen.symlayout import Host, contiguous, dense, follows, grows

Text = str  # PyTorch wants a method of that name on its nodes


class SymNode:
    """One symbolic bool, int or float as PyTorch sees it."""

    __slots__ = ("host", "value")

    def __init__(self, value: Any, host: Host) -> None:
        self.value, self.host = value, host

    def is_int(self) -> bool:
        return self.host.kind(self.value) == "int"

    def is_float(self) -> bool:
        return self.host.kind(self.value) == "float"

    def is_bool(self) -> bool:
        return self.host.kind(self.value) == "bool"

    def is_nested_int(self) -> bool:
        return False

    def is_symbolic(self) -> bool:
        return True

    def is_constant(self) -> bool:
        return False

    def has_hint(self) -> bool:
        return True

    def maybe_as_int(self) -> int | None:
        return self.value if type(self.value) is int else None

    @property
    def expr(self) -> Any:
        return self

    @property
    def _hint(self) -> Any:
        return self.host.hint(self.value)

    hint = _hint

    @property
    def pytype(self) -> type:
        return {"int": int, "float": float, "bool": bool}[self.host.kind(self.value)]

    def clone(self) -> SymNode:
        return self

    def _graph_repr(self) -> Text:
        return str(self.value)

    str = _graph_repr

    def wrap_int(self, value: int) -> SymNode:
        return SymNode(value, self.host)

    wrap_float = wrap_bool = wrap_int

    def guard_int(self, file: Text, line: int) -> int:
        return int(self.host.number(self.value))

    def guard_float(self, file: Text, line: int) -> float:
        return float(self.host.number(self.value))

    def guard_bool(self, file: Text, line: int) -> bool:
        return self.host.decide(self.value)

    guard_size_oblivious = guard_bool

    def expect_true(self, file: Text, line: int) -> bool:
        return self.host.expect(self.value)

    def guard_or_false(self, file: Text, line: int) -> bool:
        return self.host.guess(self.value, False)

    def guard_or_true(self, file: Text, line: int) -> bool:
        return self.host.guess(self.value, True)

    def statically_known_true(self, file: Text, line: int) -> bool:
        return self.value is True

    def int_(self) -> int:
        return self.guard_int("", 0)

    def bool_(self) -> bool:
        return self.guard_bool("", 0)

    def expect_size(self, file: Text, line: int) -> bool:
        return True

    def sym_ite(self, then: SymNode, otherwise: SymNode) -> SymNode:
        return SymNode(self.host.apply("int_ite", self.value, then.value, otherwise.value), self.host)

    def sym_not(self) -> SymNode:
        return SymNode(self.host.apply("bool_not", self.value), self.host)

    def sym_float(self) -> SymNode:
        return self if self.is_float() else SymNode(self.host.apply("int_to_float", self.value), self.host)

    def sym_int(self) -> SymNode:
        return self if self.is_int() else self.trunc()

    def trunc(self) -> SymNode:
        return self if self.is_int() else SymNode(self.host.apply("float_trunc", self.value), self.host)

    def floor(self) -> SymNode:
        return self if self.is_int() else SymNode(self.host.apply("float_floor", self.value), self.host)

    def ceil(self) -> SymNode:
        return self if self.is_int() else SymNode(self.host.apply("float_ceil", self.value), self.host)

    def round(self, digits: Any = None) -> SymNode:
        return self if self.is_int() else SymNode(self.host.apply("float_round", self.value), self.host)

    def sym_sum(self, items: list[Any]) -> SymNode:
        total: Any = 0
        for item in items:
            total = self.host.apply("int_add", total, *values([item]))
        return SymNode(total, self.host)

    # Memory layout of symbolic tensors, as c10/core/SymbolicShapeMeta asks it; sizes first, then strides.

    def is_contiguous(self, sizes: list[Any], strides: list[Any]) -> bool:
        return self.host.decide(contiguous(self.host, values(sizes), values(strides)))

    def is_channels_last_contiguous_2d(self, sizes: list[Any], strides: list[Any]) -> bool:
        return self.host.lays_out and follows(self.host, values(sizes), values(strides), (1, 3, 2, 0))

    def is_channels_last_contiguous_3d(self, sizes: list[Any], strides: list[Any]) -> bool:
        return self.host.lays_out and follows(self.host, values(sizes), values(strides), (1, 4, 3, 2, 0))

    def is_channels_last_strides_2d(self, sizes: list[Any], strides: list[Any]) -> bool:
        return self.host.lays_out and grows(self.host, values(sizes), values(strides), (1, 3, 2, 0))

    def is_channels_last_strides_3d(self, sizes: list[Any], strides: list[Any]) -> bool:
        return self.host.lays_out and grows(self.host, values(sizes), values(strides), (1, 4, 3, 2, 0))

    def is_non_overlapping_and_dense(self, sizes: list[Any], strides: list[Any]) -> bool:
        return not self.host.lays_out or dense(self.host, values(sizes), values(strides))

    def is_non_overlapping_and_dense_indicator(self, *sizes_and_strides: Any) -> SymNode:
        return SymNode(1, self.host)


def values(numbers: list[Any]) -> list[Any]:
    """The host's values of numbers that PyTorch hands over as nodes, as symbolic numbers, or plain."""
    nodes = [getattr(number, "node", number) for number in numbers]
    return [node.value if isinstance(node, SymNode) else node for node in nodes]


def _binary(name: str, reverse: bool = False) -> Callable[[SymNode, SymNode], SymNode]:
    def operate(self: SymNode, other: SymNode) -> SymNode:
        left, right = (other, self) if reverse else (self, other)
        return SymNode(binary(self.host, name, left.value, right.value), self.host)

    return operate


def binary(host: Host, name: str, left: Any, right: Any) -> Any:
    """Apply the op `name` of the family that the kinds of both sides ask for, as Python promotes numbers."""
    kinds = {host.kind(left), host.kind(right)}
    if name in ("and", "or") and kinds == {"bool"}:
        return host.apply(f"bool_{name}", left, right)
    if name in ("eq", "ne") and kinds == {"bool"}:
        same = host.apply("bool_eq", left, right)
        return same if name == "eq" else host.apply("bool_not", same)
    left, right = (host.apply("bool_to_int", x) if host.kind(x) == "bool" else x for x in (left, right))
    if "float" in kinds:
        left, right = (host.apply("int_to_float", x) if host.kind(x) == "int" else x for x in (left, right))
        return host.apply(f"float_{name}", left, right)
    return host.apply(f"int_{name}", left, right)


for _name, _op in {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "mod": "mod",
    "floordiv": "floordiv",
    "int_floordiv": "floordiv",
    "truediv": "truediv",
    "int_truediv": "truediv",
    "float_truediv": "truediv",
    "pow": "pow",
    "pow_by_natural": "pow",
    "float_pow": "pow",
    "eq": "eq",
    "ne": "ne",
    "lt": "lt",
    "le": "le",
    "gt": "gt",
    "ge": "ge",
    "sym_min": "min",
    "sym_max": "max",
    "sym_and": "and",
    "sym_or": "or",
    "and_": "and",
    "or_": "or",
    "bitwise_and": "and",
    "bitwise_or": "or",
    "bitwise_xor": "xor",
    "lshift": "lshift",
    "rshift": "rshift",
}.items():
    setattr(SymNode, _name, _binary(_op))


def _unary(name: str) -> Callable[[SymNode], SymNode]:
    def operate(self: SymNode) -> SymNode:
        kind = self.host.kind(self.value)
        return SymNode(self.host.apply(f"{kind}_{name}", self.value), self.host)

    return operate


for _name in ("neg", "abs"):
    setattr(SymNode, _name, _unary(_name))

SYMBOLIC = (torch.SymInt, torch.SymFloat, torch.SymBool)
