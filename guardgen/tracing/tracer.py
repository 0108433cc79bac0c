"""The tracer: records nodes, and is the host of the guarded numbers of one trace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from guardgen.arguments import Leaf
from guardgen.errors import TraceError
from guardgen.ir import Node
from guardgen.rules.concrete import concrete_rules
from guardgen.tracing.guarded import COMPARISONS, Guarded
from guardgen.tracing.nodes import Nodes, meta_of
from guardgen.tracing.numbers import CLASSES, GuardedSize
from guardgen.tracing.provenance import user_line
from guardgen.tracing.variable import Variable

PYTHON: dict[str, type] = {"bool": bool, "int": int, "float": float}

# Operators whose result's rank depends on sizes; everywhere else it follows from the ranks of the inputs.
RANK_BY_SIZE = frozenset({"squeeze", "squeeze_", "squeeze_copy", "linalg_lstsq"})
# What two equal operands decide (ints compared) or leave as it is (bools): PyTorch's own Python code asks it often.
REFLEXIVE = frozenset({f"int_{name}" for name in COMPARISONS} | {"bool_and", "bool_or", "int_min", "int_max"})


class Tracer(Nodes):
    """One trace being recorded. Nothing is shared with other tracers, so threads can trace at once."""

    def __init__(self, level: str, eager: frozenset[int] = frozenset()) -> None:
        super().__init__()
        self.level = level
        self.eager = eager  # the guarded numbers, by their count, that are observed as they are made
        self.made: list[tuple[str, str]] = []  # kind and name of every guarded number
        self.active = True
        self.started = False  # whether the program is running
        self.outer = dispatcher_state()  # the dispatcher's state to run real tensors under
        self.observed: set[str] = set()
        self.loose: set[str] = set()  # tensors whose rank may depend on sizes
        self.reads: set[str] = set()
        self.inputs: dict[str, torch.Tensor] = {}
        self.integers: set[str] = set()
        self.numbers: dict[str, Any] = {}  # what was read from data
        self.generators = {generator_id(torch.default_generator)}
        self.writes: list[Any] = []  # the storages that operators wrote to

    # -- the host of guarded numbers

    def name_of(self, value: Any) -> str:
        """The node that holds a number, guarded or constant."""
        if isinstance(value, Guarded) and value._tracer is self:
            return value._name
        value = value._value if isinstance(value, Guarded) else value
        kind = self.kind(value)
        return self.once(f"{kind}_const", kind=kind, val=PYTHON[kind](value))

    def kind(self, value: Any) -> str:
        value = value._value if isinstance(value, Guarded) else value
        if isinstance(value, bool):
            return "bool"
        return "int" if isinstance(value, int) else "float"

    def hint(self, value: Any) -> Any:
        return value._value if isinstance(value, Guarded) else value

    def apply(self, op: str, *values: Any) -> Any:
        """Compute `op`, and record it where one of the values is guarded."""
        result = concrete_rules[op](*map(self.hint, values))
        if not self.active or not any(isinstance(value, Guarded) for value in values):
            return result
        names = tuple(map(self.name_of, values))
        if op in REFLEXIVE and names[0] == names[1]:
            self.reads.add(names[0])
            return result if isinstance(result, bool) and op.startswith("int") else values[0]
        return self.guarded(result, self.once(op, *names, kind=self.kind(result)))

    def still_guarded(self, kind: str) -> frozenset[int]:
        """The numbers of a kind that the program has guarded, by their count.

        Where there are ints among them that are observed anyway, or arguments, only these.
        """
        guarded = {i: name for i, (k, name) in enumerate(self.made, 1) if k == kind and i not in self.eager}
        cheap = frozenset(i for i, name in guarded.items() if name in self.integers or name in self.observed)
        return cheap if cheap and kind == "int" else frozenset(guarded)

    def wrote_outside(self) -> bool:
        """Whether an operator wrote to a tensor that was there before the trace."""
        tensors = [*self.inputs.values(), *(tensor for _, tensor in self.constants.values())]
        mine = {tensor.untyped_storage().data_ptr() for tensor in tensors if tensor.layout == torch.strided}
        return any(storage.data_ptr() in mine for storage in self.writes)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """A context in which operators on real tensors are run and not recorded."""
        with torch._C._ForceDispatchKeyGuard(*self.outer), torch._C._DisableTorchDispatch():
            yield

    def variable(self, real: torch.Tensor, name: str) -> Variable:
        """The tensor that program code meets as the value of node `name`."""
        self.describe(real, name)
        return Variable(real, name, self)

    def guarded(self, value: Any, name: str) -> Any:
        kind = self.kind(value)
        number = CLASSES[kind](value, name, self)
        self.made.append((kind, name))
        return self.observe(number) if len(self.made) in self.eager else number

    def observe(self, value: Any) -> Any:
        """The Python number behind a guarded one, with a bailout that records that it was seen."""
        if not isinstance(value, Guarded):
            return value
        if self.active and value._name not in self.observed:
            self.observed.add(value._name)
            self.record(
                f"{self.kind(value)}_bailout",
                value._name,
                line=user_line() if self.started else None,
                expect=value._value,
            )
        return value._value

    number = decide = expect = observe

    def guess(self, value: Any, default: bool) -> bool:
        """PyTorch asks for an optimisation only; at level call the general path is right, and nothing is observed."""
        if not isinstance(value, Guarded):
            return bool(value)
        return default if self.level == "call" else bool(self.decide(value))

    # -- tensors

    def placeholder(self, leaf: Leaf) -> Any:
        """The guarded value that stands for an argument; constants stand for themselves."""
        if leaf.kind == "constant":
            return leaf.value
        op, kind = ("var_placeholder", "tensor") if leaf.kind == "tensor" else ("int_placeholder", "int")
        self.nodes.append(Node((leaf.node,), op, (), {"name": str(leaf.path)}, (kind,)))
        if leaf.kind == "tensor":
            self.inputs[leaf.node] = leaf.value
            return self.variable(leaf.value, leaf.node)
        self.integers.add(leaf.node)
        return self.guarded(leaf.value, leaf.node)

    def read(self, name: str, real: torch.Tensor) -> None:
        """The program looked at a tensor without calling an operator on it."""
        self.reads.add(name)
        if name in self.loose:
            self.loose.discard(name)
            self.observe(self.property("var_rank", name, real.dim()))

    def read_grad(self, name: str) -> None:
        """The program asked about gradients. What it is told follows from which inputs require them."""
        for each in (name,) if name in self.inputs else self.inputs:
            self.reads.add(each)
            self.observe(self.property("var_requires_grad", each, self.inputs[each].requires_grad))

    def property(self, op: str, name: str, value: Any, **params: Any) -> Any:
        """What `op` says about a tensor, as a guarded number."""
        return self.guarded(value, self.once(op, name, kind=self.kind(value), **params)) if self.active else value

    def sizes(self, name: str, real: torch.Tensor) -> GuardedSize:
        """The sizes of the tensor `name`, read once."""
        if not real.dim():
            return GuardedSize()
        size = self.once("var_size", name, kind="size")
        return GuardedSize(
            self.guarded(n, self.once("size_index", size, kind="int", index=i)) for i, n in enumerate(real.shape)
        )

    def strides(self, name: str, real: torch.Tensor) -> tuple[Any, ...]:
        if not real.dim():
            return ()
        stride = self.once("var_stride", name, kind="stride")
        return tuple(
            self.guarded(n, self.once("stride_index", stride, kind="int", index=i)) for i, n in enumerate(real.stride())
        )

    def item(self, name: str, real: torch.Tensor) -> Any:
        """The only element of a tensor, as a guarded number; what it holds may change, so it is read each time."""
        with self.aside():
            value = real.item()
        if isinstance(value, complex):
            raise TraceError("a complex number read from a tensor cannot be guarded", line=user_line())
        kind = self.kind(value)
        read = self.record("var_item", name, kind=kind, type=kind, line=user_line())
        self.numbers[read] = value
        return self.guarded(value, read)

    def results(self, op: str, inputs: list[str], args: Any, kwargs: Any, outputs: list[Any]) -> list[str]:
        """Record an operator with these real outputs; each list's length is observed, since Python sees it."""
        kinds = tuple(map(output_kind, outputs))
        names = self.record_torch_op(op, inputs, args, kwargs, kinds)
        if op.split(".")[1] in RANK_BY_SIZE or not self.loose.isdisjoint(inputs):
            self.loose.update(names)
        for name, kind, output in zip(names, kinds, outputs, strict=True):
            if kind == "list":
                self.tensors.update((f"{name}[{i}]", meta_of(item)) for i, item in enumerate(output))
                self.observe(self.guarded(len(output), self.record("list_len", name, kind="int")))
            elif kind in CLASSES:
                self.numbers[name] = output
                self.observe(self.guarded(output, name))
        return names


def dispatcher_state() -> tuple[Any, Any]:
    """The dispatch keys that this thread includes and excludes."""
    return torch._C._dispatch_tls_local_include_set(), torch._C._dispatch_tls_local_exclude_set()


def generator_id(generator: torch.Generator) -> int:
    """The random generator itself, which Python may hold in several objects."""
    return int(generator._cdata)  # type: ignore[attr-defined]  # undeclared, as of most of torch._C


def output_kind(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return "tensor"
    if isinstance(value, (list, tuple)):
        return "list"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int"
    return "float" if isinstance(value, float) else "none"
