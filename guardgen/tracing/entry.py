"""The entry of a trace: arguments taken apart into leaves, guarded, and put together again for the program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from guardgen.arguments import (
    Binder,
    Container,
    Leaf,
    Path,
    Signature,
    TensorFacts,
    container,
    replace_leaves,
    walk,
)
from guardgen.constants import Told, same_constant
from guardgen.containers import children
from guardgen.errors import BailoutError
from guardgen.tracing.call import real_tensor
from guardgen.tracing.guarded import Guarded
from guardgen.tracing.tracer import Tracer, generator_id


def take_apart(
    tracer: Tracer, arguments: Mapping[str, Any], left_out: set[str]
) -> tuple[tuple[Container, ...], tuple[Leaf, ...]]:
    """The containers and leaves of the arguments; tensors and ints get the names of their nodes."""
    containers: list[Container] = []
    leaves: list[Leaf] = []
    nodes: dict[int, str] = {}  # the same tensor passed twice is one node
    for root, argument in arguments.items():
        if root in left_out:
            leaves.append(Leaf(Path(root), "constant", argument, expected=Told.of(argument)))
            continue
        for path, value, inside in walk(Path(root), argument):
            if inside is not None:
                containers.append(container(path, value, inside))
                continue
            if isinstance(value, Guarded):  # leaked from an earlier trace
                value = value._value
            if isinstance(value, torch.Tensor):
                value = real_tensor(value)
                if id(value) not in nodes:
                    nodes[id(value)] = tracer.claim(path)
                leaves.append(Leaf(path, "tensor", value, nodes[id(value)], TensorFacts.of(value)))
            elif type(value) is int:
                leaves.append(Leaf(path, "int", value, tracer.claim(path)))
            else:
                leaves.append(Leaf(path, "constant", value, expected=Told.of(value)))
    return tuple(containers), tuple(leaves)


def guarded_call(
    tracer: Tracer, signature: Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The traced call's arguments with guarded leaves, positional and by keyword as they were given."""
    by_node: dict[str, Any] = {}
    generators = [leaf.value for leaf in signature.leaves if isinstance(leaf.value, torch.Generator)]
    tracer.generators.update(map(generator_id, generators))
    for leaf in signature.leaves:
        if leaf.node and leaf.node not in by_node:
            by_node[leaf.node] = tracer.placeholder(leaf)
    values = {leaf.path: by_node[leaf.node] if leaf.node else leaf.value for leaf in signature.leaves}
    return rebind(signature.binder, args, kwargs, values)


def rebind(
    binder: Binder, args: tuple[Any, ...], kwargs: Mapping[str, Any], values: Mapping[Path, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    bound = binder.signature.bind(*args, **kwargs)

    def guard(root: str, value: Any) -> Any:
        return replace_leaves(Path(root), value, lambda path, leaf: values.get(path, leaf))

    for name, value in bound.arguments.items():
        kind = binder.signature.parameters[name].kind
        if kind.name == "VAR_POSITIONAL":
            value = tuple(guard(extra, item) for extra, item in zip(binder.extra, value, strict=True))
        elif kind.name == "VAR_KEYWORD":
            value = {key: guard(key, item) for key, item in value.items()}
        else:
            value = guard(name, value)
        bound.arguments[name] = value
    return bound.args, bound.kwargs


def enter(
    signature: Signature, reads: frozenset[str], compares_identity: bool, arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """The values of a trace's placeholders in a new call.

    Raises `BailoutError` where the arguments differ in what every trace observes: structure, constants, which tensors
    are the same, and the rank, dtype, device and layout of those that are read.
    """
    for expected in signature.containers:
        same_structure(expected, expected.path.get(arguments))
    inputs: dict[str, Any] = {}
    for leaf in signature.leaves:
        value = leaf.path.get(arguments)
        if leaf.kind == "constant":
            same(leaf, leaf.value, value, same_constant(value, leaf.expected))
            continue
        if leaf.node in reads and leaf.kind == "int":
            same(leaf, int, type(value), type(value) is int or type(getattr(value, "_value", None)) is int)
        elif leaf.node in reads:
            same(leaf, torch.Tensor, type(value), isinstance(value, torch.Tensor))
            facts = TensorFacts.of(value)
            same(leaf, leaf.facts, facts, facts == leaf.facts)
        first = inputs.setdefault(leaf.node, value)
        same(leaf, f"the same tensor as {leaf.node}", "another", first is value)
    if not compares_identity:
        return inputs
    tensors = {leaf.node: id(inputs[leaf.node]) for leaf in signature.leaves if leaf.kind == "tensor"}
    if len(set(tensors.values())) != len(tensors):
        raise BailoutError("the arguments", f"{len(tensors)} different tensors", len(set(tensors.values())))
    return inputs


def same(leaf: Leaf, expected: Any, actual: Any, holds: bool) -> None:
    if not holds:
        raise BailoutError(str(leaf.path), expected, actual)


def same_structure(expected: Container, value: Any) -> None:
    if type(value) is not expected.type:
        raise BailoutError(str(expected.path), expected.type, type(value))
    keys = tuple(key for (_, key), _ in children(value) or ())
    if keys != expected.keys:
        raise BailoutError(str(expected.path), expected.keys, keys)
