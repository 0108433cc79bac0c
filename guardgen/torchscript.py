"""TorchScript artifacts that refuse what they are not right for: `trace`, used like `torch.jit.trace`, and `guard`.

What comes back is a ScriptModule like any other. It needs nothing of guardgen where it is loaded, in C++ as in Python;
`docs/artifacts-torchscript.md` says what it costs and what it cannot see.
"""

from __future__ import annotations

import linecache
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from guardgen.derive import derive
from guardgen.emit.artifact import CLASS, emit_artifact, emit_wrapper
from guardgen.emit.literals import is_identifier, string
from guardgen.errors import EmitError, LoadError
from guardgen.guards import GuardSet
from guardgen.hoist import CannotHoist
from guardgen.ops import BAILOUTS
from guardgen.script import quiet
from guardgen.tracing import Trace
from guardgen.tracing import trace as record

SWITCH = "GUARDGEN_CHECK"  # "0" turns the checks of artifacts off where `load` reads them

TAKEN = ("guards", "guard_enabled", "forward", "run")  # attributes of every artifact


def trace(
    fn: Callable[..., Any],
    example_inputs: Any = (),
    example_kwarg_inputs: Mapping[str, Any] | None = None,
    *,
    check: bool = True,
    level: str = "call",
    name: str | None = None,
) -> Any:
    """Trace a function or module into a ScriptModule whose `forward` checks its arguments, then runs the trace.

    Used like `torch.jit.trace`: `example_inputs` is a tuple of arguments, or a single tensor. Sizes stay symbolic,
    parameters and buffers are the module's own under their own names. Where the guards do not hold, `forward` raises;
    the message names the condition, the values and the line of the program. `check=False` leaves the check off until
    `guard_enabled` is set to True.

    Raises `TraceError` and `DeriveError` as tracing does, and `EmitError` for what TorchScript cannot express.
    """
    args = (example_inputs,) if isinstance(example_inputs, torch.Tensor) else tuple(example_inputs)
    recorded = record(fn, args, example_kwarg_inputs, level=level, name=name)
    guards, inline = derived(recorded)
    module, tensors = skeleton(fn, recorded)
    return compiled(emit_artifact(recorded, guards, tensors, inline), guards, module, check)


def guard(module: Any, guards: GuardSet, *, check: bool = True) -> Any:
    """A ScriptModule that checks `guards`, then calls `module`, an artifact that someone already has.

    The guards are those of guardgen's own trace of the same program with the same parameters. They cannot see what the
    artifact's maker fixed besides: a number that `torch.jit.trace` made a constant is no longer read, and where it
    would have to be another, artifact and guard still say yes. Prefer `trace`, which has no such numbers. The state is
    under `module.`.

    Raises `EmitError` where the artifact takes other arguments than the guards are about.
    """
    schema = getattr(module, "forward", module).schema
    wanted = len([argument for argument in schema.arguments if argument.name != "self"])
    if wanted != len(guards.signature.parameters):
        names = ", ".join(parameter.name for parameter in guards.signature.parameters)
        raise EmitError(f"the artifact takes {wanted} arguments, the guards are about {names or 'none'}")
    result = schema.returns[0].type.annotation_str if len(schema.returns) == 1 else "None"
    if "__torch__" in result:
        raise EmitError(f"the artifact returns a {result}, which cannot be named outside it")
    outer = torch.nn.Module()
    setattr(outer, "module", module)  # noqa: B010 - a ScriptFunction is no module, and mypy knows of none of the two
    return compiled(emit_wrapper(guards, result), guards, outer, check)


def load(file: Any, map_location: Any = None) -> Any:
    """`torch.jit.load`, which also turns the check off where the environment has `GUARDGEN_CHECK=0`."""
    with quiet():
        module = torch.jit.load(file, map_location=map_location)
    if os.environ.get(SWITCH) == "0" and hasattr(module, "guard_enabled"):
        module.guard_enabled = False
    return module


# -- how it is made


