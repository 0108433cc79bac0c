"""`x[n, a:b]` with a guarded `n`: a `select` of its own, since PyTorch's own indexing makes a Python int of it."""

from __future__ import annotations

from typing import Any

import torch

from guardgen.tracing.guarded import Guarded


def selected(tensor: Any, index: Any) -> tuple[Any, tuple[Any, ...]] | None:
    """The tensor with every guarded int of an index selected, and the rest of the index; None where there is none.

    As in PyTorch, an int beside index tensors selects its dimension before these gather.
    """
    items = index if isinstance(index, tuple) else (index,)
    if not any(map(is_guarded_int, items)) or not all(map(is_simple, items)):
        return None
    rank, taken = tensor.dim(), sum(map(dimensions, items))
    if taken > rank:
        return None
    at, places = 0, []
    for item in items:
        if is_guarded_int(item):
            places.append((at, item))
        at += rank - taken if item is Ellipsis else dimensions(item)
    for place, item in reversed(places):
        tensor = tensor.select(place, item)
    return tensor, tuple(item for item in items if not is_guarded_int(item))


def is_guarded_int(item: Any) -> bool:
    return isinstance(item, Guarded) and type(item._value) is int


def is_simple(item: Any) -> bool:
    return item is None or item is Ellipsis or isinstance(item, (slice, torch.Tensor)) or is_int(item)


def is_int(item: Any) -> bool:
    return isinstance(item, int) and not isinstance(item, bool)


def dimensions(item: Any) -> int:
    """How many dimensions of the tensor an item of an index takes; an Ellipsis takes those that are left."""
    if item is None or item is Ellipsis:
        return 0
    if isinstance(item, torch.Tensor) and item.dtype in (torch.bool, torch.uint8):
        return item.dim()
    return 1
