"""What is known, as it is read: terms are rewritten by it, and values have bounds.

The laws: an equality was solved for one atom, which is substituted; `x % 64 == r` decides `x % 32`, and makes
`64 * (x // 64)` the difference `x - r`; a factor that is not 0 divides both sides of a comparison.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from guardgen.rules.terms import term_rules
from guardgen.solve.combine import HUGE, Combination, common_factors
from guardgen.solve.linear import meet, multiple_of, plus, primitive, shares_monomial
from guardgen.terms.bools import both, compare, either, ite, negate
from guardgen.terms.ints import (
    Atom,
    Bool,
    BoolLike,
    Bounds,
    Float,
    Int,
    IntLike,
    Monomial,
    Term,
    atom_bounds,
    bounds,
    divide,
    mod,
    only_atom,
    pairs_of,
    poly,
    positive,
    product,
    scaled,
    split_constant,
)

MOST_SUMS = 3000  # of known bounds that are tried before one answers that it is not known


class Known:
    """Solved equalities, bounds of forms, disequalities, and conditions known to hold."""

    def __init__(self) -> None:
        self.equal: dict[Atom, IntLike] = {}
        self.limits: dict[IntLike, Bounds] = {}
        self.unequal: dict[Int, None] = {}
        self.true: dict[Bool, None] = {}
        self.rewritten: dict[Any, Any] = {}
        self.decided: dict[Bool, bool | None] = {}  # without cases
        self.ranges: dict[Atom, Bounds] = {}  # by the limits
        self.found: list[Int] | None = None
        self.sums = [MOST_SUMS]  # left; shared with copies

    def forget(self) -> None:
        """Drop what was computed from the facts, since these have changed."""
        self.rewritten.clear()
        self.decided.clear()
        self.ranges.clear()
        self.found = None

    def decide(self, condition: BoolLike, cases: bool = True) -> bool | None:
        raise NotImplementedError

    # -- rewriting

    def rewrite(self, value: Any) -> Any:
        """`value` by what is known: equal terms become one term, known conditions constants."""
        if not isinstance(value, Term):
            return value
        if value not in self.rewritten:
            self.rewritten[value] = self._rewrite(value)
        return self.rewritten[value]

    def _rewrite(self, value: Any) -> Any:
        if isinstance(value, Int):
            total: Any = 0
            for monomial, k in value.args:
                total = total + k * product(map(self._rewrite_atom, monomial))
            return self._whole_quotients(total)
        if isinstance(value, Bool):
            return self._rewrite_bool(value)
        if isinstance(value, Float) and value.op != "symbol":
            return term_rules[value.op](*map(self.rewrite, value.args))
        return value

    def _rewrite_atom(self, atom: Atom) -> IntLike:
        if atom in self.equal:
            return self.equal[atom]
        if atom.op == "symbol":
            return Int((((atom,), 1),))
        if atom.op == "int_ite":
            condition = self.decide(atom.args[0])
            if condition is not None:
                return self.rewrite(atom.args[1 if condition else 2])  # type: ignore[no-any-return]
            return ite(self.rewrite(atom.args[0]), *map(self.rewrite, atom.args[1:]))
        inner = [self.rewrite(arg) for arg in atom.args]
        larger = self._order(inner[0] - inner[1]) if atom.op in ("int_min", "int_max") else None
        if larger is not None:
            chosen: IntLike = inner[int(larger == (atom.op == "int_min"))]
            return chosen
        result: IntLike = term_rules[atom.op](*inner)
        if isinstance(result, Int):
            again = result.args[0][0][0] if len(result.args) == 1 and len(result.args[0][0]) == 1 else None
            if again is not None and result.args[0][1] == 1:
                return self.equal.get(again, self._known_modulo(again) if again.op == "int_mod" else result)
        return result

    def _order(self, difference: IntLike) -> bool | None:
        """Whether a difference is known to be at least 0, or at most; None where neither is."""
        low, high = self.range(difference)
        if (low is not None and low >= 0) or self.adds_up(difference):
            return True
        return False if (high is not None and high <= 0) or self.adds_up(-difference) else None

    def adds_up(self, value: IntLike) -> bool:
        """Whether `value >= 0` is a sum of known bounds."""
        return Combination(self).holds(value)

    def _whole_quotients(self, value: IntLike) -> IntLike:
        """`k * (p // k)` where `p % k` is known."""
        for monomial, k in pairs_of(value):
            for each in monomial:
                if each.op == "int_floordiv" and (by := self._whole_quotient(each, monomial, k)) is not None:
                    return self._whole_quotients(value - poly({monomial: k}) + by)
        return value

    def _whole_quotient(self, quotient: Atom, monomial: Monomial, k: int) -> IntLike | None:
        inside, divisor = quotient.args
        others = list(monomial)
        others.remove(quotient)
        rest = poly({tuple(others): k})
        factor = divide(rest, divisor) if isinstance(rest, Int) else None
        if isinstance(divisor, int) and divisor > 0 and k % divisor == 0:
            factor = poly({tuple(others): k // divisor})
        if factor is None:
            return None
        remainder = only_atom(mod(inside, divisor))
        known = self.equal.get(remainder) if remainder is not None else None
        if known is None and remainder is not None and isinstance(divisor, int):
            known = self._known_modulo(remainder)
        return factor * (inside - known) if isinstance(known, int) else None

    def _without_factors(self, value: BoolLike) -> BoolLike:
        """x * q == 0 where x is not 0."""
        while isinstance(value, Bool) and value.op in ("eq", "ne", "ge") and len(value.args[0].args) > 1:
            known = [each for each in common_factors(value.args[0]) if (self.atom_range(each)[0] or 0) > 0]
            if not known:
                break
            smaller = divide(value.args[0], poly({tuple(known[:1]): 1}))
            assert smaller is not None
            value = compare(value.op, smaller)
        return value

    def _known_modulo(self, atom: Atom) -> IntLike:
        """What a remainder is known to be: (k * p + c) % d from p % (d * m), and p // k % m from p % (k * m)."""
        inside, divisor = atom.args
        for value, modulus, rest in self.remainders() if positive(divisor) else ():
            if modulus % divisor == 0 and (k := multiple_of(inside, value)):
                difference = inside - value * k
                if isinstance(difference, int):
                    return (rest * k + difference) % int(divisor)
        quotient = only_atom(inside) if positive(divisor) else None
        if quotient is not None and quotient.op == "int_floordiv" and positive(quotient.args[1]):
            dividend, k = quotient.args
            whole = only_atom(mod(dividend, k * divisor))
            if whole is not None and isinstance(known := self.equal.get(whole), int):
                return known // int(k)
        return Int((((atom,), 1),))

    def remainders(self) -> Iterator[tuple[IntLike, int, int]]:
        """What is known of remainders by constants: a term, the divisor, and its remainder."""
        for atom, value in self.equal.items():
            if isinstance(value, int) and atom.op == "int_mod" and isinstance(atom.args[1], int) and atom.args[1]:
                yield atom.args[0], atom.args[1], value

    def remainder_differs(self, value: Int) -> bool:
        """Whether `value` cannot be 0, since a remainder of it is known that is not."""
        for inside, divisor, _ in self.remainders():
            if isinstance(inside, Int) and shares_monomial(inside, value):
                remainder = self.rewrite(mod(value, divisor))
                if isinstance(remainder, int) and remainder != 0:
                    return True
        return False

    def congruent(self, form: IntLike, limit: Bounds) -> Bounds:
        """The bounds of a form, rounded to numbers that have the remainder which is known of it."""
        low, high = limit
        for inside, divisor, remainder in self.remainders():
            if inside == form:
                low = None if low is None else low + (remainder - low) % divisor
                high = None if high is None else high - (high - remainder) % divisor
        return low, high

    def _rewrite_bool(self, value: Bool) -> BoolLike:
        if value in self.true:
            return True
        if value.op in ("eq", "ne", "ge"):
            return self._without_factors(compare(value.op, self.rewrite(value.args[0])))
        if value.op in ("and", "or"):
            return (both if value.op == "and" else either)(*map(self.rewrite, value.args))
        if negate(value) in self.true:
            return False
        if value.op == "not":
            return negate(self.rewrite(value.args[0]))
        return term_rules[value.op](*map(self.rewrite, value.args)) if value.op in term_rules else value

    # -- bounds

    def atom_range(self, atom: Atom) -> Bounds:
        """Kept until a limit changes: a size that went through many layers asks for the same again and again."""
        if atom not in self.ranges:
            limit = self.limits.get(Int((((atom,), 1),)), (None, None))
            self.ranges[atom] = meet(atom_bounds(atom, self.atom_range), limit)
        return self.ranges[atom]

    def interval(self, value: IntLike) -> Bounds:
        """The bounds that follow from those of the atoms, and of the form itself."""
        if not isinstance(value, Int):
            return value, value
        linear, constant = split_constant(value)
        form, factor = primitive(linear)
        result = scaled(meet(bounds(form, self.atom_range), self.limits.get(form, (None, None))), factor)
        return plus(result, (constant, constant))

    def range(self, value: IntLike, depth: int = 1) -> Bounds:
        """The least and greatest value that `value` can have, None where unknown."""
        result = self.interval(value)
        linear, constant = split_constant(value)
        if depth and len(pairs_of(linear)) > 1:
            for known, limit in self.limits.items():
                if isinstance(known, Int) and shares_monomial(known, linear):
                    for sign in (1, -1):
                        rest = self.range(linear - sign * known, depth - 1)
                        result = meet(result, plus(plus(rest, scaled(limit, sign)), (constant, constant)))
        return result

    def relations(self) -> list[Int]:
        """The known bounds of what is more than one atom, each as a value that is not negative."""
        if self.found is None:
            self.found = []
            for form, (low, high) in self.limits.items():
                if only_atom(form) is None and isinstance(form, Int):
                    sums = (low is not None and form - low, high is not None and high - form)
                    self.found += [
                        each for each in sums if isinstance(each, Int) and abs(split_constant(each)[1]) < HUGE
                    ]
        return self.found
