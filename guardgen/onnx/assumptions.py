"""What the inputs of an ONNX model declare, as conditions of ours, beside what torch.export assumed.

An ONNX model checks nothing itself, so that what cannot be said is refused, rather than left to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from guardgen.terms import eq

ONNX = "the ONNX exporter assumed it"


def declared_by_model(sizes: Sequence[tuple[Any, Any]]) -> Iterator[Any]:
    """What the model's inputs declare: sizes that are numbers, and sizes that have one name."""
    first: dict[str, Any] = {}
    for size, dim in sizes:
        if isinstance(dim, int):
            yield eq(size, dim)
        elif dim is not None:
            yield eq(size, first.setdefault(str(dim), size))
