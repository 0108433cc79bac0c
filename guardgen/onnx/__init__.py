"""ONNX models that carry their guards: `export` writes one, `Session` runs one in onnxruntime and checks first.

    trace, derive  --numbers-->  replay  --torch.export, torch.onnx-->  model
                   what ONNX computes otherwise      assumptions           inputs: the guards in the names of the
                   is fixed, and said to be          of both, as terms     model's inputs, as data in its metadata
                                                                           probe: onnxruntime held against the trace

`Session` needs onnxruntime and no PyTorch; `export` needs both. `docs/artifacts-onnx.md` says what it cannot see.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from guardgen.onnx.metadata import embedded
from guardgen.onnx.session import Session
from guardgen.runtime import GuardError

if TYPE_CHECKING:
    from guardgen.onnx.exporting import export

__all__ = ["export", "Session", "GuardError", "embedded"]


def __getattr__(name: str) -> Any:
    if name != "export":
        raise AttributeError(f"module 'guardgen.onnx' has no attribute {name!r}")
    return importlib.import_module("guardgen.onnx.exporting").export
