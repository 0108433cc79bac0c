"""Linear forms and intervals: what the facts are made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from guardgen.terms.ints import Atom, Bounds, Int, IntLike, Term, gcd_of, pairs_of, poly


def meet(left: Bounds, right: Bounds) -> Bounds:
    """The intersection of two intervals."""
    lows = [low for low in (left[0], right[0]) if low is not None]
    highs = [high for high in (left[1], right[1]) if high is not None]
    return (max(lows) if lows else None, min(highs) if highs else None)


def plus(left: Bounds, right: Bounds) -> Bounds:
    """The sum of two intervals."""
    low = None if left[0] is None or right[0] is None else left[0] + right[0]
    return low, None if left[1] is None or right[1] is None else left[1] + right[1]


def primitive(linear: IntLike) -> tuple[IntLike, int]:
    """The form with coefficients without a common divisor, the first one positive, and the factor taken out."""
    if not isinstance(linear, Int):
        return linear, 1
    factor = gcd_of(linear) * (1 if linear.args[0][1] > 0 else -1)
    return poly({monomial: k // factor for monomial, k in linear.args}), factor


def canonical(value: IntLike) -> IntLike:
    return -value if isinstance(value, Int) and value.args[0][1] < 0 else value


def shares_monomial(left: Int, right: IntLike) -> bool:
    mine = {monomial for monomial, _ in left.args if monomial}
    return any(monomial in mine for monomial, _ in pairs_of(right))


def atoms_within(value: Any) -> Iterator[Atom]:
    """Every atom in a term, at any depth."""
    if isinstance(value, Int):
        for monomial, _ in value.args:
            for each in monomial:
                yield each
                yield from atoms_within(each)
    elif isinstance(value, Term):
        for arg in value.args:
            yield from atoms_within(arg)


def multiple_of(value: IntLike, term: IntLike) -> int:
    """How often `term` is in `value`, by the first of its monomials; 0 where that is no whole number."""
    if not isinstance(value, Int) or not isinstance(term, Int):
        return 0
    monomial, k = term.args[0]
    have = dict(value.args).get(monomial, 0)
    return have // k if have % k == 0 else 0


def solve(value: Int) -> tuple[Atom, IntLike] | None:
    """`value == 0` as `atom == rest`, for the atom that reads best eliminated; None where there is none.

    Whatever is no symbol goes first, then the symbol that comes last among the arguments.
    """
    candidates = [(monomial[0], k) for monomial, k in value.args if len(monomial) == 1 and k in (1, -1)]
    for atom, k in sorted(candidates, key=lambda pair: pair[0].key, reverse=True):
        rest = poly({monomial: j for monomial, j in value.args if monomial != (atom,)})
        if atom not in set(atoms_within(rest)):
            return atom, -rest if k == 1 else rest
    return None
