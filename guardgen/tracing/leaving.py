"""What leaves a traced program: its result, and what it left behind in its module."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from guardgen.containers import leaves
from guardgen.errors import TraceError
from guardgen.ir import Ref
from guardgen.symnode import SYMBOLIC, SymNode
from guardgen.tracing.call import real_tensor
from guardgen.tracing.guarded import Guarded
from guardgen.tracing.tracer import Tracer
from guardgen.tracing.variable import Variable

DEEPEST = 3  # how many objects in each other are searched for guarded values


def reference(tracer: Tracer, leaf: Any) -> Any:
    """A leaf of the result: the name of its node where it has one."""
    if isinstance(leaf, SYMBOLIC) and isinstance(leaf.node, SymNode):  # torch.SymInt, as some of PyTorch's return it
        leaf = leaf.node.value
    if isinstance(leaf, Variable) and leaf._tracer is tracer:
        return Ref(leaf._name)
    if isinstance(leaf, Guarded):
        return Ref(tracer.name_of(leaf))
    if isinstance(leaf, torch.Tensor):
        return Ref(tracer.constant(real_tensor(leaf)))
    if holds_guarded(tracer, leaf, DEEPEST):
        raise TraceError(
            f"the result contains a {type(leaf).__name__}, which no trace can make again; return its tensors, make it "
            "a dataclass, or register it with torch.utils._pytree"
        )
    return leaf


def holds_guarded(tracer: Tracer, value: Any, depth: int) -> bool:
    """Whether an object that is no container has guarded values of this trace among its attributes."""
    if isinstance(value, (Variable, Guarded)):
        return value._tracer is tracer
    if isinstance(value, (set, frozenset)):
        return any(holds_guarded(tracer, item, depth) for item in value)
    if not depth or isinstance(value, type) or not hasattr(value, "__dict__"):
        return False
    inside = (item for attribute in list(vars(value).values()) for item in leaves(attribute))
    return any(holds_guarded(tracer, item, depth - 1) for item in inside)


def check_state(tracer: Tracer, fn: Callable[..., Any]) -> None:
    """Refuse a program that replaced a buffer of its module: a replay could not do the same."""
    module = fn if isinstance(fn, torch.nn.Module) else getattr(fn, "__self__", None)
    if not isinstance(module, torch.nn.Module):
        return
    for name, tensor in [*module.named_buffers(), *module.named_parameters()]:
        if isinstance(tensor, Variable) and tensor._tracer is tracer:
            raise TraceError(f"assigning to the buffer {name!r} cannot be recorded; write to it: {name}.copy_(...)")
