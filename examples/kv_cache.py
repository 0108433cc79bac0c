"""One step of decoding with a cache of keys and values, at a position that is a Python int.

The int is no constant of the trace: it selects where the step writes, and how much of the cache it reads. The program
refuses a position beyond the end of the cache, so the guard does too, whatever the size of the cache.
"""

import torch

from guardgen import spec

BATCH, HEADS, LENGTH, WIDTH = 2, 4, 32, 16


def step_of_decoding() -> tuple[object, ...]:
    new = [torch.randn(BATCH, HEADS, 1, WIDTH) for _ in range(3)]
    cache = [torch.zeros(BATCH, HEADS, LENGTH, WIDTH) for _ in range(2)]
    return (*new, *cache, 5)


@spec.program(args=step_of_decoding)
def kv_cache(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    position: int,
) -> torch.Tensor:
    """The attention of one new token; its key and value are written to the caches `keys` and `values`."""
    if keys.shape != values.shape:
        raise ValueError(f"the caches differ: {tuple(keys.shape)} and {tuple(values.shape)}")
    if not 0 <= position < keys.shape[2]:
        raise IndexError(f"position {position} is outside a cache of {keys.shape[2]}")
    seen = position + 1
    keys[:, :, position:seen] = key
    values[:, :, position:seen] = value
    scores = query @ keys[:, :, :seen].transpose(-2, -1) / query.shape[3] ** 0.5
    return torch.softmax(scores, dim=-1) @ values[:, :, :seen]
