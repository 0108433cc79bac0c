"""Attention, and the lookup of embeddings.

Source: aten/src/ATen/native/transformers/attention.cpp (validate_sdpa_input, _scaled_dot_product_attention_math,
pre_process_group_query_attention_input), Embedding.cpp, EmbeddingBag.cpp.
"""

from __future__ import annotations

from typing import Any

from guardgen.rules.shape.broadcast import expand_to
from guardgen.rules.shape.conditional import choose, empty, unless
from guardgen.rules.shape.context import Sizes, assume, data_size, require, shape_rule
from guardgen.rules.shape.matmul import matmul
from guardgen.rules.shape.variants import fresh
from guardgen.terms import IntLike, either, eq, floordiv, ge, mod, ne, negate

Shape = tuple[IntLike, ...]
MAXIMUM = 2  # value of embedding_bag's `mode`


@shape_rule("aten.scaled_dot_product_attention.default")
def scaled_dot_product_attention(query: Sizes, key: Sizes, value: Sizes, *args: Any, **kwargs: Any) -> Shape:
    """Without queries or without values nothing is computed, nor checked."""
    for x in (query, key, value):
        require(len(x) >= 2, "query, key and value of at least 2 dimensions")
    none = either(eq(query[-2], 0), empty(value))
    with unless(none):
        result = attention(query, key, value, *args, **kwargs)
    if len(result) != len(query):
        assume(negate(none), "queries and values: without, the result has the query's dimensions")
        return result
    return choose(none, (*query[:-1], value[-1]), result)


@shape_rule("aten._scaled_dot_product_attention_math.default")
def attention_math(query: Sizes, key: Sizes, value: Sizes, *args: Any, **kwargs: Any) -> list[Shape]:
    """Result and weights."""
    result = attention(query, key, value, *args, **kwargs)
    return [result, (*result[:-1], key[-2])]


def attention(
    query: Sizes,
    key: Sizes,
    value: Sizes,
    attn_mask: Sizes | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *_: Any,
    enable_gqa: bool = False,
    **__: Any,
) -> Shape:
    """Two products of matrices; the mask expands to the scores and not the other way round.

    There must be as many values as keys; the fused kernel for CPU does not check that, and reads past the shorter.
    """
    if enable_gqa:
        key, value = grouped(query, key), grouped(query, value)
    scores = matmul(query, Sizes((*key[:-2], key[-1], key[-2])))
    if attn_mask is not None:
        expand_to(attn_mask, scores, "a mask")
    return matmul(scores, value)


def grouped(query: Sizes, x: Sizes) -> Sizes:
    """Keys or values with their heads repeated to those of the query."""
    require(len(query) >= 3 and len(x) >= 3, "query, key and value with heads")
    require(ne(x[-3], 0), "at least one head")
    require(eq(mod(query[-3], x[-3]), 0), "heads of the query that divide into the heads of key and value")
    return Sizes((*x[:-3], floordiv(query[-3], x[-3]) * x[-3], *x[-2:]), x.dtype)


@shape_rule("aten.embedding.default")
def embedding(weight: Sizes, indices: Sizes, *_: Any) -> Shape:
    """A row of the table for every index."""
    require(len(weight) == 2, "a table of 2 dimensions")
    require(either(ne(weight[0], 0), empty(indices)), "a table with rows to look up")
    return fresh((*indices, weight[1]))


@shape_rule("aten.embedding_renorm_.default", "aten.embedding_renorm.default")
def embedding_renorm(weight: Sizes, indices: Sizes, max_norm: float, norm_type: float) -> Shape:
    require(len(weight) == 2, "a table of 2 dimensions")
    require(either(ne(weight[0], 0), empty(indices)), "a table with rows to look up")
    return tuple(weight)


@shape_rule("aten.embedding_bag.padding_idx", "aten.embedding_bag.default", "aten._embedding_bag.default")
def embedding_bag(
    weight: Sizes,
    indices: Sizes,
    offsets: Sizes,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Sizes | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> list[Shape]:
    """A sum, mean or maximum of rows for every bag.

    The other results are for the backward, and which of the kernels ran decides their sizes.
    """
    require(len(weight) == 2, "a table of 2 dimensions")
    require(len(indices) == 1, "indices of 1 dimension")
    require(len(offsets) == 1, "offsets of 1 dimension")
    if per_sample_weights is not None:
        require(len(per_sample_weights) == 1, "a weight for every index")
        require(eq(per_sample_weights[0], indices[0]), "a weight for every index")
    bags = offsets[0] - 1 if include_last_offset else offsets[0]
    if include_last_offset:
        require(ge(offsets[0], 1), "a last offset")
    best: Shape = (bags, weight[1]) if mode == MAXIMUM else (data_size(3),)
    return [(bags, weight[1]), (data_size(1),), (data_size(2),), best]
