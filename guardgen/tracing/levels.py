"""How far down operators are recorded: level `call` keeps them whole, `aten` and `prims` take some apart."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

LEVELS = ("call", "aten", "prims")


def decompose(func: Any, level: str) -> Callable[..., Any] | None:
    """What takes `func` apart at `level`, or None where it is recorded as it is."""
    if func.namespace == "prims":
        return None
    if level == "prims":
        if func is torch.ops.aten.copy_.default:
            return copy_without_broadcasting
        if func in prims_table() and torch.Tag.nondeterministic_seeded not in func.tags:  # or the random numbers differ
            return prims_table()[func]
    return composite(func)


def copy_without_broadcasting(target: Any, source: Any, non_blocking: bool = False) -> Any:
    """`target.copy_(source)`, in which the broadcast and the conversion are operators of their own."""
    sizes = zip(source.shape, target.shape[target.dim() - source.dim() :], strict=True)
    if source.dim() != target.dim() or not all(bool(n == m) for n, m in sizes):
        source = torch.ops.aten.expand.default(source, target.shape)
    if source.dtype != target.dtype:
        source = torch.ops.prims.convert_element_type.default(source, target.dtype)
    return torch.ops.prims.copy_to.default(target, source)


@functools.cache
def composite(func: Any) -> Callable[..., Any] | None:
    """PyTorch's own composite kernel of `func`, which calls simpler operators."""
    if torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), "CompositeImplicitAutograd"):
        return func.decompose  # type: ignore[no-any-return]
    return None


@functools.cache
def prims_table() -> dict[Any, Callable[..., Any]]:
    """PyTorch's decompositions, down to `prims`, where nothing broadcasts unless it says so."""
    import torch._decomp
    import torch._refs

    return dict(torch._decomp.global_decomposition_table["post_autograd"])
