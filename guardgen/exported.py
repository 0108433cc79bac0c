"""What torch.export assumed about the arguments of a program, as conditions of ours.

Sizes are what the export's symbols say, in the ranges that it gave them; what it decided from the example's sizes holds
for others only where the same comes out. Later compilers go on with the same symbols, and may add to both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import torch

from guardgen.arguments import Leaf
from guardgen.errors import EmitError
from guardgen.guards import GuardSet
from guardgen.rules.sympy_terms import known_symbols, term
from guardgen.terms import Bool, Symbol, eq, ge, le
from guardgen.terms.ints import SIZE_LIMIT

EXPORT = "torch.export assumed it"
Assumption = tuple[Any, str]  # a condition, and who made it


class Before(NamedTuple):
    """What the export's environment had before a later compiler went on: its guards, and ranges."""

    guards: int
    ranges: Mapping[Any, Any]


def inputs(program: Any, guards: GuardSet) -> list[tuple[Leaf, Any]]:
    """Every leaf of the arguments, and the node that the export has for it."""
    given = {parameter.name for parameter in guards.signature.parameters if parameter.given}
    leaves = [leaf for leaf in guards.signature.leaves if leaf.path.root in given]
    nodes = {node.name: node for node in program.graph.nodes if node.op == "placeholder"}
    specs = [spec for spec in program.graph_signature.input_specs if spec.kind.name == "USER_INPUT"]
    if len(specs) != len(leaves):
        raise EmitError(f"the exported program takes {len(specs)} values, the guards are about {len(leaves)}")
    return [(leaf, nodes.get(spec.arg.name)) for leaf, spec in zip(leaves, specs, strict=True)]


def own(guards: GuardSet, how: str, leaf: Leaf, i: int | None = None) -> Symbol:
    """The symbol that our guards have for a size, a stride or an int."""
    source = (how, leaf.path) if i is None else (how, leaf.path, i)
    for each in guards.traced:
        if each.source == source:
            return each
    name = {"size": f"{leaf.path}.shape[{i}]", "stride": f"{leaf.path}.stride({i})", "int": str(leaf.path)}[how]
    bounds = (None, None) if how == "int" else (0, SIZE_LIMIT)
    order = len(guards.traced) + 100 * list(guards.signature.leaves).index(leaf) + (i or 0)
    return Symbol(name, "int", source, order, *bounds)


def environment(numbers: Iterable[Any]) -> Any:
    """The ShapeEnv of an export's sizes and strides; None where every one is fixed."""
    return next((each.node.shape_env for each in numbers if isinstance(each, torch.SymInt)), None)


def assumptions(
    sizes: Sequence[tuple[Any, Any]], before: Before | None = None, later: str = EXPORT, *, asserts: bool = True
) -> Iterator[Assumption]:
    """What was assumed about `sizes`, each our term and the export's number; since `before`, by the maker `later`.

    Raises `EmitError` for what the sizes of the arguments do not tell, unless it is about data and the artifact has
    what the export `asserts` about data.
    """
    known, env = known_symbols(sizes), environment(theirs for _, theirs in sizes)
    for ours, theirs in sizes:
        yield eq(ours, as_term(theirs, known)), EXPORT
    if env is not None:
        yield from in_ranges(env, known, env.var_to_range if before is None else before.ranges, later)
        yield from decided(env, known, len(env.guards) if before is None else before.guards, later, asserts)


def in_ranges(env: Any, known: Mapping[Any, Any], before: Mapping[Any, Any], later: str) -> Iterator[Assumption]:
    for name, values in env.var_to_range.items():
        if name not in known:
            continue
        was = before.get(name, values)
        if values.lower.is_Integer:  # or it is infinite
            yield ge(known[name], int(values.lower)), EXPORT if was.lower == values.lower else later
        if values.upper.is_Integer and int(values.upper) < SIZE_LIMIT - 1:
            yield le(known[name], int(values.upper)), EXPORT if was.upper == values.upper else later


def decided(env: Any, known: Mapping[Any, Any], before: int, later: str, asserts: bool) -> Iterator[Assumption]:
    for i, each in enumerate(env.guards):
        maker = EXPORT if i < before else later
        expression = env.replace(each.expr)
        if not expression.free_symbols <= known.keys():
            if asserts and any(str(name).startswith(("u", "zuf")) for name in expression.free_symbols):
                continue  # about what data decides
            raise EmitError(f"{maker}: {each.expr}, of which the arguments do not tell {expression.free_symbols}")
        condition = term(expression, known)
        if isinstance(condition, (bool, Bool)):
            yield condition, maker
            continue
        for name in sorted(expression.free_symbols, key=str):  # what has no form here holds where its sizes are these
            yield eq(known[name], int(env.backed_var_to_val[name])), f"{maker}, with {each.expr}"


def as_term(number: Any, known: Mapping[Any, Any]) -> Any:
    """A size or stride of the export as a term of ours."""
    if not isinstance(number, torch.SymInt):
        return int(number)
    found = term(number.node.expr, known)
    if found is None:
        raise EmitError(f"torch.export has a size or stride {number}, which the sizes of the arguments do not tell")
    return found
