# Made by guardgen 0.1.0; do not edit, change the program and build again.
# For which arguments a trace is valid: function chunks of tests/golden/chunks/program.py, traced at level call.
# Traced with grad mode on, default dtype torch.float32, default device cpu, autocast off.
"""For which arguments a trace is valid: `check` answers, `violations` and `require` say why not."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import torch

__all__ = [
    "ENVIRONMENT",
    "GUARDS",
    "Guard",
    "GuardError",
    "JSON",
    "TRAINING",
    "Violation",
    "check",
    "check_environment",
    "check_shapes",
    "environment_violations",
    "require",
    "violations",
]


def check(rows: torch.Tensor) -> bool:
    """Whether the trace is valid for these arguments. Any arguments at all give an answer; nothing is raised."""
    try:
        if _Tensor is None and not _load():
            return False
        if not isinstance(rows, _Tensor):
            return False
        rows_0, _ = rows.shape
        # at tests/golden/chunks/program.py:8: return torch.cat([torch.tanh(rows[start : start + 4]) for start in ran...
        if (rows_0 + 3) // 4 != 3:
            return False
        # rows: a tensor of rank 2, torch.float32 on cpu
        if rows.dtype is not _float32 or not rows.is_cpu or rows.layout is not _strided:
            return False
    except Exception:
        return False
    return True


def check_shapes(rows: Sequence[int]) -> bool:
    """Whether the trace is valid for tensors of these sizes, as far as sizes tell; PyTorch is not needed.

    Dtypes, devices, layouts, strides, the identity of tensors and what is in them are not looked at: `check` does.
    """
    try:
        rows_0, _ = rows
        # at tests/golden/chunks/program.py:8: return torch.cat([torch.tanh(rows[start : start + 4]) for start in ran...
        if (rows_0 + 3) // 4 != 3:
            return False
    except Exception:
        return False
    return True


def violations(rows: torch.Tensor) -> list[Violation]:
    """Every guard that fails for these arguments; none where `check` is True. Data is looked at if all else holds."""
    report = Report()
    rows_0, _ = report.tensor(GUARDS[0], "rows", rows, 2, dtype="torch.float32", device="cpu", layout="torch.strided")
    report.holds(GUARDS[1], lambda: (rows_0 + 3) // 4 == 3, ("rows.shape[0]", rows_0))
    return report.violations


def require(rows: torch.Tensor) -> None:
    """Raise `GuardError`, which lists what `violations` finds, where `check` is False."""
    if not check(rows):
        raise GuardError(violations(rows))


def check_environment(module: Any = None) -> bool:
    """Whether PyTorch's settings and, if it is given, the training flags of the traced module are as in the trace.

    No argument shows them, so `check` does not look at them.
    """
    return not environment_violations(module)


def environment_violations(module: Any = None) -> list[Violation]:
    """What of the environment is not as in the trace."""
    return differences(ENVIRONMENT, TRAINING, module)


ENVIRONMENT: dict[str, str] = {
    "grad mode": "on",
    "default dtype": "torch.float32",
    "default device": "cpu",
    "autocast": "off",
}
TRAINING: dict[str, bool] = {}


_Tensor: Any = None
_float32: Any = None
_strided: Any = None


def _load() -> bool:
    """Take PyTorch's objects from the module where it is loaded; where it is not, there are no tensors."""
    global _Tensor, _float32, _strided
    torch = sys.modules.get("torch")
    if torch is None:
        return False
    _float32 = torch.float32
    _strided = torch.strided
    _Tensor = torch.Tensor  # last: it says that all are there
    return True


# What follows is the same in every module.


class Guard(NamedTuple):
    """One thing that is checked, and what made it. `kind` is `fact`, `declared`, `precondition`, `observation` or
    `data`."""

    condition: str
    kind: str
    lines: tuple[str, ...] = ()


class Violation(NamedTuple):
    """A guard that fails: what was looked at, what the trace needs it to be, and what it is."""

    condition: str
    what: str
    expected: str
    actual: str
    lines: tuple[str, ...] = ()

    def __str__(self) -> str:
        since = f", since {self.lines[0]}" if self.lines else ""
        return f"{self.what}: expected {self.expected}, got {self.actual}{since}"


