"""The strides that PyTorch's loop over elements gives a matrix, where all operands are laid out alike.

The dimensions are sorted by stride, and the result is dense in that order. Strides of 0 compare with none, and equal
ones by size. Source: fast_set_up and reorder_dimensions in aten/src/ATen/TensorIterator.cpp.
"""

from __future__ import annotations

from typing import Any

from guardgen.ir import Node, Slot
from guardgen.rules.concrete import torch_op
from guardgen.rules.shape import Sizes, pointwise, shape_rules
from guardgen.rules.shape.context import row_major
from guardgen.rules.shape.strides import contiguous, is_row_major
from guardgen.terms import BoolLike, IntLike, both, either, eq, ge, gt, ite, negate

MOST_DIMENSIONS = 2  # three have six orders: conditions that nobody would read

# Pointwise, but not by one loop over what they are given; measured in tests/exactness/test_beliefs.py.
OTHERWISE = {
    "_conj_physical", "_prelu_kernel", "conj_physical", "deg2rad", "float_power", "hardtanh", "isfinite", "isinf",
    "isreal", "log_sigmoid_backward", "nan_to_num", "native_dropout_backward", "rad2deg", "relu6", "rrelu",
    "special_ndtr",
}  # fmt: skip

OPERANDS = ("self", "other", "n")  # parameters that make an operand of a number


def iterates(node: Node) -> bool:
    """Whether what an operator returns is made by one loop over the elements of all its operands."""
    made = set(node.kinds) == {"tensor"} and shape_rules.find(node.op) is pointwise.broadcasting
    return made and node.op.split(".")[1] not in OTHERWISE


def beside_number(node: Node, values: tuple[Any, ...]) -> bool:
    """Whether an operand is a number: PyTorch makes a tensor of it, with other sizes than the result's."""
    schema = torch_op(node.op)._schema
    given = {each.name: value for each, value in zip(schema.arguments, node.params["args"], strict=False)}
    given.update(node.params["kwargs"])
    operands = (given[name] for name in OPERANDS if name in given)
    return not all(isinstance(values[each.index] if isinstance(each, Slot) else each, Sizes) for each in operands)


def rows_if_empty(node: Node, values: tuple[Any, ...]) -> bool:
    """Whether a result is row-major where it has no elements: operands of one size then all count as contiguous."""
    sizes = {tuple(value) for value in values if isinstance(value, Sizes)}
    return iterates(node) and len(sizes) == 1 and not beside_number(node, values)


def in_rows_if_empty(node: Node, values: tuple[Any, ...]) -> bool:
    """Whether a result is row-major where it has no elements, as its operands are."""
    operands = (value for value in values if isinstance(value, Sizes))
    return rows_if_empty(node, values) and all(map(is_row_major, operands))


def odd_if_empty(node: Node, values: tuple[Any, ...]) -> bool:
    """Whether what a pointwise operator returns may be laid out otherwise than its operands where it has no elements.

    A loop that takes another way for operands of different sizes multiplies strides by sizes of 0.
    """
    rule = shape_rules.find(node.op)
    in_place = (pointwise.written, pointwise.like_first_in_place)
    if rule is None or rule.__module__ != pointwise.__name__ or rule in in_place:
        return False
    return not in_rows_if_empty(node, values)


def iterated(x: Sizes, number: bool) -> tuple[IntLike, ...] | None:
    """The strides of a result from operands that all have the sizes and strides of `x`; None for more dimensions.

    Beside a `number`, they may be others where there are no elements.
    """
    in_rows = contiguous(x)
    if in_rows is None or len(x) > MOST_DIMENSIONS:
        return None
    rows = row_major(x)
    if len(x) < MOST_DIMENSIONS:
        return rows
    turned = tuple(reversed(row_major(list(reversed(x)))))
    in_columns = column_first(x, *x.strides or ())
    if not number:
        in_columns = both(negate(in_rows), in_columns)
    return tuple(ite(in_columns, *each) for each in zip(turned, rows, strict=True))


def column_first(x: Sizes, row: IntLike, column: IntLike) -> BoolLike:
    """Whether a step to the next row is less far than one to the next column."""
    return both(ge(row, 1), ge(column, 1), either(gt(column, row), both(eq(column, row), gt(x[1], x[0]))))
