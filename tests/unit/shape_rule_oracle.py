"""Holds a size rule against the operator: with numbers, and with symbols evaluated at sizes it was not built from."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils import _pytree as pytree

from guardgen.rules.concrete import concrete_rules, torch_op
from guardgen.rules.shape import Pieces, Sizes, applying, shape_rules
from guardgen.rules.shape.context import Application, row_major
from guardgen.terms import Symbol, symbol
from guardgen.terms.evaluate import evaluate
from guardgen.terms.ints import Term, symbols

LARGEST = 2**63 - 1


@dataclass
class Call:
    """One call of an operator."""

    op: str
    args: list[Any]
    kwargs: dict[str, Any] = field(default_factory=dict)

    def leaves(self) -> tuple[list[Any], Any]:
        return pytree.tree_flatten((self.args, self.kwargs))

    def with_leaves(self, leaves: list[Any]) -> Call:
        args, kwargs = pytree.tree_unflatten(leaves, self.leaves()[1])
        return Call(self.op, args, kwargs)

    def __str__(self) -> str:
        def text(x: Any) -> Any:
            return f"{tuple(x.shape)}{x.stride()}{x.dtype}" if isinstance(x, torch.Tensor) else repr(x)

        return f"{self.op}{pytree.tree_map(text, (self.args, self.kwargs))}"


def copied(x: Any) -> Any:
    """The tensor with the same strides, in memory of its own."""
    if not isinstance(x, torch.Tensor):
        return x
    if overlapping(x):
        return x.clone().expand(x.shape)
    return torch.empty_strided(x.shape, x.stride(), dtype=x.dtype).copy_(x)


def overlapping(x: torch.Tensor) -> bool:
    return any(stride == 0 and size > 1 for size, stride in zip(x.shape, x.stride(), strict=True))


def eager(call: Call) -> tuple[bool, Any]:
    """Whether the operator runs, with its outputs in a list, or the error."""
    args, kwargs = pytree.tree_map(copied, (call.args, call.kwargs))
    op = torch_op(call.op)
    torch.manual_seed(0)
    try:
        with torch.no_grad():
            result = op(*args, **kwargs)
    except Exception as error:
        return False, error
    several = len(op._schema.returns) > 1
    return True, list(result) if several else [result]


def applied(call: Call, leaves: list[Any], metas: list[Any]) -> tuple[list[Any] | None, Application]:
    """The rule's results on those arguments, in a list; None where it raises."""
    args, kwargs = pytree.tree_unflatten(leaves, call.leaves()[1])
    names = tuple(f"t{i}" for i in range(max(len(metas), 1)))
    with applying(names, metas) as application:
        try:
            result = shape_rules[call.op](*args, **kwargs)
        except LookupError:
            return None, application
    return (result if isinstance(result, list) else [result]), application


def metas_of(outputs: list[Any]) -> list[Any]:
    return [tuple(each.shape) if isinstance(each, torch.Tensor) else None for each in outputs]


def concrete_leaves(call: Call) -> list[Any]:
    return [Sizes(x.shape, x.dtype, x.stride()) if isinstance(x, torch.Tensor) else x for x in call.leaves()[0]]


class Symbolic:
    """A call with a symbol for every size, and for every stride or every int as asked."""

    def __init__(self, call: Call, strides: str, ints: bool) -> None:
        self.call, self.strides = call, strides
        self.count = 0
        flexible = symbolic_ints(call) if ints else set()
        self.leaves = [self.leaf(i, x, i in flexible) for i, x in enumerate(call.leaves()[0])]

    def leaf(self, i: int, x: Any, flexible: bool) -> Any:
        if isinstance(x, torch.Tensor):
            sizes = [symbol(Symbol(f"x{i}_{d}", "int", ("size", i, d), i, 0, LARGEST)) for d in range(x.dim())]
            strides = [symbol(Symbol(f"s{i}_{d}", "int", ("stride", i, d), i, 0, LARGEST)) for d in range(x.dim())]
            layout = {"symbols": strides, "row-major": row_major(sizes), "unknown": None}[self.strides]
            return Sizes(sizes, x.dtype, layout)
        if flexible:
            return symbol(Symbol(f"i{i}", "int", ("int", i), i))
        return x

    def read(self, call: Call, term: Any) -> dict[Symbol, Any]:
        leaves = call.leaves()[0]
        values = {}
        for each in symbols(term):
            if each.source[0] == "data_size":
                continue
            kind, i = each.source[:2]
            x = leaves[i]
            values[each] = x if kind == "int" else (x.shape if kind == "size" else x.stride())[each.source[2]]
        return values

    def value(self, call: Call, term: Any) -> Any:
        """The term at another call's sizes; None where it divides by 0."""
        if not isinstance(term, Term) or any(each.source[0] == "data_size" for each in symbols(term)):
            return term
        try:
            return evaluate(term, self.read(call, term), concrete_rules)
        except ZeroDivisionError:
            return None


def symbolic_ints(call: Call) -> set[int]:
    """Which leaves are ints that the operator takes as symbols."""
    schema = torch_op(call.op)._schema
    flags: list[Any] = []
    for i, value in enumerate(call.args):
        flags.append(pytree.tree_map(lambda _, i=i: "SymInt" in str(schema.arguments[i].real_type), value))
    named = {arg.name: "SymInt" in str(arg.real_type) for arg in schema.arguments}
    kwargs = {key: pytree.tree_map(lambda _, key=key: named[key], value) for key, value in call.kwargs.items()}
    leaves = call.leaves()[0]
    marks = pytree.tree_leaves((flags, kwargs), is_leaf=lambda x: x is None)
    return {i for i, (x, mark) in enumerate(zip(leaves, marks, strict=True)) if mark and type(x) is int}


