"""Trace -> guard set: walk the trace with every tensor standing for its sizes, and keep what is observed and required.

Each number of the trace becomes a term over the inputs' sizes. A bailout becomes the condition that it saw; an operator
contributes what it requires of its inputs. Every condition is decided from those before it, and kept if it is new.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import torch

from guardgen.collect import Collector
from guardgen.conditions import Way
from guardgen.declarations import Declared
from guardgen.declared import conditions
from guardgen.entry import entry_facts, input_symbols
from guardgen.errors import DeriveError
from guardgen.guards import GuardSet
from guardgen.hoist import ON_DATA, CannotHoist, Hoister
from guardgen.ir import Node
from guardgen.layouts import Layouts
from guardgen.narrowing import refuse_narrowing
from guardgen.offsets import Offsets
from guardgen.ops import BAILOUTS, is_torch_op
from guardgen.rules.calls import Calls
from guardgen.rules.operators import Operators
from guardgen.rules.shape import Pieces, Sizes
from guardgen.rules.shape.layout import is_contiguous
from guardgen.rules.terms import term_rules
from guardgen.rules.values import Values
from guardgen.segments import Segment
from guardgen.split import cut
from guardgen.terms import BoolLike, Symbol, both, either, eq, ne, negate, product, symbol
from guardgen.terms.ints import symbols
from guardgen.tracing import Trace


def derive(trace: Trace, *, on_data: str = "hoist") -> GuardSet:
    """The guards of a trace.

    `on_data` says what becomes of an observation of tensor data: `hoist` puts the operators that lead to it into the
    guard; `split` does so too, and where that cannot be done cuts the trace there: the guards are then those of the
    first of `segments`, and `run` runs them all; `error` refuses. Raises `DeriveError` with the user's line where an
    observation cannot be stated, and `NarrowedError` where some would narrow what `dynamic_shapes` declared.
    """
    if on_data not in ON_DATA:
        raise DeriveError(f"on_data is one of {', '.join(ON_DATA)}, not {on_data!r}")
    walk = Walk(trace, on_data)
    for i, node in enumerate(trace.graph):
        try:
            walk.visit(node)
        except CannotHoist as refused:
            if on_data != "split":
                raise
            return derive_parts(*cut(trace, i), Way("split", refused.why, refused.at))
    return walk.finish()


def derive_parts(first: Trace, rest: Trace, way: Way) -> GuardSet:
    """The guards of a trace that was cut in two."""
    guards, others = derive(first, on_data="split"), derive(rest, on_data="split")
    following = others.segments or (Segment(rest, others),)
    ways = (*guards.ways, way, *others.ways)
    return dataclasses.replace(guards, segments=(Segment(first, guards), *following), ways=ways)


class Walk:
    """One derivation: the value of every name so far, and what is known."""

    def __init__(self, trace: Trace, on_data: str) -> None:
        self.trace = trace
        self.values: dict[str, Any] = {}
        self.assumed: dict[str, BoolLike] = {}  # what must hold for a name's value to be right, where anything
        self.symbols = input_symbols(trace)
        self.calls = Calls(trace.graph, self.values)
        self.hoister = Hoister(trace, self.values, on_data)
        self.collector = Collector(self.symbols.hints, self.hoister.hoist)
        self.facts = self.collector.facts
        for condition, text in conditions(trace.declared, self.declared_size):
            self.collector.declare(condition, text)
        self.ranges = Values(trace.graph)
        self.operators = Operators(trace.tensors, self.facts.decide, self.facts.rewrite, self.symbols.hints)
        self.layouts = Layouts(trace.graph, self.values, self.operators)
        self.offsets = Offsets(self.layouts, self.symbols.offset)

    def declared_size(self, declared: Declared) -> Any:
        value = self.symbols.values[declared.node]
        return value if declared.dim is None else value[declared.dim]

    # -- the walk

    def visit(self, node: Node) -> None:
        if node.op in BAILOUTS:
            self.observe(node)
        elif is_torch_op(node.op):
            self.operator(node)
        else:
            self.values[node.name] = self.value(node)
            self.inherit(node)

    def value(self, node: Node) -> Any:
        """The value of a node that is neither a bailout nor one of PyTorch's operators."""
        if node.op.endswith("_placeholder"):
            return self.symbols.values[node.name]
        if node.op == "var_const":
            meta = self.trace.tensors[node.name]
            self.ranges.constant(node.name, node.params["val"])
            return Sizes(meta.shape, meta.dtype, meta.stride)
        if node.op == "var_item":
            self.collector.require(eq(product(self.values[node.inputs[0]]), 1), node.line, "one element is read")
            return self.data_symbol(node, node.params["type"])
        inputs = [self.values[name] for name in node.inputs]
        if node.op in term_rules:
            return term_rules[node.op](*inputs, **node.params)
        return getattr(self, node.op)(node, *inputs)

    def var_size(self, node: Node, tensor: Sizes) -> Any:
        return tuple(map(self.facts.rewrite, tensor))

    def size_index(self, node: Node, sizes: Any) -> Any:
        return sizes[node.params["index"]]

    stride_index = size_index

    def var_stride(self, node: Node, tensor: Sizes) -> Any:
        return self.exact_strides(node, tensor)

    def exact_strides(self, node: Node, tensor: Sizes) -> Any:
        """Those of a tensor without elements too, which are odd: if the traced one had none, all is to be as it was."""
        strides, traced = self.strides(node, tensor), self.trace.tensors[node.inputs[0]]
        if node.inputs[0] not in self.layouts.if_any:
            return strides
        if 0 in traced.shape:
            self.assumed[node.name] = self.same_numbers()
            return traced.stride
        self.assumed[node.name] = both(self.assumed.get(node.name, True), ne(product(tensor), 0))
        return strides

    def same_numbers(self) -> BoolLike:
        """That all sizes, strides and ints among the arguments are those of the traced call."""
        return both(*(eq(symbol(each), value) for each, value in self.symbols.hints.items() if each.kind == "int"))

    def var_rank(self, node: Node, tensor: Sizes) -> int:
        return len(tensor)

    def var_requires_grad(self, node: Node, tensor: Sizes) -> bool:
        return self.trace.tensors[node.inputs[0]].requires_grad  # an entry fact

    def var_storage_offset(self, node: Node, tensor: Sizes) -> Any:
        offset, self.assumed[node.name] = self.offsets.of(node.inputs[0])
        if offset is None:
            raise DeriveError("the storage offset of this tensor is not known from the inputs", line=node.line)
        return offset

    def var_is_contiguous(self, node: Node, tensor: Sizes) -> Any:
        memory_format = node.params["memory_format"]
        if tensor.contiguous and memory_format == torch.contiguous_format:
            return True
        if memory_format != torch.contiguous_format:
            return is_contiguous(tensor, self.exact_strides(node, tensor), memory_format)
        strides = self.strides(node, tensor)
        if node.name in self.assumed:  # without elements it is contiguous, whatever the strides
            self.assumed[node.name] = either(eq(product(tensor), 0), self.assumed[node.name])
        return is_contiguous(tensor, strides, memory_format)

    def list_len(self, node: Node, pieces: Pieces) -> Any:
        return pieces.count

    def list_index(self, node: Node, pieces: Pieces) -> Any:
        sizes = pieces.at(node.params["index"])
        strides = sizes.strides if isinstance(sizes, Sizes) else None
        return Sizes(sizes, self.trace.tensors[node.name].dtype, strides)

    def strides(self, node: Node, tensor: Sizes) -> Any:
        if tensor.strides is not None:
            return tensor.strides
        strides, assumed = self.layouts.of(node.inputs[0])
        self.assumed[node.name] = assumed
        return tuple(map(self.facts.rewrite, strides))

    def inherit(self, node: Node) -> None:
        inherited = both(*(self.assumed.get(name, True) for name in (*node.inputs, node.name)))
        if inherited is not True:
            self.assumed[node.name] = inherited

    # -- operators

    def operator(self, node: Node) -> None:
        values = tuple(self.rewritten(self.values[name]) for name in node.inputs)
        result = self.operators.apply(node, values)
        self.layouts.note(node, values, result.values)
        before = both(*(self.assumed.get(name, True) for name in node.inputs))
        for name, kind, value in zip(node.names, node.kinds, result.values, strict=True):
            self.values[name] = self.data_symbol(node, kind, name) if value is None and kind != "none" else value
            assumed = both(before, result.assumed)
            if assumed is not True:
                self.assumed[name] = assumed
        for condition, why in (*result.requirements, *self.ranges.visit(node, self.values)):
            required = condition if before is True else either(negate(before), condition)
            self.collector.require(required, node.line, f"{node.op} needs {why}")

    def rewritten(self, value: Any) -> Any:
        if isinstance(value, Sizes):
            if not self.facts.equal:
                return value
            strides = None if value.strides is None else tuple(map(self.facts.rewrite, value.strides))
            return Sizes(tuple(map(self.facts.rewrite, value)), value.dtype, strides, value.contiguous)
        return self.facts.rewrite(value)

    def data_symbol(self, node: Node, kind: str, name: str = "") -> Any:
        """A number that the data of the inputs decide."""
        name = name or node.name
        return symbol(Symbol(self.calls.text(name), kind, ("data", name), 10**6))

    def observe(self, node: Node) -> None:
        name = node.inputs[0]
        value, expect = self.values[name], node.params["expect"]
        assumed = self.assumed.get(name, True)
        self.collector.observe(assumed, node.line, "the sizes are known only so")
        self.collector.observe(seen(node.op, value, expect), node.line, f"{name} was {expect!r}")

    def finish(self) -> GuardSet:
        kept = self.collector.finish()
        if self.trace.declared:
            refuse_narrowing(self.trace.declared, self.declared_size, self.collector.raw, kept)
        used = {each for guard in kept for each in symbols(guard.condition)}
        hoists = {each: hoist for each, hoist in self.hoister.hoists.items() if each in used}
        return GuardSet(
            self.trace.name,
            self.trace.level,
            self.trace.signature,
            entry_facts(self.trace),
            kept,
            tuple(self.collector.raw),
            self.collector.dropped(kept),
            hoists,
            traced=dict(self.symbols.hints),
            environment=self.trace.environment,
            ways=tuple(dict.fromkeys(self.hoister.ways)),
        )


def seen(op: str, value: Any, expect: Any) -> BoolLike:
    """The condition that a bailout saw: the value is what it was."""
    if op == "bool_bailout":
        return value if expect else negate(value)
    if op == "int_bailout":
        return eq(value, expect)
    if expect != expect:
        return term_rules["float_ne"](value, value)  # type: ignore[no-any-return]
    return term_rules["float_eq"](value, expect)  # type: ignore[no-any-return]
