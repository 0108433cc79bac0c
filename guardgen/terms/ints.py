"""Terms: ints, floats and bools over the inputs' sizes, in normal form, so that equal terms are mostly equal objects.

An `Int` is a polynomial over atoms: symbols (a size, an int argument), and what is no polynomial (`//`, `%`, `min`, a
piecewise size). Constants are Python's own numbers, so the functions here return `bool`, `int` or `float` where they
can. Arithmetic is on unbounded integers and follows Python: `//` and `%` floor.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

SIZE_LIMIT = 2**63 - 1  # PyTorch's sizes are int64


@dataclass(frozen=True)
class Symbol:
    """An unknown of the guards: `name` as the user would write it, `source` says how to read it from the arguments.

    `order` sorts symbols as the arguments are; `low` and `high` bound the value, None where nothing does.
    """

    name: str
    kind: str = "int"
    source: tuple[Any, ...] = ()
    order: int = 0
    low: int | None = None
    high: int | None = None

    @property
    def title(self) -> str:
        """The name, and where the size is where it has another one: `batch (x.shape[0])`."""
        how, where, *dims = (*self.source, "")[:3] if self.source else ("", "")
        place = f"{where}.shape[{dims[0]}]" if how == "size" else str(where) if how == "int" else self.name
        return self.name if self.name == place else f"{self.name} ({place})"


class Term:
    """An op applied to terms, numbers or symbols; compared by structure, with its hash and sort key kept."""

    __slots__ = ("_hash", "_key", "args", "op", "partial")

    def __init__(self, op: str, args: tuple[Any, ...]) -> None:
        self.op, self.args = op, args
        self._hash = hash((op, args))
        self._key: tuple[Any, ...] | None = None
        self.partial: bool | None = None  # whether computing it may divide by 0, once that was asked

    @property
    def key(self) -> tuple[Any, ...]:
        """What terms are sorted by: symbols as the arguments are, then by op and parts."""
        if self._key is None:
            self._key = self.sort_key()
        return self._key

    def sort_key(self) -> tuple[Any, ...]:
        if self.op == "symbol":
            return (0, self.args[0].order, self.args[0].name)
        return (1, self.op, *(arg.key if isinstance(arg, Term) else (2, repr(arg)) for arg in self.args))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Term) and self._hash == other._hash and self.op == other.op and self.args == other.args

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"{self.op}({', '.join(map(str, self.args))})"


class Atom(Term):
    """What a polynomial is made of: `symbol`, or an int op that is no polynomial."""

    __slots__ = ()


class Float(Term):
    """A float term; floats are IEEE doubles and are not simplified."""

    __slots__ = ()


class Bool(Term):
    """`eq`, `ne`, `ge`: a polynomial against 0. `and`, `or`: of several. Anything else is opaque, or `not` of that."""

    __slots__ = ()

    def __bool__(self) -> bool:
        raise TypeError(f"{self} is not decided; a size rule must be piecewise (ite) instead of branching on a size")


Monomial: TypeAlias = tuple[Atom, ...]


class Int(Term):
    """A polynomial that is no constant: `args` are (monomial, coefficient) pairs in order, the constant last."""

    __slots__ = ("_bounds",)
    args: tuple[tuple[Monomial, int], ...]

    def __init__(self, pairs: tuple[tuple[Monomial, int], ...]) -> None:
        super().__init__("poly", pairs)
        self._bounds: Bounds | None = None  # those that hold whatever is known, once asked

    def sort_key(self) -> tuple[Any, ...]:
        return (1, "poly", *((*(atom.key for atom in monomial), (3, k)) for monomial, k in self.args))

    def __add__(self, other: IntLike) -> IntLike:
        return add(self, other)

    __radd__ = __add__

    def __sub__(self, other: IntLike) -> IntLike:
        return add(self, mul(other, -1))

    def __rsub__(self, other: IntLike) -> IntLike:
        return add(other, mul(self, -1))

    def __mul__(self, other: IntLike) -> IntLike:
        return mul(self, other)

    __rmul__ = __mul__

    def __neg__(self) -> IntLike:
        return mul(self, -1)

    def __floordiv__(self, other: IntLike) -> IntLike:
        return floordiv(self, other)

    def __rfloordiv__(self, other: IntLike) -> IntLike:
        return floordiv(other, self)

    def __mod__(self, other: IntLike) -> IntLike:
        return mod(self, other)

    def __rmod__(self, other: IntLike) -> IntLike:
        return mod(other, self)

    def __bool__(self) -> bool:
        raise TypeError(f"{self} is not a number; a size rule must be piecewise (ite) instead of branching on a size")

    def __repr__(self) -> str:
        return " + ".join(
            "*".join([*([str(k)] if k != 1 or not monomial else []), *map(atom_text, monomial)])
            for monomial, k in self.args
        )


IntLike: TypeAlias = int | Int
BoolLike: TypeAlias = bool | Bool
FloatLike: TypeAlias = float | Float


def atom_text(atom: Atom) -> str:
    return atom.args[0].name if atom.op == "symbol" else repr(atom)


# -- polynomials


def pairs_of(value: IntLike) -> tuple[tuple[Monomial, int], ...]:
    if isinstance(value, Int):
        return value.args
    return (((), value),) if value else ()


def poly(coefficients: dict[Monomial, int]) -> IntLike:
    """The polynomial with those coefficients, in order: constant last, larger monomials first."""
    pairs = [(monomial, k) for monomial, k in coefficients.items() if k]
    if not pairs:
        return 0
    if len(pairs) == 1 and not pairs[0][0]:
        return pairs[0][1]
    pairs.sort(key=lambda pair: (not pair[0], [atom.key for atom in pair[0]]))
    return Int(tuple(pairs))


def atom(op: str, *args: Any) -> Int:
    return Int((((Atom(op, args),), 1),))


def symbol(unknown: Symbol) -> Any:
    """The term of a symbol: an `Int`, or an opaque `Float` or `Bool`."""
    if unknown.kind == "int":
        return atom("symbol", unknown)
    return (Float if unknown.kind == "float" else Bool)("symbol", (unknown,))


def add(left: IntLike, right: IntLike) -> IntLike:
    if not isinstance(left, Int) and not isinstance(right, Int):
        return left + right
    if left == 0:
        return right
    if right == 0:
        return left
    total = dict(pairs_of(left))
    for monomial, k in pairs_of(right):
        total[monomial] = total.get(monomial, 0) + k
    return poly(total)


def mul(left: IntLike, right: IntLike) -> IntLike:
    if not isinstance(left, Int) and not isinstance(right, Int):
        return left * right
    if left == 1:
        return right
    if right == 1:
        return left
    total: dict[Monomial, int] = {}
    for a, j in pairs_of(left):
        for b, k in pairs_of(right):
            monomial = tuple(sorted(a + b, key=lambda each: each.key)) if a and b else a + b
            total[monomial] = total.get(monomial, 0) + j * k
    return poly(total)


def product(values: Iterable[IntLike]) -> IntLike:
    total: IntLike = 1
    for value in values:
        total = mul(total, value)
    return total


def split_constant(value: IntLike) -> tuple[IntLike, int]:
    """The polynomial without its constant, and the constant."""
    if not isinstance(value, Int):
        return 0, value
    if value.args[-1][0]:
        return value, 0
    return poly(dict(value.args[:-1])), value.args[-1][1]


def floordiv(left: IntLike, right: IntLike) -> IntLike:
    """`left // right`, for `right` not 0. Whole multiples of the divisor are taken out: (6*a + 7)//3 = 2*a + 2.

    Of a negative number it is a ceiling: -a//4 = -((a + 3)//4). Common factors cancel: (2*a + 1)//4 = a//2.
    """
    if right == 1:
        return left
    if isinstance(right, int):
        if isinstance(left, int):
            return left // right if right else atom("int_floordiv", left, right)
        if right > 0:
            return floordiv_constant(left, right)
        if right:
            return floordiv(-left, -right)
    elif (whole_or_none := divide(left, right)) is not None:
        return whole_or_none
    return atom("int_floordiv", left, right)


def floordiv_constant(left: Int, right: int) -> IntLike:
    """`left // right`, for `right` > 1."""
    if left.args[0][1] < 0:
        return mul(floordiv(right - 1 - left, right), -1)
    rest = remainders(left, right)
    whole = poly({monomial: (k - rest.get(monomial, 0)) // right for monomial, k in left.args})
    if whole != 0:
        return add(whole, floordiv(poly(rest), right))
    common = math.gcd(right, gcd_of(left))
    if common > 1:
        return floordiv(poly({monomial: k // common for monomial, k in left.args}), right // common)
    inner = only_atom(left)
    if inner is not None and inner.op == "int_floordiv" and positive(inner.args[1]):
        return floordiv(inner.args[0], inner.args[1] * right)  # (a // b) // c = a // (b * c)
    return 0 if within(left, right) else atom("int_floordiv", left, right)


def remainders(value: Int, modulus: int) -> dict[Monomial, int]:
    """The coefficients without multiples of the modulus; a negative one stays negative, the constant does not."""
    return {
        monomial: k % modulus if k > 0 or not monomial else -(-k % modulus) for monomial, k in value.args if k % modulus
    }


def positive(value: Any) -> bool:
    return isinstance(value, int) and value > 0


def within(value: IntLike, modulus: int) -> bool:
    """Whether `value` is known to be in range(modulus)."""
    low, high = bounds(value)
    return low is not None and high is not None and low >= 0 and high < modulus


def divide(left: IntLike, right: IntLike) -> IntLike | None:
    """The exact quotient of polynomials where the divisor is one monomial that divides every one of `left`."""
    divisor = pairs_of(right)
    if len(divisor) != 1:
        return 1 if left == right else None
    monomial, k = divisor[0]
    quotient: dict[Monomial, int] = {}
    for have, j in pairs_of(left):
        rest = list(have)
        for each in monomial:
            if each not in rest:
                return None
            rest.remove(each)
        if j % k:
            return None
        quotient[tuple(rest)] = j // k
    return poly(quotient)


def mod(left: IntLike, right: IntLike) -> IntLike:
    """`left % right`, for `right` not 0. Multiples of the divisor vanish, common factors come out: (6*a + 7) % 3 = 1,
    (2*a + 5) % 4 = 2*(a % 2) + 1."""
    if isinstance(right, int) and right:
        if isinstance(left, int):
            return left % right
        if right == 1:
            return 0
        return mod_constant(left, right) if right > 0 else mul(mod(-left, -right), -1)
    if not isinstance(right, int) and divide(left, right) is not None:
        return 0
    return atom("int_mod", left, right)


def mod_constant(left: Int, right: int) -> IntLike:
    """`left % right`, for `right` > 1."""
    rest = poly(remainders(left, right))
    if isinstance(rest, int):
        return rest
    common = math.gcd(right, gcd_of(rest))
    if common > 1:
        constant = split_constant(rest)[1]
        inside = poly({monomial: k // common for monomial, k in rest.args})
        return mul(mod(inside, right // common), common) + constant % common
    inner = only_atom(rest)
    if inner is not None and inner.op == "int_mod" and positive(inner.args[1]) and inner.args[1] % right == 0:
        return mod(inner.args[0], right)  # (a % (k * c)) % c = a % c
    return rest if within(rest, right) else atom("int_mod", rest, right)


def only_atom(value: IntLike) -> Atom | None:
    """The atom that the polynomial is, or None."""
    if isinstance(value, Int) and len(value.args) == 1 and value.args[0][1] == 1 and len(value.args[0][0]) == 1:
        return value.args[0][0][0]
    return None


def minimum(left: IntLike, right: IntLike) -> IntLike:
    return _extreme("int_min", left, right)


def maximum(left: IntLike, right: IntLike) -> IntLike:
    return _extreme("int_max", left, right)


def _extreme(op: str, left: IntLike, right: IntLike) -> IntLike:
    low, high = bounds(left - right)
    if low is not None and low >= 0:
        return right if op == "int_min" else left
    if high is not None and high <= 0:
        return left if op == "int_min" else right
    first, second = sorted((left, right), key=int_key)
    return atom(op, first, second)


def int_key(value: IntLike) -> tuple[Any, ...]:
    return value.key if isinstance(value, Int) else (9, value)


def power(base: IntLike, exponent: IntLike) -> IntLike:
    """`base ** exponent` for an exponent that is not negative."""
    if isinstance(exponent, int) and 0 <= exponent <= 8:
        return product([base] * exponent)
    if isinstance(base, int) and isinstance(exponent, int):
        return int(base**exponent)
    return atom("int_pow", base, exponent)


def opaque_int(op: str, *args: Any) -> Int:
    return atom(op, *args)


# -- bounds without any facts: what a symbol's kind and an op's law say

Bounds: TypeAlias = tuple[int | None, int | None]


def bounds(value: IntLike, known: Any = None) -> Bounds:
    """The least and the greatest value, None where unbounded; `known(atom)` narrows an atom's."""
    if not isinstance(value, Int):
        return value, value
    if known is not None:
        return bounds_of(value, known)
    if value._bounds is None:
        value._bounds = bounds_of(value, None)
    return value._bounds


