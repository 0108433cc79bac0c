"""Whether two traces are one path through a program: the same graph, whatever their nodes are called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from guardgen.ir import Graph, Node, Ref


def same_graph(left: Graph, right: Graph) -> bool:
    """Whether both graphs have the same operators, observations and constants in the same order, and one result."""
    if len(left) != len(right):
        return False
    names: dict[str, str] = {}
    for one, other in zip(left, right, strict=True):
        if not same_node(one, other, names):
            return False
        names.update(zip(one.names, other.names, strict=True))
    return same_value(left.result, right.result, names)


def same_node(one: Node, other: Node, names: Mapping[str, str]) -> bool:
    inputs = tuple(names[name] for name in one.inputs)
    shape = (other.op, other.kinds, other.inputs)
    return (one.op, one.kinds, inputs) == shape and same_value(dict(one.params), dict(other.params), names)


def same_value(left: Any, right: Any, names: Mapping[str, str]) -> bool:
    if isinstance(left, Ref) and isinstance(right, Ref):
        return names.get(left.name) == right.name
    if type(left) is not type(right):
        return False
    if isinstance(left, torch.Tensor):
        return left is right
    if isinstance(left, dict):
        return list(left) == list(right) and all(same_value(left[key], right[key], names) for key in left)
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(same_value(a, b, names) for a, b in zip(left, right, strict=True))
    return bool(left == right) or (isinstance(left, float) and left != left and right != right)
