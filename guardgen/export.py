"""Guards before a program of torch.export: what our trace depends on, and what the export assumed besides.

An exported program is right for less than our trace is: sizes that it holds fixed, ranges that it gave them, sizes that
it took to be one. Those are conditions of ours too, and are told as such.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import torch

from guardgen.checking import Arguments, violations
from guardgen.conditions import Guard, TensorFact
from guardgen.exported import assumptions, inputs, own
from guardgen.guards import GuardSet
from guardgen.rules.text import condition_text
from guardgen.runtime import GuardError, Violation
from guardgen.terms import Bool, symbol
from guardgen.torchscript import SWITCH


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
        return asked.report.violations


def guard(program: Any, guards: GuardSet, *, check: bool = True) -> Guarded:
    """`program`, of `torch.export.export`, behind `guards`, which are those of our trace of the same program.

    Where the environment has `GUARDGEN_CHECK=0`, the check is off. Raises `EmitError` where the program takes other
    arguments than the guards are about.
    """
    checked = check and os.environ.get(SWITCH) != "0"
    return Guarded(program, guards, tuple(assumed(program, guards)), checked)


# -- what the export assumed


def assumed(program: Any, guards: GuardSet) -> Iterator[Guard]:
    """The export's assumptions about sizes that our guards do not make anyway, as conditions of ours."""
    seen: set[Any] = {each.condition for each in guards.guards}
    read = {fact.path for fact in guards.facts if isinstance(fact, TensorFact)}
    sizes = []
    for leaf, node in inputs(program, guards):
        value = node.meta.get("val") if node is not None and leaf.path in read else None
        if isinstance(value, torch.Tensor):
            sizes += [(symbol(own(guards, "size", leaf, i)), theirs) for i, theirs in enumerate(value.shape)]
    for condition, maker in assumptions(sizes):
        if isinstance(condition, Bool) and condition not in seen:
            seen.add(condition)
            yield Guard(condition, "artifact", condition_text(condition), (), "", (maker,))
