"""The TorchScript target: a module whose functions `torch.jit.script` compiles, to be saved and loaded in C++."""

from __future__ import annotations

import dataclasses
import functools
import re
from pathlib import Path

import guardgen.narrow
import guardgen.wide
from guardgen.checking import uses
from guardgen.emit.header import header
from guardgen.emit.literals import call_lines
from guardgen.emit.model import Function, TorchScriptModule
from guardgen.emit.names import Names
from guardgen.emit.templates import fill
from guardgen.emit.torchscript_checks import Checks
from guardgen.emit.torchscript_guards import GuardFunction
from guardgen.emit.torchscript_types import Types
from guardgen.emit.torchscript_values import TorchScriptValue
from guardgen.errors import EmitError
from guardgen.guards import Guard, GuardSet
from guardgen.ops import is_torch_op
from guardgen.rules.refusals import may_refuse
from guardgen.terms.ints import symbols

LIBRARY = {name for module in (guardgen.narrow, guardgen.wide) for name in vars(module) if not name.startswith("__")}
MODULE_NAMES = frozenset({"check", "check_shapes", "torch", "math", "Tensor", *LIBRARY})
TYPING = ("Any", "Dict", "List", "Optional", "Tuple", "Union")


def emit_torchscript(guards: GuardSet) -> str:
    """The text of the module. Raises `EmitError` where TorchScript cannot express an argument or a guard."""
    names = Names(guards, MODULE_NAMES | frozenset(TYPING))
    on_data = [guard for guard in guards.guards if uses(guard, guards.hoists)]
    on_sizes = [guard for guard in guards.guards if only(guard, "size", "int")]
    others = [guard for guard in guards.guards if guard not in on_data and guard not in on_sizes]
    groups = [
        GuardFunction(name, kept, names)
        for name, kept in (("_sizes", on_sizes), ("_strides", others), ("_data", on_data))
        if kept
    ]
    check, check_shapes = checked(guards, names, groups, shapes=False), checked(guards, names, groups, shapes=True)
    tests = tuple(function for group in groups for function in group.functions())
    called = "".join(line for function in tests for line in lines_of(function))
    module = TorchScriptModule(
        header=header(guards),
        typing=(),
        uses_math=False,
        check=check,
        check_shapes=check_shapes,
        wrappers=wrappers(guards, names) if names.hidden else (),
        guards=tests,
        values=values(guards, names),
        included=tuple(included(called)),
    )
    return fill("torchscript/module.py.jinja", with_imports(module))


def only(guard: Guard, *sources: str) -> bool:
    return all(symbol.source[0] in sources for symbol in symbols(guard.condition))


def checked(guards: GuardSet, names: Names, groups: list[GuardFunction], *, shapes: bool) -> Function:
    """`check`, or `check_shapes` on lists of ints instead of tensors."""
    types = Types(guards.signature, names.parameters, "List[int]" if shapes else "Tensor")
    checks = Checks(guards, names, types, shapes=shapes)
    steps = checks.steps
    for group in groups:
        if shapes and group.name != "_sizes":
            continue
        for symbol in group.symbols:
            checks.read(symbol)
        steps.refuse(f"not {group.call(group.name)}")
    function = ("_" if names.hidden else "") + ("check_shapes" if shapes else "check")
    return Function(types.head(function), steps.done())


def values(guards: GuardSet, names: Names, *, may_raise: bool = False) -> tuple[Function, ...]:
    """A function for every number that comes from data; `EmitError` for an operator that may raise, if none may."""
    functions = []
    for symbol, hoist in guards.hoists.items():
        for node in hoist.nodes:
            if not may_raise and is_torch_op(node.op) and may_refuse(node.op):
                raise EmitError(f"{node.op} may raise, which a TorchScript function cannot catch", line=node.line)
        writer = TorchScriptValue(hoist)
        types = {leaf.node: "Tensor" if leaf.kind == "tensor" else "int" for leaf in guards.signature.leaves}
        declared = [f"{local}: {types[node]}" for node, local in writer.parameters.items()]
        head = call_lines(f"def _{names.symbol(symbol)}", declared, f" -> {symbol.kind}:")
        functions.append(Function(tuple(head), body=tuple(writer.lines)))
    return tuple(functions)


def wrappers(guards: GuardSet, names: Names) -> tuple[Function, ...]:
    """The public functions, where a parameter would hide a name that their bodies use: they only hand on."""
    own = {parameter.name: parameter.name for parameter in guards.signature.parameters}
    functions = []
    for name, tensor in ("check", "Tensor"), ("check_shapes", "List[int]"):
        types = Types(guards.signature, own, tensor)
        body = call_lines(f"return _{name}", types.forwarded(names.parameters), indent=4)
        functions.append(Function(types.head(name), body=tuple(body)))
    return tuple(functions)


def lines_of(function: Function) -> list[str]:
    """Every line of code of a function."""
    lines = [*function.head, *function.body]
    for step in function.steps:
        lines += [*step.statements, *step.condition, step.answer]
    return lines


def with_imports(module: TorchScriptModule) -> TorchScriptModule:
    functions = [module.check, module.check_shapes, *module.wrappers, *module.guards, *module.values]
    text = "\n".join(line for function in functions for line in lines_of(function))
    typing = tuple(name for name in TYPING if re.search(rf"\b{name}\b", text))
    return dataclasses.replace(module, typing=typing, uses_math="math." in text)


def included(called: str) -> list[str]:
    """The library code that the guards call."""
    texts = []
    if re.search(r"\b(modulo|can_power)\(", called):
        texts.append(functions_of(guardgen.narrow.__file__))
    if re.search(r"\bwide\w*\(", called):
        texts.append(functions_of(guardgen.wide.__file__))
    return texts


@functools.cache
def functions_of(file: str) -> str:
    text = Path(file).read_text(encoding="utf-8")
    return text[text.index("def ") :].rstrip("\n")
