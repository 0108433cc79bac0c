"""What torch.export and AOTInductor assumed on the way from a program to an artifact, as conditions of ours.

An artifact computes no strides: the numbers of its example are in its code. Sizes are what the export's symbols say, in
the ranges that the export gave them; and what either decided from the example's sizes holds for others only where the
same comes out. torch.export forgets what is decided after it, so AOTInductor runs on an environment that remembers.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import torch

from guardgen.arguments import Leaf
from guardgen.collect import Collector
from guardgen.conditions import Guard, TensorFact
from guardgen.errors import DeriveError, EmitError
from guardgen.guards import GuardSet
from guardgen.rules.sympy_terms import known_symbols, term
from guardgen.terms import Bool, Symbol, either, eq, ge, le, symbol
from guardgen.terms.ints import SIZE_LIMIT, symbols

EXPORT, INDUCTOR = "torch.export assumed it", "AOTInductor assumed it"
Assumption = tuple[Any, str]  # a condition, and who made it


def with_assumptions(guards: GuardSet, found: list[Assumption], tensors: list[Leaf]) -> GuardSet:
    """The guards, and those of the assumptions that do not follow from them; `tensors` are what the artifact reads.

    Raises `EmitError` where an assumption does not hold for the traced call itself.
    """
    read = {fact.path for fact in guards.facts if isinstance(fact, TensorFact)}
    facts = tuple(
        TensorFact(leaf.path, leaf.facts.rank, str(leaf.facts.dtype), str(leaf.facts.device), str(leaf.facts.layout))
        for leaf in tensors
        if leaf.facts is not None and leaf.path not in read
    )
    hints = hints_of(guards)
    collector = Collector(hints, lambda *_: False)  # what is said of data says nothing of sizes
    for guard in guards.guards:
        collector.add(guard.condition, guard.kind, None, "", guard.declared)
    ours = len(collector.kept)
    for condition, maker in found:
        known = isinstance(condition, bool) or all(each in hints for each in symbols(condition))
        if known and not (condition if isinstance(condition, bool) else collector.holds_in_trace(condition)):
            raise EmitError(f"{maker}, and the traced call is otherwise: {condition}")
        try:
            collector.add(condition, "artifact", None, "", (maker,))
        except DeriveError as error:
            raise EmitError(f"{maker}, against the guards: {error.message}") from error
    added: tuple[Guard, ...] = tuple(collector.kept[ours:])
    return dataclasses.replace(guards, facts=(*guards.facts, *facts), guards=(*guards.guards, *added), traced=hints)


def hints_of(guards: GuardSet) -> dict[Symbol, Any]:
    """What the sizes, strides and ints of the traced call were, those that no guard of ours reads included."""
    hints = dict(guards.traced)
    for leaf in guards.signature.leaves:
        if leaf.kind == "tensor":
            for i, n in enumerate(leaf.value.shape):
                hints.setdefault(own(guards, "size", leaf, i), n)
            for i, n in enumerate(leaf.value.stride() if leaf.value.layout is torch.strided else ()):
                hints.setdefault(own(guards, "stride", leaf, i), n)
    return hints


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


# -- read from the exported program


def inputs(program: Any, guards: GuardSet) -> list[tuple[Leaf, Any]]:
    """Every leaf of the arguments, and the node that the export has for it."""
    given = {parameter.name for parameter in guards.signature.parameters if parameter.given}
    leaves = [leaf for leaf in guards.signature.leaves if leaf.path.root in given]
    nodes = {node.name: node for node in program.graph.nodes if node.op == "placeholder"}
    specs = [spec for spec in program.graph_signature.input_specs if spec.kind.name == "USER_INPUT"]
    if len(specs) != len(leaves):
        raise EmitError(f"the exported program takes {len(specs)} values, the guards are about {len(leaves)}")
    return [(leaf, nodes.get(spec.arg.name)) for leaf, spec in zip(leaves, specs, strict=True)]


def call(program: Any, guards: GuardSet) -> dict[str, list[Any]]:
    """The tensors that are passed, by their names, and which of them the program writes to."""
    passed = [(leaf, node) for leaf, node in inputs(program, guards) if leaf.kind == "tensor"]
    outputs = program.run_decompositions({}).graph_signature.output_specs  # where writes to arguments are results
    written = {spec.target for spec in outputs if spec.kind.name == "USER_INPUT_MUTATION"}
    found = [i for i, (_, node) in enumerate(passed) if node is not None and node.name in written]
    return {"tensors": [str(leaf.path) for leaf, _ in passed], "written": found}


def environment(program: Any) -> Any:
    """The export's ShapeEnv; None where every size is fixed."""
    for node in program.graph.nodes:
        value = node.meta.get("val")
        for each in (*value.shape, *value.stride()) if isinstance(value, torch.Tensor) else ():
            if isinstance(each, torch.SymInt):
                return each.node.shape_env
    return None


