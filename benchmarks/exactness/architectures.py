"""Small instances of real architectures, with random weights. Needs `transformers`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

import torch

from benchmarks.exactness.arguments import SEED
from benchmarks.exactness.forms import Guardgen
from benchmarks.exactness.judge import Count
from benchmarks.exactness.outcomes import run, same

VOCABULARY, LONGEST = 64, 32
TRACED = ((2, 6), (1, 3))
ASKED = ((1, 1), (1, 3), (2, 6), (3, 6), (6, 2), (2, 1), (5, 11), (1, 32), (4, 33))
Inputs = Callable[[int, int], dict[str, Any]]
TEXT = {"vocab_size": VOCABULARY, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
        "intermediate_size": 48, "max_position_embeddings": LONGEST}  # fmt: skip


def tokens(batch: int, length: int) -> dict[str, Any]:
    return {"input_ids": torch.arange(batch * length).view(batch, length) % VOCABULARY}


def masked_tokens(batch: int, length: int) -> dict[str, Any]:
    return {**tokens(batch, length), "attention_mask": torch.ones(batch, length, dtype=torch.long)}


def uncached_tokens(batch: int, length: int) -> dict[str, Any]:
    return {**tokens(batch, length), "use_cache": False}


def pictures(batch: int, length: int) -> dict[str, Any]:
    return {"pixel_values": torch.linspace(-1, 1, batch * 3 * 16 * (length + 12)).view(batch, 3, 16, length + 12)}


def sound(batch: int, length: int) -> dict[str, Any]:
    return {"input_values": torch.linspace(-1, 1, batch * 400 * length).view(batch, 400 * length)}


ARCHITECTURES: dict[str, tuple[str, dict[str, Any], Inputs]] = {
    "DistilBert": ("DistilBertModel", {"vocab_size": VOCABULARY, "dim": 32, "n_layers": 1, "n_heads": 4,
                                       "hidden_dim": 48, "max_position_embeddings": LONGEST}, masked_tokens),
    "Roberta": ("RobertaModel", TEXT, masked_tokens),
    "GPTNeoX": ("GPTNeoXModel", TEXT, uncached_tokens),
    "Qwen2": ("Qwen2Model", {**TEXT, "num_key_value_heads": 2}, uncached_tokens),
    "ConvNext": ("ConvNextModel", {"hidden_sizes": [8, 16], "depths": [1, 1], "num_stages": 2}, pictures),
    "MobileNetV2": ("MobileNetV2Model", {"depth_multiplier": 0.1}, pictures),
    "Wav2Vec2": ("Wav2Vec2Model", {**TEXT, "conv_dim": [8, 8], "conv_kernel": [10, 3], "conv_stride": [5, 2],
                                   "num_feat_extract_layers": 2, "num_conv_pos_embeddings": 4,
                                   "num_conv_pos_embedding_groups": 2}, sound),
}  # fmt: skip


class LastHidden(torch.nn.Module):
    """A model, with its last hidden state as the only result."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model.eval()

    def forward(self, **inputs: Any) -> Any:
        return self.model(**inputs)[0]


def instance(name: str) -> tuple[torch.nn.Module, Inputs]:
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    import transformers

    transformers.logging.set_verbosity_error()
    model, options, inputs = ARCHITECTURES[name]
    torch.manual_seed(SEED)
    config = getattr(transformers, model.removesuffix("Model") + "Config")(**options)
    return LastHidden(getattr(transformers, model)(config)), inputs


def measure(systems: Iterable[Any], names: Iterable[str] = ARCHITECTURES) -> dict[str, Count]:
    """Ask every system about every architecture; right is what guardgen's own trace, replayed, answers rightly."""
    counts = {system.name: Count() for system in systems}
    for name in names:
        module, inputs = instance(name)
        for traced in TRACED:
            reference = Guardgen(module, (), inputs(*traced), script=False)
            asked = [(inputs(*sizes), f"{name} traced {traced} asked {sizes}") for sizes in ASKED]
            verdicts = [replays(reference, module, call) for call, _ in asked]
            for system in systems:
                count = counts[system.name]
                try:
                    traced_by = system(module, (), inputs(*traced))
                except Exception as error:  # what cannot be traced is counted
                    count.untraceable(f"{name} traced {traced}", error, sum(verdicts), len(asked) - sum(verdicts))
                    continue
                for (call, where), valid in zip(asked, verdicts, strict=True):
                    count.ask(traced_by, module, (), call, valid=valid, where=where)
    return counts


def replays(reference: Guardgen, module: torch.nn.Module, call: dict[str, Any]) -> bool:
    eager, replay = run(module, (), call), reference.replay((), call)
    return eager.ran and replay.ran and same(eager.result, replay.result)
