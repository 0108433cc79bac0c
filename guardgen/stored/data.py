"""Numbers that guards read from tensors, computed by operators that a stored guard set may name.

Only those listed here are ever run: they are deterministic, write to nothing, and what they return is no larger than
what they are given, but for broadcasting and lookups, which are measured before they are run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from guardgen.runtime import MISSING, computed
from guardgen.stored.constants import plain
from guardgen.stored.numbers import RULES, apply

MOST_ELEMENTS = 1 << 24  # of a result that is larger than the tensors it is made of


def operators(names: str) -> frozenset[str]:
    return frozenset(f"aten.{name}" for name in names.split())


SHRINKING = operators(
    """
    all.default all.dim any.default any.dim sum.default sum.dim_IntList mean.default mean.dim amax.default amin.default
    max.default min.default argmax.default argmin.default count_nonzero.default isnan.default isinf.default
    isfinite.default logical_not.default bitwise_not.default abs.default neg.default sign.default floor.default
    ceil.default round.default sqrt.default exp.default cumsum.default to.dtype to.device to.dtype_layout
    _to_copy.default detach.default alias.default
    clone.default contiguous.default select.int slice.Tensor unsqueeze.default squeeze.default squeeze.dim view.default
    reshape.default flatten.using_ints permute.default transpose.int t.default
    """
)
BROADCASTING = operators(
    """
    eq.Scalar eq.Tensor ne.Scalar ne.Tensor lt.Scalar lt.Tensor le.Scalar le.Tensor gt.Scalar gt.Tensor ge.Scalar
    ge.Tensor add.Tensor sub.Tensor mul.Tensor div.Tensor remainder.Scalar remainder.Tensor logical_and.default
    logical_or.default logical_xor.default bitwise_and.Tensor bitwise_or.Tensor bitwise_xor.Tensor maximum.default
    minimum.default where.self equal.default
    """
)
INDEXING = operators("index.Tensor index_select.default masked_select.default nonzero.default")
OPERATORS = SHRINKING | BROADCASTING | INDEXING
READS: dict[str, Callable[..., Any]] = {
    "var_size": lambda tensor: tuple(tensor.shape),
    "var_rank": lambda tensor: tensor.dim(),
    "size_index": lambda sizes, index: sizes[index],
    "var_item": lambda tensor, kind: KINDS[kind](tensor.item()),
}
KINDS: dict[str, type] = {"bool": bool, "int": int, "float": float}


def can_run(op: str) -> bool:
    """Whether a stored guard set may name this operation."""
    return op in OPERATORS or op in READS or op in RULES or op in ("bool_and", "bool_or", "int_ite")


def compute(entry: Mapping[str, Any], get: Callable[[Any], Any]) -> Any:
    """The number, or the exception that stands for it."""
    return computed(lambda: run(entry, get))


def run(entry: Mapping[str, Any], get: Callable[[Any], Any]) -> Any:
    import torch

    values: list[Any] = []
    with torch.no_grad():
        for step in entry["steps"]:
            values.append(step_value(step, values, get))
    return KINDS[entry["kind"]](values[-1])


def step_value(step: Mapping[str, Any], values: Sequence[Any], get: Callable[[Any], Any]) -> Any:
    import torch

    if "argument" in step:
        value = get(step["argument"])
        if value is MISSING:
            raise LookupError("an argument cannot be read")
        return value
    if "tensor" in step:
        flat = torch.tensor([plain(each) for each in step["tensor"]], dtype=torch_constant(["dtype", step["dtype"]]))
        return flat.reshape(step["shape"])
    args = [operand(each, values) for each in step["args"]]
    if step["op"] not in OPERATORS:
        rule = READS.get(step["op"])
        result = rule(*args) if rule else apply(step["op"], args)
        if isinstance(result, Exception):
            raise result
        return result
    kwargs = {key: operand(each, values) for key, each in step["kwargs"].items()}
    measure(step["op"], [*args, *kwargs.values()])
    namespace, packet, overload = step["op"].split(".")
    return getattr(getattr(getattr(torch.ops, namespace), packet), overload)(*args, **kwargs)


def operand(stored: Any, values: Sequence[Any]) -> Any:
    if isinstance(stored, dict):
        if "step" in stored:
            return values[stored["step"]]
        if "list" in stored:
            return [operand(each, values) for each in stored["list"]]
        if "torch" in stored:
            return torch_constant(stored["torch"])
    return plain(stored)


def torch_constant(stored: Sequence[str]) -> Any:
    """One of PyTorch's constants by its name."""
    import torch

    kind, text = stored
    if kind == "device":
        return torch.device(text)
    found = getattr(torch, text.removeprefix("torch."), None)
    if not isinstance(found, getattr(torch, kind)):
        raise LookupError(f"{text} is no {kind}")
    return found


def measure(op: str, operands: Sequence[Any]) -> None:
    """Raise `OverflowError` before an operator makes something much larger than it is given."""
    inside = [each for operand in operands for each in (operand if isinstance(operand, list) else [operand])]
    tensors = [each for each in inside if hasattr(each, "numel")]
    most = max([MOST_ELEMENTS, *(tensor.numel() for tensor in tensors)])
    size = 0
    if op in BROADCASTING:
        rank = max((tensor.dim() for tensor in tensors), default=0)
        shapes = [(1,) * (rank - tensor.dim()) + tuple(tensor.shape) for tensor in tensors]
        size = math.prod(map(max, zip(*shapes, strict=True))) if shapes else 0
    elif op in INDEXING:
        size = math.prod(max(tensor.numel(), 1) for tensor in tensors if str(tensor.dtype) != "torch.bool")
    if size > most:
        raise OverflowError(f"{op} would make {size} elements")
