"""Cross entropy of a linear layer, computed a chunk of the batch at a time; a custom operator of PyTorch's.

Source: torch/nn/modules/linear_cross_entropy.py. Each chunk of the target is cut out of it; the rest is not looked at.
"""

from __future__ import annotations

from typing import Any

from guardgen.rules.shape.context import Sizes, require, shape_rule
from guardgen.terms import IntLike, either, eq, ge, ne

Shape = tuple[IntLike, ...]


def require_rows(x: Sizes, linear_weight: Sizes, target: Sizes) -> None:
    require(ge(target[0], x[0]), "a target for every row of the input")
    require(either(eq(x[0], 0), ne(linear_weight[0], 0)), "a class at least")


@shape_rule("torch_nn._linear_cross_entropy_batch_chunked.default")
def linear_cross_entropy(x: Sizes, linear_weight: Sizes, target: Sizes, *rest: Any) -> list[Shape]:
    """The loss, and the gradients that the last three arguments ask for."""
    require_rows(x, linear_weight, target)
    for_input, for_weight, for_bias = rest[-3:]
    return [
        (),
        tuple(x) if for_input else (0, 0),
        tuple(linear_weight) if for_weight else (0, 0),
        tuple(linear_weight[:-1]) if for_bias else (0,),
    ]


@shape_rule("torch_nn._linear_cross_entropy_batch_chunked_no_reduction.default")
def linear_cross_entropy_of_rows(x: Sizes, linear_weight: Sizes, target: Sizes, *_: Any) -> Shape:
    require_rows(x, linear_weight, target)
    return (x[0],)
