"""Numbers of a trace that ONNX computes otherwise than Python: they are fixed, and that they are so is a guard.

Python's floats are doubles and its integers have no limit; what the exporter makes of them are floats of 32 bits and
integers of 64, whose quotients are rounded towards zero. Sums, differences and products of sizes are the same in both.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from guardgen.conditions import Guard
from guardgen.derive import Walk, seen
from guardgen.guards import GuardSet
from guardgen.ir import Line, Node, Slot, refs
from guardgen.ops import BAILOUTS, is_torch_op
from guardgen.rules.concrete import concrete_rules, torch_op
from guardgen.rules.text import condition_text
from guardgen.terms import Bool, ge, le
from guardgen.terms.evaluate import evaluate
from guardgen.terms.ints import Int, Term, symbols
from guardgen.tracing import Trace

FIXED = "the ONNX exporter keeps this number as it was"
# Operations of Python's that make an integer which ONNX would make another.
UNLIKE = {f"int_{name}" for name in ["pow", "lshift", "rshift", "and", "or", "xor", "invert", "ite"]}
UNLIKE |= {f"float_{name}" for name in ["floor", "ceil", "trunc", "round"]}
MOST = 2**63 - 1
LIMIT = "the ONNX exporter computes it in 64 bits"
DIVISIONS = ("int_floordiv", "int_mod")  # by what is not known to be positive


def derived(recorded: Trace) -> tuple[GuardSet, Walk]:
    """The guards, and what the walk over the trace knows of every number of it."""
    walk = Walk(recorded, "hoist")
    for node in recorded.graph:
        walk.visit(node)
    return walk.finish(), walk


def fixed(recorded: Trace, walk: Walk) -> tuple[dict[str, Any], list[Guard]]:
    """The numbers that are fixed, by name, and the guards that say so."""
    numbers: dict[str, Any] = {}
    guards: dict[Any, Guard] = {}
    for name, kind, line in unlike(recorded, walk):
        value = walk.values[name]
        if name in numbers or not isinstance(value, Term) or not known(value, walk):
            continue
        numbers[name] = evaluate(value, walk.symbols.hints, concrete_rules)
        condition = seen(f"{kind}_bailout", value, numbers[name])
        if isinstance(condition, Bool) and walk.facts.decide(condition) is not True:
            since = f"{FIXED}: {line}" if line else FIXED
            guards.setdefault(condition, Guard(condition, "artifact", condition_text(condition), (), "", (since,)))
    return numbers, [*guards.values(), *limited(recorded, walk)]


def limited(recorded: Trace, walk: Walk) -> Iterator[Guard]:
    """That products of sizes which the program computes with fit 64 bits; as sizes of a tensor they do anyway."""
    makers = {name: node for node in recorded.graph for name in node.names}
    pending = [name for node in recorded.graph if is_torch_op(node.op) for name in operands(node)]
    seen: set[Any] = set()
    while pending:
        name = pending.pop()
        node, value = makers[name], walk.values[name]
        if name in seen or node.kinds[0] != "int" or is_torch_op(node.op):
            continue
        seen.add(name)
        pending += node.inputs
        if not isinstance(value, Int) or not known(value, walk) or max(len(each) for each, _ in value.args) < 2:
            continue
        for condition in (le(value, MOST), ge(value, -MOST)):
            if isinstance(condition, Bool) and condition not in seen and walk.facts.decide(condition) is not True:
                seen.add(condition)
                yield Guard(condition, "artifact", condition_text(condition), (), "", (LIMIT,))


def operands(node: Node) -> Iterator[str]:
    """The inputs that an operator computes with, rather than takes as sizes, dimensions and indices."""
    arguments = torch_op(node.op)._schema.arguments
    types = {argument.name: argument.type for argument in arguments}
    given = [(argument.type, value) for argument, value in zip(arguments, node.params["args"], strict=False)]
    for kind, value in [*given, *((types[key], each) for key, each in node.params["kwargs"].items())]:
        if isinstance(value, Slot) and str(kind) not in ("int", "SymInt", "Optional[int]", "Optional[SymInt]"):
            yield node.inputs[value.index]


def known(value: Term, walk: Walk) -> bool:
    """Whether it is made of the arguments' sizes and ints; what is read from data is refused elsewhere."""
    return all(each in walk.symbols.hints for each in symbols(value))


def unlike(recorded: Trace, walk: Walk) -> Iterator[tuple[str, str, Line | None]]:
    """Each number that ONNX would compute otherwise, its kind, and the first line that uses it."""
    kinds = {name: kind for node in recorded.graph for name, kind in zip(node.names, node.kinds, strict=True)}
    lines: dict[str, Line] = {}
    for node in reversed(recorded.graph.nodes):
        line = node.line or next((lines[name] for name in node.names if name in lines), None)
        if line is not None and node.op not in BAILOUTS:
            lines.update(dict.fromkeys(node.inputs, line))
    results = set(refs(recorded.graph.result))
    for node in recorded.graph:
        if is_torch_op(node.op):
            names = [name for name in node.inputs if kinds[name] in ("float", "bool")]
            yield from ((name, kinds[name], node.line) for name in names)
        elif node.op in UNLIKE or (node.op in DIVISIONS and not positive(walk.values[node.inputs[1]], walk)):
            yield node.name, "int", lines.get(node.name)
        elif results.intersection(node.names) and node.kinds[0] in ("float", "bool"):
            yield node.name, node.kinds[0], lines.get(node.name)


def rounded_down(recorded: Trace, walk: Walk) -> frozenset[str]:
    """The quotients that may be negative, which ONNX would round towards zero."""
    divided = [node for node in recorded.graph if node.op == "int_floordiv"]
    return frozenset(node.name for node in divided if not positive(walk.values[node.inputs[0]], walk, 0))


def positive(value: Any, walk: Walk, least: int = 1) -> bool:
    condition = ge(value, least)
    return condition is True or walk.facts.decide(condition) is True
