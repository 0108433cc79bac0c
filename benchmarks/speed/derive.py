"""What making the guards of a model costs: trace, derive and emit, beside how long PyTorch traces it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils import _pytree as pytree

import guardgen
from benchmarks.exactness import architectures
from benchmarks.exactness.peers import Wrapped, automatic
from benchmarks.speed.pairs import Call, Spread, Times, in_turns, ratio

Inputs = Mapping[str, torch.Tensor]
OURS = "guardgen"
SIZES = (2, 6)


class Fixed(torch.nn.Module):
    """A model with the arguments that are no tensors given beforehand: not every system takes those."""

    def __init__(self, module: torch.nn.Module, constants: Mapping[str, Any]) -> None:
        super().__init__()
        self.module, self.constants = module, constants

    def forward(self, **tensors: torch.Tensor) -> Any:
        return self.module(**tensors, **self.constants)


@dataclass(frozen=True)
class Derived:
    """One model: its operators, the times in seconds, and the systems that could not take it, with their errors."""

    model: str
    operators: int
    times: Times
    failures: Mapping[str, str]

    def ratio(self, peer: str) -> Spread:
        return ratio(self.times, OURS, peer)


def ours(module: torch.nn.Module, inputs: Inputs) -> Any:
    return guardgen.emit(guardgen.derive(guardgen.trace(module, (), inputs)), "python")


def export(module: torch.nn.Module, inputs: Inputs) -> Any:
    with torch.no_grad():
        arguments = (dict(inputs),)
        shapes = pytree.tree_map(automatic, arguments)
        return torch.export.export(Wrapped(module), arguments, dynamic_shapes=shapes, strict=False)


def symbolic(module: torch.nn.Module, inputs: Inputs) -> Any:
    """`make_fx` with a ShapeEnv."""

    def program(*values: torch.Tensor) -> Any:
        return module(**dict(zip(inputs, values, strict=True)))

    with torch.no_grad():
        return make_fx(program, tracing_mode="symbolic", _allow_non_fake_inputs=True)(*inputs.values())


def jit_trace(module: torch.nn.Module, inputs: Inputs) -> Any:
    with torch.no_grad():
        arguments = {"kwargs": dict(inputs)}
        return torch.jit.trace(Wrapped(module), example_kwarg_inputs=arguments, strict=False, check_trace=True)


SYSTEMS: dict[str, Callable[[torch.nn.Module, Inputs], Any]] = {
    OURS: ours,
    "torch.export": export,
    "make_fx": symbolic,
    "jit.trace": jit_trace,
}


def measure(rounds: int, names: Iterable[str] = architectures.ARCHITECTURES) -> Iterator[Derived]:
    for name in names:
        module, make = architectures.instance(name)
        given = make(*SIZES)
        inputs = {key: value for key, value in given.items() if isinstance(value, torch.Tensor)}
        module = Fixed(module, {key: value for key, value in given.items() if key not in inputs})
        calls, failures = working(module, inputs)
        operators = guardgen.trace(module, (), inputs).operators
        yield Derived(name, operators, in_turns(calls, rounds), failures)


def working(module: torch.nn.Module, inputs: Inputs) -> tuple[dict[str, Call], dict[str, str]]:
    """The systems that take a module, each tried once, and the errors of the others."""
    calls: dict[str, Call] = {}
    failures: dict[str, str] = {}
    for name, system in SYSTEMS.items():
        call: Call = lambda system=system: system(module, inputs)  # type: ignore[misc]  # noqa: E731
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                call()
            calls[name] = call
        except Exception as error:  # what a system cannot take is told in the table
            if name == OURS:
                raise
            failures[name] = f"{type(error).__name__}: {str(error).strip().splitlines()[0][:80]}"
    return calls, failures
