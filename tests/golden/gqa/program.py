import torch

from guardgen import spec


@spec.program(args=lambda: (torch.ones(2, 8, 5, 4), torch.ones(2, 2, 5, 4), torch.ones(2, 2, 5, 4)))
def gqa(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    heads, kv_heads = q.shape[1], k.shape[1]
    if heads % kv_heads != 0:
        raise ValueError(f"{heads} heads of queries cannot share {kv_heads} heads of keys")
    group = heads // kv_heads
    k, v = k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)
    return torch.softmax(q @ k.transpose(-2, -1), dim=-1) @ v
