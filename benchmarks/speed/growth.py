"""How the cost of trace and derive grows with the length of the program: blocks of one transformer, repeated."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

import guardgen
from benchmarks.speed import derive
from benchmarks.speed.pairs import Spread, in_turns, seconds

DEPTHS = (8, 32, 72, 128, 512, 720)  # 72 and 720 have 1,000 operators and 10,000
EXPORTED = (8, 32, 72)  # the peers take minutes for more
REMEMBERED = (32, 128)  # whose memory is traced, which slows them down


class Block(torch.nn.Module):
    """Attention that takes its sizes from its input, then a layer with a residual."""

    def __init__(self, width: int = 32, heads: int = 4) -> None:
        super().__init__()
        self.heads = heads
        self.norm = torch.nn.LayerNorm(width)
        self.inner, self.outer = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        split = self.inner(self.norm(x)).view(batch, length, 3, self.heads, width // self.heads)
        q, k, v = split.permute(2, 0, 3, 1, 4).unbind(0)
        scores = torch.softmax(q @ k.transpose(-1, -2) / (width // self.heads) ** 0.5, -1)
        mixed: torch.Tensor = self.outer((scores @ v).transpose(1, 2).reshape(batch, length, width))
        return x + mixed


class Blocks(torch.nn.Module):
    def __init__(self, depth: int) -> None:
        super().__init__()
        self.blocks = torch.nn.Sequential(*(Block() for _ in range(depth)))

    def forward(self, x: torch.Tensor) -> Any:
        return self.blocks(x)


@dataclass(frozen=True)
class Grown:
    """By the number of blocks: operators, seconds of each round, bytes; and the seconds of the peers."""

    operators: dict[int, int]
    seconds: dict[int, list[float]]
    kept: dict[int, int]
    peak: dict[int, int]
    peers: dict[str, dict[int, float]]

    def ratio(self, depth: int, other: int) -> Spread:
        """What a block costs in a program of `depth` blocks, against one of `other`."""
        pairs = zip(self.seconds[depth], self.seconds[other], strict=True)
        return Spread.of([(a / depth) / (b / other) for a, b in pairs])


def measure(rounds: int, depths: tuple[int, ...] = DEPTHS) -> Grown:
    example = {"x": torch.randn(2, 5, 32)}
    modules = {depth: Blocks(depth).eval() for depth in depths}
    operators = {depth: guardgen.trace(module, (), example).operators for depth, module in modules.items()}
    calls = {str(depth): prepared(module, example) for depth, module in modules.items()}
    times = in_turns(calls, rounds)
    memory = {depth: remembered(prepared(modules[depth], example)) for depth in REMEMBERED if depth in depths}
    return Grown(
        operators,
        {depth: times[str(depth)] for depth in depths},
        {depth: kept for depth, (kept, _) in memory.items()},
        {depth: peak for depth, (_, peak) in memory.items()},
        peers({depth: modules[depth] for depth in EXPORTED if depth in modules}, example),
    )


def prepared(module: torch.nn.Module, example: dict[str, torch.Tensor]) -> Callable[[], Any]:
    return lambda: derived(guardgen.trace(module, (), example))


def derived(trace: guardgen.Trace) -> tuple[guardgen.Trace, guardgen.GuardSet]:
    return trace, guardgen.derive(trace)


def remembered(call: Callable[[], Any]) -> tuple[int, int]:
    """The bytes that the result of a call keeps, and the most that were in use; Python's objects alone."""
    gc.collect()
    tracemalloc.start()
    try:
        result = call()
        _, peak = tracemalloc.get_traced_memory()
        gc.collect()
        kept, _ = tracemalloc.get_traced_memory()
        del result
    finally:
        tracemalloc.stop()
    return kept, peak


def peers(modules: dict[int, torch.nn.Module], example: dict[str, torch.Tensor]) -> dict[str, dict[int, float]]:
    """The seconds of one run of each, after the shortest program has warmed it."""
    found: dict[str, dict[int, float]] = {}
    for name, depth, took in peer_times(modules, example):
        found.setdefault(name, {})[depth] = took
    return found


def peer_times(
    modules: dict[int, torch.nn.Module], example: dict[str, torch.Tensor]
) -> Iterator[tuple[str, int, float]]:
    for name, system in derive.SYSTEMS.items():
        if name == derive.OURS or not modules:
            continue
        system(modules[min(modules)], example)
        for depth, module in modules.items():
            yield name, depth, seconds(lambda: system(module, example), 1)  # noqa: B023
