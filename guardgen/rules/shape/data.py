"""Operators that read numbers from data: what they require of sizes. The number itself is None, for not known."""

from __future__ import annotations

from typing import Any

from guardgen.rules.shape.broadcast import broadcast
from guardgen.rules.shape.context import Sizes, require, shape_rule
from guardgen.terms import BoolLike, both, eq, product


@shape_rule("aten.allclose.default")
def allclose(x: Sizes, other: Sizes, *_: Any, **__: Any) -> None:
    broadcast(x, other)


@shape_rule("aten.equal.default")
def equal(x: Sizes, other: Sizes) -> None:
    """Tensors of other sizes are not equal; nothing is required."""


@shape_rule("aten.is_nonzero.default", "aten.item.default", "aten._local_scalar_dense.default")
def item(x: Sizes) -> None:
    one_element(x)


def one_element(x: Sizes) -> None:
    require(eq(product(x), 1), "a tensor of one element")


@shape_rule("aten.is_same_size.default")
def is_same_size(x: Sizes, other: Sizes) -> BoolLike:
    return len(x) == len(other) and both(*map(eq, x, other))
