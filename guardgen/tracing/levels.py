"""How far down operators are recorded: level `call` keeps them whole, `aten` and `prims` take some apart."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import torch

LEVELS = ("call", "aten", "prims")
# What takes these apart accepts what the operators refuse: empty results, too much padding, sizes that differ.
KEPT_WHOLE = (
    "aten::upsample_",
    "aten::_upsample_",
    "aten::reflection_pad",
    "aten::replication_pad",
    "aten::as_strided_scatter",
    "aten::nll_loss",
)


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
        return None if func.name().startswith(KEPT_WHOLE) else func.decompose
    return None


@functools.cache
def prims_table() -> dict[Any, Callable[..., Any]]:
    """PyTorch's decompositions, down to `prims`, where nothing broadcasts unless it says so."""
    import torch._decomp
    import torch._refs

    table = torch._decomp.global_decomposition_table["post_autograd"]
    return {func: rule for func, rule in table.items() if fits(func, rule)}


def fits(func: Any, rule: Callable[..., Any]) -> bool:
    """Whether a decomposition takes the operator's arguments as they come.

    Not so for `std_mean.dim`, whose order is another, nor for losses whose `reduction` it wants as a string.
    """
    if not isinstance(func, torch._ops.OpOverload) or func.name().startswith(KEPT_WHOLE):
        return False
    names = [arg.name for arg in func._schema.arguments if not arg.kwarg_only]
    try:
        parameters = inspect.signature(rule).parameters
        inspect.signature(rule).bind(*names)
    except (TypeError, ValueError):
        return False
    if "reduction" in parameters and parameters["reduction"].annotation in (str, "str"):
        return False
    return not any(name in parameters and parameters[name].kind is inspect.Parameter.KEYWORD_ONLY for name in names)
