"""Activations that are more than pointwise, and distances between vectors.

Source: aten/src/ATen/native/GatedLinearUnit.cpp, Activation.cpp (_prelu), Distance.cpp.
"""

from __future__ import annotations

from typing import Any

from guardgen.rules.shape.broadcast import broadcast
from guardgen.rules.shape.context import Sizes, require, shape_rule, wrap_dim
from guardgen.rules.shape.reductions import reduced, vector_norm
from guardgen.terms import IntLike, either, eq, floordiv, mod, product

Shape = tuple[IntLike, ...]


@shape_rule("aten.glu.default")
def glu(x: Sizes, dim: int = -1) -> Shape:
    """One half of the dimension gates the other."""
    require(len(x) > 0, "an input of at least 1 dimension")
    at = wrap_dim(dim, len(x))
    require(eq(mod(x[at], 2), 0), f"an even size of dimension {dim}")
    return (*x[:at], floordiv(x[at], 2), *x[at + 1 :])


@shape_rule("aten.prelu.default")
def prelu(x: Sizes, weight: Sizes) -> Shape:
    """One slope for all, or one for every channel."""
    require(len(weight) <= 1, "a weight of at most 1 dimension")
    channels = x[1] if len(x) > 1 else 1
    require(either(eq(product(weight), 1), eq(product(weight), channels)), "a slope for all or for each channel")
    if len(x) == 0:
        require(len(weight) == 0 or eq(product(weight), 1), "one slope")
    return tuple(x)


@shape_rule("aten.cosine_similarity.default")
def cosine_similarity(x1: Sizes, x2: Sizes, dim: int = 1, eps: float = 1e-8) -> Shape:
    return reduced(broadcast(x1, x2), dim)


@shape_rule("aten.pairwise_distance.default")
def pairwise_distance(x1: Sizes, x2: Sizes, p: float = 2, eps: float = 1e-6, keepdim: bool = False) -> Shape:
    return vector_norm(Sizes(broadcast(x1, x2)), p, -1, keepdim)


@shape_rule("aten.pdist.default", "aten._pdist_forward.default")
def pdist(x: Sizes, p: Any = 2) -> Shape:
    """A distance for every pair of rows."""
    require(len(x) == 2, "a matrix")
    return (floordiv(x[0] * (x[0] - 1), 2),)
