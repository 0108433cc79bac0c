"""Rules that hold in some cases only: operators often return early on empty inputs, before they check them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from guardgen.rules.shape.context import applying, require
from guardgen.terms import BoolLike, IntLike, either, eq, ite


@contextmanager
def unless(condition: BoolLike) -> Iterator[None]:
    """What is required in this context is required only where `condition` does not hold."""
    with applying(()) as inner:
        yield
    for requirement, why in inner.requirements:
        require(either(condition, requirement), why)


def empty(sizes: Sequence[IntLike]) -> BoolLike:
    """Whether a tensor of those sizes has no elements."""
    return either(*(eq(size, 0) for size in sizes))


def choose(condition: BoolLike, then: Sequence[IntLike], otherwise: Sequence[IntLike]) -> tuple[IntLike, ...]:
    """`then` where `condition` holds, else `otherwise`, which has as many dimensions."""
    return tuple(ite(condition, left, right) for left, right in zip(then, otherwise, strict=True))