@contextlib.contextmanager
def remembering(program: Any) -> Iterator[None]:
    """While this runs, what is decided from the example's sizes is kept as a guard of the export's environment.

    An exported program's environment is frozen: it answers from the example, and forgets that it was asked.
    """
    env = environment(program)
    if env is None:
        yield
        return
    was, env.frozen = env.frozen, False
    try:
        yield
    finally:
        env.frozen = was


class Before(NamedTuple):
    """What an export's environment had before AOTInductor compiled the program: its guards, and ranges."""

    guards: int
    ranges: Mapping[Any, Any]


def before(program: Any) -> Before:
    env = environment(program)
    return Before(len(env.guards), dict(env.var_to_range)) if env is not None else Before(0, {})


def assumptions(program: Any, guards: GuardSet, exported: Before) -> tuple[list[Assumption], list[Leaf]]:
    """What was assumed of the arguments, and the tensors among them that the artifact reads."""
    found: list[Assumption] = []
    pairs = inputs(program, guards)
    sizes: list[tuple[Any, Any]] = []  # our term, and the export's number
    strides: list[tuple[Any, Any, Any]] = []  # the size's term, the stride's, and the export's number
    tensors = []
    for leaf, node in pairs:
        value = node.meta.get("val") if node is not None else None
        if isinstance(value, torch.SymInt):
            raise EmitError(f"argument {leaf.path} is a dynamic int, which AOTInductor does not pass; leave it out of "
                            "dynamic_shapes, which makes it a constant, or pass a tensor")  # fmt: skip
        if leaf.kind == "int":
            found.append((eq(symbol(own(guards, "int", leaf)), leaf.value), EXPORT))
        if isinstance(value, torch.Tensor) and node.users:
            tensors.append(leaf)
            sizes += [(symbol(own(guards, "size", leaf, i)), n) for i, n in enumerate(value.shape)]
            strides += [
                (symbol(own(guards, "size", leaf, i)), symbol(own(guards, "stride", leaf, i)), n)
                for i, n in enumerate(value.stride() if value.layout is torch.strided else ())
            ]
    known = known_symbols(sizes)
    found += [(eq(ours, as_term(theirs, known)), EXPORT) for ours, theirs in sizes]
    env = environment(program)
    if env is not None:
        found += in_ranges(env, known, exported.ranges)
        found += decided(env, known, exported.guards)
    for size, stride, theirs in strides:
        condition = stride_condition(size, stride, as_term(theirs, known))
        found.append((condition, INDUCTOR))
    return found, tensors


def stride_condition(size: Any, stride: Any, expected: Any) -> Any:
    """A stride is what the code has in it. It is not looked at where there is only one, or none, to step to."""
    return either(le(size, 1), eq(stride, expected))


def in_ranges(env: Any, known: Mapping[Any, Any], exported: Mapping[Any, Any]) -> Iterator[Assumption]:
    for name, values in env.var_to_range.items():
        if name not in known:
            continue
        was = exported.get(name, values)
        if values.lower.is_Integer:  # or it is infinite
            yield ge(known[name], int(values.lower)), EXPORT if was.lower == values.lower else INDUCTOR
        if values.upper.is_Integer and int(values.upper) < SIZE_LIMIT - 1:
            yield le(known[name], int(values.upper)), EXPORT if was.upper == values.upper else INDUCTOR


def decided(env: Any, known: Mapping[Any, Any], exported: int) -> Iterator[Assumption]:
    for i, each in enumerate(env.guards):
        maker = EXPORT if i < exported else INDUCTOR
        expression = env.replace(each.expr)
        if not expression.free_symbols <= known.keys():
            if any(str(name).startswith(("u", "zuf")) for name in expression.free_symbols):
                continue  # about what data decides: the artifact tests it itself
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
