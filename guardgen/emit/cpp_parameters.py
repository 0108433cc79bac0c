"""The parameters of emitted C++ functions: every tensor, number, bool and string among the arguments, in their order.

Containers are taken apart, as an exported artifact takes its inputs: `batch['mask']` is the parameter `batch_mask`. A
None is left out. Numbers that only the arguments' data tell come last, each as a parameter of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import torch

from guardgen.arguments import Leaf, Path, Signature
from guardgen.emit.cpp_literals import cpp_string
from guardgen.emit.cpp_names import CppNames
from guardgen.errors import EmitError
from guardgen.guards import GuardSet
from guardgen.rules.cpp import LARGEST, cpp_rules
from guardgen.terms import Symbol

TYPES = {
    "tensor": "const Tensor&",
    "int": "std::int64_t",
    "bool": "bool",
    "float": "double",
    "str": "std::string_view",
    "dtype": "DType",
}
LITERAL = re.compile(r'"(?:\\.|[^"\\])*"')
DTYPES = """
bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex32 complex64
complex128 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu qint8 quint8 qint32
"""


@dataclass(frozen=True)
class CppParameter:
    """One parameter: `kind` is a key of `TYPES`; what it stands for is at `path`, or is the number `symbol`."""

    name: str
    kind: str
    path: Path | None = None
    symbol: Symbol | None = None
    default: str = ""

    def declared(self, body: str, *, shapes: bool, defaults: bool = True) -> str:
        """Its declaration in a function with this body."""
        kind = "Sizes" if shapes and self.kind == "tensor" else TYPES[self.kind]
        used = re.search(rf"\b{self.name}\b", LITERAL.sub("", body))
        unused = "" if used else "[[maybe_unused]] "
        return f"{unused}{kind} {self.name}" + (f" = {self.default}" if self.default and defaults else "")


def parameters(guards: GuardSet, names: CppNames) -> list[CppParameter]:
    """Raises `EmitError`, which names the argument, where C++ has no type for one."""
    signature = guards.signature
    found = [CppParameter(names.path(leaf.path), kind_of(leaf), leaf.path) for leaf in signature.leaves if needed(leaf)]
    if guards.hoists:
        data = [CppParameter(names.symbol(each), each.kind, symbol=each) for each in guards.hoists]
        return found + data
    return with_defaults(found, signature)


def needed(leaf: Leaf) -> bool:
    return leaf.kind != "constant" or leaf.value is not None


def kind_of(leaf: Leaf) -> str:
    if leaf.kind in ("tensor", "int"):
        return leaf.kind
    kind = type(leaf.value)
    if kind in (bool, float, str):
        return kind.__name__
    if kind is torch.dtype and dtype_name(leaf.value) in DTYPES.split():
        return "dtype"
    raise EmitError(
        f"argument {leaf.path}: C++ has no type for a {kind.__module__}.{kind.__qualname__}; "
        "pass a tensor, number, bool, string or dtype"
    )


def dtype_name(value: Any) -> str:
    return str(value).removeprefix("torch.")


def dtype_text(name: str) -> str:
    return f"DType::{'bool_' if name == 'bool' else name}"


def with_defaults(found: list[CppParameter], signature: Signature) -> list[CppParameter]:
    """Defaults of the last parameters, as far as every one of them has one that C++ can write."""
    defaults = {each.name: each.default for each in signature.parameters if each.has_default}
    result: list[CppParameter] = []
    for each in reversed(found):
        assert each.path is not None
        text = default_text(each.kind, defaults.get(each.path.root)) if not each.path.steps else ""
        if not text or (result and not result[0].default):
            text = ""
        result.insert(0, CppParameter(each.name, each.kind, each.path, default=text))
    return result


def default_text(kind: str, value: Any) -> str:
    if kind == "tensor" or type(value).__name__ != kind:
        return ""
    if kind == "str":
        return cpp_string(value) if "\0" not in value else ""
    if kind == "dtype":
        return dtype_text(dtype_name(value)) if dtype_name(value) in DTYPES.split() else ""
    return "" if kind == "int" and abs(value) > LARGEST else str(cpp_rules[f"{kind}_const"](val=value))
