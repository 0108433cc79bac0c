"""A model that scores texts in batches, for the sizes that it is served at: these are declared, as for torch.export.

What the declared ranges decide is no guard. Declare `length` without its `max`, and building this file fails with the
line that would have made one, and with the declaration that fits.
"""

import torch
from torch.export import Dim

from guardgen import spec

WORDS, POSITIONS, WIDTH = 100, 512, 8

batch = Dim("batch", min=1, max=64)
length = Dim("length", min=1, max=POSITIONS)


class Ranking(torch.nn.Module):
    """The mean of the words of each text, as a score."""

    def __init__(self) -> None:
        super().__init__()
        self.words = torch.nn.Embedding(WORDS, WIDTH)
        self.positions = torch.nn.Parameter(torch.randn(POSITIONS, WIDTH))
        self.score = torch.nn.Linear(WIDTH, 1)

    def forward(self, tokens: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        if tokens.shape[1] > POSITIONS:
            tokens, mask = tokens[:, :POSITIONS], mask[:, :POSITIONS]
        hidden = self.words(tokens) + self.positions[: tokens.shape[1]]
        if tokens.shape[0] == 0:
            return torch.zeros(0)
        mean = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True).clamp(min=1.0)
        scores: torch.Tensor = self.score(mean)
        return scores.squeeze(-1)


def example() -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randint(WORDS, (3, 10)), torch.ones(3, 10)


@spec.module(args=example, dynamic_shapes={"tokens": (batch, length), "mask": (batch, length)})
def ranking() -> torch.nn.Module:
    return Ranking().eval()
