"""The strides of what one operator returns, from inputs whose strides are known.

Most operators return row-major tensors where all their inputs are row-major, and nearly all calls are such. So that is
tried first where the traced call was one; what else would do is asked of the operator's meta kernel, if it can tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace
from typing import Any

from guardgen.ir import Node, TensorMeta
from guardgen.rules.concrete import concrete_rules
from guardgen.rules.iterating import MOST_DIMENSIONS, beside_number, in_rows_if_empty, iterated, iterates
from guardgen.rules.meta import Stuck, explore
from guardgen.rules.operators import Operators, Result, pieces
from guardgen.rules.shape import Pieces, Sizes, shape_rules
from guardgen.rules.shape.context import row_major
from guardgen.rules.shape.strides import is_row_major
from guardgen.terms import BoolLike, both, eq, ite
from guardgen.terms.evaluate import evaluate
from guardgen.terms.ints import Int, size

MOST_TO_READ = 60  # how large strides that come out of a kernel may be, where row-major inputs would do

# The modules of the size rules of those operators; measured on PyTorch's samples, in tests/exactness/test_beliefs.py.
KEEP_ROWS = {
    "activations", "convolution", "differences", "einsum", "embeddings", "gathering", "histograms", "indexing",
    "interpolation", "joining", "losses", "masking", "matmul", "normalisation", "padding", "pointwise", "pooling",
    "reductions", "sorting",
}  # fmt: skip

BROADCAST = ("activations", "losses", "masking", "pointwise")  # of those, where inputs of several sizes may meet


def lay(operators: Operators, node: Node, values: tuple[Any, ...], dense: Set[str]) -> Result:
    """The results with strides, which were in the traced run what is said of them here.

    `dense` are the names of tensors that are known to have no gaps, whatever their strides.
    """
    values = tuple(Sizes(each, each.dtype, each.strides) if isinstance(each, Sizes) else each for each in values)
    if (found := by_rule(operators, node, values) or by_iterator(operators, node, values, dense)) is not None:
        return found
    kernel = by_kernel(operators, node, values)
    rows = both(*(eq(*each) for value in values if isinstance(value, Sizes) for each in strides_and_rows(value)))
    if evaluate(rows, operators.hints, concrete_rules) is not True:
        return kernel or as_traced(operators, node, values)
    fresh = tuple(in_rows(value) if isinstance(value, Sizes) else value for value in values)
    found = by_rule(operators, node, fresh) or by_kernel(operators, node, fresh)
    exact = kernel if kernel and kernel.assumed is True and longest(kernel) <= MOST_TO_READ else None
    if found is None:
        return exact or as_traced(operators, node, values)
    if exact is None:
        return replace(found, assumed=both(rows, found.assumed))
    outputs = tuple(choice(rows, yes, no) for yes, no in zip(found.values, exact.values, strict=True))
    one_layout = all(map(same_strides, found.values, exact.values))
    return Result(outputs, empty_too=found.empty_too and one_layout)


def same_strides(one: Any, other: Any) -> bool:
    return isinstance(one, Sizes) and isinstance(other, Sizes) and one.strides == other.strides


def by_rule(operators: Operators, node: Node, values: tuple[Any, ...]) -> Result | None:
    """By the size rule, if it says the strides or is one of those that keep rows."""
    result = operators.by_rule(node, values)
    if result is None:
        return None
    rule = shape_rules.find(node.op)
    keeps = rule is not None and rule.__module__.rpartition(".")[2] in KEEP_ROWS
    tensors = [value for value in values if isinstance(value, Sizes)]
    if keeps and all(map(is_row_major, tensors)):
        exact = in_rows_if_empty(node, values) or (rule is not None and not rule.__module__.endswith(BROADCAST))
        result = replace(result, values=tuple(map(rows_where_unknown, result.values)), empty_too=exact)
    return operators.settled(result) if lies_as_traced(operators, node, result) else None


def by_iterator(operators: Operators, node: Node, values: tuple[Any, ...], dense: Set[str]) -> Result | None:
    """By the order in which PyTorch loops over the elements, where the operands are alike."""
    if not iterates(node):
        return None
    operands = [value for value in values if isinstance(value, Sizes)]
    if len({(tuple(each), each.strides) for each in operands}) != 1:
        return None
    x, number = operands[0], beside_number(node, values)
    # Where a loop made it, sorting dimensions again changes no stride but those of sizes 1, which matrices have tidy.
    known = not dense.isdisjoint(node.inputs) and (len(x) <= MOST_DIMENSIONS or not number)
    strides = x.strides if known else iterated(x, number)
    result = operators.by_rule(node, values)
    if strides is None or result is None:
        return None
    outputs = tuple(Sizes(value, value.dtype, strides) for value in result.values)
    laid = replace(result, values=outputs, empty_too=not number)
    return laid if lies_as_traced(operators, node, laid) else None


def rows_where_unknown(value: Any) -> Any:
    return in_rows(value) if isinstance(value, Sizes) and value.strides is None else value


def in_rows(value: Sizes) -> Sizes:
    return Sizes(value, value.dtype, row_major(value))


def strides_and_rows(value: Sizes) -> Iterator[tuple[Any, Any]]:
    return zip(value.strides or (), row_major(value), strict=False)


def by_kernel(operators: Operators, node: Node, values: tuple[Any, ...]) -> Result | None:
    """By PyTorch's meta kernel, run on terms for sizes and strides."""
    ranks = tuple(len(meta.shape) for meta in operators.traced(node))
    try:
        outcome = explore(node, values, operators.metas, ranks, operators.decide, operators.hints, lays_out=True)
    except Stuck:
        return None
    numbers = iter(outcome.sizes)
    outputs = tuple(take(operators, name, kind, numbers) for name, kind in zip(node.names, node.kinds, strict=True))
    # Where the kernel raises, the operator's own rule has said what it requires; the strides are not known there.
    result = Result(outputs, (), both(outcome.required, outcome.assumed), empty_too=False)
    return operators.settled(result) if lies_as_traced(operators, node, result) else None


