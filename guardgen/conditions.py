"""The conditions of a guard set, as data.

There are two sorts. Entry facts say what each argument must be: type, rank, dtype, device, layout, the value of a
constant, the structure of a container. Guards are bool terms over symbols: sizes, strides and int arguments, and, where
an observation was of data, numbers computed from the arguments by the operators of a `Hoist`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from guardgen.arguments import Container, Path
from guardgen.ir import Line, Node
from guardgen.terms import Bool, Symbol


@dataclass(frozen=True)
class TensorFact:
    """A tensor argument that the program reads. `requires_grad` is None unless the program looked at it."""

    path: Path
    rank: int
    dtype: str  # "torch.float32"
    device: str  # "cpu", "cuda:0"
    layout: str  # "torch.strided"
    requires_grad: bool | None = None


@dataclass(frozen=True)
class IntFact:
    """An argument that must be an int (and no bool), since the program reads it."""

    path: Path


@dataclass(frozen=True)
class ConstantFact:
    """An argument that must be what it was in the traced call: same type, same value."""

    path: Path
    value: Any = field(compare=False)


@dataclass(frozen=True)
class ContainerFact:
    """A container that must have the traced call's type and keys, or length."""

    container: Container

    @property
    def path(self) -> Path:
        return self.container.path


@dataclass(frozen=True)
class SameFact:
    """Two arguments that must be the same object (`same`), or must not be."""

    path: Path
    other: Path
    same: bool = True


Fact = TensorFact | IntFact | ConstantFact | ContainerFact | SameFact


@dataclass(frozen=True)
class Hoist:
    """A number computed from the data of the arguments: run `nodes` on the placeholders, then read `read`.

    `read` is the node of an observation: a `var_item`, an operator that returns a number, or, for a size that depends
    on data, a `size_index`. Placeholders and small constants are all that the nodes start from.
    """

    symbol: Symbol
    nodes: tuple[Node, ...]
    read: str


@dataclass(frozen=True)
class Guard:
    """One condition. `kind` is `observation`, `precondition`, `data`, `declared` or `artifact`: what its maker assumed.

    `lines` are the user's lines that made it, `declared` says which declarations did, if any.
    """

    condition: Bool
    kind: str
    text: str
    lines: tuple[Line, ...] = ()
    why: str = ""
    declared: tuple[str, ...] = ()

    @property
    def since(self) -> tuple[str, ...]:
        """All that made it, as text."""
        return (*self.declared, *map(str, self.lines))


@dataclass(frozen=True)
class Dropped:
    """A condition that is not checked, because kept ones imply it; `find` finds them."""

    guard: Guard
    find: Callable[[], tuple[Guard, ...]] = field(default=tuple, compare=False, repr=False)

    @cached_property
    def because(self) -> tuple[Guard, ...]:
        """As few kept guards as imply it; none where it takes more reasoning than was done to find them."""
        return self.find()


@dataclass(frozen=True)
class Way:
    """What became of an observation of data: `how` is `hoist` (the guard computes it on entry) or `split` (the trace is
    cut there), with the reason, and the line of the program."""

    how: str
    why: str
    line: Line | None

    def __str__(self) -> str:
        return f"{self.how}: {self.why}" + (f"  # {self.line}" if self.line is not None else "")