def derived(recorded: Trace) -> tuple[GuardSet, frozenset[int]]:
    """The guards, and the observations that are checked where the program made them, as entry cannot decide them."""
    try:
        return derive(recorded), frozenset()
    except CannotHoist:
        guards = derive(recorded, on_data="split")
    return guards, frozenset(i for i, node in enumerate(recorded.graph) if node.op in BAILOUTS)


def skeleton(fn: Callable[..., Any], recorded: Trace) -> tuple[torch.nn.Module, dict[str, str]]:
    """A module with the parameters and buffers of the traced one, and how each constant of the trace is reached."""
    source = fn if isinstance(fn, torch.nn.Module) else getattr(fn, "__self__", None)
    module = torch.nn.Module()
    expressions: dict[int, str] = {}
    if isinstance(source, torch.nn.Module):
        for name in (*source._parameters, *source._buffers, *source._modules):
            if name in TAKEN:
                raise EmitError(f"the artifact has an attribute {name!r} of its own; rename the module's")
        copy_state(source, module, "self", expressions, {})
        module.train(source.training)
    tensors = {}
    for node in recorded.graph:
        if node.op == "var_const":
            value = node.params["val"]
            if id(value) not in expressions:
                expressions[id(value)] = f"self.{attach(module, value)}"
            tensors[node.name] = expressions[id(value)]
    return module, tensors


def copy_state(
    source: torch.nn.Module, target: torch.nn.Module, where: str, expressions: dict[int, str], done: dict[int, Any]
) -> None:
    """Put the state of `source` into `target`, under the same names; a module that occurs twice is one module."""
    done[id(source)] = target
    for name, parameter in source._parameters.items():
        target.register_parameter(name, parameter)
        expressions.setdefault(id(parameter), member(where, name))
    for name, buffer in source._buffers.items():
        target.register_buffer(name, buffer, persistent=name not in source._non_persistent_buffers_set)
        expressions.setdefault(id(buffer), member(where, name))
    for name, inner in source._modules.items():
        if inner is None:
            continue
        known = done.get(id(inner))
        target.add_module(name, known if known is not None else torch.nn.Module())
        if known is None:
            target._modules[name].training = inner.training  # type: ignore[union-attr]  # it was just set
            copy_state(inner, target._modules[name], member(where, name), expressions, done)  # type: ignore[arg-type]


def member(where: str, name: str) -> str:
    return f"{where}.{name}" if is_identifier(name) else f"getattr({where}, {string(name)})"


def attach(module: torch.nn.Module, value: torch.Tensor) -> str:
    """Keep a tensor that is no parameter and no buffer as an attribute, which the state does not list."""
    if value.requires_grad:
        raise EmitError("a closed-over tensor requires gradients; make it a parameter of the module that is traced")
    number = 0
    while hasattr(module, f"constant_{number}"):
        number += 1
    setattr(module, f"constant_{number}", value)
    return f"constant_{number}"


def compiled(text: str, guards: GuardSet, module: torch.nn.Module, check: bool) -> Any:
    """The ScriptModule of an emitted source, with the state of `module`; `EmitError` where it does not compile."""
    name = f"guardgen_{guards.name}"
    file = f"<{name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)  # the compiler reads the source
    scope: dict[str, Any] = {"__name__": name}
    try:
        exec(compile(text, file, "exec", dont_inherit=True), scope)
        module.__class__ = scope[CLASS]
        vars(module).update(guard_enabled=check, guards=data(guards))
        with quiet():
            return torch.jit.script(module)
    except Exception as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        why = " ".join(lines[:3])[:300] if lines else type(error).__name__
        raise EmitError(f"TorchScript cannot express {guards.name}: {why}") from error


def data(guards: GuardSet) -> str:
    """The guards as data, for `guardgen check` and `diff`; empty where data cannot say all of them."""
    try:
        return guards.to_json()
    except EmitError:
        return ""


def embedded(path: Path) -> str:
    """The guards as data that an artifact on disk carries.

    Raises `LoadError` where it carries none, and PyTorch's RuntimeError where it is none.
    """
    with quiet():
        module = torch.jit.load(str(path), map_location="cpu")
    if found := getattr(module, "guards", ""):
        return str(found)
    raise LoadError("this artifact carries no guards as data")
