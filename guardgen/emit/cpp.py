"""The C++ target: a header of C++17 that needs nothing but the standard library, for servers of exported artifacts."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from guardgen.checking import uses
from guardgen.emit.cpp_facts import other_tests, tensor_tests, tensors
from guardgen.emit.cpp_guards import CppGuards, read
from guardgen.emit.cpp_layout import call_lines, if_lines
from guardgen.emit.cpp_literals import cpp_comment, folder_of_names
from guardgen.emit.cpp_names import CppNames
from guardgen.emit.cpp_parameters import CppParameter, parameters
from guardgen.emit.cpp_parts import digest, part, reserved, used_parts
from guardgen.emit.cpp_violations import CppViolations
from guardgen.emit.header import header
from guardgen.emit.model import CppModule, Function, Step
from guardgen.emit.templates import fill
from guardgen.facts import expected_text
from guardgen.guards import Guard, GuardSet
from guardgen.ir import Graph
from guardgen.printer import print_graph
from guardgen.terms.ints import symbols

STANDARD = """
algorithm array cmath cstddef cstdint initializer_list iterator limits locale sstream string string_view utility vector
"""


def emit_cpp(guards: GuardSet) -> str:
    """The text of the header. Raises `EmitError` where C++ cannot express an argument or a guard, which it names."""
    names = CppNames(reserved())
    declared = parameters(guards, names)
    groups = [CppGuards(name, kept, names) for name, kept in grouped(guards).items() if kept]
    tests = tuple(group.function() for group in groups)
    violations = CppViolations(guards, groups, names)
    check = checked(guards, names, declared, groups, shapes=False)
    on_sizes = [group for group in groups if group.name == "sizes"]
    check_shapes = checked(guards, names, declared, on_sizes, shapes=True)
    body = tuple(violations.lines)
    report = Function(head("std::vector<Violation>", "violations", declared, body, shapes=False), body=body)
    code = "\n".join(line for function in (*tests, check, check_shapes, report) for line in lines_of(function))
    namespace = namespace_of(guards.name)
    return fill(
        "cpp/header.hpp.jinja",
        CppModule(
            header=tuple(f"// {cpp_comment(line[3:])}" for line in header(guards, "//")),
            macro=f"GUARDGEN_{namespace}_HPP",
            includes=tuple(STANDARD.split()),
            parts=tuple(part(name) for name in used_parts(code)),
            version=f"0x{digest()}",
            inline=f"runtime_{digest()}",
            namespace=namespace,
            notes=tuple(notes(guards, names)),
            guards=tuple(violations.entries),
            count=violations.count,
            tests=tests,
            check=check,
            check_shapes=check_shapes,
            violations=report,
        ),
    )


def namespace_of(name: str) -> str:
    namespace = folder_of_names(name)
    return f"{namespace}_guard" if namespace in reserved() else namespace


def grouped(guards: GuardSet) -> dict[str, list[Guard]]:
    """The guards by what they read: sizes and ints alone, strides and offsets too, or data."""
    found: dict[str, list[Guard]] = {"sizes": [], "strides": [], "data": []}
    for guard in guards.guards:
        sources = {symbol.source[0] for symbol in symbols(guard.condition)}
        name = "data" if uses(guard, guards.hoists) else "sizes" if sources <= {"size", "int"} else "strides"
        found[name].append(guard)
    return found


def checked(
    guards: GuardSet, names: CppNames, declared: list[CppParameter], groups: list[CppGuards], *, shapes: bool
) -> Function:
    """`check`, or `check_shapes` on sizes instead of tensors."""
    steps = [Step(condition=tuple(if_lines([test], 2))) for test in other_tests(guards, names, shapes=shapes)]
    for fact in tensors(guards):
        value = names.path(fact.path)
        if shapes:
            steps.append(Step(condition=tuple(if_lines([f"!is_shape({value}, {fact.rank})"], 2))))
            continue
        comment = cpp_comment(f"{fact.path}: {expected_text(fact)}", 2)
        steps.append(Step((comment,), (), tuple(if_lines(tensor_tests(fact, value), 2))))
        if any(each.source[:2] == ("stride", fact.path) for group in groups for each in group.symbols):
            steps.append(Step(condition=tuple(if_lines([f"!has_strides({value}, {fact.rank})"], 2))))
    for group in groups:
        arguments = [read(each, names, shapes=shapes) for each in group.symbols]
        test = call_lines(f"if (!detail::{group.name}", arguments, ") return false;", indent=2)
        steps.append(Step(condition=tuple(test)))
    function = Function((), tuple(steps))
    name = "check_shapes" if shapes else "check"
    kept = [each for each in declared if each.symbol is None] if shapes else declared
    return dataclasses.replace(function, head=head("bool", name, kept, lines_of(function), shapes=shapes))


def head(
    result: str, name: str, declared: list[CppParameter], lines: Iterable[str], *, shapes: bool
) -> tuple[str, ...]:
    body = "\n".join(lines)
    return tuple(call_lines(f"inline {result} {name}", [each.declared(body, shapes=shapes) for each in declared], " {"))


def lines_of(function: Function) -> list[str]:
    """Every line of code of a function."""
    lines = [*function.head, *function.body]
    for step in function.steps:
        lines += [*step.statements, *step.condition]
    return lines


def notes(guards: GuardSet, names: CppNames) -> Iterator[str]:
    """How the caller computes the numbers that come from data."""
    for symbol, hoist in guards.hoists.items():
        yield cpp_comment(f"The caller computes {names.symbol(symbol)} from the arguments' data, as {hoist.read} of:")
        for line in print_graph(Graph(hoist.nodes)).splitlines():
            yield f"  {cpp_comment(line, 2)}"
