"""Guards before a program of torch.export: what our trace depends on, and what the export assumed besides.

An exported program is right for less than our trace is: sizes that it holds fixed, ranges that it gave them, sizes that
it took to be one. Those are conditions of ours too, and are told as such.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from guardgen.arguments import Leaf
from guardgen.checking import Arguments, violations
from guardgen.conditions import Guard, TensorFact
from guardgen.errors import EmitError
from guardgen.guards import GuardSet
from guardgen.rules.text import condition_text
from guardgen.runtime import GuardError, Violation
from guardgen.terms import Bool, Symbol, eq, ge, le, symbol
from guardgen.terms.ints import SIZE_LIMIT
from guardgen.torchscript import SWITCH

MAKER = "torch.export assumed it"


class Guarded(torch.nn.Module):
    """An exported program that checks first. `guard_enabled` turns that off; `assumptions` are the export's own."""

    def __init__(self, program: Any, guards: GuardSet, assumptions: tuple[Guard, ...], check: bool) -> None:
        super().__init__()
        self.program = program.module()
        self.guards, self.assumptions, self.guard_enabled = guards, assumptions, check

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The program's result. Raises `GuardError`, which says what is not so and why it must be."""
        if self.guard_enabled and (found := self.violations(*args, **kwargs)):
            raise GuardError(found)
        return self.program(*args, **kwargs)

    def violations(self, *args: Any, **kwargs: Any) -> list[Violation]:
        """Every guard, and then every assumption of the export, that these arguments break."""
        if found := violations(self.guards, args, kwargs):
            return found
        asked = Arguments(self.guards.signature.arguments(args, kwargs))
        for each in self.assumptions:
            asked.guard(each)
        return [each._replace(lines=(MAKER,)) for each in asked.report.violations]


def guard(program: Any, guards: GuardSet, *, check: bool = True) -> Guarded:
    """`program`, of `torch.export.export`, behind `guards`, which are those of our trace of the same program.

    Where the environment has `GUARDGEN_CHECK=0`, the check is off. Raises `EmitError` where the program takes other
    arguments than the guards are about.
    """
    checked = check and os.environ.get(SWITCH) != "0"
    return Guarded(program, guards, tuple(assumed(program, guards)), checked)


# -- what the export assumed


def assumed(program: Any, guards: GuardSet) -> Iterator[Guard]:
    """The export's assumptions about sizes that our guards do not make anyway, as conditions of ours.

    What cannot be said as a sum of products of sizes is left to the check that the program itself makes.
    """
    seen: set[Any] = {each.condition for each in guards.guards}
    for condition in conditions(program, guards):
        if isinstance(condition, Bool) and condition not in seen:
            seen.add(condition)
            yield Guard(condition, "artifact", condition_text(condition))


def conditions(program: Any, guards: GuardSet) -> Iterator[Any]:
    sizes = list(inputs(program, guards))
    known: dict[Any, Any] = {}  # by the export's own symbols
    for size, traced in sizes:
        expression = getattr(getattr(traced, "node", None), "expr", None)
        if getattr(expression, "is_Symbol", False) and expression not in known:
            known[expression] = size
    for size, traced in sizes:
        expression = getattr(getattr(traced, "node", None), "expr", None)
        expected = int(traced) if expression is None else term(expression, known)
        if expected is not None:
            yield eq(size, expected)
    for name, values in program.range_constraints.items():
        if name in known:
            if values.lower.is_Integer:  # or it is infinite
                yield ge(known[name], int(values.lower))
            if values.upper.is_Integer and int(values.upper) < SIZE_LIMIT - 1:
                yield le(known[name], int(values.upper))


def inputs(program: Any, guards: GuardSet) -> Iterator[tuple[Any, Any]]:
    """Every size of every tensor that our guards read: as our symbol, and as the export has it."""
    values = {node.name: node.meta.get("val") for node in program.graph.nodes if node.op == "placeholder"}
    names = [spec.arg.name for spec in program.graph_signature.input_specs if spec.kind.name == "USER_INPUT"]
    leaves = guards.signature.leaves
    if len(names) != len(leaves):
        raise EmitError(f"the exported program takes {len(names)} values, the guards are about {len(leaves)}")
    read = {fact.path for fact in guards.facts if isinstance(fact, TensorFact)}
    order = len(guards.traced)
    for name, leaf in zip(names, leaves, strict=True):
        value = values.get(name)
        if leaf.path not in read or not isinstance(value, torch.Tensor):
            continue
        for i, traced in enumerate(value.shape):
            yield own_symbol(guards.traced, leaf, i, order), traced


def own_symbol(traced: Mapping[Symbol, Any], leaf: Leaf, i: int, order: int) -> Any:
    """The symbol that our guards have for this size."""
    found = [each for each in traced if each.source == ("size", leaf.path, i)]
    made = Symbol(f"{leaf.path}.shape[{i}]", "int", ("size", leaf.path, i), order, 0, SIZE_LIMIT)
    return symbol(found[0] if found else made)


def term(expression: Any, known: Mapping[Any, Any]) -> Any:
    """A sum of products of sizes as a term of ours; None for anything else."""
    if expression.is_Integer:
        return int(expression)
    if expression.is_Symbol:
        return known.get(expression)
    parts = [term(each, known) for each in expression.args]
    if None in parts or not (expression.is_Add or expression.is_Mul):
        return None
    total = parts[0]
    for part in parts[1:]:
        total = total + part if expression.is_Add else total * part
    return total
