"""Attention as models write it: it looks at its mask before using it, and what it sees there decides what it runs.

`masked_attention` raises unless the mask has the shape it needs. A trace has no `raise` in it, so without a guard the
traced model would take a mask of shape (1, 1, 1, k) and answer. `attention` looks at what is *in* the mask, as nearly
every attention of `transformers` does: a mask of ones masks nothing, and is left out. That decision depends on data:
the guard computes it from the mask, and refuses a mask with a zero in it.
"""

import torch
import torch.nn.functional as F

from guardgen import spec

BATCH, HEADS, QUERIES, KEYS, WIDTH = 2, 4, 5, 7, 16


def queries_keys_values() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    q = torch.randn(BATCH, HEADS, QUERIES, WIDTH)
    return q, torch.randn(BATCH, HEADS, KEYS, WIDTH), torch.randn(BATCH, HEADS, KEYS, WIDTH)


@spec.program(args=lambda: (*queries_keys_values(), torch.zeros(BATCH, 1, QUERIES, KEYS)))
def masked_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """`mask` is added to the scores: 0 where a query may look, -inf where it may not."""
    check_sizes(q, k, v)
    b, _, queries, width = q.shape
    keys = k.shape[2]
    if mask.shape != (b, 1, queries, keys):
        raise ValueError(f"the mask must be ({b}, 1, {queries}, {keys}), not {tuple(mask.shape)}")
    scores = q @ k.transpose(-2, -1) / width**0.5
    return torch.softmax(scores + mask, dim=-1) @ v


@spec.program(args=lambda: (*queries_keys_values(), torch.ones(BATCH, KEYS, dtype=torch.bool)))
def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """`mask` says which keys there are; where all of them are, the faster kernel without a mask will do."""
    check_sizes(q, k, v)
    if mask.all():
        return F.scaled_dot_product_attention(q, k, v)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None, :])


def check_sizes(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> None:
    """Nothing broadcasts: batch and heads are the same for all, and every key has a value."""
    if k.shape != v.shape or q.shape[:2] != k.shape[:2]:
        raise ValueError(f"queries {tuple(q.shape)}, keys {tuple(k.shape)} and values {tuple(v.shape)} do not fit")
