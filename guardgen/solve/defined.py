"""Where a condition has a value: a division has none where the divisor is 0, and what is not computed needs none."""

from __future__ import annotations

from typing import Any

from guardgen.terms.bools import both, either, ne, negate, partial
from guardgen.terms.ints import BoolLike, Int, Term

DIVISIONS = ("int_floordiv", "int_mod", "int_truediv")


def defined(value: Any) -> BoolLike:
    """The condition that computing `value` does not divide an int by 0.

    It may divide itself, but only where that has been tested before: conjunctions and disjunctions are computed from
    the left, as far as they are not decided, and of a piecewise value only the piece that is chosen.
    """
    if not isinstance(value, Term) or not partial(value):
        return True
    if value.op in ("and", "or"):
        rest: BoolLike = True
        for part in reversed(value.args):
            rest = both(defined(part), either(part if value.op == "or" else negate(part), rest))
        return rest
    if value.op == "int_ite":
        condition, then, otherwise = value.args
        pieces = either(negate(condition), defined(then)), either(condition, defined(otherwise))
        return both(defined(condition), *pieces)
    if isinstance(value, Int):
        return both(*(defined(each) for monomial, _ in value.args for each in monomial))
    own = ne(value.args[1], 0) if value.op in DIVISIONS else True
    return both(*map(defined, value.args), own)
