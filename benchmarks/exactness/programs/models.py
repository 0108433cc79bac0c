"""Parts of models: attention and its masks, caches, grouped heads, positions, normalisation."""

import torch
import torch.nn.functional as F
from torch import Tensor

from benchmarks.exactness.arguments import Made, T
from benchmarks.exactness.programs.registry import program

BOOL, LONG = torch.bool, torch.int64


def ones(*sizes: int) -> Made:
    return Made(f"ones{sizes}", lambda: torch.ones(sizes))


def with_zero(*sizes: int) -> Made:
    return Made(f"ones{sizes}, but for one 0", lambda: torch.ones(sizes).index_fill_(-1, torch.tensor([0]), 0))


@program(
    "mask validation",
    traced=(T(2, 4, 5, 8), T(2, 4, 7, 8), T(2, 1, 5, 7)),
    valid=[
        (T(1, 1, 1, 1), T(1, 1, 1, 1), T(1, 1, 1, 1)),
        (T(3, 2, 4, 8), T(3, 2, 9, 8), T(3, 1, 4, 9)),
        (T(0, 2, 4, 8), T(0, 2, 9, 8), T(0, 1, 4, 9)),
    ],
    invalid=[
        (T(2, 4, 5, 8), T(2, 4, 7, 8), T(1, 1, 5, 7)),
        (T(2, 4, 5, 8), T(2, 4, 7, 8), T(2, 4, 5, 7)),
        (T(2, 4, 5, 8), T(2, 4, 7, 8), T(2, 1, 1, 7)),
        (T(2, 4, 5, 8), T(2, 4, 7, 4), T(2, 1, 5, 7)),
    ],
)
def masked(q: Tensor, k: Tensor, mask: Tensor) -> Tensor:
    batch, _, queries, width = q.shape
    if mask.shape != (batch, 1, queries, k.shape[2]):
        raise ValueError(f"the mask must not be {mask.shape}")
    return torch.softmax(q @ k.transpose(2, 3) / width**0.5 + mask, -1) @ k


@program(
    "mask data decides",
    traced=(T(2, 4, 8), ones(2, 4)),
    valid=[(T(1, 9, 8), ones(1, 9)), (T(3, 1, 2), ones(3, 1))],
    invalid=[(T(2, 4, 8), with_zero(2, 4)), (T(1, 2, 8), with_zero(1, 2))],
)
def attend(x: Tensor, mask: Tensor) -> Tensor:
    scores = x @ x.transpose(1, 2)
    if not mask.bool().all():
        scores = scores.masked_fill(mask[:, None, :] == 0, -1e9)
    return scores.softmax(-1) @ x


@program(
    "causal by length",
    traced=(T(1, 2, 5, 4), T(1, 2, 5, 4)),
    valid=[(T(3, 1, 2, 8), T(3, 1, 2, 8)), (T(1, 2, 9, 4), T(1, 2, 9, 4)), (T(1, 2, 3, 4), T(1, 2, 7, 4))],
    invalid=[(T(1, 2, 5, 4), T(1, 2, 5, 3))],
)
def causal(q: Tensor, k: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, k, k, is_causal=q.shape[2] > 1)


@program(
    "KV cache",
    traced=(T(1, 2, 6, 4), T(1, 2, 1, 4)),
    valid=[(T(1, 2, 1, 4), T(1, 2, 1, 4)), (T(3, 1, 9, 2), T(3, 1, 2, 2)), (T(1, 2, 0, 4), T(1, 2, 3, 4))],
    invalid=[(T(2, 2, 6, 4), T(1, 2, 1, 4)), (T(1, 2, 6, 3), T(1, 2, 1, 4)), (T(1, 2, 14, 4), T(1, 2, 3, 4))],
)
def extend_cache(cache: Tensor, new: Tensor) -> Tensor:
    whole = torch.cat([cache, new], dim=2)
    if whole.shape[2] > 16:
        raise ValueError("the cache is full")
    return whole


@program(
    "KV cache, written in place",
    traced=(T(1, 8, 4), T(1, 2, 4), 3),
    valid=[(T(1, 8, 4), T(1, 2, 4), 6), (T(2, 5, 1), T(2, 5, 1), 0), (T(1, 4, 4), T(1, 1, 4), 2)],
    invalid=[(T(1, 8, 4), T(1, 2, 4), 7), (T(1, 8, 4), T(2, 2, 4), 3), (T(1, 8, 4), T(1, 9, 4), 0)],
)
def write_cache(cache: Tensor, new: Tensor, start: int) -> Tensor:
    end = start + new.shape[1]
    assert end <= cache.shape[1]
    cache[:, start:end] = new
    return cache[:, :end].sum(1)


@program(
    "grouped heads",
    traced=(T(2, 8, 5, 4), T(2, 2, 5, 4)),
    valid=[(T(1, 4, 3, 2), T(1, 2, 3, 2)), (T(2, 6, 1, 4), T(2, 2, 1, 4)), (T(2, 9, 5, 4), T(2, 3, 5, 4))],
    invalid=[(T(2, 8, 5, 4), T(2, 3, 5, 4)), (T(2, 2, 5, 4), T(2, 2, 5, 4)), (T(2, 8, 5, 4), T(2, 0, 5, 4))],
)
def grouped(q: Tensor, k: Tensor) -> Tensor:
    repeats = q.shape[1] // k.shape[1]
    if repeats > 1:
        k = k.repeat_interleave(repeats, dim=1)
    return q @ k.transpose(-1, -2)


@program(
    "positions",
    traced=(T(2, 5, dtype=LONG), T(3, 4), T(16, 4)),
    valid=[(T(1, 16, dtype=LONG), T(3, 2), T(16, 2)), (T(0, 3, dtype=LONG), T(3, 4), T(3, 4))],
    invalid=[(T(2, 17, dtype=LONG), T(3, 4), T(16, 4)), (T(2, 5, dtype=LONG), T(3, 4), T(16, 3))],
)
def embed(ids: Tensor, words: Tensor, positions: Tensor) -> Tensor:
    at = torch.arange(ids.shape[1])
    return F.embedding(ids, words) + F.embedding(at, positions)


@program(
    "normalisation",
    traced=(T(2, 3, 8), T(8)),
    valid=[(T(1, 1, 1), T(1)), (T(0, 4, 6), T(6)), (T(9, 2, 16), T(16))],
    invalid=[(T(2, 3, 8), T(7)), (T(2, 3, 8), T(1)), (T(3, 8), T(8))],
)
def normalised(x: Tensor, weight: Tensor) -> Tensor:
    return F.layer_norm(x, (x.shape[-1],), weight)


@program(
    "heads from a width",
    traced=(T(2, 5, 12),),
    valid=[(T(1, 1, 4),), (T(3, 0, 8),), (T(2, 7, 16),)],
    invalid=[(T(2, 5, 10),), (T(2, 5, 0),), (T(5, 12),)],
)
def split_heads(x: Tensor) -> Tensor:
    batch, length, width = x.shape
    if width % 4 or not width:
        raise ValueError("four heads must share the width")
    return x.view(batch, length, 4, width // 4).transpose(1, 2)


@program(
    "windows",
    traced=(T(1, 8, 2),),
    valid=[(T(3, 4, 1),), (T(1, 12, 5),), (T(2, 0, 2),)],
    invalid=[(T(1, 6, 2),), (T(1, 3, 2),)],
)
def windows(x: Tensor) -> Tensor:
    batch, length, width = x.shape
    assert length % 4 == 0
    return x.view(batch, length // 4, 4, width).mean(2)
