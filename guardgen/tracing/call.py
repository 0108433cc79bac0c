"""The arguments and results of one operator, on their way between program, graph and real operator."""

from __future__ import annotations

from typing import Any

import torch

from guardgen.ir import Slot
from guardgen.symnode import SYMBOLIC, SymNode
from guardgen.tracing.guarded import Guarded
from guardgen.tracing.tracer import Tracer, generator_id
from guardgen.tracing.values import refuse
from guardgen.tracing.variable import Variable

PLAIN = frozenset({int, float, bool, str, complex, type(None), torch.dtype, torch.device, torch.layout})


class Call:
    """One operator's arguments, as the graph's node has them (`args`, `kwargs`) and as real values.

    `writes` are the positions and names of the arguments that the operator writes to.
    """

    def __init__(self, tracer: Tracer, writes: tuple[tuple[int, str], ...], args: Any, kwargs: Any) -> None:
        self.tracer = tracer
        self.inputs: list[str] = []
        self.places: dict[str, Slot] = {}
        self.written = [
            args[i] if i < len(args) else kwargs[name] for i, name in writes if i < len(args) or name in kwargs
        ]
        both = [self.both(arg) for arg in args]
        self.args, self.real_args = [template for template, _ in both], [real for _, real in both]
        self.kwargs, self.real_kwargs = {}, {}
        for key, arg in kwargs.items():
            self.kwargs[key], self.real_kwargs[key] = self.both(arg)

    def slot(self, name: str) -> Slot:
        if name not in self.places:
            self.places[name] = Slot(len(self.inputs))
            self.inputs.append(name)
        return self.places[name]

    def both(self, value: Any) -> tuple[Any, Any]:
        """An argument as the node has it, with slots for guarded values, and as the real operator gets it."""
        if type(value) in PLAIN:
            return value, value
        if isinstance(value, Variable) and value._tracer is self.tracer:
            return self.slot(value._name), value._real
        if isinstance(value, torch.Tensor):
            real = real_tensor(value)
            return self.slot(self.tracer.constant(real)), real
        if isinstance(value, Guarded):
            return self.slot(self.tracer.name_of(value)), value._value
        if isinstance(value, SYMBOLIC) and isinstance(value.node, SymNode):
            return self.both(value.node.value)
        if type(value) in (list, tuple):
            items = [self.both(item) for item in value]
            return type(value)(template for template, _ in items), type(value)(real for _, real in items)
        if type(value) is torch.Generator and generator_id(value) not in self.tracer.generators:
            refuse("a random generator that is no argument")  # a replay cannot tell in which state to start it
        return value, value

    def written_storages(self) -> list[Any]:
        if not self.written:
            return []
        written = [real_tensor(x) for x in self.written if isinstance(x, torch.Tensor)]
        return [x.untyped_storage() for x in written if x.layout == torch.strided and not x.is_meta]

    def wrap(self, output: Any, name: str) -> Any:
        """The output as program code meets it. An argument that was written to and returned keeps its identity.

        Any other output is a new Variable, even where the operator returned its very argument: `contiguous()` does so
        on some inputs, and copies on others.
        """
        if isinstance(output, torch.Tensor):
            for value in self.written:
                if isinstance(value, torch.Tensor) and real_tensor(value) is output:
                    self.tracer.describe(output, name)
                    if isinstance(value, Variable):
                        value._rename(name)
                    return value
            return self.tracer.variable(output, name)
        if isinstance(output, (list, tuple)):
            record, variable = self.tracer.record, self.tracer.variable
            return [variable(item, record("list_index", name, kind="tensor", index=i)) for i, item in enumerate(output)]
        return output


def real_tensor(value: torch.Tensor) -> torch.Tensor:
    """The tensor itself, or what a Variable of this or a finished trace stands for."""
    return value._real if isinstance(value, Variable) else value
