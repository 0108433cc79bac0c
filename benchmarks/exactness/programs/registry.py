"""How a program is written down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

Call = tuple[Any, ...]
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Program:
    """A function, the call that is traced, and the calls that are asked about. `kind` is what it is an example of."""

    fn: Callable[..., Any]
    kind: str
    traced: Call
    valid: Sequence[Call]
    invalid: Sequence[Call]

    @property
    def name(self) -> str:
        return f"{self.kind}: {self.fn.__name__}"


PROGRAMS: list[Program] = []


def program(
    kind: str, *, traced: Call, valid: Sequence[Call] = (), invalid: Sequence[Call] = ()
) -> Callable[[Function], Function]:
    """Register the decorated function; it may be registered for several traced calls."""

    def register(fn: Function) -> Function:
        PROGRAMS.append(Program(fn, kind, traced, valid, invalid))
        return fn

    return register
