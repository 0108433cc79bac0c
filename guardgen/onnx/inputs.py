"""Guards about a program's arguments as guards about a model's inputs, which are arrays by name and nothing else.

Arguments that are no tensors are constants of the model. An array has the strides that torch.from_numpy would see.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Mapping, Sequence
from typing import Any

from guardgen.arguments import Binder, Leaf, Parameter, Path, Signature, unique
from guardgen.checking import run
from guardgen.conditions import Fact, Guard, IntFact, SameFact, TensorFact
from guardgen.errors import EmitError
from guardgen.guards import GuardSet
from guardgen.interpret import by_table, interpret
from guardgen.ir import Graph
from guardgen.rules.terms import term_rules
from guardgen.rules.text import TermGraph, condition_text
from guardgen.terms import Symbol, ne, symbol
from guardgen.terms.ints import Bool
from guardgen.witness import right

WITHOUT = ("complex64", "complex128", "complex32", "bfloat16")  # dtypes that numpy or ONNX has no arrays of


def tensors(signature: Signature) -> dict[str, Leaf]:
    """The tensors among the arguments by the name of the model's input; a tensor passed twice is one input."""
    taken: set[str] = set()
    found: dict[str, Leaf] = {}
    seen: set[str] = set()
    for leaf in signature.leaves:
        if leaf.kind == "tensor" and leaf.node not in seen:
            seen.add(leaf.node)
            name = re.sub(r"\W+", "_", str(leaf.path)).strip("_")
            found[unique(name if name.isidentifier() else f"input_{name}", taken)] = leaf
    return found


def of_inputs(guards: GuardSet, extra: Sequence[Guard], inputs: Mapping[str, Leaf]) -> GuardSet:
    """The guards, and `extra` ones about the same arguments, in the names of the inputs.

    A number that guards read from data is an int argument more, of which the traced run's is the default: where none is
    given, data is taken to be right. Raises `EmitError` for what no array can have.
    """
    renaming = Renaming(guards, inputs)
    found: dict[Any, Guard] = {}
    for each in (*guards.guards, *extra):
        condition = renaming.condition(each.condition)
        if condition is False:
            raise refused(each)
        if isinstance(condition, Bool):
            if not right([condition], None, renaming.traced):
                raise refused(each)
            found.setdefault(condition, dataclasses.replace(each, condition=condition, text=condition_text(condition)))
    kept = tuple(found.values())
    leaves = [dataclasses.replace(leaf, path=Path(name)) for name, leaf in inputs.items()]
    parameters = [Parameter(name, "positional_or_keyword") for name in inputs]
    facts = [fact for each in guards.facts for fact in renaming.fact(each)]
    for number in renaming.data.values():
        path, value = number.source[1], renaming.traced[number]
        leaves.append(Leaf(path, "int", value, f"read_{path}"))
        parameters.append(Parameter(path.root, "keyword_only", value))
        facts.append(IntFact(path))
    kinds = {each.name: getattr(inspect.Parameter, each.kind.upper()) for each in parameters}
    python = [inspect.Parameter(each.name, kinds[each.name], default=each.default) for each in parameters]
    signature = Signature(tuple(parameters), (), tuple(leaves), Binder(inspect.Signature(python)))
    return GuardSet(guards.name, guards.level, signature, tuple(facts), kept, kept, (), {}, (), renaming.traced)


def refused(guard: Guard) -> EmitError:
    since = f", since {guard.since[0]}" if guard.since else ""
    return EmitError(f"the traced call itself is not what the model is for: {guard.text}{since}")


def with_guards(guards: GuardSet, extra: Sequence[Guard]) -> GuardSet:
    kept = (*guards.guards, *extra)
    return dataclasses.replace(guards, guards=kept, raw=kept)


class Renaming:
    """Symbols of the arguments as terms over the inputs; `traced` are the inputs' own in the traced run."""

    def __init__(self, guards: GuardSet, inputs: Mapping[str, Leaf]) -> None:
        nodes = {leaf.node: name for name, leaf in inputs.items()}
        self.names = {leaf.path: nodes[leaf.node] for leaf in guards.signature.leaves if leaf.node in nodes}
        self.ints = {leaf.path: leaf.value for leaf in guards.signature.leaves if leaf.kind == "int"}
        self.new: dict[Symbol, Symbol] = {}
        self.traced: dict[Symbol, Any] = {}
        for each, value in guards.traced.items():
            if each.source[0] in ("size", "stride"):
                how, path, dim = each.source
                name = self.names[path]
                shown = {"size": f".shape[{dim}]", "stride": f".stride({dim})"}[how]
                title = each.name if each.name != f"{path}{shown}" else f"{name}{shown}"
                self.new[each] = dataclasses.replace(each, name=title, source=(how, Path(name), dim))
                self.traced[self.new[each]] = value
        self.data: dict[Symbol, Symbol] = {}
        given = {leaf.node: leaf.value for leaf in guards.signature.leaves if leaf.node}
        taken = set(inputs)
        for i, (each, hoist) in enumerate(guards.hoists.items()):
            name = unique(f"data_{i}", taken)
            self.data[each] = Symbol(each.name, "int", ("int", Path(name)), 10**6 + i)
            self.traced[self.data[each]] = int(run(hoist, given))

    def term(self, old: Symbol) -> Any:
        if old in self.data:
            number = symbol(self.data[old])
            return ne(number, 0) if old.kind == "bool" else number
        if old in self.new:
            return symbol(self.new[old])
        how, path = old.source[:2]
        return self.ints[path] if how == "int" else 0  # an array begins where its memory does

    def condition(self, condition: Any) -> Any:
        graph = TermGraph()
        root = graph.term(condition)
        values = {name: self.term(each) for name, each in graph.symbols.items()}
        return interpret(Graph(tuple(graph.nodes)), by_table(term_rules), values)[root]

    def fact(self, fact: Fact) -> list[Fact]:
        if isinstance(fact, SameFact):
            other = [Path(self.names[each]) for each in (fact.path, fact.other)]
            return [] if fact.same else [SameFact(other[0], other[1], same=False)]
        if not isinstance(fact, TensorFact):
            return []  # a constant of the model, or a container of its inputs
        if fact.layout != "torch.strided" or fact.dtype.removeprefix("torch.") in WITHOUT or fact.requires_grad:
            what = f"{fact.dtype}, {fact.layout}" + (", requires_grad" if fact.requires_grad else "")
            raise EmitError(f"argument {fact.path}: a tensor of {what} has no array that onnxruntime takes")
        return [TensorFact(Path(self.names[fact.path]), fact.rank, fact.dtype, "cpu", fact.layout)]
