"""Guards that travel as data: written where the model is traced, asked where PyTorch is not installed.

python -m examples.artifacts.guards_as_data
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import torch

import guardgen
from examples.chunks import chunks


def main() -> None:
    guards = guardgen.derive(guardgen.trace(chunks, (torch.randn(10, 8), torch.randn(8, 8))))
    path = Path(tempfile.mkdtemp()) / "chunks.json"
    path.write_text(guards.to_json(), encoding="utf-8")

    # From here on nothing of PyTorch is needed: a gateway can refuse a request before it reaches the model.
    stored = guardgen.load(path)
    for rows in 9, 12, 13:
        print(f"{rows} rows: {stored.check_shapes((rows, 8), (8, 8))}")
    print(*stored.violations(torch.randn(13, 8), torch.randn(8, 8)))


if __name__ == "__main__":
    main()