class GuardError(Exception):
    """The trace is not valid for these arguments; `violations` says why."""

    def __init__(self, violations: list[Violation]) -> None:
        self.violations = violations
        super().__init__("\n".join(map(str, violations)) or "the guards do not hold")


class Missing:
    """Stands for what cannot be read, because something around it is not as it should be."""


MISSING = Missing()


class Report:
    """Collects violations. Nothing here raises; what cannot be read is skipped, since its cause is reported already."""

    def __init__(self) -> None:
        self.violations: list[Violation] = []

    def add(self, guard: Guard, what: str, expected: str, actual: str) -> None:
        self.violations.append(Violation(guard.condition, what, expected, actual, guard.lines))

    def fact(self, guard: Guard, what: str, expected: str, value: Any, holds: Callable[[], Any]) -> Any:
        """`value` itself where the fact holds, else `MISSING`."""
        if value is MISSING or attempt(holds) is True:
            return value
        self.add(guard, what, expected, shown(value))
        return MISSING

    def same(self, guard: Guard, what: str, other: str, values: tuple[Any, Any], wanted: bool) -> None:
        """Two arguments must be one object, or must not be, as in the traced call."""
        if not any(value is MISSING for value in values) and (values[0] is values[1]) is not wanted:
            texts = f"another object than {other}", f"the same object as {other}"
            self.add(guard, what, texts[wanted], texts[not wanted])

    def tensor(self, guard: Guard, what: str, value: Any, rank: int, **attributes: Any) -> tuple[Any, ...]:
        """The sizes of a tensor that must have this rank and these attributes, which are compared as text."""
        unknown = (MISSING,) * rank
        if value is MISSING:
            return unknown
        if not is_tensor(value):
            self.add(guard, what, f"a tensor of rank {rank}", shown(value))
            return unknown
        for name, wanted in attributes.items():
            actual = attempt_text(value, name)
            if actual != str(wanted):
                self.add(guard, f"{what}.{name}", str(wanted), actual)
        sizes = attempt(lambda: tuple(value.shape))
        if isinstance(sizes, tuple) and len(sizes) == rank:
            return sizes
        self.add(guard, f"{what}.dim()", str(rank), str(len(sizes)) if isinstance(sizes, tuple) else "no sizes")
        return unknown

    def equal(self, guard: Guard, what: str, value: Any, expected: Any) -> None:
        """A number must be `expected`."""
        if value is not MISSING and attempt(lambda: bool(value == expected)) is not True:
            self.add(guard, what, repr(expected), shown(value))

    def holds(self, guard: Guard, condition: Callable[[], Any], *values: tuple[str, Any]) -> None:
        """A relation must hold between these numbers, each with its name in the program."""
        if any(value is MISSING for _, value in values):
            return
        if any(is_error(value) for _, value in values) or attempt(lambda: bool(condition())) is not True:
            what = values[0][0] if values else guard.condition
            self.add(guard, what, guard.condition, ", ".join(f"{name} = {shown(value)}" for name, value in values))


def attempt(read: Callable[[], Any]) -> Any:
    """What `read` returns, or `MISSING` where it raises."""
    try:
        return read()
    except Exception:
        return MISSING


def computed(read: Callable[[], Any]) -> Any:
    """What `read` returns, or the exception that it raises."""
    try:
        return read()
    except Exception as error:
        return error


def strides(value: Any, rank: int) -> tuple[Any, ...]:
    """The strides of a tensor, `MISSING` where it does not have `rank` of them."""
    found = attempt(lambda: tuple(value.stride()))
    return found if isinstance(found, tuple) and len(found) == rank else (MISSING,) * rank


def is_tensor(value: Any) -> bool:
    """Whether it is one of PyTorch's tensors, without loading PyTorch: where it is not loaded, nothing is."""
    return attempt(lambda: isinstance(value, sys.modules["torch"].Tensor)) is True


