"""`int(n)`, `float(n)`, `len(x)`, `range(n)`, `min` and `max` of guarded numbers: they stay guarded in the user's code.

Python's own must return plain numbers, so they would observe the value. While a trace is recorded, the modules of the
functions that it can reach see these in their place; for all other values they are Python's own. Code that compares the
type `int` itself (`type(n) is int`) keeps Python's.
"""

from __future__ import annotations

import builtins
import functools
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from guardgen.tracing.guarded import Guarded, integer, rounded
from guardgen.tracing.variable import Variable

MOST_COMPARED = 8  # numbers of which the least is a term; of more, each comparison is an observation


class _Type(type):
    """The type of a stand-in for a type: it has the original's instances, and equals it."""

    original: type

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, cls.original)

    def __subclasscheck__(cls, other: Any) -> bool:
        return issubclass(other, cls.original)

    def __eq__(cls, other: object) -> bool:
        return other is cls or other is cls.original

    def __hash__(cls) -> builtins.int:
        return hash(cls.original)

    def __getattr__(cls, name: str) -> Any:
        return getattr(cls.original, name)

    def __repr__(cls) -> str:
        return repr(cls.original)


class _Int(metaclass=_Type):
    original = builtins.int
    __match_args__ = ("real",)  # what `case int(n)` binds

    def __new__(cls, value: Any = 0, *base: Any, **named: Any) -> Any:
        if base or named or not isinstance(value, (Guarded, Variable)):
            return builtins.int(value, *base, **named)
        number = number_of(value)
        if not isinstance(number, Guarded):
            return builtins.int(number)
        return rounded(number, "trunc") if isinstance(number, builtins.float) else integer(number)


class _Float(metaclass=_Type):
    original = builtins.float
    __match_args__ = ("real",)  # what `case int(n)` binds

    def __new__(cls, value: Any = 0.0) -> Any:
        number = number_of(value)
        if not isinstance(number, Guarded):
            return builtins.float(number)
        return number if isinstance(number, builtins.float) else integer(number).__sym_float__()


class _Range(metaclass=_Type):
    original = builtins.range

    def __new__(cls, *bounds: Any) -> Any:
        if not any(isinstance(bound, Guarded) for bound in bounds):
            return builtins.range(*bounds)
        start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
        if isinstance(step, Guarded) or not step:
            return builtins.range(*bounds)
        return GuardedRange(integer(start), integer(stop), step)


class GuardedRange:
    """A range whose numbers stay guarded; how many there are is observed where Python iterates or asks."""

    def __init__(self, start: Any, stop: Any, step: builtins.int) -> None:
        self.start, self.stop, self.step = start, stop, step

    def __len__(self) -> builtins.int:
        """Only the count is observed: it is -((start - stop) // step), or 0."""
        count = -((self.start - self.stop) // self.step)
        return builtins.int(count) if count > 0 else 0

    def __iter__(self) -> Iterator[Any]:
        return (self.start + i * self.step for i in builtins.range(len(self)))

    def __reversed__(self) -> Iterator[Any]:
        return (self.start + i * self.step for i in reversed(builtins.range(len(self))))

    def __getitem__(self, index: Any) -> Any:
        chosen = builtins.range(len(self))[index]
        if isinstance(chosen, builtins.range):
            return [self.start + i * self.step for i in chosen]
        return self.start + chosen * self.step

    def __contains__(self, value: Any) -> bool:
        return any(value == each for each in self)

    def __repr__(self) -> str:
        return repr(builtins.range(self.start, self.stop, self.step))


def _len(value: Any) -> Any:
    if isinstance(value, Variable) and value._tracer.active and value.dim():
        return value.shape[0]
    return builtins.len(value)


def _extreme(name: str) -> Callable[..., Any]:
    """`min` or `max`, which compare nothing where all are ints and one is guarded: the result is a term."""
    original: Callable[..., Any] = getattr(builtins, name)

    def extreme(*values: Any, **named: Any) -> Any:
        if len(values) == 1:
            values = tuple(values[0])
            if named or not values:
                return original(values, **named)
        guarded = [value for value in values if isinstance(value, Guarded)]
        plain_ints = all(isinstance(value, builtins.int) and not isinstance(value, bool) for value in values)
        if named or not guarded or not plain_ints or builtins.len(values) > MOST_COMPARED:
            return original(values, **named)
        return functools.reduce(functools.partial(guarded[0]._tracer.apply, f"int_{name}"), values)

    return extreme


def number_of(value: Any) -> Any:
    return value.item() if isinstance(value, Variable) else value


STAND_INS: dict[str, Any] = {
    "int": _Int,
    "float": _Float,
    "range": _Range,
    "len": _len,
    "min": _extreme("min"),
    "max": _extreme("max"),
}
_lock = threading.Lock()
_active: dict[int, tuple[dict[str, Any], list[str], int]] = {}


@contextmanager
def guarded_builtins(scopes: Iterable[dict[str, Any]]) -> Iterator[None]:
    """Modules with these globals see the stand-ins in this context; several traces may share a module."""
    entered = list(scopes)
    for scope in entered:
        enter(scope)
    try:
        yield
    finally:
        for scope in entered:
            leave(scope)


def enter(scope: dict[str, Any]) -> None:
    with _lock:
        _, names, count = _active.get(id(scope), (scope, [name for name in STAND_INS if name not in scope], 0))
        _active[id(scope)] = (scope, names, count + 1)
        scope.update({name: STAND_INS[name] for name in names})


def leave(scope: dict[str, Any]) -> None:
    with _lock:
        _, names, count = _active.pop(id(scope))
        if count > 1:
            _active[id(scope)] = (scope, names, count - 1)
            return
        for name in names:
            if scope.get(name) is STAND_INS[name]:
                del scope[name]
