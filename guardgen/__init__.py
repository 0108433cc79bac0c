"""guardgen: a code-generating guard compiler for PyTorch traces.

A trace recorded from one real run is right only for inputs that take the program the same way. guardgen works out for
which inputs that is, and writes the condition down as Python, TorchScript and C++ source that needs nothing of it.

    program, example arguments                    spec          registered in a spec file
        | trace                                   tracing/      one run on guarded values, recorded
    Trace: a Graph with its bailouts              ir, ops       what a graph is; printer, interpret: how one is read
        | derive                                  derive        the walk over the trace, tensors standing for sizes
        |     sizes of every operator             rules/shape/  by hand; rules/meta, symnode: from PyTorch's kernels
        |     numbers as terms over input sizes   terms/        polynomials and comparisons in normal form
        |     what is known, what is implied      solve/        equalities, intervals, minimisation
        |     observations of data                hoist         computed on entry
    GuardSet: entry facts and guards              guards        asked of arguments: checking, facts, runtime
        | emit                                    emit/         render model -> templates/<target>/
    Python, TorchScript and C++ source            rules/python, torchscript, cpp: how expressions are written
        | write                                   files         whole, and only if changed; script, native: compiled
    generated/<name>.py, <name>_torchscript.py, <name>.hpp

Guards are data too: `store` writes them as JSON, `stored` reads that back and asks it, without PyTorch. `torchscript`
makes artifacts that check before they run, `export` puts guards before a program of torch.export, `aoti` into packages
of AOTInductor, and `onnx` writes and runs ONNX models that carry theirs.

`pipeline` runs these stages, `cli` is the command line, `shapes` shows the derivation as a graph of ints.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

from guardgen.errors import (
    BailoutError,
    DeriveError,
    EmitError,
    GraphError,
    GuardgenError,
    LoadError,
    NarrowedError,
    SpecError,
    TraceError,
)
from guardgen.stored import load

# What needs PyTorch is imported when it is asked for: guards that are data are checked without.
LAZY = {
    "trace": "guardgen.tracing",
    "Trace": "guardgen.tracing",
    "derive": "guardgen.derive",
    "emit": "guardgen.emit",
    "Guard": "guardgen.guards",
    "GuardSet": "guardgen.guards",
}
# Never so when it runs: for type checkers, which below TYPE_CHECKING would take `derive` and `emit` for the modules.
if not LAZY:
    from guardgen import aoti, export, onnx, torchscript
    from guardgen.derive import derive
    from guardgen.emit import emit
    from guardgen.guards import Guard, GuardSet
    from guardgen.tracing import Trace, trace

    __version__ = ""

__all__ = [
    "trace",
    "derive",
    "emit",
    "load",
    "export",
    "torchscript",
    "aoti",
    "onnx",
    "Trace",
    "GuardSet",
    "Guard",
    "GuardgenError",
    "TraceError",
    "BailoutError",
    "DeriveError",
    "NarrowedError",
    "EmitError",
    "GraphError",
    "LoadError",
    "SpecError",
    "__version__",
]


class Package(ModuleType):
    """This package. `derive` and `emit` are functions here, although modules have the same names."""

    def __getattr__(self, name: str) -> Any:
        if name == "__version__":
            return importlib.import_module("guardgen.emit.header").version()
        if name in ("torchscript", "export", "aoti", "onnx"):
            return importlib.import_module(f"guardgen.{name}")
        if name not in LAZY:
            raise AttributeError(f"module 'guardgen' has no attribute {name!r}")
        found = getattr(importlib.import_module(LAZY[name]), name)
        setattr(self, name, found)
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in LAZY and isinstance(value, ModuleType)):  # the import of a submodule sets it
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = Package
