"""What the guarded numbers have in common: a true value, the name of its node, and the tracer that records.

A guarded number computes by recording. It becomes a Python number only through an observation: the methods that Python
calls for one (`__bool__`, `__index__`, `__hash__`, `__str__`, ...) record a bailout first. Once its trace is over it is
its value, and records nothing.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from guardgen.symnode import SymNode, binary

COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
ARITHMETIC = ("add", "sub", "mul", "floordiv", "mod", "truediv")
BITWISE = ("and", "or", "xor", "lshift", "rshift")
PYTHON = {name: getattr(operator, f"__{name}__") for name in (*COMPARISONS, *ARITHMETIC, *BITWISE)}


class Guarded:
    """Mixed into torch's symbolic number classes, so that PyTorch's operators take guarded numbers as they are."""

    __slots__ = ()
    _tracer: Any
    _value: Any
    _name: str

    @property
    def node(self) -> SymNode:
        return SymNode(self, self._tracer)

    def __bool__(self) -> bool:
        return bool(self._tracer.decide(truth(self)))

    def __hash__(self) -> int:
        return hash(self._tracer.number(self))

    def __int__(self) -> int:
        return int(self._tracer.number(self))

    def __float__(self) -> float:
        return float(self._tracer.number(self))

    def __complex__(self) -> complex:
        return complex(self._tracer.number(self))

    def __repr__(self) -> str:
        return repr(self._tracer.number(self))

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(self._tracer.number(self), spec)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __reduce__(self) -> Any:
        return type(self._value), (self._tracer.number(self),)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(type(self._value), name):
            raise AttributeError(f"{type(self._value).__name__!r} object has no attribute {name!r}")
        return getattr(self._tracer.number(self), name)

    def __pos__(self) -> Any:
        return +integer(self) if isinstance(self._value, bool) else self

    def __neg__(self) -> Any:
        return unary(self, "neg")

    def __abs__(self) -> Any:
        return unary(self, "abs")

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __pow__(self, other: Any, modulus: Any = None) -> Any:
        if modulus is not None:
            return pow(plain(self), plain(other), plain(modulus))
        if is_number(other):
            return power(self, other)
        return plain(self) ** other if type(other) is complex else NotImplemented

    def __rpow__(self, other: Any, modulus: Any = None) -> Any:
        if is_number(other):
            return power(other, self)
        return other ** plain(self) if type(other) is complex else NotImplemented

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        import numpy as np

        return np.array(plain(self), dtype=dtype)

    def conjugate(self) -> Any:
        return self

    @property
    def real(self) -> Any:
        return self

    @property
    def imag(self) -> int:
        return 0


def is_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float))


def plain(value: Any) -> Any:
    """The Python number, observed where it was guarded."""
    return value._tracer.number(value) if isinstance(value, Guarded) else value


def integer(value: Any) -> Any:
    """A bool as the int that it is in arithmetic."""
    if isinstance(value, Guarded) and isinstance(value._value, bool):
        return value._tracer.apply("bool_to_int", value)
    return int(value) if isinstance(value, bool) and not isinstance(value, Guarded) else value


def truth(value: Guarded) -> Any:
    """Whether a guarded number is true, as a guarded bool."""
    if isinstance(value._value, bool):
        return value
    return binary(value._tracer, "ne", value, type(value._value)(0))


def unary(value: Guarded, name: str) -> Any:
    number = integer(value)
    kind = "float" if isinstance(number._value, float) else "int"
    return value._tracer.apply(f"{kind}_{name}", number)


def tracer_of(left: Any, right: Any) -> Any:
    """Who records an operation; a number that leaked from a finished trace is a constant beside one of another."""
    if not isinstance(left, Guarded) or (isinstance(right, Guarded) and not left._tracer.active):
        return right._tracer
    return left._tracer


def arithmetic(name: str, left: Any, right: Any) -> Any:
    """`left name right`; a divisor or a shift that Python would refuse is an observation."""
    tracer, left, right = tracer_of(left, right), integer(left), integer(right)
    if name in ("floordiv", "mod", "truediv"):
        tracer.decide(nonzero(tracer, right))
    if name in ("lshift", "rshift"):
        tracer.decide(binary(tracer, "ge", right, 0))
    return binary(tracer, name, left, right)


def nonzero(tracer: Any, value: Any) -> Any:
    return binary(tracer, "ne", value, 0)


def power(base: Any, exponent: Any) -> Any:
    """`base ** exponent`, which is an int, a float, a complex number or an error by the signs of both sides."""
    tracer, base, exponent = tracer_of(base, exponent), integer(base), integer(exponent)
    integers = not any(isinstance(value_of(x), float) for x in (base, exponent))
    if tracer.decide(binary(tracer, "ge", exponent, 0)):
        if integers:
            return binary(tracer, "pow", base, exponent)
    else:
        tracer.decide(nonzero(tracer, base))
        if integers:
            exponent = binary(tracer, "mul", exponent, 1.0)
    whole = not isinstance(exponent, Guarded) and float(exponent).is_integer()
    if not whole and not tracer.decide(binary(tracer, "ge", base, 0)):
        return plain(base) ** plain(exponent)
    return binary(tracer, "pow", base, exponent)


def value_of(value: Any) -> Any:
    return value._value if isinstance(value, Guarded) else value


def rounded(value: Guarded, how: str) -> Any:
    """A float to an int by `floor`, `ceil`, `trunc` or `round`; infinities and NaN raise, so finiteness is observed."""
    if not isinstance(value._value, float):
        return integer(value)
    tracer = value._tracer
    finite = tracer.apply("bool_and", binary(tracer, "lt", value, math.inf), binary(tracer, "gt", value, -math.inf))
    tracer.decide(finite)
    return tracer.apply(f"float_{how}", value)


def forward(name: str, operate: Callable[[str, Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        if is_number(other):
            return operate(name, self, other)
        return PYTHON[name](plain(self), other) if type(other) is complex else NotImplemented

    return method


def reflected(name: str, operate: Callable[[str, Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        if is_number(other):
            return operate(name, other, self)
        return PYTHON[name](other, plain(self)) if type(other) is complex else NotImplemented

    return method


def compare(name: str, left: Any, right: Any) -> Any:
    return binary(tracer_of(left, right), name, left, right)


def install(cls: type, comparisons: tuple[str, ...], operators: tuple[str, ...]) -> None:
    """Give `cls` the dunder methods of those names, and the reflected ones of the operators."""
    for name in comparisons:
        setattr(cls, f"__{name}__", forward(name, compare))
    for name in operators:
        setattr(cls, f"__{name}__", forward(name, arithmetic))
        setattr(cls, f"__r{name}__", reflected(name, arithmetic))
