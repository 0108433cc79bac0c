"""The native form: the C++ header, and what calls it from Python without making objects of Python.

It reads what it knows: tensors that are no subclasses, ints, bools, floats, strings, in lists, tuples and dicts. About
a call with anything else it asks the Python form, so that both always answer the same.
"""

from __future__ import annotations

import functools

import torch

from guardgen.arguments import Container, Path
from guardgen.emit.cpp import emit_cpp, namespace_of
from guardgen.emit.cpp_layout import call_lines
from guardgen.emit.cpp_literals import cpp_string, folder_of_names
from guardgen.emit.cpp_names import CppNames
from guardgen.emit.cpp_parameters import TYPES, CppParameter, parameters
from guardgen.emit.cpp_parts import digest, reserved
from guardgen.emit.model import NativeModule, NativeTail, Part
from guardgen.emit.templates import fill, source
from guardgen.errors import EmitError
from guardgen.guards import ConstantFact, ContainerFact, Fact, GuardSet, IntFact, SameFact, TensorFact
from guardgen.interpret import RuleTable
from guardgen.terms.ints import symbols

WORDS = frozenset({"answer", "at", "bind", "call", "count", "names", "native", "parameters", "read", "texts", "values"})
CONTAINERS: dict[type, str] = {list: "list", tuple: "tuple", dict: "dict"}

item_rules = RuleTable("native item")  # how an item is read from a container, by the container's type


@item_rules.rule("list")
def list_item(container: str, *, index: int) -> str:
    return f"PyList_GET_ITEM({container}, {index})"


@item_rules.rule("tuple")
def tuple_item(container: str, *, index: int) -> str:
    return f"PyTuple_GET_ITEM({container}, {index})"


def emit_native(guards: GuardSet) -> str:
    """The C++ source of a module of Python. Raises `EmitError` where a guard cannot be asked so, which says why."""
    if guards.hoists:
        raise EmitError("its guard runs operators on the data of tensors, which the Python form does")
    text = emit_cpp(guards)
    names = CppNames(reserved() | WORDS)
    declared = parameters(guards, names)
    reader = Reader(guards, names)
    arguments = [reader.argument(each) for each in declared]
    reader.lines += call_lines("answer = check", arguments, ";", indent=2)
    return fill(
        "native/module.cpp.jinja",
        NativeModule(
            text=text.rstrip("\n"),
            name=module_name(guards.name),
            namespace=namespace_of(guards.name),
            inline=f"runtime_{digest()}",
            part=part(),
            parameters=tuple(reader.parameters()),
            texts=tuple(map(cpp_string, reader.texts)),
            body=tuple(reader.lines),
            release=cpp_string(torch.__version__),
        ),
    )


def emit_native_tail(text: str, name: str, file: str) -> str:
    """The Python form `text` of the program `name`, whose `check` is the compiled one in the file beside it."""
    tail = NativeTail(text.rstrip("\n"), module_name(name), file)
    return fill("native/module.py.jinja", tail)


def module_name(name: str) -> str:
    return f"{folder_of_names(name)}_native"


@functools.cache
def part() -> Part:
    return Part("GUARDGEN_NATIVE", source("native/object.hpp").rstrip("\n"))


