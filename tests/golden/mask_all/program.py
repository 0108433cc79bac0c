import torch

from guardgen import spec


@spec.program(args=lambda: (torch.ones(2, 3), torch.ones(2, 3, dtype=torch.bool)))
def mask_all(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    if mask.all():
        return torch.softmax(scores, dim=-1)
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
