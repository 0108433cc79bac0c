"""Emitted C++ headers as tests use them: many in one program, which reads calls and writes what each header answers."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import torch

import guardgen
from guardgen.checking import run as compute
from guardgen.containers import map_leaves
from guardgen.emit.cpp_names import CppNames
from guardgen.emit.cpp_parameters import CppParameter, parameters
from guardgen.emit.cpp_parts import reserved
from guardgen.emit.templates import source
from guardgen.facts import holds
from guardgen.guards import ConstantFact, ContainerFact, GuardSet, IntFact
from guardgen.terms import Symbol

GXX = shutil.which("g++")
NO_GXX = "no g++ is installed, which compiles the C++ form"
STRICT = ("-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror")
DRIVER = Path(__file__).with_name("driver.hpp")
HEADER = source("cpp/tensor.hpp")
ENUMS = {
    name: [each.strip() for each in re.findall(rf"enum class {name} .*?{{(.*?)}}", HEADER, re.DOTALL)[0].split(",")]
    for name in ("DType", "DeviceType", "Layout")
}


class Described(NamedTuple):
    """A tensor as a C++ program describes it."""

    sizes: Sequence[int]
    dtype: str = "float32"
    device: tuple[str, int] = ("cpu", -1)
    layout: str = "strided"
    strides: Sequence[int] = ()
    offset: int = 0
    requires_grad: bool = False
    identity: int = 0


class Answer(NamedTuple):
    """What a header says of one call: `check`, `check_shapes`, and the texts of `violations` where they are asked."""

    check: bool
    check_shapes: bool
    violations: tuple[str, ...] | None


def described(tensor: torch.Tensor) -> Described:
    index = -1 if tensor.device.index is None else tensor.device.index
    strided = tensor.layout is torch.strided
    return Described(
        tuple(tensor.shape),
        str(tensor.dtype).removeprefix("torch."),
        (tensor.device.type, index),
        str(tensor.layout).removeprefix("torch."),
        tensor.stride() if strided else (),
        int(tensor.storage_offset()) if strided else 0,
        tensor.requires_grad,
        id(tensor),
    )


def enumerator(kind: str, name: str) -> int:
    name = "bool_" if name == "bool" else name
    return ENUMS[kind].index(name) if name in ENUMS[kind] else 0


def encoded(kind: str, value: Any) -> bytes:
    """One argument as the program reads it."""
    if kind == "tensor":
        tensor = value if isinstance(value, Described) else described(value)
        device, index = tensor.device
        numbers = [
            *(len(tensor.sizes), *tensor.sizes, len(tensor.strides), *tensor.strides),
            *(enumerator("DType", tensor.dtype), enumerator("DeviceType", device), index),
            *(enumerator("Layout", tensor.layout), tensor.offset, int(tensor.requires_grad), tensor.identity),
        ]
        return struct.pack(f"<{len(numbers)}q", *numbers)
    if kind == "float":
        return struct.pack("<d", value)
    if kind == "str":
        text = value.encode("utf-8", "surrogatepass")
        return struct.pack("<q", len(text)) + bytes(text)
    if kind == "dtype":
        value = enumerator("DType", str(value).removeprefix("torch."))
    return struct.pack("<q", int(value))


TYPES: dict[str, Any] = {"int": int, "bool": bool, "float": float, "str": str, "dtype": torch.dtype}


def fits(kind: str, value: Any) -> bool:
    """Whether an argument can be given to a C++ function at all."""
    if kind == "tensor":
        return isinstance(value, (torch.Tensor, Described))
    return type(value) is TYPES[kind] and (type(value) is not int or -(2**63) <= value < 2**63)


@dataclass
class Case:
    """One guard set, and the calls that are asked of its header; `None` in `calls` is one that C++ cannot express."""

    guards: GuardSet
    calls: list[bytes] = field(default_factory=list)

    @property
    def parameters(self) -> list[CppParameter]:
        return parameters(self.guards, CppNames(reserved()))

    def ask(self, values: Iterable[Any]) -> None:
        """Ask about values of the C++ parameters."""
        pairs = zip(self.parameters, values, strict=True)
        self.calls.append(b"".join(encoded(each.kind, value) for each, value in pairs))

    def ask_call(self, args: Sequence[Any], kwargs: Mapping[str, Any] | None = None) -> bool:
        """Ask about a Python call, where C++ can express it; whether it can."""
        arguments = self.guards.signature.arguments(tuple(args), kwargs or {})
        for fact in self.guards.facts:
            unseen = isinstance(fact, (ContainerFact, IntFact)) or (
                isinstance(fact, ConstantFact) and fact.value is None
            )
            if unseen and not holds(fact, fact.path.get(arguments))():
                return False
        inputs = {leaf.node: leaf.path.get(arguments) for leaf in self.guards.signature.leaves if leaf.node}
        values = []
        for each in self.parameters:
            try:
                value = each.path.get(arguments) if each.path else self.computed(each.symbol, inputs)
            except Exception:  # what is not there, or cannot be computed, is no argument of a C++ call
                return False
            if not fits(each.kind, value):
                return False
            values.append(value)
        self.ask(values)
        return True

    def computed(self, symbol: Symbol | None, inputs: Mapping[str, Any]) -> Any:
        """A number from data, which a C++ program computes itself."""
        assert symbol is not None
        return compute(self.guards.hoists[symbol], inputs)


def shapes_of(value: Any) -> Any:
    """Arguments with sizes in place of tensors, for `check_shapes`."""
    return map_leaves(value, lambda leaf: tuple(leaf.shape) if isinstance(leaf, torch.Tensor) else leaf)


def compiled(cases: Sequence[Case], folder: Path, *flags: str) -> Path:
    """The program of all headers, in one translation unit."""
    names = [f"case_{i}" for i in range(len(cases))]
    for name, case in zip(names, cases, strict=True):
        (folder / f"{name}.hpp").write_text(guardgen.emit(case.guards, "cpp", name=name), encoding="utf-8")
    lines = [f'#include "{name}.hpp"' for name in names]
    lines += [f'#include "{DRIVER.name}"', *(reader(*each) for each in zip(names, cases, strict=True))]
    lines += [f"const Ask asks[] = {{{', '.join(f'ask_{name}' for name in names)}}};"]
    lines += ["int main(int count, char**) { return answer(asks, count > 1); }", ""]
    (folder / DRIVER.name).write_text(DRIVER.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "main.cpp").write_text("\n".join(lines), encoding="utf-8")
    assert GXX is not None
    command = [GXX, *STRICT, *flags, "main.cpp", "-o", "program"]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr[:4000]
    return folder / "program"


def reader(name: str, case: Case) -> str:
    """The C++ function that reads a call of one header and asks it."""
    declared = case.parameters
    reads = [f"  const auto a{i} = in.read_{each.kind}();" for i, each in enumerate(declared)]
    given = [f"a{i}.tensor()" if each.kind == "tensor" else f"a{i}" for i, each in enumerate(declared)]
    sizes = [f"a{i}.sizes" if each.kind == "tensor" else f"a{i}" for i, each in enumerate(declared) if each.path]
    return "\n".join(
        [
            f"void ask_{name}([[maybe_unused]] Reader& in, Answer& out) {{",
            *reads,
            f"  out.check = guardgen::{name}::check({', '.join(given)});",
            f"  out.check_shapes = guardgen::{name}::check_shapes({', '.join(sizes)});",
            f"  if (out.wanted) out.violations = guardgen::{name}::violations({', '.join(given)});",
            "}",
        ]
    )


def answers(program: Path, cases: Sequence[Case], *, violations: bool = True) -> list[list[Answer]]:
    """What the program answers to the calls of every case."""
    data = b"".join(struct.pack("<q", i) + call for i, case in enumerate(cases) for call in case.calls)
    ran = subprocess.run([str(program), *(["violations"] if violations else [])], input=data, capture_output=True)
    assert ran.returncode == 0, ran.stderr.decode()[:4000]
    assert not ran.stderr, ran.stderr.decode()[:4000]
    found: list[list[Answer]] = []
    at = 0
    for case in cases:
        found.append([])
        for _ in case.calls:
            bits, texts = ran.stdout[at], None
            at += 1
            if violations:
                (length,) = struct.unpack_from("<q", ran.stdout, at)
                at += 8
                texts = tuple(ran.stdout[at : at + length].decode("utf-8", "surrogatepass").split("\0")[:-1])
                at += length
            found[-1].append(Answer(bool(bits & 1), bool(bits & 2), texts))
    return found
