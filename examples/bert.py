"""BERT of `transformers`, as it is, with small random weights: nothing is downloaded.

One trace serves any batch, and any length from 2 to the 64 positions that this one has. The model asks whether its
mask is all ones, and leaves it out if so: the guard asks the same of the mask.
"""

import os

import torch
from torch import nn

from guardgen import spec

os.environ.setdefault("HF_HUB_OFFLINE", "1")


class LastHidden(nn.Module):
    """The model, returning its last hidden state alone."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        hidden: torch.Tensor = self.model(input_ids=input_ids, attention_mask=attention_mask)[0]
        return hidden


def two_sentences() -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randint(0, 100, (2, 7)), torch.ones(2, 7, dtype=torch.long)


@spec.module(args=two_sentences, requires="transformers")
def bert() -> nn.Module:
    from transformers import BertConfig, BertModel

    config = BertConfig(
        vocab_size=100,
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=64,
    )
    return LastHidden(BertModel(config).eval())
