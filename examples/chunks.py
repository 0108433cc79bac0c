"""A loop over chunks: how often a Python loop goes round is decided by a size, and a trace has it unrolled.

The traced run took 10 rows in chunks of 4, so three rounds. The same three serve any input of 9 to 12 rows; the last
chunk is what is left, however much that is.
"""

import torch

from guardgen import spec

CHUNK = 4


@spec.program(args=lambda: (torch.randn(10, 8), torch.randn(8, 8)))
def chunks(rows: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """`rows @ weight`, a few rows at a time, as one does where memory is short."""
    done = []
    for start in range(0, rows.shape[0], CHUNK):
        done.append(torch.tanh(rows[start : start + CHUNK] @ weight))
    return torch.cat(done)
