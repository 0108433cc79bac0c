"""Bool terms: comparisons as a polynomial against 0, conjunctions and disjunctions of them, and their negations."""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd
from typing import Any

from guardgen.terms.ints import (
    PIECEWISE,
    Atom,
    Bool,
    BoolLike,
    Float,
    Int,
    IntLike,
    Term,
    atom,
    bounds,
    divide,
    gcd_of,
    int_key,
    mod,
    only_atom,
    pairs_of,
    poly,
    positive,
    split_constant,
)

DIVISIONS = ("int_floordiv", "int_mod")
MOST_PIECES = 2  # in one comparison, for it to be taken apart: each doubles the work


def compare(op: str, value: IntLike) -> BoolLike:
    """`value op 0` in normal form, for `op` one of `eq`, `ne`, `ge`: coefficients without a common divisor, and for
    `eq` and `ne` the first one positive."""
    low, high = bounds(value)
    if op == "ge":
        if low is not None and low >= 0:
            return True
        if high is not None and high < 0:
            return False
    elif (low is not None and low > 0) or (high is not None and high < 0):
        return op == "ne"
    elif low == 0 == high:
        return op == "eq"
    assert isinstance(value, Int)
    if (simpler := apart(op, value)) is not None:
        return simpler
    if any(each.op in DIVISIONS for monomial, _ in value.args for each in monomial):
        if (shorter := with_remainder(value)) is not None:
            return compare(op, shorter)
        simpler = quotient_apart(op, value) if op == "ge" else remainder_apart(op, value)
        if simpler is not None:
            return simpler
    common = gcd_of(value)
    linear, constant = split_constant(value)
    if common > 1:
        if op != "ge" and constant % common:
            return op == "ne"
        linear = poly({monomial: k // common for monomial, k in pairs_of(linear)})
    if op != "ge" and pairs_of(linear)[0][1] < 0:
        return Bool(op, (-linear - constant // common,))
    return Bool(op, (linear + constant // common,))


def apart(op: str, value: Int) -> BoolLike | None:
    """`value op 0` taken apart where that gives simpler comparisons, None where it does not.

    x * y == 0 where a factor is 0, x * y >= 1 of what is not negative where none is. min(x, y) >= c where both are. Any
    other piecewise value is compared piece by piece where one of the pieces is decided.
    """
    if len(value.args) == 1 and op != "ge" and len(value.args[0][0]) > 1:
        factors = [compare(op, poly({(factor,): 1})) for factor in dict.fromkeys(value.args[0][0])]
        return either(*factors) if op == "eq" else both(*factors)
    if op == "ge" and len(value.args[0][0]) > 1 and value.args[1:] == (((), -1),) and bounds(value)[0] == -1:
        return compare("ne", value + 1)
    pieces = [(monomial[0], k) for monomial, k in value.args if len(monomial) == 1 and monomial[0].op in PIECEWISE]
    if not 1 <= len(pieces) <= MOST_PIECES:
        return None
    piece, k = pieces[0]
    rest = value - poly({(piece,): k})
    return (by_pieces if piece.op == "int_ite" else by_extremes)(op, piece, k, rest)


def with_remainder(value: Int) -> IntLike | None:
    """x * (p - q * (p // q)) as x * (p % q), None where there is none."""
    for monomial, k in value.args:
        for each in monomial:
            if each.op != "int_floordiv":
                continue
            inside, divisor = each.args
            others = list(monomial)
            others.remove(each)
            factor = divide(poly({tuple(others): k}), divisor)  # how often q * (p // q) is in the value
            if factor is None or (isinstance(divisor, int) and divisor <= 0):
                continue
            rest: IntLike = value - poly({monomial: k}) + inside * factor
            if len(pairs_of(rest)) <= len(value.args) - 1 - len(pairs_of(split_constant(inside)[0])):
                remainder: IntLike = mod(inside, divisor)
                return rest - remainder * factor
    return None


def quotient_apart(op: str, value: Int) -> BoolLike | None:
    """A bound of a quotient as one of products: p // k >= q is p >= k * q, p // k <= q is p < k * q + k."""
    found = [(monomial[0], k) for monomial, k in value.args if len(monomial) == 1 and is_quotient(monomial[0])]
    if len(found) != 1:
        return None
    (quotient, k), (inside, divisor) = found[0], found[0][0].args
    rest = value - poly({(quotient,): k})
    if k not in (1, -1):
        if not isinstance(rest, int):
            return None
        rest, k = (rest // abs(k)), (1 if k > 0 else -1)
    if any(map(is_quotient, atoms_of(rest))):
        return None
    if k > 0:
        return compare("ge", inside + rest * divisor)
    return compare("ge", rest * divisor + (divisor - 1) - inside)


def remainder_apart(op: str, value: Int) -> BoolLike | None:
    """`p % k` against a constant, with the constant of p on the other side and a coefficient that is 1.

    A quotient that is not negative is 0 where the dividend is less than the divisor.
    """
    linear, constant = split_constant(value)
    found = only_atom(linear)
    if found is None or not isinstance(linear, Int) or not positive(found.args[-1]):
        return None
    if found.op == "int_floordiv" and constant == 0 and bounds(linear)[0] == 0:
        small = compare("ge", found.args[1] - 1 - found.args[0])
        return small if op == "eq" else negate(small)
    if found.op != "int_mod":
        return None
    inside, modulus = found.args
    inner, shift = split_constant(inside)
    if not isinstance(inner, Int):
        return None
    factor, sign = inner.args[0][1], 1
    if factor < 0:
        sign = -1
    elif len(inner.args) == 1 and factor != 1 and gcd(factor, modulus) == 1:
        sign = pow(factor, -1, modulus)
    if sign == 1 and shift == 0:
        return None
    return compare(op, mod(inner * sign, modulus) - (-constant - shift) * sign % modulus)


def is_quotient(value: Atom) -> bool:
    """Whether it is something divided by a positive constant."""
    return value.op == "int_floordiv" and positive(value.args[1])


def atoms_of(value: IntLike) -> list[Atom]:
    return [each for monomial, _ in pairs_of(value) for each in monomial]


def by_pieces(op: str, piece: Atom, k: int, rest: IntLike) -> BoolLike | None:
    """`k * (c ? x : y) + rest op 0`. What divides stays behind its condition."""
    condition, then, otherwise = piece.args
    if partial(then) or partial(otherwise):
        return None
    first, second = compare(op, rest + then * k), compare(op, rest + otherwise * k)
    if isinstance(first, bool):
        return either(condition, second) if first else both(negate(condition), second)
    if isinstance(second, bool):
        return either(negate(condition), first) if second else both(condition, first)
    return first if first == second else None


def by_extremes(op: str, piece: Atom, k: int, rest: IntLike) -> BoolLike | None:
    """`k * min(x, y) + rest op 0`, and the same of max."""
    least = (piece.op == "int_min") == (k > 0)  # the smaller of the two sums is meant
    sums = [rest + each * k for each in piece.args]
    if op == "ge":
        parts = [compare("ge", each) for each in sums]
        return both(*parts) if least else either(*parts)
    for one, other in (sums, sums[::-1]):
        known = compare("eq", one)
        if known is True:  # the other must not be beyond it
            result = compare("ge", other if least else -other)
        elif known is False:  # it is the other, and this one is not beyond it
            result = both(compare("eq", other), compare("ge", one if least else -one))
        else:
            continue
        return result if op == "eq" else negate(result)
    return None


def partial(value: Any) -> bool:
    """Whether computing the term may divide by 0, or take a root of a negative number."""
    if not isinstance(value, Term) or value.op == "symbol":
        return False
    if value.partial is None:
        value.partial = _partial(value)
    return value.partial


def _partial(value: Term) -> bool:
    if isinstance(value, Int):
        return any(partial(each) for monomial, _ in value.args for each in monomial)
    divides = value.op in ("int_floordiv", "int_mod", "int_truediv", "float_truediv", "float_floordiv", "float_mod")
    constant = isinstance(value.args[-1], (int, float)) and value.args[-1] != 0
    return (divides and not constant) or value.op == "float_pow" or any(map(partial, value.args))


def eq(left: IntLike, right: IntLike) -> BoolLike:
    return compare("eq", left - right)


def ne(left: IntLike, right: IntLike) -> BoolLike:
    return compare("ne", left - right)


def ge(left: IntLike, right: IntLike) -> BoolLike:
    return compare("ge", left - right)


def gt(left: IntLike, right: IntLike) -> BoolLike:
    return compare("ge", left - right - 1)


def le(left: IntLike, right: IntLike) -> BoolLike:
    return ge(right, left)


def lt(left: IntLike, right: IntLike) -> BoolLike:
    return gt(right, left)


def negate(value: BoolLike) -> BoolLike:
    """The negation, pushed down to the comparisons: over the integers, not p >= 0 is -p - 1 >= 0."""
    if isinstance(value, bool):
        return not value
    if value.op == "eq":
        return Bool("ne", value.args)
    if value.op == "ne":
        return Bool("eq", value.args)
    if value.op == "ge":
        return compare("ge", -value.args[0] - 1)
    if value.op == "and":
        return either(*map(negate, value.args))
    if value.op == "or":
        return both(*map(negate, value.args))
    if value.op == "not":
        return value.args[0]  # type: ignore[no-any-return]
    return Bool("not", (value,))


def both(*values: BoolLike) -> BoolLike:
    """The conjunction."""
    return _join("and", values)


def either(*values: BoolLike) -> BoolLike:
    """The disjunction."""
    return _join("or", values)


def all_of(values: Iterable[BoolLike]) -> BoolLike:
    return both(*values)


def _join(op: str, values: Iterable[BoolLike]) -> BoolLike:
    neutral = op == "and"
    parts: dict[Bool, None] = {}
    for value in values:
        if isinstance(value, bool):
            if value is not neutral:
                return value
        elif value.op == op:
            parts.update(dict.fromkeys(value.args))
        else:
            parts[value] = None
    if any(negate(part) in parts for part in parts if part.op not in ("and", "or")):
        return not neutral
    if join_bounds(op, parts):
        return not neutral
    if not parts:
        return neutral
    if len(parts) == 1:
        return next(iter(parts))
    return Bool(op, tuple(sorted(parts, key=lambda part: (partial(part), part.key))))  # what may raise comes last


def join_bounds(op: str, parts: dict[Bool, None]) -> bool:
    """p >= 0 and p != 0 is p > 0; p > 0 or p == 0 is p >= 0. Whether that decides the whole."""
    for part in [part for part in parts if part.op == ("ne" if op == "and" else "eq")]:
        for value in (part.args[0], -part.args[0]):
            bound = compare("ge", value if op == "and" else value - 1)
            if isinstance(bound, bool) or bound not in parts or part not in parts:
                continue
            joined = compare("ge", value - 1 if op == "and" else value)
            if isinstance(joined, bool):
                return True
            del parts[bound], parts[part]
            parts[joined] = None
    return False


def ite(condition: BoolLike, then: IntLike, otherwise: IntLike) -> IntLike:
    """A piecewise int."""
    if isinstance(condition, bool):
        return then if condition else otherwise
    if condition.op == "ne":
        return ite(negate(condition), otherwise, then)
    then, otherwise = taken(condition, True, then), taken(condition, False, otherwise)
    if then == otherwise:
        return then
    inner = only_atom(otherwise)
    if inner is not None and inner.op == "int_ite" and inner.args[1] == then and not partial(inner.args[0]):
        return ite(either(condition, inner.args[0]), then, inner.args[2])  # c ? x : d ? x : y
    if condition.op == "eq" and condition == eq(then, otherwise):  # x == c ? c : x
        return otherwise
    return atom("int_ite", condition, then, otherwise)


def taken(condition: Bool, outcome: bool, value: IntLike) -> IntLike:
    """A piece of a piecewise int, where the condition that leads to it, or its negation, need not be asked again."""
    while (inner := only_atom(value)) is not None and inner.op == "int_ite":
        if inner.args[0] == condition:
            value = inner.args[1 if outcome else 2]
        elif inner.args[0] == negate(condition):
            value = inner.args[2 if outcome else 1]
        else:
            break
    return value


def to_int(value: BoolLike) -> IntLike:
    return int(value) if isinstance(value, bool) else atom("bool_to_int", value)


def opaque(op: str, *args: Any) -> Bool:
    """A bool that nothing is known about but its parts: a comparison of floats, the layout of an input."""
    return Bool(op, args)


def float_term(op: str, *args: Any) -> Float:
    return Float(op, args)


def order(left: IntLike, right: IntLike) -> tuple[IntLike, IntLike]:
    first, second = sorted((left, right), key=int_key)
    return first, second
