"""What AOTInductor assumed on the way from an exported program to an artifact, beside what the export did.

An artifact computes no strides: the numbers of its example are in its code. torch.export forgets what is decided from
the example after it, so AOTInductor runs on an environment that remembers.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from typing import Any

import torch

from guardgen.arguments import Leaf
from guardgen.collect import Collector
from guardgen.conditions import Guard, TensorFact
from guardgen.errors import DeriveError, EmitError
from guardgen.exported import EXPORT, Assumption, Before, as_term, environment, inputs, own
from guardgen.exported import assumptions as assumptions_about
from guardgen.guards import GuardSet
from guardgen.rules.sympy_terms import known_symbols
from guardgen.terms import Symbol, either, eq, le, symbol
from guardgen.terms.ints import symbols

INDUCTOR = "AOTInductor assumed it"


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


# -- read from the exported program


def call(program: Any, guards: GuardSet) -> dict[str, list[Any]]:
    """The tensors that are passed, by their names, and which of them the program writes to."""
    passed = [(leaf, node) for leaf, node in inputs(program, guards) if leaf.kind == "tensor"]
    outputs = program.run_decompositions({}).graph_signature.output_specs  # where writes to arguments are results
    written = {spec.target for spec in outputs if spec.kind.name == "USER_INPUT_MUTATION"}
    found = [i for i, (_, node) in enumerate(passed) if node is not None and node.name in written]
    return {"tensors": [str(leaf.path) for leaf, _ in passed], "written": found}


def environment_of(program: Any) -> Any:
    """The export's ShapeEnv; None where every size is fixed."""
    values = (node.meta.get("val") for node in program.graph.nodes)
    return environment(
        each for value in values if isinstance(value, torch.Tensor) for each in (*value.shape, *value.stride())
    )


@contextlib.contextmanager
def remembering(program: Any) -> Iterator[None]:
    """While this runs, what is decided from the example's sizes is kept as a guard of the export's environment.

    An exported program's environment is frozen: it answers from the example, and forgets that it was asked.
    """
    env = environment_of(program)
    if env is None:
        yield
        return
    was, env.frozen = env.frozen, False
    try:
        yield
    finally:
        env.frozen = was


def before(program: Any) -> Before:
    env = environment_of(program)
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
    found += assumptions_about(sizes, exported, INDUCTOR)
    for size, stride, theirs in strides:
        condition = stride_condition(size, stride, as_term(theirs, known))
        found.append((condition, INDUCTOR))
    return found, tensors


def stride_condition(size: Any, stride: Any, expected: Any) -> Any:
    """A stride is what the code has in it. It is not looked at where there is only one, or none, to step to."""
    return either(le(size, 1), eq(stride, expected))
