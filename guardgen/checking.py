"""Guards asked of arguments: every violation, in the order in which emitted modules report them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import torch

from guardgen.arguments import Path
from guardgen.conditions import Fact, Guard, Hoist, SameFact, TensorFact
from guardgen.facts import attributes, expected_text, fact_text, holds
from guardgen.interpret import RuleTable, interpret
from guardgen.ir import Graph
from guardgen.rules.concrete import concrete_rules, concrete_step
from guardgen.runtime import MISSING, Report, Violation, attempt, computed, is_tensor, power, shift_left, strides
from guardgen.runtime import Guard as Checked
from guardgen.terms import Bool, Symbol
from guardgen.terms.evaluate import evaluate
from guardgen.terms.ints import split_constant, symbols

if TYPE_CHECKING:
    from guardgen.guards import GuardSet

guard_rules = RuleTable("guard")  # concrete, but no number grows beyond what can be computed
guard_rules.rule("int_pow")(power)
guard_rules.rule("int_lshift")(shift_left)
for _op, _rule in concrete_rules.rules.items():
    if _op not in guard_rules:
        guard_rules.rule(_op)(_rule)


def check(guards: GuardSet, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
    """Whether the trace is valid for these arguments. Raises only Python's `TypeError`, where they cannot be bound."""
    return not violations(guards, args, kwargs)


def violations(guards: GuardSet, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[Violation]:
    """Every failing guard, facts first. Data is looked at only where all else holds."""
    arguments = Arguments(guards.signature.arguments(args, kwargs))
    for fact in guards.facts:
        arguments.fact(fact)
    for guard in guards.guards:
        if not uses(guard, guards.hoists):
            arguments.guard(guard)
    if not arguments.report.violations:
        arguments.compute(guards)
        for guard in guards.guards:
            if uses(guard, guards.hoists):
                arguments.guard(guard)
    return arguments.report.violations


def uses(guard: Guard, hoists: Mapping[Symbol, Hoist]) -> bool:
    """Whether a guard depends on data."""
    return any(symbol in hoists for symbol in symbols(guard.condition))


class Arguments:
    """One call's arguments being looked at. `bad` are the paths below which nothing can be read."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values
        self.bad: list[Path] = []
        self.report = Report()
        self.data: dict[Symbol, Any] = {}

    def get(self, path: Path) -> Any:
        """The value at `path`, or `MISSING` where it is inside something that is not as it should be."""
        for bad in self.bad:
            if bad.root == path.root and path.steps[: len(bad.steps)] == bad.steps:
                return MISSING
        return attempt(lambda: path.get(self.values))

    # -- facts

    def fact(self, fact: Fact) -> None:
        value, what = self.get(fact.path), str(fact.path)
        guard = Checked(fact_text(fact), "fact")
        if isinstance(fact, SameFact):
            self.report.same(guard, what, str(fact.other), (value, self.get(fact.other)), fact.same)
        elif isinstance(fact, TensorFact):
            sizes = self.report.tensor(guard, what, value, fact.rank, **attributes(fact))
            if MISSING in sizes or not is_tensor(value):
                self.bad.append(fact.path)
        elif self.report.fact(guard, what, expected_text(fact), value, holds(fact, value)) is MISSING:
            self.bad.append(fact.path)

    # -- guards

    def guard(self, guard: Guard) -> None:
        names = dict.fromkeys(symbols(guard.condition))
        values = {symbol: self.read(symbol) for symbol in names}
        checked = Checked(guard.text, guard.kind, guard.since)
        constant = expected_constant(guard.condition)
        if constant is not None:
            symbol, expected = constant
            self.report.equal(checked, symbol.title, values[symbol], expected)
            return
        pairs = [(symbol.title, values[symbol]) for symbol in names]
        self.report.holds(checked, lambda: evaluate(guard.condition, values, guard_rules), *pairs)

    def read(self, symbol: Symbol) -> Any:
        """The value of a symbol, or `MISSING`."""
        if symbol in self.data:
            return self.data[symbol]
        how, path, *rest = symbol.source
        value = self.get(path)
        if value is MISSING or how == "int":
            return value
        if how == "offset":
            return attempt(lambda: int(value.storage_offset()))
        (dim,) = rest
        return attempt(lambda: value.shape[dim] if how == "size" else strides(value, value.dim())[dim])

    def compute(self, guards: GuardSet) -> None:
        """The numbers that come from data; in place of one that cannot be computed, the exception."""
        nodes = {leaf.node: leaf.path for leaf in guards.signature.leaves if leaf.node}
        inputs = {node: self.get(path) for node, path in nodes.items()}
        for symbol, hoist in guards.hoists.items():
            self.data[symbol] = computed(lambda hoist=hoist: run(hoist, inputs))  # type: ignore[misc]


def run(hoist: Hoist, inputs: Mapping[str, Any]) -> Any:
    with torch.no_grad():
        return interpret(Graph(hoist.nodes), concrete_step, inputs)[hoist.read]


def expected_constant(condition: Bool) -> tuple[Symbol, Any] | None:
    """The symbol and the number of a condition such as `x.shape[1] == 3`; None for any other condition."""
    if condition.op == "symbol":
        return condition.args[0], True
    if condition.op == "not" and condition.args[0].op == "symbol":
        return condition.args[0].args[0], False
    if condition.op != "eq":
        return None
    linear, constant = split_constant(condition.args[0])
    if isinstance(linear, int) or len(linear.args) != 1:
        return None
    (monomial, k), *_ = linear.args
    if k != 1 or len(monomial) != 1 or monomial[0].op != "symbol":
        return None
    return monomial[0].args[0], -constant
