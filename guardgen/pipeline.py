"""The pipeline on one screen. Every stage is a function of what the stage before it made; only `write` touches files.

spec.load        spec file  ->  programs
trace            program    ->  trace        one run on real inputs, recorded
derive           trace      ->  guard set    for which inputs the trace is valid
emit             guard set  ->  texts        one a target
write            texts      ->  files        whole, and only if changed
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from guardgen import files, native, script
from guardgen.derive import derive
from guardgen.emit import TARGETS, emit
from guardgen.guards import GuardSet
from guardgen.spec import Program
from guardgen.tracing import Trace, trace

# Of the generated file, after the program's name.
SUFFIX = {"python": ".py", "torchscript": "_torchscript.py", "cpp": ".hpp"}


@dataclass(frozen=True)
class Built:
    """One program after every stage: `texts` are the generated files, by their names."""

    program: Program
    trace: Trace
    guards: GuardSet
    texts: Mapping[str, str]


def build(program: Program) -> Built:
    """A program through every stage; nothing is written. Raises what the program raises, and guardgen's own errors."""
    traced, guards = derived(program)
    texts = {file_name(program, target): emit(guards, target, name=program.name) for target in targets(program)}
    return Built(program, traced, guards, texts)


def derived(program: Program) -> tuple[Trace, GuardSet]:
    """The trace and the guards of a program, of which nothing is emitted yet."""
    fn, args, kwargs = program.example()
    shapes = program.dynamic_shapes
    traced = trace(fn, args, kwargs, level=program.level, dynamic_shapes=shapes, name=program.name)
    return traced, derive(traced, on_data=program.on_data)


def python_text(program: Program) -> str:
    """The Python module alone, whatever other targets the program has."""
    return build(dataclasses.replace(program, targets=("python",))).texts[file_name(program, "python")]


def write(built: Iterable[Built], out: Path) -> list[Path]:
    """Write the generated files into the folder `out`; those that changed."""
    return [path for path, text in contents(built, out).items() if files.write(path, text)]


def differences(built: Iterable[Built], skipped: Iterable[Program], out: Path) -> dict[Path, str]:
    """How the folder `out` differs from what `write` would leave there: `missing`, `differs` or `stale`, by file."""
    expected = contents(built, out)
    changed = [path for path, text in expected.items() if files.differs(path, text)]
    kept = [out / file_name(program, target) for program in skipped for target in targets(program)]
    found = {path: "differs" if path.exists() else "missing" for path in changed}
    return found | dict.fromkeys(files.stale(out, [*expected, *kept]), "stale")


def compile_torchscript(built: Built) -> Any:
    """The TorchScript module, compiled; None where the program has none."""
    text = built.texts.get(file_name(built.program, "torchscript"))
    return None if text is None else script.compile_check(text, built.program.name)


def save_torchscript(compiled: Mapping[str, Any], out: Path) -> None:
    """Save each as `<name>.pt` in the folder `out`, and load it back."""
    for name, check in compiled.items():
        script.save(check, out / f"{name}.pt")


def save_native(built: Iterable[Built], out: Path) -> dict[str, str]:
    """Write a Python module for each program that has one, with a compiled `check`; by program, why it has none."""
    found: dict[str, str] = {}
    for each in built:
        text = each.texts.get(file_name(each.program, "python"))
        if text is not None:
            found[each.program.name] = native.save(dataclasses.replace(each.guards, name=each.program.name), text, out)
    return found


def contents(built: Iterable[Built], out: Path) -> dict[Path, str]:
    return {out / name: text for each in built for name, text in each.texts.items()}


def targets(program: Program) -> tuple[str, ...]:
    return program.targets or tuple(TARGETS)


def file_name(program: Program, target: str) -> str:
    return program.name + SUFFIX.get(target, "")
