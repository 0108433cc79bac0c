"""Declared dimensions, as data: what `dynamic_shapes` said of each size and int argument."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from torch.export import AdditionalInputs, ShapesCollection

from guardgen.arguments import Path

DynamicShapes: TypeAlias = Mapping[str, Any] | Sequence[Any] | ShapesCollection | AdditionalInputs


@dataclass(frozen=True)
class Declared:
    """What was declared of one size, or of an int argument, whose `dim` is None.

    `kind` is `dim`, `dynamic`, `auto` or `static`. A `dim` is `factor * name + offset`, and `low` and `high` bound the
    dimension called `name`; of the others they bound the size itself.
    """

    path: Path
    node: str
    dim: int | None
    value: int  # in the traced call
    kind: str
    low: int | None = None
    high: int | None = None
    name: str = ""
    factor: int = 1
    offset: int = 0

    @property
    def where(self) -> str:
        """The size as the program has it: `x.shape[0]`."""
        return str(self.path) if self.dim is None else f"{self.path}.shape[{self.dim}]"

    @property
    def strict(self) -> bool:
        """Whether no observation may narrow it."""
        return self.kind in ("dim", "dynamic")

    @property
    def same_as_name(self) -> bool:
        """Whether it is a dimension itself, and not a multiple of one."""
        return (self.factor, self.offset) == (1, 0)

    @property
    def text(self) -> str:
        """The declaration as Python has it: `2 * Dim("batch", min=1)`."""
        if self.kind == "static":
            return str(self.value)
        low = None if self.low == 0 and self.kind == "dim" else self.low
        bounds = [f"{name}={bound}" for name, bound in (("min", low), ("max", self.high)) if bound is not None]
        if self.kind != "dim":
            return f"Dim.{self.kind.upper()}" + (f"({', '.join(bounds)})" if bounds else "")
        factor = f"{self.factor} * " if self.factor != 1 else ""
        offset = f" {'+' if self.offset > 0 else '-'} {abs(self.offset)}" if self.offset else ""
        return f"{factor}Dim({', '.join([chr(34) + self.name + chr(34), *bounds])}){offset}"


@dataclass(frozen=True)
class Declarations:
    """All that was declared. `tree` is nested as the arguments are, with a dict of `Declared` by dim for a tensor."""

    tree: Mapping[str, Any] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Declared]:
        return found(self.tree)

    def __bool__(self) -> bool:
        return next(iter(self), None) is not None

    def mapped(self, change: Callable[[Declared], Declared]) -> Declarations:
        """With each of them changed."""
        return Declarations(mapped(self.tree, change))

    @property
    def text(self) -> str:
        """As they are written in Python."""
        return written(self.tree)


def found(tree: Any) -> Iterator[Declared]:
    if isinstance(tree, Declared):
        yield tree
    for each in tree.values() if isinstance(tree, Mapping) else tree if isinstance(tree, list) else ():
        yield from found(each)


def mapped(tree: Any, change: Callable[[Declared], Declared]) -> Any:
    if isinstance(tree, Declared):
        return change(tree)
    if isinstance(tree, Mapping):
        return {key: mapped(each, change) for key, each in tree.items()}
    return [mapped(each, change) for each in tree] if isinstance(tree, list) else tree


def written(tree: Any) -> str:
    if isinstance(tree, Declared):
        return tree.text
    if isinstance(tree, list):
        return f"[{', '.join(map(written, tree))}]"
    if isinstance(tree, Mapping):
        return f"{{{', '.join(f'{key_text(key)}: {written(each)}' for key, each in tree.items())}}}"
    return "None"


def key_text(key: Any) -> str:
    return f'"{key}"' if isinstance(key, str) and key.isidentifier() else repr(key)
