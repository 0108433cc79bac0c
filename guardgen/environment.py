"""PyTorch's settings, and the training flags of a module: what a run depends on and no argument shows.

guardgen runs this file as it is, and includes the functions in every Python module that it emits.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from guardgen.runtime import Guard, Report, Violation, attempt, shown


@dataclass(frozen=True)
class Environment:
    """The settings of a traced run, and where a module was traced its training flags."""

    settings: dict[str, str] = field(default_factory=dict)
    training: dict[str, bool] = field(default_factory=dict)

    @staticmethod
    def of(fn: Callable[..., Any]) -> Environment:
        """The environment at the moment, for a module, a method of one or any function."""
        module = fn if hasattr(fn, "named_modules") else getattr(fn, "__self__", None)
        return Environment(settings(), training_flags(module) if hasattr(module, "named_modules") else {})

    def texts(self) -> Iterator[str]:
        """In a line the settings, and where a module was traced in another its flags."""
        if self.settings:
            yield f"Traced with {', '.join(f'{name} {value}' for name, value in self.settings.items())}."
        if self.training:
            modes = {True: "training", False: "evaluation"}
            inner = (f", {name} in {modes[flag]}" for name, flag in self.training.items() if name)
            yield f"The module was in {modes[self.training['']]}{''.join(inner)}."

    def differences(self, module: Any = None) -> list[Violation]:
        """What is not so at the moment; the flags are compared with those of `module`, if it is given."""
        return differences(self.settings, self.training, module)


def settings() -> dict[str, str]:
    """What PyTorch's operators depend on beside their arguments; empty where PyTorch is not loaded."""
    torch = sys.modules.get("torch")
    if torch is None:
        return {}
    grad = "inference" if torch.is_inference_mode_enabled() else "on" if torch.is_grad_enabled() else "off"
    found = {
        "grad mode": grad,
        "default dtype": str(torch.get_default_dtype()),
        "default device": str(torch.get_default_device()),
    }
    on = [device for device in ("cpu", "cuda") if torch.is_autocast_enabled(device)]
    found["autocast"] = ", ".join(f"{torch.get_autocast_dtype(device)} on {device}" for device in on) or "off"
    return found


def training_flags(module: Any) -> dict[str, bool]:
    """The flag of a module, and those of modules inside it that differ from the module around them."""
    found: dict[str, bool] = {}
    for name, inner in module.named_modules():
        around = name.rpartition(".")[0]
        if not name or inner.training != flag_of(found, around):
            found[name] = inner.training
    return found


def flag_of(flags: dict[str, bool], name: str) -> bool:
    while name not in flags:
        name = name.rpartition(".")[0]
    return flags[name]


def differences(wanted: dict[str, str], training: dict[str, bool], module: Any) -> list[Violation]:
    """The settings that are not as wanted; where a traced module is given, whether its training flags are."""
    report, guard, now = Report(), Guard("the environment of the trace", "environment"), settings()
    for name, value in wanted.items():
        if now.get(name) != value:
            report.add(guard, name, value, now.get(name, "no PyTorch"))
    if training and module is not None:
        flags = attempt(lambda: training_flags(module))
        if flags != training:
            report.add(guard, "training", str(training), str(flags) if isinstance(flags, dict) else shown(module))
    return report.violations
