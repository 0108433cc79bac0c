"""What declarations say of the symbols: ranges, equal sizes, and sizes that are multiples of one dimension."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from guardgen.declarations import Declared
from guardgen.terms import BoolLike, IntLike, both, eq, ge, mod

TermOf: TypeAlias = Callable[[Declared], IntLike]  # the size that is declared


def conditions(declarations: Iterable[Declared], term: TermOf) -> Iterator[tuple[BoolLike, str]]:
    """Each condition on the declared sizes, with the declaration that says it."""
    declared = list(declarations)
    anchors = anchors_of(declared)
    for each in declared:
        text = f"dynamic_shapes: {each.where} is {each.text}"
        size, anchor = term(each), anchors.get(each.name, each)
        if each.kind != "dim":
            yield within(size, each.low, each.high), text
        elif each is anchor:
            yield eq(mod(size - each.offset, each.factor), 0), text
            yield within(size, bound(each, each.low), bound(each, each.high)), text
        else:
            # size = factor * name + offset, and the anchor is its own factor * name + offset
            other = (term(anchor) - anchor.offset) * each.factor + each.offset * anchor.factor
            yield eq(size * anchor.factor, other), text


def anchors_of(declarations: Iterable[Declared]) -> dict[str, Declared]:
    """By the name of a dimension, the size that stands for it: of the least multiples of it the first."""
    found: dict[str, Declared] = {}
    for each in declarations:
        if each.kind == "dim" and (each.name not in found or each.factor < found[each.name].factor):
            found[each.name] = each
    return found


def bound(declared: Declared, root: int | None) -> int | None:
    """The bound of a size, from that of the dimension that it is a multiple of."""
    return None if root is None else root * declared.factor + declared.offset


def within(size: IntLike, low: int | None, high: int | None) -> BoolLike:
    parts = [True if low is None else ge(size, low), True if high is None else ge(high, size)]
    return both(*parts)
