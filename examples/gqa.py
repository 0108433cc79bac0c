"""Grouped-query attention: fewer heads of keys and values than of queries, each shared by a group of them.

The number of queries' heads must be a multiple of the other, and the group size follows from the two, so one trace
serves any pair of head counts that fits: 8 and 2, 8 and 8, 3 and 1.
"""

import torch
import torch.nn.functional as F

from guardgen import spec


@spec.program(args=lambda: (torch.randn(2, 8, 5, 16), torch.randn(2, 2, 5, 16), torch.randn(2, 2, 5, 16)))
def gqa(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """`q` of shape (batch, heads, length, width); `k` and `v` the same with fewer heads."""
    heads, kv_heads = q.shape[1], k.shape[1]
    if heads % kv_heads != 0:
        raise ValueError(f"{heads} heads of queries cannot share {kv_heads} heads of keys")
    group = heads // kv_heads
    return F.scaled_dot_product_attention(q, shared(k, group), shared(v, group), is_causal=True)


def shared(x: torch.Tensor, group: int) -> torch.Tensor:
    """Each head, `group` times over."""
    b, heads, length, width = x.shape
    return x[:, :, None].expand(b, heads, group, length, width).reshape(b, heads * group, length, width)
