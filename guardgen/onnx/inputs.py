"""Guards about a program's arguments as guards about a model's inputs, which are arrays by name and nothing else.

Arguments that are no tensors are constants of the model. Arrays are contiguous, as onnxruntime makes them.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Mapping, Sequence
from typing import Any

from guardgen.arguments import Binder, Leaf, Parameter, Path, Signature, unique
from guardgen.conditions import Fact, Guard, SameFact, TensorFact
from guardgen.errors import EmitError
from guardgen.guards import GuardSet
from guardgen.interpret import by_table, interpret
from guardgen.ir import Graph
from guardgen.rules.terms import term_rules
from guardgen.rules.text import TermGraph, condition_text
from guardgen.terms import Symbol, maximum, product, symbol
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

    Raises `EmitError` for a guard on data, and for what no array can have.
    """
    on_data = next((each for each in guards.guards if each.kind == "data"), None)
    if on_data is not None:
        raise EmitError(f"the guard {on_data.text} looks at the data of a tensor, which the guards of an ONNX model "
                        "cannot; compute it outside the function and pass it in",
                        line=next(iter(on_data.lines), None))  # fmt: skip
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
    leaves = tuple(dataclasses.replace(leaf, path=Path(name)) for name, leaf in inputs.items())
    parameters = tuple(Parameter(name, "positional_or_keyword") for name in inputs)
    python = inspect.Signature([inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in inputs])
    signature = Signature(parameters, (), leaves, Binder(python))
    facts = tuple(fact for each in guards.facts for fact in renaming.fact(each))
    return GuardSet(guards.name, guards.level, signature, facts, kept, kept, (), {}, (), renaming.traced)


def refused(guard: Guard) -> EmitError:
    since = f", since {guard.since[0]}" if guard.since else ""
    return EmitError(
        f"the traced call is not what the model is for, which takes contiguous arrays: {guard.text}{since}"
    )


def with_guards(guards: GuardSet, extra: Sequence[Guard]) -> GuardSet:
    kept = (*guards.guards, *extra)
    return dataclasses.replace(guards, guards=kept, raw=kept)


class Renaming:
    """Symbols of the arguments as terms over the inputs; `traced` are the inputs' own in the traced run."""

    def __init__(self, guards: GuardSet, inputs: Mapping[str, Leaf]) -> None:
        nodes = {leaf.node: name for name, leaf in inputs.items()}
        self.names = {leaf.path: nodes[leaf.node] for leaf in guards.signature.leaves if leaf.node in nodes}
        self.ints = {leaf.path: leaf.value for leaf in guards.signature.leaves if leaf.kind == "int"}
        self.sizes: dict[str, list[Any]] = {}
        self.traced: dict[Symbol, Any] = {}
        for each, value in guards.traced.items():
            if each.source[0] == "size":
                _, path, dim = each.source
                name = self.names[path]
                title = each.name if each.name != f"{path}.shape[{dim}]" else f"{name}.shape[{dim}]"
                new = dataclasses.replace(each, name=title, source=("size", Path(name), dim))
                self.traced[new] = value
                self.sizes.setdefault(name, []).append(symbol(new))

    def term(self, old: Symbol) -> Any:
        how, path, *rest = old.source
        if how == "int":
            return self.ints[path]
        if how == "offset":
            return 0
        sizes = self.sizes[self.names[path]]
        return sizes[rest[0]] if how == "size" else product([maximum(each, 1) for each in sizes[rest[0] + 1 :]])

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
