"""The steps of a TorchScript check: facts about the arguments, then the numbers that the guards need."""

from __future__ import annotations

import math

from guardgen.arguments import Container, Path
from guardgen.emit.literals import items_text, literal, string
from guardgen.emit.names import Names
from guardgen.emit.steps import Steps
from guardgen.emit.torchscript_types import Types
from guardgen.guards import ConstantFact, ContainerFact, Fact, GuardSet, IntFact, SameFact, TensorFact
from guardgen.terms import Symbol

INDENT = 4


class Checks:
    """The facts and reads of one function. `shapes` says that tensors are given by their sizes."""

    def __init__(self, guards: GuardSet, names: Names, types: Types, *, shapes: bool) -> None:
        self.guards, self.names, self.types, self.shapes = guards, names, types, shapes
        self.steps = Steps(names, INDENT)
        self.done: set[Symbol] = set()
        for fact in guards.facts:
            self.fact(fact)

    def fact(self, fact: Fact) -> None:
        steps = self.steps
        if isinstance(fact, SameFact):
            if not self.shapes:
                for path in fact.path, fact.other:
                    if self.types.is_any(path):
                        self.refuse(f"not isinstance({steps.path(path)}, Tensor)")
                relation = "is not" if fact.same else "is"
                self.refuse(f"{steps.path(fact.path)} {relation} {steps.path(fact.other)}")
            return
        value = steps.path(fact.path)
        if isinstance(fact, ContainerFact):
            self.present(fact, value)
            self.container(fact.container, value)
        elif isinstance(fact, TensorFact):
            self.present(fact, value)
            self.tensor(fact, value)
        elif isinstance(fact, IntFact):
            self.present(fact, value)
            self.refuse(f"not isinstance({value}, int)")
        else:
            self.constant(fact, value)

    def refuse(self, *conditions: str) -> None:
        """Refuse in an `if` of its own: after it, TorchScript knows the type better."""
        self.steps.flush()
        self.steps.refuse(*conditions)
        self.steps.flush()

    def present(self, fact: Fact, value: str) -> None:
        if self.types.optional(fact.path):
            self.refuse(f"{value} is None")

    def container(self, container: Container, value: str) -> None:
        if container.is_dict:
            keys = items_text("[", map(literal, container.keys), "]")
            self.refuse(f"list({value}.keys()) != {keys}" if container.keys else f"len({value}) != 0")
        elif container.type is list:
            self.refuse(f"len({value}) != {len(container.keys)}")

    def tensor(self, fact: TensorFact, value: str) -> None:
        """The dtype comes first: what None becomes as a `Tensor` has none."""
        if self.types.is_any(fact.path):
            self.refuse(f"not isinstance({value}, {'list' if self.shapes else 'Tensor'})")
        if self.shapes:
            self.refuse(f"len({value}) != {fact.rank}")
            return
        on_cpu = fact.device == "cpu"
        tests = [
            f"{value}.dtype != {fact.dtype}",
            f"{value}.dim() != {fact.rank}",
            f"{value}.layout != {fact.layout}",
            f"not {value}.is_cpu" if on_cpu else f"str({value}.device) != {string(fact.device)}",
        ]
        if fact.requires_grad is not None:
            tests.append(f"{'not ' if fact.requires_grad else ''}{value}.requires_grad")
        self.refuse(*tests)

    def constant(self, fact: ConstantFact, value: str) -> None:
        constant = fact.value
        if constant is None:
            self.refuse(f"{value} is not None")
            return
        self.present(fact, value)
        kind = type(constant)
        if kind is not str or self.types.is_any(fact.path):
            self.refuse(f"not isinstance({value}, {kind.__name__})")
        self.refuse(different(value, constant))

    def read(self, symbol: Symbol) -> None:
        """Give a symbol's local its value."""
        if symbol in self.done or symbol.source[0] == "int":
            return
        self.done.add(symbol)
        self.steps.read(f"{self.names.symbol(symbol)} = {self.number(symbol)}")

    def number(self, symbol: Symbol) -> str:
        """How a symbol is read from the arguments."""
        how, where, *rest = symbol.source
        if symbol in self.guards.hoists:
            return f"_{self.names.symbol(symbol)}({', '.join(map(self.steps.path, self.inputs(symbol)))})"
        value = self.steps.path(where)
        if how == "size" and self.shapes:
            return f"{value}[{rest[0]}]"
        return f"{value}.storage_offset()" if how == "offset" else f"{value}.{how}({rest[0]})"

    def inputs(self, symbol: Symbol) -> list[Path]:
        """The arguments from which a number is computed."""
        paths = {leaf.node: leaf.path for leaf in reversed(self.guards.signature.leaves) if leaf.node}
        return [paths[node.name] for node in self.guards.hoists[symbol].nodes if node.op.endswith("_placeholder")]


def different(value: str, constant: bool | int | float | str) -> str:
    """The condition that a number or string is not `constant`; NaN is itself, and 0.0 is not -0.0."""
    if isinstance(constant, bool):
        return f"not {value}" if constant else value
    if isinstance(constant, float) and constant != constant:
        return f"not math.isnan({value})"
    if isinstance(constant, float) and constant == 0:
        return f"{value} != 0.0 or math.copysign(1.0, {value}) != {math.copysign(1.0, constant)}"
    if isinstance(constant, float) and math.isinf(constant):
        return f'{value} != float("{constant!r}")'
    return f"{value} != {literal(constant)}"
