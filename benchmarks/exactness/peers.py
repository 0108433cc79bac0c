"""What PyTorch itself offers, asked the same questions: jit.trace, export and compile, each with dynamic sizes."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.utils import _pytree as pytree

from benchmarks.exactness.arguments import fresh
from benchmarks.exactness.outcomes import Outcome, run


class Jit:
    """`torch.jit.trace`: it has no guard, so it accepts whatever it runs on."""

    name = "torch.jit.trace"

    def __init__(self, fn: Callable[..., Any], args: Any, kwargs: Mapping[str, Any] | None = None) -> None:
        args, kwargs = fresh((args, kwargs or {}))
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            if kwargs:
                self.traced = torch.jit.trace(Wrapped(fn), example_kwarg_inputs={"kwargs": kwargs}, strict=False)
            else:
                self.traced = torch.jit.trace(fn, tuple(args), check_trace=False, strict=False)

    def accepts(self, args: Any, kwargs: Mapping[str, Any] | None = None) -> tuple[bool, list[str]]:
        return self.replay(args, kwargs).ran, []

    def replay(self, args: Any, kwargs: Mapping[str, Any] | None = None) -> Outcome:
        return run(self.traced, args, {"kwargs": kwargs} if kwargs else None)


class Wrapped(torch.nn.Module):
    """A program as a module that takes its arguments by name in one dict."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        super().__init__()
        self.fn = fn

    def forward(self, kwargs: dict[str, Any]) -> Any:
        return self.fn(**kwargs)


class Export:
    """`torch.export` with every dimension `Dim.AUTO`; the exported module's own guards decide."""

    name = "torch.export, Dim.AUTO"

    def __init__(self, fn: Callable[..., Any], args: Any, kwargs: Mapping[str, Any] | None = None) -> None:
        class Program(torch.nn.Module):
            def forward(self, args: Any, kwargs: Any) -> Any:
                return fn(*args, **kwargs)

        inputs = fresh((tuple(args), dict(kwargs or {})))
        self.exported = torch.export.export(
            Program(), inputs, dynamic_shapes=pytree.tree_map(automatic, inputs), strict=False
        ).module()

    def accepts(self, args: Any, kwargs: Mapping[str, Any] | None = None) -> tuple[bool, list[str]]:
        return self.replay(args, kwargs).ran, []

    def replay(self, args: Any, kwargs: Mapping[str, Any] | None = None) -> Outcome:
        def call(*args: Any, **kwargs: Any) -> Any:
            return self.exported(args, kwargs)

        return run(call, args, kwargs)


def automatic(value: Any) -> Any:
    if not isinstance(value, torch.Tensor):
        return None
    return dict.fromkeys(range(value.dim()), torch.export.Dim.AUTO)


class Compile:
    """`torch.compile`, dynamic sizes, run eagerly: it accepts a call that the first entry serves, without compiling."""

    name = "torch.compile, dynamic"

    def __init__(self, fn: Callable[..., Any], args: Any, kwargs: Mapping[str, Any] | None = None) -> None:
        self.fn, self.traced = fn, (args, kwargs)
        self.compilations = 0
        self.answered = Outcome()
        first = self.compile()
        if not first.ran:
            raise RuntimeError(first.error)

    def compile(self) -> Outcome:
        torch._dynamo.reset()

        def backend(graph: Any, inputs: Any) -> Any:
            self.compilations += 1
            return graph

        self.compiled = torch.compile(self.fn, backend=backend, dynamic=True)
        return run(self.compiled, *self.traced)

    def accepts(self, args: Any, kwargs: Mapping[str, Any] | None = None) -> tuple[bool, list[str]]:
        self.compile()
        before = self.compilations
        self.answered = run(self.compiled, args, kwargs)
        return self.answered.ran and self.compilations == before, []

    def replay(self, args: Any, kwargs: Mapping[str, Any] | None = None) -> Outcome:
        return self.answered


PEERS: tuple[Any, ...] = (Jit, Export, Compile)


def quiet() -> None:
    """The peers explain at length why they refuse; what counts here is that they do."""
    logging.disable(logging.CRITICAL)
    warnings.filterwarnings("ignore")
