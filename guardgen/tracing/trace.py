"""`trace`: run a function once on guarded values. `Trace`: what was recorded, which can be replayed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from guardgen.arguments import Signature, bind_traced_call
from guardgen.containers import map_leaves
from guardgen.declarations import Declarations, DynamicShapes
from guardgen.environment import Environment
from guardgen.errors import TraceError
from guardgen.interpret import interpret
from guardgen.ir import Graph, Node, Ref, TensorMeta, drop_unused, refs, verify
from guardgen.ops import BAILOUTS, is_torch_op
from guardgen.rules.concrete import concrete_step
from guardgen.tracing.builtins import guarded_builtins
from guardgen.tracing.dynamic_shapes import read
from guardgen.tracing.entry import enter, guarded_call, take_apart
from guardgen.tracing.json_numbers import guarded_numbers_in_json
from guardgen.tracing.leaving import check_state, reference
from guardgen.tracing.levels import LEVELS
from guardgen.tracing.paths import same_graph
from guardgen.tracing.reach import reach
from guardgen.tracing.recorder import recording
from guardgen.tracing.tracer import Tracer

MOST_ATTEMPTS = 32


@dataclass(frozen=True)
class Trace:
    """A recorded run.

    `graph` is the program; `signature` the arguments it was called with; `reads` names the placeholders that the
    program read, by an operator or by looking at them; `tensors` has what each tensor of the run was, by its node,
    and what each item of a list was, as `l3[0]`; `numbers` what was read from data; `compares_identity` says whether
    the program may ask which of its tensors are one; `declared` is what was said of its sizes before,
    `environment` what PyTorch's settings and the module's training flags were, `fn` the program.
    """

    name: str
    level: str
    graph: Graph
    signature: Signature
    reads: frozenset[str]
    tensors: Mapping[str, TensorMeta]
    numbers: Mapping[str, Any] = field(default_factory=dict)
    compares_identity: bool = False
    declared: Declarations = field(default_factory=Declarations)
    environment: Environment = field(default_factory=Environment)
    fn: Callable[..., Any] | None = field(default=None, compare=False, repr=False)  # None for a part of a trace

    def replay(self, *args: Any, **kwargs: Any) -> Any:
        """Run the recorded operators on new inputs, with sizes read from them.

        Raises `BailoutError` where an observation differs from the traced run's, and whatever an operator raises.
        """
        inputs = enter(self.signature, self.reads, self.compares_identity, self.signature.arguments(args, kwargs))
        values = interpret(self.graph, concrete_step, inputs)
        return map_leaves(self.graph.result, lambda leaf: values[leaf.name] if isinstance(leaf, Ref) else leaf)

    def same_path(self, /, *args: Any, **kwargs: Any) -> bool:
        """Whether tracing the program again, with these arguments and at this level, records the same graph.

        False where the program raises. The program runs, with all that it does; this is for tests and experiments, and
        a guard is what tells without. Raises `TraceError` for a part of a trace that was cut.
        """
        if self.fn is None:
            raise TraceError("this is a part of a trace; ask the whole one")
        try:
            again = trace(self.fn, args, kwargs, level=self.level)
            enter(self.signature, self.reads, self.compares_identity, self.signature.arguments(args, kwargs))
        except Exception:
            return False
        return same_graph(self.graph, again.graph)

    @property
    def operators(self) -> int:
        """How many of PyTorch's operators were recorded."""
        return sum(is_torch_op(node.op) for node in self.graph)

    @property
    def observations(self) -> int:
        """How many bailouts were recorded."""
        return sum(node.op in BAILOUTS for node in self.graph)


def trace(
    fn: Callable[..., Any],
    args: tuple[Any, ...] | list[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    *,
    level: str = "call",
    dynamic_shapes: DynamicShapes | None = None,
    name: str | None = None,
) -> Trace:
    """Run `fn(*args, **kwargs)` once and record it.

    `fn` is any function or module; `level` is how far down operators are recorded: `call`, `aten` or `prims`.
    `dynamic_shapes` declares dimensions, as torch.export takes them: what a declared range implies is no guard, and
    what would narrow it is an error of `derive`; sizes that are not declared are as free as the program leaves them.
    Raises `TraceError` at what cannot be recorded or declared, and whatever `fn` itself raises.
    """
    if level not in LEVELS:
        raise TraceError(f"there is no level {level!r}; the levels are {', '.join(LEVELS)}")
    name = name or re.sub(r"\W", "_", getattr(fn, "__name__", type(fn).__name__)) or "trace"
    seen: frozenset[int] = frozenset()
    for _ in range(MOST_ATTEMPTS):
        tracer = Tracer(level, seen)
        random_state = torch.get_rng_state(), random.getstate()
        try:
            return run(tracer, fn, tuple(args), dict(kwargs or {}), name, dynamic_shapes)
        except (TypeError, ValueError, RuntimeError) as error:
            # Some of PyTorch's argument parsers take no guarded numbers: bools above all. The run is repeated, and
            # those of that kind are observed as they are made.
            refused = re.search(r"Guarded(Bool|Int|Float)", str(error))
            unseen = tracer.still_guarded(refused[1].lower()) if refused else None
            if not unseen:
                raise
            if tracer.wrote_outside():
                raise TraceError(f"{error}; write bool(...), int(...) or float(...) around the number") from error
            seen |= unseen
            torch.set_rng_state(random_state[0])
            random.setstate(random_state[1])
    raise TraceError("too many guarded numbers are handed to operators that take none; write int(...) around them")


def run(
    tracer: Tracer,
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    name: str,
    dynamic_shapes: DynamicShapes | None,
) -> Trace:
    binder, parameters, arguments = bind_traced_call(fn, args, kwargs)
    left_out = {parameter.name for parameter in parameters if not parameter.given}
    signature = Signature(parameters, *take_apart(tracer, arguments, left_out), binder)
    declared = Declarations() if dynamic_shapes is None else read(dynamic_shapes, signature, fn, args, kwargs)
    reached, environment = reach(fn), Environment.of(fn)
    call_args, call_kwargs = guarded_call(tracer, signature, args, kwargs)
    with guarded_numbers_in_json(), guarded_builtins(reached.scopes), recording(tracer):
        result = call_program(fn, call_args, call_kwargs)
        result = map_leaves(result, lambda leaf: reference(tracer, leaf))
    check_state(tracer, fn)
    graph = verify(drop_unused(Graph(tuple(tracer.nodes), result), has_effect))
    reads = used(tracer, result) | {each.node for each in declared}
    identity = reached.compares_identity
    found = tracer.tensors, tracer.numbers, identity, declared, environment, fn
    return Trace(name, tracer.level, graph, signature, reads, *found)


def call_program(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A frame of its own, at which the walk from an observation to the user's line ends."""
    return fn(*args, **kwargs)


def has_effect(node: Node) -> bool:
    return node.op in BAILOUTS or node.op.endswith("_placeholder") or is_torch_op(node.op)


def used(tracer: Tracer, result: Any) -> frozenset[str]:
    """The placeholders that the program read, by an operator, by computing with them or by looking at them.

    Computing counts even where nothing comes of it: with an argument of another type it might raise.
    """
    names = set(tracer.reads)
    for node in tracer.nodes:
        names.update(node.inputs)
    names.update(name for name in refs(result) if name in tracer.integers)
    return frozenset(node.name for node in tracer.nodes if node.op.endswith("_placeholder") and node.name in names)