def compare(call: Call, results: list[Any], outputs: list[Any], value: Any) -> str:
    """What is wrong with the sizes or strides, empty if nothing."""
    if len(results) != len(outputs):
        return f"{len(results)} results instead of {len(outputs)}"
    for result, output in zip(results, outputs, strict=True):
        if isinstance(result, Pieces):
            count = value(result.count)
            if not isinstance(count, Term) and count != len(output):
                return f"{count} pieces instead of {len(output)}"
            pairs = [(result.at(i), piece) for i, piece in enumerate(output)]
        else:
            pairs = [(result, output)]
        for sizes, tensor in pairs:
            if not isinstance(tensor, torch.Tensor):
                return f"{type(tensor).__name__} instead of a tensor"
            wrong = differs(sizes, tensor, value)
            if wrong:
                return wrong
    return ""


def differs(sizes: Any, tensor: torch.Tensor, value: Any) -> str:
    have = [value(size) for size in sizes]
    wants = [want if isinstance(got, Term) else got for got, want in zip(have, tensor.shape)]  # noqa: B905
    if len(have) != tensor.dim() or wants != list(tensor.shape):
        return f"sizes {have} instead of {list(tensor.shape)}"
    strides = getattr(sizes, "strides", None)
    if strides is not None and not any(isinstance(each, Term) for each in have):
        got = [value(stride) for stride in strides]
        if got != list(tensor.stride()):
            return f"strides {got} instead of {list(tensor.stride())} of sizes {have}"
    return ""


def check_concrete(call: Call) -> str:
    """The rule on numbers against the operator, empty if they agree."""
    runs, outputs = eager(call)
    results, application = applied(call, concrete_leaves(call), metas_of(outputs) if runs else [])
    failing = [why for condition, why in application.requirements if condition is False]
    accepts = results is not None and not failing
    if accepts != runs:
        return f"{call}: accepted, but {outputs!r:.200}" if accepts else f"{call}: refused, needs {failing}"
    if runs and results is not None:
        wrong = compare(call, results, outputs, lambda x: x)
        return f"{call}: {wrong}" if wrong else ""
    return ""


def check_symbolic(base: Call, queries: list[Call], strides: str = "symbols", ints: bool = True) -> Iterator[str]:
    """The rule on symbols, evaluated at each query, against the operator; yields what is wrong."""
    runs, outputs = eager(base)
    if not runs:
        return
    symbolic = Symbolic(base, strides, ints)
    results, application = applied(base, symbolic.leaves, metas_of(outputs))
    for query in (base, *queries):
        runs, outputs = eager(query)
        if strides == "row-major" and not all(x.stride() == row_major(x.shape) for x in tensors(query)):
            continue
        failing = [
            why for condition, why in application.requirements if symbolic.value(query, condition) not in (True,)
        ]
        accepts = results is not None and not failing
        if accepts != runs:
            if accepts and strides == "unknown":
                continue
            fault = f"accepted, but {outputs!r:.200}" if accepts else f"refused, needs {failing}"
            yield f"{base}\n    asked {query}: {fault}"
            continue
        assumed = all(symbolic.value(query, condition) is True for condition, _ in application.assumptions)
        if runs and results is not None and assumed:
            wrong = compare(query, results, outputs, lambda x, query=query: symbolic.value(query, x))
            if wrong:
                yield f"{base}\n    asked {query}: {wrong}"


def tensors(call: Call) -> list[torch.Tensor]:
    return [x for x in call.leaves()[0] if isinstance(x, torch.Tensor)]


def mutated(call: Call, pick: random.Random, ints: bool, layout: bool = False) -> Call | None:
    """The call with one size of a tensor, one of its ints or one layout changed; None where nothing can be."""
    leaves = list(call.leaves()[0])
    places = [i for i, x in enumerate(leaves) if isinstance(x, torch.Tensor) and x.dim() and not x.is_sparse]
    numbers = sorted(symbolic_ints(call)) if ints else []
    if not places and not numbers:
        return None
    i = pick.choice([*places, *numbers, *numbers])
    if i in numbers:
        leaves[i] = pick.choice([n for n in (-2, -1, 0, 1, 2, 3, leaves[i] + 1, leaves[i] - 1, 9) if n != leaves[i]])
        return call.with_leaves(leaves)
    old = leaves[i].detach()
    if layout and pick.random() < 0.4:
        leaves[i] = relaid(old, pick)
        return call.with_leaves(leaves)
    sizes = list(old.shape)
    d = pick.randrange(len(sizes))
    sizes[d] = pick.choice([n for n in (0, 1, sizes[d] + 1, max(sizes[d] - 1, 0), 2 * sizes[d]) if n != sizes[d]])
    count = torch.Size(sizes).numel()
    if count > 200_000:
        return None
    values = old.flatten() if old.numel() else torch.zeros(1, dtype=old.dtype)
    leaves[i] = values.repeat(count // values.numel() + 1)[:count].reshape(sizes)
    return call.with_leaves(leaves)


def relaid(x: torch.Tensor, pick: random.Random) -> torch.Tensor:
    """The same elements in another layout."""
    d = pick.randrange(x.dim())
    other = pick.randrange(x.dim())
    if pick.random() < 0.5:
        return x.transpose(d, other).contiguous().transpose(d, other)
    wide = torch.cat([x, x], d)
    return wide.narrow(d, 0, x.shape[d])


def queries_for(call: Call, pick: random.Random, count: int, ints: bool, layout: bool) -> list[Call]:
    """Mutations of the call, some of them several deep."""
    result = []
    for _ in range(count):
        query: Call | None = call
        for _ in range(pick.choice((1, 1, 2, 3))):
            query = query and mutated(query, pick, ints, layout)
        if query is not None:
            result.append(query)
    return result
