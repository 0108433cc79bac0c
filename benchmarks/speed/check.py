"""What one check costs, of every form of a guard, beside Dynamo's guard of the same call."""

from __future__ import annotations

import importlib.util
import sys
import tempfile
import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch._dynamo.eval_frame import _debug_get_cache_entry_list

import guardgen
from benchmarks.speed.pairs import Call, Times, in_turns, ratio
from benchmarks.speed.programs import Program, programs
from guardgen import native, script
from guardgen.containers import leaves, map_leaves

RATIOS = (("check", "Dynamo"), ("check_shapes", "Dynamo"), ("native", "Dynamo"), ("check", "floor"))


@dataclass(frozen=True)
class Checked:
    """One program: how many tensors and guards it has, and the times of a check in seconds."""

    program: str
    tensors: int
    guards: int
    times: Times

    def ratios(self) -> Iterator[tuple[str, Any]]:
        for one, other in RATIOS:
            if one in self.times:
                yield f"{one} / {other}", ratio(self.times, one, other)


def measure(rounds: int, cases: Iterable[Program] | None = None) -> Iterator[Checked]:
    for program in programs() if cases is None else cases:
        guards = guardgen.derive(guardgen.trace(program.fn, program.args))
        calls = {**forms(guards, program), "Dynamo": dynamo(program), "floor": floor(program.args)}
        for name, call in calls.items():
            assert call() is True, f"{program.name}: {name} refuses the traced call"
        tensors = sum(isinstance(leaf, torch.Tensor) for leaf in leaves(program.args))
        yield Checked(program.name, tensors, len(guards.facts) + len(guards.guards), in_turns(calls, rounds))


def forms(guards: guardgen.GuardSet, program: Program) -> dict[str, Call]:
    """What guardgen emits, as it is called from Python."""
    text = guardgen.emit(guards, "python", name=program.name)
    module = loaded(text, program.name)
    args = program.args
    sizes = tuple(map_leaves(arg, lambda leaf: tuple(leaf.shape) if hasattr(leaf, "shape") else leaf) for arg in args)
    compiled = script.compile_check(guardgen.emit(guards, "torchscript", name=program.name), program.name)
    return {
        "check": called(module.check, args),
        "check_shapes": called(module.check_shapes, sizes),
        "TorchScript": called(compiled, args),
        **compiled_form(replace(guards, name=program.name), text, args),
    }


def compiled_form(guards: guardgen.GuardSet, text: str, args: tuple[Any, ...]) -> dict[str, Call]:
    """The native form, where there is a compiler for it."""
    with tempfile.TemporaryDirectory() as folder:
        if why := native.save(guards, text, Path(folder)):
            print(f"{guards.name} has no native form: {why}")
            return {}
        spec = importlib.util.spec_from_file_location(guards.name, Path(folder, f"{guards.name}.py"))
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules[guards.name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return {"native": called(module.check, args)}


def called(fn: Callable[..., Any], args: tuple[Any, ...]) -> Call:
    """A call without arguments, which costs the same for every form."""
    return lambda: fn(*args)


def loaded(text: str, name: str) -> Any:
    """An emitted module."""
    module = sys.modules[name] = types.ModuleType(name)
    exec(compile(text, f"<{name}>", "exec"), module.__dict__)
    return module


def floor(args: tuple[Any, ...]) -> Call:
    """A function that reads the sizes of every tensor and answers True: no check in Python can be faster."""
    paths: list[str] = []
    names = [f"a{i}" for i in range(len(args))]
    for name, arg in zip(names, args, strict=True):
        paths += list(tensors(name, arg))
    body = [f"    {path}.shape" for path in paths] + ["    return True"]
    scope: dict[str, Any] = {}
    exec("\n".join([f"def read({', '.join(names)}):", *body]), scope)
    return called(scope["read"], args)


def tensors(path: str, value: Any) -> Iterator[str]:
    """Expressions for the tensors in an argument."""
    if isinstance(value, torch.Tensor):
        yield path
    elif isinstance(value, (dict, list, tuple)):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            yield from tensors(f"{path}[{key!r}]", item)


def dynamo(program: Program) -> Call:
    """Dynamo's C++ guard manager, asked about the locals of the call that it compiled, with dynamic sizes."""
    torch._dynamo.reset()
    fn = program.fn
    torch.compile(fn, backend="eager", dynamic=True)(*program.args)
    code = fn.__code__
    (entry, *_) = _debug_get_cache_entry_list(code)
    inner = [cell.cell_contents for cell in fn.__closure__ or ()]
    values = dict(zip(code.co_varnames, program.args, strict=False)) | dict(zip(code.co_freevars, inner, strict=True))
    return called(entry.guard_manager.check, (values,))
