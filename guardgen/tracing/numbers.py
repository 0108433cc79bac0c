"""Guarded bool, int and float: Python citizens that PyTorch's operators take as symbolic numbers."""

from __future__ import annotations

from typing import Any

import torch

from guardgen.containers import Sizes
from guardgen.tracing.guarded import ARITHMETIC, BITWISE, COMPARISONS, Guarded, install, integer, plain, rounded


class GuardedInt(Guarded, torch.SymInt):
    """An int of the traced run, such as a size. `isinstance(n, int)` is True, as program code expects."""

    __class__ = property(lambda self: int)  # what isinstance asks

    def __init__(self, value: int, name: str, tracer: Any) -> None:
        self._value, self._name, self._tracer = value, name, tracer

    def __index__(self) -> int:
        return int(self._tracer.number(self))

    def __invert__(self) -> Any:
        return self._tracer.apply("int_invert", self)

    def __round__(self, digits: Any = None) -> Any:
        return self if digits is None else round(plain(self), digits)

    def __trunc__(self) -> Any:
        return self

    __floor__ = __ceil__ = __sym_int__ = __trunc__

    def __sym_float__(self) -> Any:
        return self._tracer.apply("int_to_float", self)

    def __sym_max__(self, other: Any) -> Any:
        return self._tracer.apply("int_max", self, other)

    def __sym_min__(self, other: Any) -> Any:
        return self._tracer.apply("int_min", self, other)

    @property
    def numerator(self) -> Any:
        return self

    @property
    def denominator(self) -> int:
        return 1

    def is_integer(self) -> bool:
        return True

    def as_integer_ratio(self) -> tuple[Any, int]:
        return self, 1


class GuardedFloat(Guarded, torch.SymFloat):
    """A float computed from guarded numbers, such as a scale factor; an IEEE double."""

    __class__ = property(lambda self: float)  # what isinstance asks

    def __init__(self, value: float, name: str, tracer: Any) -> None:
        self._value, self._name, self._tracer = value, name, tracer

    def __floor__(self) -> Any:
        return rounded(self, "floor")

    def __ceil__(self) -> Any:
        return rounded(self, "ceil")

    def __trunc__(self) -> Any:
        return rounded(self, "trunc")

    __sym_int__ = __trunc__

    def __round__(self, digits: Any = None) -> Any:
        return rounded(self, "round") if digits is None else self._tracer.apply("float_round_to", self, digits)

    def __int__(self) -> int:
        return int(plain(rounded(self, "trunc")))

    def __sym_float__(self) -> Any:
        return self

    def is_integer(self) -> bool:
        return bool(plain(self).is_integer())


class GuardedBool(Guarded, torch.SymBool):
    """The result of comparing guarded numbers; observed where Python branches on it."""

    __class__ = property(lambda self: bool)  # what isinstance asks

    def __init__(self, value: bool, name: str, tracer: Any) -> None:
        self._value, self._name, self._tracer = value, name, tracer

    def __index__(self) -> int:
        return int(self._tracer.number(self))

    def __invert__(self) -> Any:
        return ~integer(self)

    def __sym_not__(self) -> Any:
        return self._tracer.apply("bool_not", self)

    def __round__(self, digits: Any = None) -> Any:
        return round(integer(self), digits)


install(GuardedInt, COMPARISONS, (*ARITHMETIC, *BITWISE))
install(GuardedFloat, COMPARISONS, ARITHMETIC)
install(GuardedBool, COMPARISONS, (*ARITHMETIC, "lshift", "rshift"))


def _bitwise(name: str) -> Any:
    """Bools stay bools under `& | ^` with bools; with ints they are ints."""

    def method(self: Any, other: Any) -> Any:
        if not isinstance(other, (bool, int)):
            return NotImplemented
        tracer = self._tracer
        if not isinstance(other, bool):
            return tracer.apply(f"int_{name}", integer(self), other)
        if name == "xor":
            return tracer.apply("bool_not", tracer.apply("bool_eq", self, other))
        return tracer.apply(f"bool_{name}", self, other)

    return method


for _name in ("and", "or", "xor"):
    setattr(GuardedBool, f"__{_name}__", _bitwise(_name))
    setattr(GuardedBool, f"__r{_name}__", _bitwise(_name))

CLASSES: dict[str, type] = {"int": GuardedInt, "float": GuardedFloat, "bool": GuardedBool}


def is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


class GuardedSize(Sizes):
    """The sizes of a tensor: a `torch.Size` of guarded ints."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        """One decision, not one an item: tuples compare items until two differ, before they compare lengths."""
        if not isinstance(other, tuple) or not all(map(is_int, (*self, *other))):
            return tuple.__eq__(self, other)
        if len(self) != len(other):
            return False
        equal: Any = True
        for mine, their in zip(self, other, strict=True):
            equal = (mine == their) & equal
        return bool(equal)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__

    def __copy__(self) -> GuardedSize:
        return self

    def __deepcopy__(self, memo: Any) -> GuardedSize:
        return self

    def __reduce__(self) -> Any:
        return torch.Size, (tuple(map(plain, self)),)
