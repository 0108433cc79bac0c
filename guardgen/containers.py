"""Containers: how a nest of lists, dicts, tuples, dataclasses and pytree nodes is taken apart and built again.

Arguments and results of traced functions are such nests. What is inside is found by a `Step`: an index or key, an
attribute, or, where a type registered with PyTorch's pytree offers neither, a position among its children.
"""

from __future__ import annotations

import copy
import dataclasses
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils import _pytree as pytree

Step = tuple[str, Any]  # ("index", key), ("attr", name) or ("child", position)


class Atom:
    """Mixed into dataclasses that are leaves, not containers."""

    __slots__ = ()


class Sizes(tuple[Any, ...]):
    """A `torch.Size` whose items need not be ints yet."""

    __slots__ = ()
    __class__ = property(lambda self: torch.Size)  # what isinstance asks

    def numel(self) -> Any:
        product: Any = 1
        for size in self:
            product = product * size
        return product

    def __getitem__(self, index: Any) -> Any:
        item = tuple.__getitem__(self, index)
        return type(self)(item) if isinstance(index, slice) else item

    def __add__(self, other: Any) -> Any:
        return type(self)(tuple.__add__(self, tuple(other))) if isinstance(other, tuple) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return type(self)((*other, *self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, count: Any) -> Any:
        return type(self)(tuple.__mul__(self, count))

    __rmul__ = __mul__

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(repr, self))}])"

    __str__ = __repr__


def children(value: Any) -> list[tuple[Step, Any]] | None:
    """What is in a container, with the step to each; None for a leaf."""
    kind = type(value)
    if kind in (dict, OrderedDict, defaultdict):
        return [(("index", key), item) for key, item in value.items()]
    if kind is list or (isinstance(value, tuple) and kind not in pytree.SUPPORTED_NODES):
        return [(("index", i), item) for i, item in enumerate(tuple(value))]
    if kind in pytree.SUPPORTED_NODES:
        return registered_children(value)
    if isinstance(value, dict):
        return [(("index", key), item) for key, item in value.items()]
    if isinstance(value, list):
        return [(("index", i), item) for i, item in enumerate(value)]
    if dataclasses.is_dataclass(value) and not isinstance(value, (type, Atom)):
        return [(("attr", field.name), getattr(value, field.name)) for field in dataclasses.fields(value)]
    return None


def registered_children(value: Any) -> list[tuple[Step, Any]]:
    """The children of a node registered with PyTorch's pytree, by key or attribute where these lead to them."""
    node = pytree.SUPPORTED_NODES[type(value)]
    items = list(node.flatten_fn(value)[0])
    steps: list[Step] = [("child", i) for i in range(len(items))]
    if node.flatten_with_keys_fn is not None:
        steps = [step_of(entry) for entry, _ in node.flatten_with_keys_fn(value)[0]]
    return [
        (step if leads_to(value, step, item) else ("child", i), item)
        for i, (step, item) in enumerate(zip(steps, items, strict=True))
    ]


def step_of(entry: Any) -> Step:
    if isinstance(entry, pytree.GetAttrKey):
        return "attr", entry.name
    return "index", entry.idx if isinstance(entry, pytree.SequenceKey) else entry.key


def leads_to(value: Any, step: Step, item: Any) -> bool:
    try:
        return take(value, step) is item
    except Exception:  # a stranger's container may raise anything for a key that it does not have
        return False


def take(value: Any, step: Step) -> Any:
    """The child of `value` that the step leads to."""
    how, key = step
    if how == "index":
        return value[key]
    return getattr(value, key) if how == "attr" else list(pytree.SUPPORTED_NODES[type(value)].flatten_fn(value)[0])[key]


def rebuild(value: Any, items: list[Any]) -> Any:
    """A container like `value` that holds `items` instead."""
    kind = type(value)
    if kind in (dict, OrderedDict):
        return kind(zip(value, items, strict=True))
    if kind is defaultdict:
        return defaultdict(value.default_factory, zip(value, items, strict=True))
    if kind in (list, tuple):
        return kind(items)
    if kind is torch.Size or isinstance(value, Sizes):
        return torch.Size(items) if all(type(item) is int for item in items) else Sizes(items)
    if kind in pytree.SUPPORTED_NODES:
        node = pytree.SUPPORTED_NODES[kind]
        return node.unflatten_fn(items, node.flatten_fn(value)[1])
    if isinstance(value, tuple):
        return kind(*items) if hasattr(kind, "_fields") else kind(items)
    result = copy.copy(value)
    if isinstance(value, dict):
        result.update(zip(value, items, strict=True))
    elif isinstance(value, list):
        result[:] = items
    else:
        for field, item in zip(dataclasses.fields(value), items, strict=True):
            object.__setattr__(result, field.name, item)
    return result


def leaves(value: Any) -> Iterator[Any]:
    """Every leaf, in order."""
    inside = children(value)
    if inside is None:
        yield value
    for _, item in inside or ():
        yield from leaves(item)


def map_leaves(value: Any, function: Callable[[Any], Any]) -> Any:
    """`value` with every leaf replaced by the function's result."""
    inside = children(value)
    if inside is None:
        return function(value)
    return rebuild(value, [map_leaves(item, function) for _, item in inside])
