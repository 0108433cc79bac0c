"""What every test of the tracer asks: that a replay answers as the program does, or raises `BailoutError`."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import torch

from guardgen.containers import leaves
from guardgen.errors import BailoutError
from guardgen.tracing import Trace, trace

RIGHT, BAILOUT, RAISES = "right", "bailout", "raises"
SEED = 7


def run(fn: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """The result on copies of the arguments, under a fixed seed."""
    torch.manual_seed(SEED)
    return fn(*copy.deepcopy(args))


def equal(left: Any, right: Any) -> bool:
    """Equal structure, types and values; NaN equals NaN."""
    mine, other = list(leaves(left)), list(leaves(right))
    return type(left) is type(right) and len(mine) == len(other) and all(map(equal_leaf, mine, other))


def equal_leaf(left: Any, right: Any) -> bool:
    if isinstance(left, torch.Tensor) and isinstance(right, torch.Tensor):
        if left.layout != torch.strided:
            left, right = left.to_dense(), right.to_dense()
        facts = [(x.shape, x.dtype, x.device, x.requires_grad) for x in (left, right)]
        return facts[0] == facts[1] and (left.is_meta or close(left, right))
    return type(left) is type(right) and (left == right or left != left)


def close(left: torch.Tensor, right: torch.Tensor) -> bool:
    """Equal up to the rounding of decomposed operators."""
    if left.is_quantized:
        left, right = left.dequantize(), right.dequantize()
    if not left.is_floating_point() and not left.is_complex():
        return torch.equal(left, right)
    return torch.allclose(left, right, rtol=1e-5, atol=1e-6, equal_nan=True)


def outcome(made: Trace, fn: Callable[..., Any], args: tuple[Any, ...]) -> str:
    """What a replay does on `args`, held against the program itself; silently wrong is an assertion error."""
    try:
        expected = run(fn, args)
    except Exception as error:
        try:
            run(made.replay, args)
        except BailoutError:
            return BAILOUT
        except Exception:
            return RAISES
        raise AssertionError(f"the program raises {error!r}, its replay answers") from error
    try:
        actual = run(made.replay, args)
    except BailoutError:
        return BAILOUT
    assert equal(expected, actual), f"the program answers {expected}, its replay {actual}\n{made.graph}"
    return RIGHT


def trace_of(fn: Callable[..., Any], *args: Any, level: str = "call") -> Trace:
    torch.manual_seed(SEED)
    return trace(fn, copy.deepcopy(args), level=level)


def outcomes(
    fn: Callable[..., Any], traced: tuple[Any, ...], *others: tuple[Any, ...], level: str = "call"
) -> list[str]:
    """Trace on `traced`, where the replay must be right, and ask about the others."""
    made = trace_of(fn, *traced, level=level)
    assert outcome(made, fn, traced) == RIGHT
    return [outcome(made, fn, other) for other in others]