def take(operators: Operators, name: str, kind: str, numbers: Iterator[tuple[Any, ...]]) -> Any:
    if kind == "tensor":
        return halved(next(numbers), operators.metas[name])
    if kind == "list":
        return pieces([halved(next(numbers), item) for item in operators.items(name)])
    return None


def halved(numbers: tuple[Any, ...], meta: TensorMeta) -> Sizes:
    rank = len(meta.shape)
    return Sizes(numbers[:rank], meta.dtype, numbers[rank:])


def as_traced(operators: Operators, node: Node, values: tuple[Any, ...]) -> Result:
    """The strides of the traced run, right where all that decides them is what it was."""
    assumed = both(*(eq(number, evaluate(number, operators.hints, concrete_rules)) for number in numbers_in(values)))
    outputs: list[Any] = []
    for name, kind in zip(node.names, node.kinds, strict=True):
        if kind == "list":
            outputs.append(pieces([as_it_was(meta) for meta in operators.items(name)]))
        else:
            outputs.append(as_it_was(operators.metas[name]) if kind == "tensor" else None)
    return Result(tuple(outputs), (), assumed)


def as_it_was(meta: TensorMeta) -> Sizes:
    return Sizes(meta.shape, meta.dtype, meta.stride)


def numbers_in(values: Any) -> Iterator[Any]:
    """The symbolic numbers among the inputs, strides included."""
    for value in values:
        if isinstance(value, Sizes):
            yield from numbers_in((*value, *(value.strides or ())))
        elif isinstance(value, Int):
            yield value


def lies_as_traced(operators: Operators, node: Node, result: Result) -> bool:
    """Whether all tensors have strides, and those of the traced run at its inputs."""
    for name, value in zip(node.names, result.values, strict=True):
        laid = (
            [(value.at(i), meta) for i, meta in enumerate(operators.items(name))] if isinstance(value, Pieces) else []
        )
        if isinstance(value, Sizes):
            laid = [(value, operators.metas[name])]
        for each, meta in laid:
            strides = each.strides if isinstance(each, Sizes) else None
            if strides is None or meta.stride is None or not operators.all_equal(strides, tuple(meta.stride)):
                return False
    return True


def longest(result: Result) -> int:
    """The length of the longest stride."""
    laid = [value for value in result.values if isinstance(value, Sizes)]
    return max((size(stride) for value in laid for stride in value.strides or ()), default=0)


def choice(condition: BoolLike, yes: Any, no: Any) -> Any:
    """`yes` where the condition holds, else `no`, stride by stride."""
    if isinstance(yes, Pieces):
        return Pieces(yes.count, lambda i: choice(condition, yes.at(i), no.at(i)))
    if not isinstance(yes, Sizes):
        return yes
    return Sizes(yes, yes.dtype, [ite(condition, *each) for each in zip(yes.strides or (), no.strides, strict=True)])