def bounds_of(value: Int, known: Any) -> Bounds:
    low: int | None = 0
    high: int | None = 0
    for monomial, k in value.args:
        below, above = scaled(monomial_bounds(monomial, known), k)
        low = None if low is None or below is None else low + below
        high = None if high is None or above is None else high + above
    if low is None or low < 0:
        low = tighter(max, low, bounds_by_dividend(value, -1, known)[0])
    if high is None or high > 0:
        high = tighter(min, high, bounds_by_dividend(value, 1, known)[1])
    return low, high


def bounds_by_dividend(value: Int, sign: int, known: Any) -> Bounds:
    """The bounds with a quotient, of a coefficient of that sign, replaced by what is at least as much: a quotient of
    the same dividend by less, if there is one, else the dividend itself."""
    for monomial, k in value.args:
        if k * sign <= 0 or len(value.args) == 1 or len(monomial) != 1 or monomial[0].op != "int_floordiv":
            continue
        dividend, divisor = monomial[0].args
        if positive(divisor) and not_negative(dividend, known):
            return bounds(value + mul(more_than(monomial[0], value), k) - poly({monomial: k}), known)
    return None, None


def more_than(quotient: Atom, value: Int) -> IntLike:
    """A quotient in `value` of the same dividend by less, or the dividend."""
    for monomial, _ in value.args:
        each = monomial[0] if len(monomial) == 1 else quotient
        if each.op == "int_floordiv" and each.args[0] == quotient.args[0] and positive(quotient.args[1] - each.args[1]):
            return poly({monomial: 1})
    return quotient.args[0]  # type: ignore[no-any-return]  # as of every quotient


