"""Sizes for which some conditions hold and others do not, by z3; or that there are none.

z3 is the extra `prove`. What it finds is only proposed: it knows nothing of some float operations.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

from guardgen.errors import GuardgenError
from guardgen.interpret import by_table, interpret
from guardgen.ir import Graph
from guardgen.rules.text import TermGraph
from guardgen.terms import Bool, Symbol


class ProveError(GuardgenError):
    """Nothing can be proved, since z3 is not installed."""


@dataclass(frozen=True)
class Answer:
    """What z3 says: `none` (no such sizes exist), `some` with their `values`, or `unknown` within its time."""

    verdict: str
    values: Mapping[Symbol, Any] | None = None


@lru_cache(maxsize=1)
def available() -> bool:
    """Whether z3 is installed."""
    return find_spec("z3") is not None


def need() -> None:
    if not available():
        raise ProveError('proofs need z3, which is not installed; pip install "guardgen[prove]"')


def find(true: Sequence[Bool], false: Sequence[Bool], seconds: float) -> Answer:
    """Values of the symbols for which all of `true` hold, and one of `false` does not, by z3 within its time.

    A condition that divides by 0 does not hold. Raises `ProveError` where z3 is not installed.
    """
    need()
    import z3

    translation = Translation([*true, *false])
    held = [translation.holds(i) for i in range(len(translation.roots))]
    solver = z3.Solver()
    solver.set("timeout", max(1, int(seconds * 1000)))
    solver.set("random_seed", 0)
    solver.add(*translation.ranges(), *held[: len(true)])
    if false:
        solver.add(z3.Not(z3.And(*held[len(true) :])))
    verdict = solver.check()
    if verdict == z3.unsat:
        return Answer("none")
    return Answer("some", translation.read(solver.model())) if verdict == z3.sat else Answer("unknown")


class Translation:
    """Conditions as expressions of z3, over a variable for each symbol."""

    def __init__(self, conditions: Sequence[Bool]) -> None:
        from guardgen.rules.z3 import free, z3_rules

        graph = TermGraph()
        self.roots = [graph.term(condition) for condition in conditions]
        self.symbols = graph.symbols
        self.variables = {name: free(name, symbol.kind) for name, symbol in self.symbols.items()}
        self.values = interpret(Graph(tuple(graph.nodes)), by_table(z3_rules), self.variables)

    def holds(self, i: int) -> Any:
        """That the condition has a value, and that it is True."""
        import z3

        root = self.values[self.roots[i]]
        return z3.And(root.defined, root.value)

    def ranges(self) -> list[Any]:
        """What is known of each symbol itself: sizes are not negative, and fit 64 bits."""
        found: list[Any] = []
        for name, symbol in self.symbols.items():
            variable = self.variables[name].value
            found += [] if symbol.low is None else [variable >= symbol.low]
            found += [] if symbol.high is None else [variable <= symbol.high]
        return found

    def read(self, model: Any) -> dict[Symbol, Any]:
        """The values of the symbols in a model."""
        return {symbol: number(model, self.variables[name].value) for name, symbol in self.symbols.items()}


def number(model: Any, variable: Any) -> Any:
    """What a variable is in a model, as Python's number."""
    import z3

    value = model.eval(variable, model_completion=True)
    if z3.is_bool(value):
        return z3.is_true(value)
    if z3.is_int(value):
        return value.as_long()
    bits = z3.simplify(z3.fpToIEEEBV(value)).as_long()
    return struct.unpack("<d", struct.pack("<Q", bits))[0]
