import torch

from guardgen import spec


@spec.program(args=lambda: (torch.ones(10, 8),))
def chunks(rows: torch.Tensor) -> torch.Tensor:
    return torch.cat([torch.tanh(rows[start : start + 4]) for start in range(0, rows.shape[0], 4)])
