"""Bounds as sums of known bounds: a > b and b > 5 say a > 6. A search for the sum, of a few steps at most.

Each step adds a multiple of one known bound so that a monomial cancels, first one that has no useful bound of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd
from typing import TYPE_CHECKING

from guardgen.terms.ints import (
    Atom,
    Int,
    IntLike,
    Monomial,
    divide,
    monomial_bounds,
    not_negative,
    poly,
    positive,
    scaled,
)

if TYPE_CHECKING:
    from guardgen.solve.known import Known

MOST_DEPTH = 4  # known bounds in one sum
MOST_STEPS = 40  # sums that are tried
LAWFUL = ("int_floordiv", "int_mod", "int_min", "int_max")
HUGE = 2**40  # a bound beyond this only says that sizes are finite


class Combination:
    """One search among what is `known`."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self.left = MOST_STEPS

    def holds(self, value: IntLike, depth: int = MOST_DEPTH) -> bool:
        """Whether `value >= 0` follows; False where that was not found."""
        if not isinstance(value, Int):
            return value >= 0
        bounds = [*self.known.relations(), *laws(value)]
        factors = common_factors(value) if depth else []
        if depth == MOST_DEPTH and not bounds and not factors:
            return False  # the intervals have been looked at
        low = self.known.interval(value)[0]
        if low is not None and low >= 0:
            return True
        if depth == 0:
            return False
        if (smaller := self.without_factor(value, factors)) is not None and self.holds(smaller, depth - 1):
            return True
        return any(self.step(value, k, pivot, bound, depth) for pivot, k in self.pivots(value) for bound in bounds)

    def step(self, value: Int, k: int, pivot: Monomial, bound: Int, depth: int) -> bool:
        """`value` less a multiple of `bound`, such that the pivot cancels."""
        other = dict(bound.args).get(pivot, 0)
        if other * k <= 0 or self.left <= 0 or self.known.sums[0] <= 0:
            return False
        self.left -= 1
        self.known.sums[0] -= 1
        common = gcd(k, other)
        return self.holds(value * (abs(other) // common) - bound * (abs(k) // common), depth - 1)

    def pivots(self, value: Int) -> list[tuple[Monomial, int]]:
        """The monomials worth cancelling: one without a lower bound must go, and else any may."""
        pairs = [(monomial, k) for monomial, k in value.args if monomial]
        for monomial, k in pairs:
            low = scaled(monomial_bounds(monomial, self.known.atom_range), k)[0]
            if low is None or low < -HUGE:
                return [(monomial, k)]
        return pairs

    def without_factor(self, value: Int, factors: list[Atom]) -> IntLike | None:
        """x * q >= 0 where x >= 0 and q >= 0."""
        for factor in factors:
            low = self.known.atom_range(factor)[0]
            if low is not None and low >= 0:
                return divide(value, poly({(factor,): 1}))
        return None


def common_factors(value: Int) -> list[Atom]:
    """The atoms by which every one of several monomials can be divided."""
    if len(value.args) == 1 or not value.args[-1][0]:
        return []
    first, *rest = [monomial for monomial, _ in value.args]
    return [each for each in dict.fromkeys(first) if all(each in monomial for monomial in rest)]


def laws(value: Int) -> Iterator[Int]:
    """Bounds that hold of the atoms themselves: k * (p // k) <= p < k * (p // k) + k, p % k <= p,
    min(x, y) <= x <= max(x, y)."""
    for each in dict.fromkeys(each for monomial, _ in value.args for each in monomial if each.op in LAWFUL):
        itself = poly({(each,): 1})
        found: list[IntLike] = []
        if each.op == "int_floordiv" and positive(each.args[1]):
            inside, divisor = each.args
            found = [inside - itself * divisor, itself * divisor + (divisor - 1) - inside]
        elif each.op in ("int_min", "int_max"):
            sign = 1 if each.op == "int_min" else -1
            found = [(arg - itself) * sign for arg in each.args]
        elif each.op == "int_mod" and positive(each.args[1]) and not_negative(each.args[0], None):
            found = [each.args[0] - itself]
        yield from (bound for bound in found if isinstance(bound, Int))
