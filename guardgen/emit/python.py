"""The Python target: a module that imports nothing but the standard library."""

from __future__ import annotations

import functools
from pathlib import Path
from types import ModuleType

import guardgen.environment
import guardgen.objects
import guardgen.runtime
from guardgen.emit.header import header
from guardgen.emit.literals import WIDTH, call_lines, string
from guardgen.emit.model import Function, Global, PythonModule
from guardgen.emit.names import Names
from guardgen.emit.python_check import Source, check_shapes_steps, check_steps
from guardgen.emit.python_parameters import Parameters
from guardgen.emit.python_values import value_functions
from guardgen.emit.python_violations import Violations
from guardgen.emit.templates import fill
from guardgen.environment import Environment
from guardgen.errors import EmitError
from guardgen.guards import GuardSet
from guardgen.store import json_lines
from guardgen.stored import IN_MODULE

PUBLIC = ("check", "check_shapes", "violations", "require")
OF_ENVIRONMENT = ("ENVIRONMENT", "TRAINING", "check_environment", "environment_violations")
EXPORTS = ("GUARDS", "JSON", "Guard", "GuardError", "Violation", *PUBLIC, *OF_ENVIRONMENT)


def emit_python(guards: GuardSet) -> str:
    """The text of the module. Raises `EmitError` where an argument cannot be written down."""
    names = Names(guards, module_names())
    tensors = Parameters(guards.signature, names.parameters, "torch.Tensor")
    shapes = Parameters(guards.signature, names.parameters, "Sequence[int]")
    source = Source(guards, names, tensors.unwritten())
    values = value_functions(source)
    called = {name: f"_{name}" if names.hidden else name for name in PUBLIC}
    check, check_shapes = check_steps(source), check_shapes_steps(source)
    violations = Violations(source)
    heads = {name: (shapes if name == "check_shapes" else tensors).head(called[name], RESULTS[name]) for name in PUBLIC}
    body = tuple(violations.lines)
    module = PythonModule(
        header=header(guards),
        exports=tuple(map(string, sorted(EXPORTS))),
        check=Function(heads["check"], check),
        check_shapes=Function(heads["check_shapes"], check_shapes),
        violations=Function(heads["violations"], body=body),
        require=Function(heads["require"], body=require_body(called, ", ".join(tensors.forwarded(names.parameters)))),
        wrappers=wrappers(guards, names, called) if names.hidden else (),
        values=values,
        objects=tuple(Global(name, value) for name, value in sorted(source.objects.items()) if name != "_Tensor"),
        runtime=runtime_text("".join(body)),
        environment=tuple(environment_lines(guards.environment)),
        guards=tuple(guards_lines(violations.entries)),
        data=tuple(data_lines(guards)),
        uses_math=any("math." in line for line in (*body, *(line for each in values for line in each.body))),
        uses_sequence="Sequence[" in "".join(heads["check_shapes"]),
        uses_tensor_type="torch." in "".join(heads["check"]),
        uses_left_out=bool(tensors.unwritten()),
        has_tensors="_Tensor" in source.objects,
    )
    return fill("python/module.py.jinja", module)


RESULTS = {"check": "bool", "check_shapes": "bool", "violations": "list[Violation]", "require": "None"}


def require_body(called: dict[str, str], arguments: str) -> tuple[str, ...]:
    return (
        *call_lines(f"if not {called['check']}", [arguments], ":", indent=4),
        *("    " + line for line in call_lines(f"raise GuardError({called['violations']}", [arguments], ")", indent=8)),
    )


def wrappers(guards: GuardSet, names: Names, called: dict[str, str]) -> tuple[Function, ...]:
    """The public functions, where a parameter would hide a name that their bodies use: they only hand on."""
    own = {parameter.name: parameter.name for parameter in guards.signature.parameters}
    functions = []
    for name in PUBLIC:
        parameters = Parameters(guards.signature, own, "Sequence[int]" if name == "check_shapes" else "torch.Tensor")
        body = call_lines(f"return {called[name]}", parameters.forwarded(names.parameters), indent=4)
        functions.append(Function(parameters.head(name, RESULTS[name]), body=tuple(body)))
    return tuple(functions)


def guards_lines(entries: list[tuple[str, ...]]) -> list[str]:
    """The constant `GUARDS`, an entry a line."""
    head = "GUARDS: tuple[Guard, ...] = ("
    if len(entries) < 2:
        one = f"{head}{' '.join(line for entry in entries for line in entry)})"
        if len(one) <= WIDTH:
            return [one]
    return [head, *(f"    {line}" for entry in entries for line in entry), ")"]


def data_lines(guards: GuardSet) -> list[str]:
    """The constant `JSON`. No three quotes follow each other in JSON, which escapes those inside strings."""
    try:
        lines = json_lines(guards)
    except EmitError as error:
        return [f"JSON: str | None = None  # {' '.join(error.message.split())}"]
    return [IN_MODULE.strip("\n"), *lines, '"""']


def environment_lines(environment: Environment) -> list[str]:
    settings = [f"    {string(name)}: {string(value)}," for name, value in environment.settings.items()]
    flags = [f"    {string(name)}: {flag}," for name, flag in environment.training.items()]
    training = ["TRAINING: dict[str, bool] = {", *flags, "}"] if flags else ["TRAINING: dict[str, bool] = {}"]
    return ["ENVIRONMENT: dict[str, str] = {", *settings, "}", *training]


def runtime_text(tests: str) -> str:
    """What the module includes: reports, the environment, and how objects are told where `tests` need that."""
    parts = [part_of(guardgen.runtime, "class Guard("), part_of(guardgen.environment, "def settings(")]
    if "is_told(" in tests:
        parts.append(part_of(guardgen.objects, "def is_told("))
    return "\n\n\n".join(parts)


@functools.cache
def part_of(module: ModuleType, start: str) -> str:
    text = Path(str(module.__file__)).read_text(encoding="utf-8")
    return text[text.index(start) :].rstrip("\n")


def module_names() -> frozenset[str]:
    """What a parameter must not hide: names of the emitted module, and locals of its functions."""
    used = (*vars(guardgen.runtime), *vars(guardgen.environment), *vars(guardgen.objects))
    names = {name for name in used if not name.startswith("__")}
    return frozenset(names | {*EXPORTS, "math", "sys", "torch", "report", "Sequence", "TYPE_CHECKING", "annotations"})
