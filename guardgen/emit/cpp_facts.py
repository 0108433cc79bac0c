"""Entry facts as C++ conditions. What a parameter's type promises, containers and ints, needs none."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch

from guardgen.arguments import Path
from guardgen.emit.cpp_literals import string_view
from guardgen.emit.cpp_names import CppNames
from guardgen.emit.cpp_parameters import DTYPES, dtype_name, dtype_text
from guardgen.errors import EmitError
from guardgen.guards import ConstantFact, Fact, GuardSet, SameFact, TensorFact
from guardgen.rules.cpp import cpp_rules

DEVICES = "cpu cuda hip hpu ipu maia meta mps mtia vulkan xla xpu privateuseone"
LAYOUTS = "strided sparse_coo sparse_csr sparse_csc sparse_bsr sparse_bsc jagged _mkldnn"


def checked(guards: GuardSet) -> list[Fact]:
    """The facts that a C++ call can break."""
    return [fact for fact in guards.facts if isinstance(fact, (TensorFact, SameFact)) or is_value(fact)]


def is_value(fact: Fact) -> bool:
    return isinstance(fact, ConstantFact) and fact.value is not None


def tensors(guards: GuardSet) -> list[TensorFact]:
    return [fact for fact in guards.facts if isinstance(fact, TensorFact)]


def attributes(fact: TensorFact) -> tuple[str, str, str]:
    """The dtype, device and layout as C++ has them; raises `EmitError` for those that it has no name for."""
    dtype, layout = dtype_name(fact.dtype), fact.layout.removeprefix("torch.")
    device, _, index = fact.device.partition(":")
    for name, known in (dtype, DTYPES), (device, DEVICES), (layout, LAYOUTS):
        if name not in known.split():
            raise EmitError(f"argument {fact.path}: the C++ form has no name for {name}")
    at = f", {index}" if index else ""
    return dtype_text(dtype), f"Device{{DeviceType::{device}{at}}}", f"Layout::{layout}"


def tensor_tests(fact: TensorFact, value: str) -> list[str]:
    """The conditions that a tensor is not as it must be, its rank first."""
    dtype, device, layout = attributes(fact)
    tests = [
        f"!is_shape({value}.sizes, {fact.rank})",
        f"{value}.dtype != {dtype}",
        f"!({value}.device == {device})",
        f"{value}.layout != {layout}",
    ]
    if fact.requires_grad is not None:
        tests.append(f"{'!' if fact.requires_grad else ''}{value}.requires_grad")
    return tests


def other_tests(guards: GuardSet, names: CppNames, *, shapes: bool) -> Iterator[str]:
    """The conditions that arguments which are no tensors, or the identity of tensors, are not as they must be."""
    for fact in guards.facts:
        if isinstance(fact, SameFact) and not shapes:
            yield ("!" if fact.same else "") + identity(fact, guards, names)
        elif isinstance(fact, ConstantFact) and fact.value is not None:
            yield different(names.path(fact.path), fact.value)


def identity(fact: SameFact, guards: GuardSet, names: CppNames) -> str:
    kinds: dict[Path, str] = {leaf.path: leaf.kind for leaf in guards.signature.leaves}
    for path in fact.path, fact.other:
        if kinds.get(path) != "tensor":
            raise EmitError(f"argument {path}: in C++ only tensors can be the same object as another argument")
    return f"same({names.path(fact.path)}, {names.path(fact.other)})"


def different(value: str, constant: bool | float | str | torch.dtype) -> str:
    """The condition that a value is not `constant`; NaN is itself, and 0.0 is not -0.0."""
    if isinstance(constant, bool):
        return f"!{value}" if constant else value
    if isinstance(constant, str):
        return f"{value} != {string_view(constant)}"
    if isinstance(constant, torch.dtype):
        return f"{value} != {dtype_text(dtype_name(constant))}"
    if math.isnan(constant):
        return f"!std::isnan({value})"
    if constant == 0:
        return f"({value} != 0.0 || {'!' if math.copysign(1, constant) < 0 else ''}std::signbit({value}))"
    return f"{value} != {cpp_rules['float_const'](val=constant)}"