def tighter(choose: Any, first: int | None, second: int | None) -> int | None:
    return first if second is None else second if first is None else int(choose(first, second))


def scaled(limits: Bounds, k: int) -> Bounds:
    low, high = (None if limit is None else limit * k for limit in limits)
    return (low, high) if k > 0 else (high, low)


def monomial_bounds(monomial: Monomial, known: Any) -> Bounds:
    low: int | None = 1
    high: int | None = 1
    for each in monomial:
        below, above = known(each) if known else atom_bounds(each, None)
        if low is None or below is None or low < 0 or below < 0:
            if len(monomial) == 1:
                return below, above
            return (0, None) if len(monomial) == 2 and monomial[0] == monomial[1] else (None, None)
        low = low * below
        high = None if high is None or above is None else high * above
    return low, high


def atom_bounds(each: Atom, known: Any) -> Bounds:
    """What the law of the atom's op says of its value."""
    if each.op == "symbol":
        return each.args[0].low, each.args[0].high
    if each.op == "int_mod" and positive(each.args[1]):
        return 0, each.args[1] - 1
    if each.op == "int_floordiv" and positive(each.args[1]):
        low, high = bounds(each.args[0], known)
        return (None if low is None else low // each.args[1], None if high is None else high // each.args[1])
    if each.op == "int_mod":
        low, high = bounds(each.args[1], known)
        return (0 if low is not None and low >= 0 else None, None if high is None or high <= 0 else high - 1)
    if each.op == "int_floordiv":
        return (0, None) if all(not_negative(arg, known) for arg in each.args) else (None, None)
    if each.op in ("int_min", "int_max", "int_ite"):
        return joined(each, known)
    if each.op == "int_abs" or (each.op == "int_pow" and not_negative(each.args[0], known)):
        return 0, None
    return (0, 1) if each.op == "bool_to_int" else (None, None)


def not_negative(value: IntLike, known: Any) -> bool:
    low = bounds(value, known)[0]
    return low is not None and low >= 0


def joined(each: Atom, known: Any) -> Bounds:
    (a, b), (c, d) = (bounds(arg, known) for arg in each.args[-2:])
    lows, highs = [x for x in (a, c) if x is not None], [x for x in (b, d) if x is not None]
    if each.op == "int_min":
        return (min(lows) if len(lows) == 2 else None, min(highs) if highs else None)
    if each.op == "int_max":
        return (max(lows) if lows else None, max(highs) if len(highs) == 2 else None)
    return (min(lows) if len(lows) == 2 else None, max(highs) if len(highs) == 2 else None)


def symbols(value: Any) -> Iterator[Symbol]:
    """Every symbol in a term, with repetition."""
    if isinstance(value, Symbol):
        yield value
    elif isinstance(value, Int):
        for monomial, _ in value.args:
            for each in monomial:
                yield from symbols(each)
    elif isinstance(value, Term):
        for arg in value.args:
            yield from symbols(arg)


def gcd_of(value: Int) -> int:
    """The greatest common divisor of the coefficients, without the constant."""
    return math.gcd(*(k for monomial, k in value.args if monomial))


PIECEWISE = ("int_min", "int_max", "int_ite")


def size(value: Any) -> int:
    """How much there is to read; piecewise sizes count double."""
    if not isinstance(value, Term):
        return 1
    if isinstance(value, Int):
        return sum(size(each) for monomial, _ in value.args for each in monomial)
    return (2 if value.op in PIECEWISE else 1) + sum(map(size, value.args))
