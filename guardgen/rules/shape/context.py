"""What a size rule works with: `Sizes` in, sizes out, and `require` for what the operator asks of its inputs.

A rule has the operator's own parameters. Tensors arrive as `Sizes`; sizes and ints are `IntLike`: a Python int, or a
term where the value depends on the inputs. A rule must not branch on a term; it is piecewise instead (`ite`). What it
cannot express so, such as a rank that depends on sizes, it takes from the traced run, under a condition: `assume`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar

import torch

from guardgen.interpret import RuleTable
from guardgen.terms import BoolLike, IntLike, Symbol, symbol

shape_rules = RuleTable("shape")
Rule = TypeVar("Rule", bound=Callable[..., Any])


def shape_rule(*ops: str) -> Callable[[Rule], Rule]:
    """Register the decorated function as the size rule of `ops`, named in full: `aten.view.default`."""
    return shape_rules.rule(*ops)  # type: ignore[return-value]


class Sizes(tuple[IntLike, ...]):
    """The sizes of a tensor, with its dtype, and its strides where they are known (None where not).

    `contiguous` says that it surely is, even if its strides are not known: those of sizes of 1 do not matter for that.
    """

    dtype: torch.dtype
    strides: tuple[IntLike, ...] | None
    contiguous: bool

    def __new__(
        cls,
        sizes: Sequence[IntLike],
        dtype: torch.dtype = torch.float32,
        strides: Sequence[IntLike] | None = None,
        contiguous: bool = False,
    ) -> Sizes:
        self = super().__new__(cls, sizes)
        self.dtype = dtype
        self.strides = None if strides is None else tuple(strides)
        self.contiguous = contiguous
        return self


@dataclass(frozen=True)
class Pieces:
    """The result of an operator that returns a list of tensors: how many, and the sizes of each."""

    count: IntLike
    at: Callable[[int], Sequence[IntLike]]


@dataclass
class Application:
    """One operator being interpreted: what it requires and what its rule assumes, with why, and its outputs' names.

    `metas` are the sizes that each output had in the traced run, None for what is no tensor.
    """

    names: tuple[str, ...]
    metas: tuple[tuple[int, ...] | None, ...] = ()
    requirements: list[tuple[BoolLike, str]] = field(default_factory=list)
    assumptions: list[tuple[BoolLike, str]] = field(default_factory=list)


_current: ContextVar[Application] = ContextVar("application")


@contextmanager
def applying(names: tuple[str, ...], metas: Sequence[Sequence[int] | None] = ()) -> Iterator[Application]:
    """Interpret one operator in this context; `names` are its outputs, `metas` their sizes in the traced run."""
    application = Application(names, tuple(None if meta is None else tuple(meta) for meta in metas))
    token = _current.set(application)
    try:
        yield application
    finally:
        _current.reset(token)


def require(condition: BoolLike, why: str) -> None:
    """The operator refuses its inputs unless `condition` holds; `why` completes "<operator> needs ..."."""
    if condition is not True:
        _current.get().requirements.append((condition, why))


def assume(condition: BoolLike, why: str) -> None:
    """The sizes that the rule gives are right only where `condition` holds; the operator itself may run elsewhere."""
    if condition is not True:
        _current.get().assumptions.append((condition, why))


def traced_sizes(output: int = 0) -> tuple[int, ...]:
    """The sizes that the output had in the traced run."""
    metas = _current.get().metas
    found = metas[output] if output < len(metas) else None
    if found is None:
        raise LookupError(f"the traced sizes of output {output} are not known")
    return found


def traced_rank(output: int = 0) -> int:
    """The number of dimensions that the output had in the traced run."""
    return len(traced_sizes(output))


def data_size(output: int = 0, dim: int = 0) -> Any:
    """A size that depends on the data of the inputs: of that dimension of that output."""
    name = _current.get().names[output]
    return data_symbol(f"{name}.shape[{dim}]", name, dim)


def data_list(output: int = 0) -> tuple[Any, Callable[[int, int], Any]]:
    """A list that depends on the data of the inputs: its length, and the size of an item in a dimension."""
    name = _current.get().names[output]
    length = data_symbol(f"len({name})", name, None)
    return length, lambda item, dim: data_symbol(f"{name}[{item}].shape[{dim}]", name, dim, item)


def data_symbol(text: str, *source: Any) -> Any:
    return symbol(Symbol(text, "int", ("data_size", *source), 10**6, 0, 2**63 - 1))


def wrap_dim(dim: int, rank: int) -> int:
    """A dimension counted from the front; a 0-d tensor counts as one of rank 1."""
    rank = max(rank, 1)
    if not -rank <= dim < rank:
        raise IndexError(f"dimension {dim} of a tensor of rank {rank}")
    return dim % rank


def row_major(sizes: Sequence[IntLike]) -> tuple[IntLike, ...]:
    """The strides of a contiguous tensor of those sizes; a size of 0 counts as 1."""
    from guardgen.terms import maximum

    strides: list[IntLike] = []
    step: IntLike = 1
    for size in reversed(sizes):
        strides.insert(0, step)
        step = step * maximum(size, 1)
    return tuple(strides)
