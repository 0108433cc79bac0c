"""guardgen as it is measured: one trace, and every form of its guards, asked together."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import torch

import guardgen
from benchmarks.exactness.arguments import SEED, fresh
from benchmarks.exactness.outcomes import Outcome, run

Check = Callable[..., bool]
WRONG_TYPE = ("Expected a value of type", "schema", "Tracer cannot infer type")  # how TorchScript says it


class Guardgen:
    """A program traced on one call. `checks` are the derived guards and what is emitted or
    stored, where that is possible."""

    name = "guardgen"

    def __init__(
        self,
        fn: Callable[..., Any],
        args: Any,
        kwargs: Mapping[str, Any] | None = None,
        *,
        level: str = "call",
        script: bool = True,
    ) -> None:
        torch.manual_seed(SEED)
        args, kwargs = fresh((args, dict(kwargs or {})))
        with torch.no_grad():
            self.trace = guardgen.trace(fn, tuple(args), kwargs, level=level)
        guards = guardgen.derive(self.trace)
        self.checks: dict[str, Check] = {"derived": guards.check, "python": imported(guardgen.emit(guards, "python"))}
        with contextlib.suppress(guardgen.EmitError):  # a guard on data may run an operator that data may not name
            self.checks["stored"] = guardgen.load(guards.to_json()).check
        if script:
            try:
                source = guardgen.emit(guards, "torchscript")
            except guardgen.EmitError:
                return  # TorchScript has no type for some argument
            self.checks["torchscript"] = torch.jit.script(imported(source))

    def accepts(self, args: Any, kwargs: Mapping[str, Any] | None = None) -> tuple[bool, list[str]]:
        """The answer of the derived guards, and every fault of any form: not a bool, an exception, another answer."""
        answers: dict[str, bool] = {}
        faults: list[str] = []
        for form, check in self.checks.items():
            try:
                answer = check(*args, **(kwargs or {}))
            except Exception as error:  # a guard that raises is what is looked for
                if form == "torchscript" and any(text in str(error) for text in WRONG_TYPE):
                    continue  # it refuses other types before the guard runs
                faults.append(f"NOT-TOTAL {form} raised {type(error).__name__}: {str(error)[:200]}")
                continue
            if type(answer) is not bool:
                faults.append(f"NOT-TOTAL {form} answered {answer!r}")
            answers[form] = bool(answer)
        if len(set(answers.values())) > 1:
            faults.append(f"INCONSISTENT {answers}")
        return answers.get("derived", False), faults

    def replay(self, args: Any, kwargs: Mapping[str, Any] | None = None) -> Outcome:
        return run(self.trace.replay, args, kwargs)


def imported(source: str) -> Check:
    """`check` of a module with this source, found in `sys.modules` and `linecache` as if it had been imported."""
    import linecache

    name = "exactness_form"
    file = f"<{name}>"
    module = ModuleType(name)
    module.__file__ = file
    sys.modules[name] = module
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    try:
        exec(compile(source, file, "exec"), module.__dict__)
    finally:
        del sys.modules[name]
    return module.check  # type: ignore[no-any-return]  # a module's attribute has no type
