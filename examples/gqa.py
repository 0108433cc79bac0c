"""Grouped-query attention: fewer heads of keys and values than of queries, each shared by a group of them.

The number of queries' heads must be a multiple of the other, and the group size follows from the two, so one trace
serves any pair of head counts that fits: 8 and 2, 8 and 8, 3 and 1.
"""

import torch

from guardgen import spec


@spec.program(args=lambda: (torch.randn(2, 8, 5, 16), torch.randn(2, 2, 5, 16), torch.randn(2, 2, 5, 16)))
def gqa(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """`q` of shape (batch, heads, length, width); `k` and `v` the same with fewer heads."""
    b, heads, length, width = q.shape
    kv_heads = k.shape[1]
    if k.shape != v.shape:
        raise ValueError(f"keys and values differ: {tuple(k.shape)} and {tuple(v.shape)}")
    if heads % kv_heads != 0:
        raise ValueError(f"{heads} heads of queries cannot share {kv_heads} heads of keys")
    grouped = q.reshape(b, kv_heads, heads // kv_heads, length, width)
    scores = grouped @ k[:, :, None].transpose(-2, -1) / width**0.5
    return (torch.softmax(scores, dim=-1) @ v[:, :, None]).flatten(1, 2)
