"""What is learned: conditions are decided from what is known, and each new one adds to it.

The laws: equal symbols become one (union-find, as substitution); bounds of linear forms add up; a value that is not its
least one is at least the next; bounds that meet are an equality; a quotient and a remainder make the dividend; of a
disjunction whose other parts are false, the last one holds; what is computed has a divisor that is not 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from guardgen.solve.defined import DIVISIONS, defined
from guardgen.solve.known import MOST_SUMS, Known
from guardgen.solve.linear import atoms_within, canonical, meet, primitive, solve
from guardgen.terms.bools import compare, ge, ne, negate, partial
from guardgen.terms.ints import (
    Atom,
    Bool,
    BoolLike,
    Bounds,
    Int,
    IntLike,
    Term,
    floordiv,
    mod,
    only_atom,
    poly,
    positive,
    size,
    split_constant,
)

MOST_TRIALS = 24  # what is decided by cases before one answers that it is not known
MOST_TO_READ = 60  # how large a condition may be that is decided by cases


class Contradiction(Exception):
    """A condition that cannot hold beside what is known."""


class Facts(Known):
    """Conditions that hold together; `learn` raises `Contradiction` where they cannot.

    `implied` are the equalities that follow from conditions none of which says them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.implied: dict[Bool, None] = {}
        self.trials = [MOST_TRIALS]  # left; shared with copies

    def renew(self) -> None:
        """Allow as many trials and sums as at the start."""
        self.trials[0], self.sums[0] = MOST_TRIALS, MOST_SUMS
        self.decided.clear()

    def trial(self) -> Facts | None:
        """A copy in which to learn what may not hold; None where there were enough of them."""
        self.trials[0] -= 1
        return self.copy() if self.trials[0] >= 0 else None

    def copy(self) -> Facts:
        other = Facts()
        other.equal, other.limits = dict(self.equal), dict(self.limits)
        other.unequal, other.true = dict(self.unequal), dict(self.true)
        other.trials, other.sums = self.trials, self.sums
        return other

    # -- deciding

    def decide(self, condition: BoolLike, cases: bool = True) -> bool | None:
        """Whether `condition` follows (True), cannot hold (False), or neither is known (None).

        It does not follow where it may divide by 0, as it then has no value.
        """
        if cases or isinstance(condition, bool):
            return self._decide_defined(condition, cases)
        if condition not in self.decided:
            self.decided[condition] = self._decide_defined(condition, cases)
        return self.decided[condition]

    def _decide_defined(self, condition: BoolLike, cases: bool) -> bool | None:
        decided = self._truth(condition, cases)
        if decided and not isinstance(condition, bool) and partial(condition):
            short = size(condition) <= MOST_TO_READ  # else where it has a value is longer still to tell
            return True if short and self._truth(defined(condition), cases=False) else None
        return decided

    def _truth(self, condition: BoolLike, cases: bool) -> bool | None:
        value: BoolLike = self.rewrite(condition)
        return value if isinstance(value, bool) else self._decide(value, cases)

    def _decide(self, value: Bool, cases: bool) -> bool | None:
        if value.op in ("eq", "ne", "ge"):
            return self._decide_comparison(value)
        if value.op in ("and", "or"):
            parts = [self._truth(part, cases=False) for part in value.args]
            decisive = value.op == "or"
            if decisive in parts:
                return decisive
            if all(part is not None for part in parts):
                return not decisive
            return self._decide_by_cases(value) if cases and size(value) <= MOST_TO_READ else None
        return None

    def _decide_comparison(self, value: Bool) -> bool | None:
        compared = value.args[0]
        low, high = self.range(compared)
        if value.op == "ge":
            if (low is not None and low >= 0) or self.adds_up(compared):
                return True
            return False if (high is not None and high < 0) or self.adds_up(-compared - 1) else None
        if (low is not None and low > 0) or (high is not None and high < 0) or compared in self.unequal:
            return value.op == "ne"
        if low == 0 == high:
            return value.op == "eq"
        if self.remainder_differs(compared):
            return value.op == "ne"
        return value.op == "ne" if self.adds_up(compared - 1) or self.adds_up(-compared - 1) else None

    def _decide_by_cases(self, value: Bool) -> bool | None:
        """A disjunction follows where its negation is a contradiction; likewise a conjunction cannot hold."""
        trial = self.trial()
        if trial is None:
            return None
        parts = value.args if value.op == "and" else [negate(part) for part in value.args]
        try:
            for part in parts:
                trial.learn(part, cases=False)
        except Contradiction:
            return value.op == "or"
        return None

    # -- learning

    def learn(self, condition: BoolLike, cases: bool = True) -> bool:
        """Add a condition; True if it was new, False if it followed. Raises `Contradiction`."""
        decided = self.decide(condition, cases)
        if decided is not None:
            if not decided:
                raise Contradiction(str(condition))
            return False
        value = self.rewrite(condition)
        for divisor in divisors(value):
            self._relearn(ne(divisor, 0))
        value = self.rewrite(value)
        if isinstance(value, bool):
            return self._learned(value)
        if value.op == "and":
            for part in value.args:
                self.learn(part, cases=False)
        elif value.op == "ge":
            self._learn_bound(value.args[0])
        elif value.op == "ne":
            self._learn_unequal(value.args[0])
        elif value.op == "eq":
            self._learn_equal(value.args[0])
        else:
            self.true[value] = None
        self.forget()
        self._propagate()
        return True

    def _learned(self, value: bool) -> bool:
        if not value:
            raise Contradiction("a divisor is 0")
        return True

    def _learn_factors(self, value: IntLike) -> None:
        """x * y that is not 0 has factors that are not."""
        if isinstance(value, Int) and len(value.args) == 1 and len(value.args[0][0]) > 1:
            for factor in value.args[0][0]:
                self._relearn(compare("ne", poly({(factor,): 1})))

    def _learn_bound(self, value: Int) -> None:
        linear, constant = split_constant(value)
        form, factor = primitive(linear)
        limit: Bounds = (-(constant // factor), None) if factor > 0 else (None, constant // -factor)
        limit = meet(self.range(form), limit)
        self._set_limits(form, limit)
        if constant < 0 < factor:
            self._learn_factors(form)

    def _set_limits(self, form: IntLike, limit: Bounds) -> None:
        low, high = self.congruent(form, limit)
        while low is not None and isinstance(form, Int) and canonical(form - low) in self.unequal:
            low += 1
        while high is not None and isinstance(form, Int) and canonical(form - high) in self.unequal:
            high -= 1
        if low is not None and low != high and self.adds_up(low - form):
            high = low
        if high is not None and low != high and self.adds_up(form - high):
            low = high
        if low is not None and high is not None and low > high:
            raise Contradiction(f"{form} between {low} and {high}")
        self.limits[form] = (low, high)
        self.ranges.clear()
        self.found = None
        self.decided.clear()
        if low is not None and low == high and isinstance(form, Int):
            self._imply(form - low)

    def _imply(self, value: IntLike) -> None:
        """An equality that follows from conditions which do not say it."""
        equal = self.rewrite(compare("eq", value))
        if equal is False:
            raise Contradiction(f"{value} equal to 0")
        if isinstance(equal, Bool) and equal.op == "eq":
            self.implied[equal] = None
            self._learn_equal(equal.args[0])

    def _learn_unequal(self, value: Int) -> None:
        self.unequal[value] = None
        form, _ = primitive(split_constant(value)[0])
        self._set_limits(form, self.range(form))

    def _learn_equal(self, value: Int) -> None:
        """Solve `value == 0` for one atom, and substitute it everywhere."""
        solved = solve(value)
        if solved is None:
            self.true[Bool("eq", (value,))] = None
            form, factor = primitive(split_constant(value)[0])
            constant = -split_constant(value)[1]
            if constant % factor == 0:
                self.limits[form] = (constant // factor, constant // factor)
                self.ranges.clear()
            if constant != 0:
                self._learn_factors(form)
            return
        atom, rest = solved
        low, high = self.atom_range(atom)
        self.equal = {each: substitute(old, atom, rest) for each, old in self.equal.items()}
        self.equal[atom] = rest
        self.forget()
        old_limits, old_unequal, old_true = self.limits, self.unequal, self.true
        self.limits = {each: limit for each, limit in old_limits.items() if self.rewrite(each) == each}
        self.ranges.clear()
        self.unequal = {each: None for each in old_unequal if self.rewrite(each) == each}
        self.true = {each: None for each in old_true if atom not in set(atoms_within(each))}
        self.forget()
        for limit_of, (least, most) in old_limits.items():
            if limit_of not in self.limits:
                self._relearn(None if least is None else ge(limit_of, least))
                self._relearn(None if most is None else ge(most, limit_of))
        for each in old_unequal:
            if each not in self.unequal:
                self._relearn(compare("ne", each))
        for known in old_true:
            if known not in self.true:
                self._relearn(known)
        if isinstance(rest, Int):
            self._relearn(None if low is None else ge(rest, low))
            self._relearn(None if high is None or high >= 2**62 else ge(high, rest))
        elif (low is not None and rest < low) or (high is not None and rest > high):
            raise Contradiction(f"{atom} equal to {rest}")
        self._learn_parts(atom, rest)

    def _learn_parts(self, atom: Atom, rest: IntLike) -> None:
        """What the value of a quotient or a remainder says of the dividend."""
        if atom.op not in ("int_floordiv", "int_mod") or not positive(atom.args[1]):
            return
        inside, divisor = atom.args
        if atom.op == "int_floordiv":
            quotient: IntLike | None = rest
            remainder = self._value(mod(inside, divisor))
            self._relearn(ge(inside, quotient * divisor))
            self._relearn(ge(quotient * divisor + (divisor - 1), inside))
        else:
            quotient, remainder = self._value(floordiv(inside, divisor)), rest
            if isinstance(rest, int):
                self._learn_remainder(inside, divisor, rest)
        if quotient is not None and isinstance(remainder, int):
            self._imply(quotient * divisor + remainder - inside)

    def _learn_remainder(self, inside: IntLike, divisor: int, remainder: int) -> None:
        """Bounds are rounded to it; p % k and p // k % m make p % (k * m)."""
        if split_constant(inside)[1] == 0:
            self._set_limits(inside, self.range(inside))
        for value, modulus, rest in list(self.remainders()):
            quotient = only_atom(value)
            if quotient is None or quotient.op != "int_floordiv" or not positive(quotient.args[1]):
                continue
            dividend, k = quotient.args
            last = self._value(mod(dividend, k))
            if isinstance(last, int) and (value == inside or dividend == inside):
                self._imply(mod(dividend, k * modulus) - (last + k * rest))

    def _value(self, value: IntLike) -> IntLike | None:
        """What an atom is known to be equal to."""
        found = only_atom(value)
        return value if isinstance(value, int) else self.equal.get(found) if found is not None else None

    def _relearn(self, condition: BoolLike | None) -> None:
        if condition is not None and condition is not True:
            self.learn(condition, cases=False)

    def _at_once(self, part: BoolLike) -> bool | None:
        """Whether a part of a disjunction holds, as far as that is seen without adding up."""
        value = self.rewrite(part)
        if isinstance(value, bool) or value.op not in ("eq", "ne", "ge"):
            return value if isinstance(value, bool) else None
        low, high = self.interval(value.args[0])
        if value.op == "ge":
            return False if high is not None and high < 0 else None
        if value.op == "eq":
            apart = (low is not None and low > 0) or (high is not None and high < 0) or value.args[0] in self.unequal
            return False if apart else None
        return False if low == 0 == high else None

    def _propagate(self) -> None:
        """A known disjunction with one part left is that part."""
        for known in [value for value in self.true if value.op == "or"]:
            if known not in self.true:
                continue
            open_parts = [part for part in known.args if self._at_once(part) is not False]
            if not open_parts:
                raise Contradiction(str(known))
            if len(open_parts) == 1:
                del self.true[known]
                self.forget()
                self.learn(open_parts[0], cases=False)


def substitute(value: IntLike, atom: Atom, by: IntLike) -> IntLike:
    """`value` with `atom` replaced, at any depth."""
    if not isinstance(value, Int):
        return value
    facts = Facts()
    facts.equal[atom] = by
    return facts.rewrite(value)  # type: ignore[no-any-return]


def divisors(value: Any) -> Iterator[IntLike]:
    """What a condition divides by wherever it is computed, which is therefore not 0."""
    if isinstance(value, Int):
        for monomial, _ in value.args:
            for each in monomial:
                yield from divisors(each)
    elif isinstance(value, Term) and value.op not in ("symbol", "and", "or", "int_ite"):
        if value.op in DIVISIONS and isinstance(value.args[1], Int):
            yield value.args[1]
        for arg in value.args:
            yield from divisors(arg)
