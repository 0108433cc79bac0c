"""How a Variable's values are seen, and how its indices are told apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from guardgen.errors import TraceError
from guardgen.ir import Slot
from guardgen.tracing.provenance import user_line

SAME_WIDTH = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def refuse(what: str) -> Any:
    """Raise `TraceError` at the user's line."""
    advice = "compute with tensors, or keep it out of the traced function"
    raise TraceError(f"{what} cannot be recorded; {advice}", line=user_line())


def observe_values(tracer: Any, name: str, real: torch.Tensor, see: Callable[[torch.Tensor], Any]) -> Any:
    """What `see` makes of the real tensor, after recording that all its values were seen.

    What is recorded is one comparison, bit by bit, with what the values are.
    """
    if real.layout != torch.strided or real.is_quantized:
        refuse(f"looking at the values of a {str(real.layout).removeprefix('torch.')} tensor")

    def step(op: str, inputs: list[str], *args: Any) -> str:
        kind = "bool" if op.startswith("aten.equal") else "tensor"
        return str(tracer.record_torch_op(op, inputs, list(args), {}, (kind,))[0])

    with tracer.aside():
        result, seen = see(real), real.detach()
        if real.is_complex():
            name, seen = step("aten.view_as_real.default", [name], Slot(0)), torch.view_as_real(seen.resolve_conj())
        if seen.is_floating_point():  # as bits, so that NaN equals NaN and -0.0 is not 0.0
            bits = SAME_WIDTH[seen.element_size()]
            name, seen = step("aten.view.dtype", [name], Slot(0), bits), seen.view(bits)
        expected = tracer.literal(seen)
    tracer.observe(tracer.guarded(True, step("aten.equal.default", [name, expected], Slot(0), Slot(1))))
    return result


def dimension(dim: Any, rank: int) -> int:
    """The index of a dimension, as a Python int; the error is PyTorch's."""
    index = int(dim)
    if not -max(rank, 1) <= index < max(rank, 1):
        raise IndexError(f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {index})")
    return index


def is_basic(index: Any) -> bool:
    """Whether an index selects a view: ints, slices, None and Ellipsis, alone or in a tuple."""
    items = index if isinstance(index, tuple) else (index,)
    return all(
        item is None or item is Ellipsis or (isinstance(item, (slice, int)) and not isinstance(item, bool))
        for item in items
    )


def indexed_rank(tensor: torch.Tensor, index: torch.Tensor) -> int:
    """The rank of `tensor[index]`."""
    if index.dtype in (torch.bool, torch.uint8):
        return 1 + tensor.dim() - index.dim()
    return index.dim() + tensor.dim() - 1