class Reader:
    """The statements that read the arguments. `texts` are the names that are compared: parameters, then keys."""

    def __init__(self, guards: GuardSet, names: CppNames) -> None:
        self.guards, self.names = guards, names
        self.texts = [each.name for each in guards.signature.parameters]
        self.roots = {name: i for i, name in enumerate(self.texts)}
        self.objects: dict[Path, str] = {}
        self.lines: list[str] = []
        self.facts = {fact.path: fact for fact in guards.facts if not isinstance(fact, SameFact)}
        sources = {symbol.source[:2] for guard in guards.guards for symbol in symbols(guard.condition)}
        self.sources = {each for each in sources if len(each) == 2}
        self.same = {path for fact in guards.facts if isinstance(fact, SameFact) for path in (fact.path, fact.other)}
        for fact in guards.facts:
            self.fact(fact)

    def fact(self, fact: Fact) -> None:
        """What the header does not test, since its types promise it: containers, and None."""
        if isinstance(fact, ContainerFact):
            self.container(fact.container)
        elif isinstance(fact, ConstantFact) and fact.value is None:
            self.lines.append(f"if ({self.local(fact.path)} != Py_None) return false;")

    def need(self, call: str) -> None:
        self.lines.append(f"if (!{call}) return false;")

    def container(self, container: Container) -> None:
        kind = CONTAINERS.get(container.type)
        if kind is None:
            what = container.type.__qualname__
            raise EmitError(f"argument {container.path}: the native form reads lists, tuples and dicts, and no {what}")
        if kind == "dict" and not all(type(key) is str for key in container.keys):
            raise EmitError(f"argument {container.path}: the native form reads no dict with keys that are no strings")
        value = self.local(container.path)
        self.need(f"native::is_{kind}({value}, {len(container.keys)})")
        if kind == "dict" and container.keys:
            self.items(container, value)

    def items(self, dict_: Container, value: str) -> None:
        """The values of a dict, in order."""
        at = self.names.unique(f"{value}_at")
        self.lines.append(f"Py_ssize_t {at} = 0;")
        for key in dict_.keys:
            path = dict_.path.into(("index", key))
            item = self.objects[path] = self.names.unique(f"{self.names.path(path)}_object")
            self.lines.append(f"PyObject* {item} = nullptr;")
            self.need(f"native::next_item({value}, {at}, names[{self.text(key)}], {item})")

    def text(self, text: str) -> int:
        if "\0" in text or not text.isprintable():
            raise EmitError(f"the key {text!r} of a dict is none that the native form looks for")
        if text not in self.texts[len(self.roots) :]:
            self.texts.append(text)
        return self.texts.index(text, len(self.roots))

    def local(self, path: Path) -> str:
        """The local of the object at `path`."""
        if path not in self.objects:
            local = self.names.unique(f"{self.names.path(path)}_object")
            self.lines.append(f"PyObject* const {local} = {self.read(path)};")
            self.objects[path] = local
        return self.objects[path]

    def read(self, path: Path) -> str:
        if not path.steps:
            return f"values[{self.roots[path.root]}]"
        parent = Path(path.root, path.steps[:-1])
        fact = self.facts.get(parent)
        kind = CONTAINERS.get(fact.container.type, "") if isinstance(fact, ContainerFact) else ""
        if kind not in item_rules:
            raise EmitError(f"argument {path}: the native form does not know what it is in")
        return str(item_rules[kind](self.local(parent), index=path.steps[-1][1]))

    def argument(self, parameter: CppParameter) -> str:
        """The argument of the header's `check`; of one that no guard reads, anything."""
        path = parameter.path
        assert path is not None
        fact = self.facts.get(path)
        local = self.names.unique(parameter.name)
        kind = TYPES[parameter.kind].replace("const Tensor&", "Tensor")
        self.lines.append(f"{kind} {local}{{}};")
        if isinstance(fact, (TensorFact, IntFact, ConstantFact)) or path in self.same:
            read = self.reader(parameter, fact)
            self.need(f"native::{read}({self.local(path)}, {local})")
        elif self.is_used(path):
            raise EmitError(f"argument {path}: a guard reads it, and no fact says what it is")
        return local

    def reader(self, parameter: CppParameter, fact: Fact | None) -> str:
        if parameter.kind == "dtype":
            raise EmitError(f"argument {parameter.path}: the native form reads no dtypes")
        if parameter.kind != "tensor":
            return f"read_{parameter.kind}"
        grad = isinstance(fact, TensorFact) and fact.requires_grad is not None
        flags = [(how, parameter.path) in self.sources for how in ("stride", "offset")] + [grad]
        return f"read_tensor<{', '.join(str(flag).lower() for flag in flags)}>"

    def is_used(self, path: Path) -> bool:
        return any(found == path for _, found in self.sources)

    def parameters(self) -> list[str]:
        """Every parameter of the Python form."""
        rows = []
        for each in self.guards.signature.parameters:
            flags = each.kind != "keyword_only", each.kind != "positional_only"
            rows.append(f"{{{cpp_string(each.name)}, {', '.join(str(flag).lower() for flag in flags)}}}")
        return rows
