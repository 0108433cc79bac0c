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
        | write                                   files         whole files, and only if changed; script: compiled
    generated/<name>.py, <name>_torchscript.py, <name>.hpp

`pipeline` runs these stages, `cli` is the command line, `shapes` shows the derivation as a graph of ints.
"""

from guardgen.derive import derive
from guardgen.emit import emit
from guardgen.emit.header import version
from guardgen.errors import BailoutError, DeriveError, EmitError, GraphError, GuardgenError, SpecError, TraceError
from guardgen.guards import Guard, GuardSet
from guardgen.tracing import Trace, trace

__version__ = version()

__all__ = [
    "trace",
    "derive",
    "emit",
    "Trace",
    "GuardSet",
    "Guard",
    "GuardgenError",
    "TraceError",
    "BailoutError",
    "DeriveError",
    "EmitError",
    "GraphError",
    "SpecError",
    "__version__",
]
