"""What is known: solved equalities, bounds of linear forms, disequalities, and conditions known to hold.

`Facts` rewrites terms by what it knows, decides conditions, and learns new ones. The laws: an equality is solved for one
atom and substituted (union-find where both sides are symbols); intervals of linear forms add up; a value that is not its
least one is at least the next; `x % 64 == r` decides `x % 32`; of a disjunction whose other parts are false, the last
one holds.
"""

from __future__ import annotations

from typing import Any

from guardgen.rules.terms import term_rules
from guardgen.terms.bools import both, compare, either, ge, ite, negate
from guardgen.terms.ints import (
    Atom,
    Bool,
    BoolLike,
    Bounds,
    Float,
    Int,
    IntLike,
    Term,
    atom_bounds,
    bounds,
    gcd_of,
    pairs_of,
    poly,
    product,
    scaled,
    split_constant,
)

MOST_PARTS = 8  # of a disjunction that is decided by cases


class Contradiction(Exception):
    """A condition that cannot hold beside what is known."""


class Facts:
    """Conditions that hold together; `learn` raises `Contradiction` where they cannot."""

    def __init__(self) -> None:
        self.equal: dict[Atom, IntLike] = {}
        self.limits: dict[IntLike, Bounds] = {}
        self.unequal: dict[Int, None] = {}
        self.true: dict[Bool, None] = {}
        self.rewritten: dict[Any, Any] = {}

    def copy(self) -> Facts:
        other = Facts()
        other.equal, other.limits = dict(self.equal), dict(self.limits)
        other.unequal, other.true = dict(self.unequal), dict(self.true)
        return other

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
            return total
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
        if atom.op in ("int_min", "int_max"):
            low, high = self.range(inner[0] - inner[1])
            if (low is not None and low >= 0) or (high is not None and high <= 0):
                first_is_larger = low is not None and low >= 0
                return inner[int(first_is_larger == (atom.op == "int_min"))]
        result: IntLike = term_rules[atom.op](*inner)
        if isinstance(result, Int):
            again = result.args[0][0][0] if len(result.args) == 1 and len(result.args[0][0]) == 1 else None
            if again is not None and result.args[0][1] == 1:
                return self.equal.get(again, self._known_modulo(again) if again.op == "int_mod" else result)
        return result

    def _known_modulo(self, atom: Atom) -> IntLike:
        for other, value in self.equal.items():
            if other.op == "int_mod" and other.args[0] == atom.args[0] and isinstance(value, int):
                if isinstance(atom.args[1], int) and isinstance(other.args[1], int) and atom.args[1] > 0:
                    if other.args[1] % atom.args[1] == 0:
                        return value % atom.args[1]
        return Int((((atom,), 1),))

    def _rewrite_bool(self, value: Bool) -> BoolLike:
        if value in self.true:
            return True
        if value.op in ("eq", "ne", "ge"):
            return compare(value.op, self.rewrite(value.args[0]))
        if value.op in ("and", "or"):
            return (both if value.op == "and" else either)(*map(self.rewrite, value.args))
        if negate(value) in self.true:
            return False
        if value.op == "not":
            return negate(self.rewrite(value.args[0]))
        return term_rules[value.op](*map(self.rewrite, value.args)) if value.op in term_rules else value

    # -- bounds

    def atom_range(self, atom: Atom) -> Bounds:
        return meet(atom_bounds(atom, self.atom_range), self.limits.get(Int((((atom,), 1),)), (None, None)))

    def range(self, value: IntLike, depth: int = 1) -> Bounds:
        """The least and greatest value that `value` can have, None where unknown."""
        if not isinstance(value, Int):
            return value, value
        linear, constant = split_constant(value)
        form, factor = primitive(linear)
        result = scaled(meet(bounds(form, self.atom_range), self.limits.get(form, (None, None))), factor)
        if depth and len(pairs_of(linear)) > 1:
            for known, limit in self.limits.items():
                if isinstance(known, Int) and shares_monomial(known, linear):
                    for sign in (1, -1):
                        rest = self.range(linear - sign * known, depth - 1)
                        result = meet(result, plus(rest, scaled(limit, sign)))
        return plus(result, (constant, constant))

    # -- deciding

    def decide(self, condition: BoolLike, cases: bool = True) -> bool | None:
        """Whether `condition` follows (True), cannot hold (False), or neither is known (None)."""
        value = self.rewrite(condition)
        if isinstance(value, bool):
            return value
        if value.op in ("eq", "ne", "ge"):
            return self._decide_comparison(value)
        if value.op in ("and", "or"):
            parts = [self.decide(part, cases) for part in value.args]
            decisive = value.op == "or"
            if decisive in parts:
                return decisive
            if all(part is not None for part in parts):
                return not decisive
            return self._decide_by_cases(value) if cases and len(value.args) <= MOST_PARTS else None
        return None

    def _decide_comparison(self, value: Bool) -> bool | None:
        low, high = self.range(value.args[0])
        if value.op == "ge":
            return True if low is not None and low >= 0 else False if high is not None and high < 0 else None
        if (low is not None and low > 0) or (high is not None and high < 0) or value.args[0] in self.unequal:
            return value.op == "ne"
        return value.op == "eq" if low == 0 == high else None

    def _decide_by_cases(self, value: Bool) -> bool | None:
        """A disjunction follows where its negation is a contradiction; likewise a conjunction cannot hold."""
        trial = self.copy()
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
        if value.op == "and":
            for part in value.args:
                self.learn(part, cases)
        elif value.op == "ge":
            self._learn_bound(value.args[0])
        elif value.op == "ne":
            self._learn_unequal(value.args[0])
        elif value.op == "eq":
            self._learn_equal(value.args[0])
        else:
            self.true[value] = None
        self.rewritten.clear()
        self._propagate()
        return True

    def _learn_bound(self, value: Int) -> None:
        linear, constant = split_constant(value)
        form, factor = primitive(linear)
        limit: Bounds = (-(constant // factor), None) if factor > 0 else (None, constant // -factor)
        limit = meet(self.range(form), limit)
        self._set_limits(form, limit)

    def _set_limits(self, form: IntLike, limit: Bounds) -> None:
        low, high = limit
        while low is not None and isinstance(form, Int) and _canonical(form - low) in self.unequal:
            low += 1
        while high is not None and isinstance(form, Int) and _canonical(form - high) in self.unequal:
            high -= 1
        if low is not None and high is not None and low > high:
            raise Contradiction(f"{form} between {low} and {high}")
        self.limits[form] = (low, high)
        if low is not None and low == high and isinstance(form, Int):
            self._learn_equal(form - low)  # type: ignore[arg-type]

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
            return
        atom, rest = solved
        low, high = self.atom_range(atom)
        self.equal = {each: substitute(old, atom, rest) for each, old in self.equal.items()}
        self.equal[atom] = rest
        self.rewritten.clear()
        old_limits, old_unequal, old_true = self.limits, self.unequal, self.true
        self.limits, self.unequal, self.true = {}, {}, {}
        for limit_of, (least, most) in old_limits.items():
            self._relearn(None if least is None else ge(limit_of, least))
            self._relearn(None if most is None else ge(most, limit_of))
        for each in old_unequal:
            self._relearn(compare("ne", each))
        for known in old_true:
            self._relearn(known)
        if isinstance(rest, Int):
            self._relearn(None if low is None else ge(rest, low))
            self._relearn(None if high is None or high >= 2**62 else ge(high, rest))
        elif (low is not None and rest < low) or (high is not None and rest > high):
            raise Contradiction(f"{atom} equal to {rest}")

    def _relearn(self, condition: BoolLike | None) -> None:
        if condition is not None and condition is not True:
            self.learn(condition, cases=False)

    def _propagate(self) -> None:
        """A known disjunction with one part left is that part."""
        for known in [value for value in self.true if value.op == "or"]:
            if known not in self.true:
                continue
            open_parts = [part for part in known.args if self.decide(part, cases=False) is not False]
            if not open_parts:
                raise Contradiction(str(known))
            if len(open_parts) == 1:
                del self.true[known]
                self.rewritten.clear()
                self.learn(open_parts[0])


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


def _canonical(value: IntLike) -> IntLike:
    return -value if isinstance(value, Int) and value.args[0][1] < 0 else value


def shares_monomial(left: Int, right: IntLike) -> bool:
    mine = {monomial for monomial, _ in left.args if monomial}
    return any(monomial in mine for monomial, _ in pairs_of(right))


def atoms_within(value: Any) -> Any:
    """Every atom in a term, at any depth."""
    if isinstance(value, Int):
        for monomial, _ in value.args:
            for each in monomial:
                yield each
                yield from atoms_within(each)
    elif isinstance(value, Term):
        for arg in value.args:
            yield from atoms_within(arg)


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


def substitute(value: IntLike, atom: Atom, by: IntLike) -> IntLike:
    """`value` with `atom` replaced, at any depth."""
    if not isinstance(value, Int):
        return value
    facts = Facts()
    facts.equal[atom] = by
    return facts.rewrite(value)  # type: ignore[no-any-return]
