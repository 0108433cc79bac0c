"""The textbook example: `a + b`, traced at two levels.

At level `prims` nothing broadcasts: the trace decides of each size whether it is 1, since a size of 1 would have made a
`broadcast_in_dim`. So the trace of (4,) + (4,) is right for two equal sizes, whatever they are, but not for 1 and 1.
At level `call` the operator is kept whole and decides by itself: the trace is right wherever two sizes broadcast.
"""

import torch

from guardgen import spec


def two_vectors() -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(4), torch.randn(4)


@spec.program(args=two_vectors, level="call", name="textbook_call")
@spec.program(args=two_vectors, level="prims", name="textbook_prims")
def add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a + b
