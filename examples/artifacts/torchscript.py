"""A TorchScript artifact that refuses what it is not right for, beside the bare one, which answers wrongly.

python -m examples.artifacts.torchscript
"""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

import torch

import guardgen
from examples.chunks import chunks
from guardgen import torchscript


def main() -> None:
    warnings.simplefilter("ignore")  # torch.jit.trace warns of loops, and does not say which inputs they concern
    rows, weight = torch.randn(13, 8), torch.randn(8, 8)
    example = torch.randn(10, 8), torch.randn(8, 8)
    print(f"program           {tuple(chunks(rows, weight).shape)}")

    bare = torch.jit.trace(chunks, example)
    print(f"torch.jit.trace   {tuple(bare(rows, weight).shape)}")

    path = Path(tempfile.mkdtemp()) / "chunks.pt"
    torch.jit.save(torchscript.trace(chunks, example), str(path))
    model = torch.jit.load(str(path))  # in another process, or in C++; guardgen is not needed
    print(f"guarded, 12 rows  {tuple(model(rows[:12], weight).shape)}")
    show_error("guarded, 13 rows ", model, rows, weight)

    guards = guardgen.derive(guardgen.trace(chunks, example))
    show_error("bare, guarded    ", torchscript.guard(bare, guards), rows, weight)


def show_error(what: str, model: torch.jit.ScriptModule, *args: torch.Tensor) -> None:
    try:
        model(*args)
    except (torch.jit.Error, RuntimeError) as error:
        print(what, str(error).strip().splitlines()[-1])


if __name__ == "__main__":
    main()
