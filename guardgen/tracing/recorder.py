"""The mode that sees every operator of the traced run, runs it on the real tensors, and records it.

The mode is entered below autograd, so that PyTorch hands over composite operators whole (`reshape`, `linear`), before
it takes them apart. The real tensors are computed with the dispatcher's state from before the trace: autograd, autocast
and the caller's own modes act on them as they would have.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode

from guardgen.errors import TraceError
from guardgen.ir import Slot
from guardgen.symnode import SYMBOLIC, SymNode
from guardgen.tracing.call import Call
from guardgen.tracing.guarded import Guarded
from guardgen.tracing.levels import decompose
from guardgen.tracing.metadata import METADATA
from guardgen.tracing.provenance import user_line
from guardgen.tracing.tracer import Tracer
from guardgen.tracing.variable import Variable

_KEYS = torch._C.DispatchKey
BELOW_AUTOGRAD = torch._C.DispatchKeySet(_KEYS.ADInplaceOrView)
for _key in ("AutogradFunctionality", "AutogradCPU", "AutogradCUDA", "AutogradMeta", "AutogradOther"):
    if hasattr(_KEYS, _key):
        BELOW_AUTOGRAD = BELOW_AUTOGRAD | torch._C.DispatchKeySet(getattr(_KEYS, _key))

READS_VALUE = ("aten._local_scalar_dense.default", "aten.item.default")


@dataclass(frozen=True, slots=True)
class Operator:
    """What the recorder has to know of one of PyTorch's operators."""

    name: str
    answer: Callable[..., Any] | None  # where it only asks about a tensor
    reads_value: bool
    returns: int
    writes: tuple[tuple[int, str], ...]  # position and name of the arguments that it writes to


@functools.lru_cache(maxsize=8192)
def operator(func: Any) -> Operator:
    name, schema = str(func), func._schema
    aliases = [(i, arg.name, arg.alias_info) for i, arg in enumerate(schema.arguments)]
    writes = tuple((i, arg) for i, arg, alias in aliases if alias is not None and alias.is_write)
    return Operator(name, METADATA.get(name), name in READS_VALUE, len(schema.returns), writes)


class Recorder(TorchDispatchMode):
    """Records into `tracer`."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # PyTorch's
        self.tracer = tracer

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        op = operator(func)
        if op.answer is not None:
            return self.metadata(func, op, args, kwargs)
        if op.reads_value:
            return self.scalar(args[0])
        if self.tracer.level != "call":
            taken_apart = decompose(func, self.tracer.level)
            if taken_apart is not None:
                with self:
                    result = taken_apart(*self.guarded(args), **self.guarded(kwargs))
                if result is not NotImplemented:
                    return result
        return self.record(func, op, args, kwargs)

    def metadata(self, func: Any, op: Operator, args: Any, kwargs: Any) -> Any:
        if op.answer is not None and isinstance(args[0], Variable) and args[0]._tracer is self.tracer:
            with self:
                return op.answer(*args, **kwargs)
        with torch._C._ForceDispatchKeyGuard(*self.tracer.outer):
            return func(*args, **kwargs)

    def scalar(self, tensor: torch.Tensor) -> Any:
        if isinstance(tensor, Variable):
            return self.tracer.observe(tensor.item())
        return tensor.item()

    def guarded(self, value: Any) -> Any:
        """The arguments as Python code of PyTorch's should meet them: our own numbers, not torch.SymInt."""
        if isinstance(value, SYMBOLIC) and not isinstance(value, Guarded) and isinstance(value.node, SymNode):
            return value.node.value
        if type(value) in (list, tuple):
            return type(value)(map(self.guarded, value))
        if type(value) is dict:
            return {key: self.guarded(item) for key, item in value.items()}
        return value

    def record(self, func: Any, op: Operator, args: Any, kwargs: Any) -> Any:
        call = Call(self.tracer, op.writes, args, kwargs)
        with torch._C._ForceDispatchKeyGuard(*self.tracer.outer):
            output = func(*call.real_args, **call.real_kwargs)
        if op.name == "aten.lift_fresh.default" and not isinstance(args[0], Variable):
            return self.lifted(args[0])
        outputs = list(output) if op.returns > 1 else [output] if op.returns else []
        names = self.tracer.results(op.name, call.inputs, call.args, call.kwargs, outputs)
        self.tracer.writes += call.written_storages()
        wrapped = [call.wrap(out, name) for out, name in zip(outputs, names, strict=True)]
        return tuple(wrapped) if op.returns > 1 else wrapped[0] if wrapped else None

    def lifted(self, tensor: torch.Tensor) -> Variable:
        """A tensor made from Python numbers, such as `torch.tensor(1.0)`: every replay gets a copy of its own."""
        name = self.tracer.literal(tensor)
        (copy,) = self.tracer.record_torch_op("aten.clone.default", [name], [Slot(0)], {}, ("tensor",))
        return self.tracer.variable(tensor, copy)


@contextmanager
def recording(tracer: Tracer) -> Iterator[Recorder]:
    """Operators called in this context, on this thread, are recorded into `tracer`."""
    if _get_current_dispatch_mode() is not None:
        raise TraceError("a trace inside another trace or dispatch mode cannot be recorded", line=user_line())
    recorder = Recorder(tracer)
    tracer.started = True
    try:
        with recorder, torch._C._ExcludeDispatchKeyGuard(BELOW_AUTOGRAD):
            yield recorder
    finally:
        tracer.active = False
