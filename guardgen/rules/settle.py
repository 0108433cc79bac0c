"""Piecewise sizes that have grown too long to read: from there on, the piece that the traced run took.

A size of a size of a size (a loop that halves, a chain of broadcasts) doubles at every step, as each piece is spelled
out again. Beyond a length that nobody reads, the decisions are assumed to be those of the traced run; each one that
is, is a condition, so that a guard stays right, and refuses where a decision falls otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from guardgen.rules.concrete import concrete_rules
from guardgen.rules.terms import term_rules
from guardgen.terms import BoolLike, IntLike, Symbol, both, either, ge, negate, product
from guardgen.terms.bools import compare
from guardgen.terms.evaluate import evaluate
from guardgen.terms.ints import Bool, Int, Term, size

MOST_TO_READ = 150  # of one size
SETTLED = ("int_floordiv", "int_mod", "int_abs")  # beside min, max and piecewise sizes


class Settler:
    """Rewrites sizes by what is known, and where that does not do, by the decisions of the traced run, whose inputs are
    `hints`; `assumed` are these decisions."""

    def __init__(self, hints: Mapping[Symbol, Any], rewrite: Callable[[IntLike], IntLike]) -> None:
        self.hints, self.rewrite = hints, rewrite
        self.assumed: BoolLike = True

    def sizes(self, values: tuple[IntLike, ...]) -> tuple[IntLike, ...]:
        """The sizes, those that are too long settled."""
        return tuple(self.shorter(value) if size(value) > MOST_TO_READ else value for value in values)

    def shorter(self, value: IntLike) -> IntLike:
        value = self.rewrite(value)
        return self.polynomial(value) if size(value) > MOST_TO_READ else value

    def polynomial(self, value: IntLike) -> IntLike:
        if not isinstance(value, Int):
            return value
        total: IntLike = 0
        for monomial, k in value.args:
            total = total + product([self.atom(each) for each in monomial]) * k
        return total

    def atom(self, value: Any) -> IntLike:
        if value.op == "int_ite":
            return self.polynomial(value.args[1] if self.assume(self.condition(value.args[0])) else value.args[2])
        if value.op in ("int_min", "int_max"):
            left, right = map(self.polynomial, value.args)
            smaller, larger = (left, right) if self.assume(ge(right, left)) else (right, left)
            return smaller if value.op == "int_min" else larger
        if value.op in SETTLED:
            return term_rules[value.op](*map(self.polynomial, value.args))  # type: ignore[no-any-return]
        return Int((((value,), 1),))

    def condition(self, value: BoolLike) -> BoolLike:
        if not isinstance(value, Bool):
            return value
        if value.op in ("eq", "ne", "ge"):
            return compare(value.op, self.polynomial(value.args[0]))
        if value.op in ("and", "or"):
            return (both if value.op == "and" else either)(*map(self.condition, value.args))
        return value

    def assume(self, condition: BoolLike) -> bool:
        """What the condition was in the traced run, which is assumed."""
        held = bool(evaluate(condition, self.hints, concrete_rules)) if isinstance(condition, Term) else condition
        self.assumed = both(self.assumed, condition if held else negate(condition))
        return held
