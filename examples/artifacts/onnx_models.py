"""An ONNX model that refuses what it is not right for, beside the bare one, which answers wrongly.

python -m examples.artifacts.onnx_models
"""

from __future__ import annotations

import logging
import tempfile
import warnings
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from torch.export import Dim

import guardgen
from examples.chunks import chunks


class Chunks(torch.nn.Module):
    def forward(self, rows: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return chunks(rows, weight)


def main() -> None:
    warnings.simplefilter("ignore")  # PyTorch's exporter warns of parts of itself
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    folder = Path(tempfile.mkdtemp())
    example = torch.randn(10, 8), torch.randn(8, 8)
    rows, weight = np.ones((13, 8), np.float32), np.ones((8, 8), np.float32)
    print(f"program            {tuple(chunks(torch.from_numpy(rows), torch.from_numpy(weight)).shape)}")

    shapes = {"rows": {0: Dim.AUTO}, "weight": None}
    torch.onnx.export(Chunks(), example, folder / "bare.onnx", dynamic_shapes=shapes, verbose=False)
    bare = onnxruntime.InferenceSession(str(folder / "bare.onnx"))
    print(f"torch.onnx.export  {bare.run(None, {'rows': rows, 'weight': weight})[0].shape}")

    guardgen.onnx.export(chunks, example, folder / "chunks.onnx")
    session = guardgen.onnx.Session(folder / "chunks.onnx")  # in another process; PyTorch is not needed
    print(f"guarded, 12 rows   {session.run(None, {'rows': rows[:12], 'weight': weight})[0].shape}")
    for feed in {"rows": rows, "weight": weight}, {"rows": rows[:12].astype(np.float64), "weight": weight}:
        try:
            session.run(None, feed)
        except guardgen.onnx.GuardError as error:
            print(f"refused            {error}")


if __name__ == "__main__":
    main()