def is_a(value: Any, module: str, name: str) -> bool:
    """Whether the type of `value` is the one that `module` has under `name`, without loading the module."""
    kind = type(value)
    return kind.__module__ == module and kind.__qualname__ == name


def same(value: Any, expected: Any) -> bool:
    """Whether two constants are equal in type and value, inside too; NaN equals NaN, and 0.0 is not -0.0."""
    if type(value) is not type(expected):
        return False
    if isinstance(expected, (tuple, list)):
        return len(value) == len(expected) and all(map(same, value, expected))
    if isinstance(expected, frozenset):
        return len(value) == len(expected) and sorted(map(typed, value)) == sorted(map(typed, expected))
    if isinstance(expected, (float, complex)):
        return repr(value) == repr(expected)
    return bool(value == expected)


def typed(value: Any) -> str:
    return f"{type(value).__qualname__} {value!r}"


def children(value: Any) -> list[Any]:
    """The children of a container registered with PyTorch's pytree."""
    return list(sys.modules["torch.utils._pytree"].SUPPORTED_NODES[type(value)].flatten_fn(value)[0])


def power(base: int, exponent: int) -> int:
    """`base ** exponent`, refused where the result would be too long to compute."""
    if exponent < 0 or (abs(base) > 1 and exponent * base.bit_length() > MOST_BITS):
        raise OverflowError(f"{base} ** {exponent} is no number to compute with")
    return int(base**exponent)


def shift_left(value: int, count: int) -> int:
    """`value << count`, refused where the result would be too long to compute."""
    if value and count > MOST_BITS:
        raise OverflowError(f"{value} << {count} is no number to compute with")
    return value << count


MOST_BITS = 1 << 12


def attempt_text(value: Any, attribute: str) -> str:
    return str(attempt(lambda: str(getattr(value, attribute))))


def is_error(value: Any) -> bool:
    """Whether `value` stands for a number that could not be computed; its own `__class__` is not asked."""
    return issubclass(type(value), Exception)


def shown(value: Any) -> str:
    """A value in a message: numbers and strings as they are, anything else by its type."""
    text = attempt(lambda: description(value))
    return text if type(text) is str else "something that cannot be shown"


def description(value: Any) -> str:
    kind = type(value)
    if is_error(value):
        return f"{kind.__name__}: {' '.join(str(value).split())[:200]}"
    if value is None or kind in (bool, int, float, complex, str, bytes):
        text = ascii(value)
        return text if len(text) <= 80 else f"{text[:77]}..."
    return f"a {kind.__qualname__}" if kind.__module__ == "builtins" else f"a {kind.__module__}.{kind.__qualname__}"


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


GUARDS: tuple[Guard, ...] = (
    Guard("rows: a tensor of rank 2, torch.float32 on cpu", "fact"),
    Guard(
        "(rows.shape[0] + 3) // 4 == 3",
        "observation",
        ("tests/golden/chunks/program.py:8: return torch.cat([torch.tanh(rows[start : start + 4]) for start in range(0, rows.shape[0], 4)])",),
    ),
)


# The same guards for programs that read them instead of running this module: `guardgen.load(JSON)`.
JSON: str | None = r"""
{
"guardgen":1,
"name":"chunks",
"level":"call",
"parameters":[
{"name":"rows","kind":"positional_or_keyword"}
],
"facts":[
{"fact":"tensor","at":["rows"],"name":"rows","text":"a tensor of rank 2, torch.float32 on cpu","rank":2,"dtype":"torch.float32","device":"cpu","layout":"torch.strided"}
],
"symbols":[
{"name":"rows.shape[0]","read":"size","at":["rows"],"index":0}
],
"numbers":[
{"symbol":0},
{"const":3},
{"op":"int_add","of":[0,1]},
{"const":4},
{"op":"int_floordiv","of":[2,3]},
{"op":"int_eq","of":[4,1]}
],
"data":[],
"guards":[
{"condition":"(rows.shape[0] + 3) // 4 == 3","kind":"observation","lines":["tests/golden/chunks/program.py:8: return torch.cat([torch.tanh(rows[start : start + 4]) for start in range(0, rows.shape[0], 4)])"],"symbols":[0],"number":5}
]
}
"""
