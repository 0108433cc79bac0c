# Made by guardgen 0.1.0; do not edit, change the program and build again.
# For which arguments a trace is valid: function kv_cache of examples/kv_cache.py, traced at level call.
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


def check(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, position: int
) -> bool:
    """Whether the trace is valid for these arguments. Any arguments at all give an answer; nothing is raised."""
    try:
        if _Tensor is None and not _load():
            return False
        if (
            type(position) is not int
            or not isinstance(query, _Tensor)
            or not isinstance(key, _Tensor)
            or not isinstance(value, _Tensor)
            or not isinstance(keys, _Tensor)
            or not isinstance(values, _Tensor)
        ):
            return False
        query_0, query_1, _, query_3 = query.shape
        key_0, key_1, key_2, key_3 = key.shape
        value_0, value_1, value_2, value_3 = value.shape
        keys_0, keys_1, keys_2, keys_3 = keys.shape
        values_0, values_1, values_2, values_3 = values.shape
        # at examples/kv_cache.py:30: if keys.shape != values.shape:
        if keys_0 != values_0 or keys_1 != values_1 or keys_2 != values_2 or keys_3 != values_3:
            return False
        # at examples/kv_cache.py:32: if not 0 <= position < keys.shape[2]:
        if position < 0 or keys_2 <= position:
            return False
        # at examples/kv_cache.py:35: keys[:, :, position:seen] = key
        if (
            key_0 != keys_0
            and key_0 != 1
            or key_1 != keys_1
            and key_1 != 1
            or key_2 != 1
            or key_3 != keys_3
            and key_3 != 1
        ):
            return False
        # at examples/kv_cache.py:36: values[:, :, position:seen] = value
        if (
            value_0 != keys_0
            and value_0 != 1
            or value_1 != keys_1
            and value_1 != 1
            or value_2 != 1
            or value_3 != keys_3
            and value_3 != 1
        ):
            return False
        # at examples/kv_cache.py:37: scores = query @ keys[:, :, :seen].transpose(-2, -1) / query.shape[3] ** 0.5
        if (
            query_3 != keys_3
            or query_0 != keys_0
            and query_0 != 1
            and keys_0 != 1
            or query_1 != keys_1
            and query_1 != 1
            and keys_1 != 1
        ):
            return False
        # query: a tensor of rank 4, torch.float32 on cpu
        if query.dtype is not _float32 or not query.is_cpu or query.layout is not _strided:
            return False
        # key: a tensor of rank 4, torch.float32 on cpu
        if key.dtype is not _float32 or not key.is_cpu or key.layout is not _strided:
            return False
        # value: a tensor of rank 4, torch.float32 on cpu
        if value.dtype is not _float32 or not value.is_cpu or value.layout is not _strided:
            return False
        # keys: a tensor of rank 4, torch.float32 on cpu
        if keys.dtype is not _float32 or not keys.is_cpu or keys.layout is not _strided:
            return False
        # values: a tensor of rank 4, torch.float32 on cpu
        if values.dtype is not _float32 or not values.is_cpu or values.layout is not _strided:
            return False
    except Exception:
        return False
    return True


def check_shapes(
    query: Sequence[int],
    key: Sequence[int],
    value: Sequence[int],
    keys: Sequence[int],
    values: Sequence[int],
    position: int,
) -> bool:
    """Whether the trace is valid for tensors of these sizes, as far as sizes tell; PyTorch is not needed.

    Dtypes, devices, layouts, strides, the identity of tensors and what is in them are not looked at: `check` does.
    """
    try:
        if type(position) is not int:
            return False
        query_0, query_1, _, query_3 = query
        key_0, key_1, key_2, key_3 = key
        value_0, value_1, value_2, value_3 = value
        keys_0, keys_1, keys_2, keys_3 = keys
        values_0, values_1, values_2, values_3 = values
        # at examples/kv_cache.py:30: if keys.shape != values.shape:
        if keys_0 != values_0 or keys_1 != values_1 or keys_2 != values_2 or keys_3 != values_3:
            return False
        # at examples/kv_cache.py:32: if not 0 <= position < keys.shape[2]:
        if position < 0 or keys_2 <= position:
            return False
        # at examples/kv_cache.py:35: keys[:, :, position:seen] = key
        if (
            key_0 != keys_0
            and key_0 != 1
            or key_1 != keys_1
            and key_1 != 1
            or key_2 != 1
            or key_3 != keys_3
            and key_3 != 1
        ):
            return False
        # at examples/kv_cache.py:36: values[:, :, position:seen] = value
        if (
            value_0 != keys_0
            and value_0 != 1
            or value_1 != keys_1
            and value_1 != 1
            or value_2 != 1
            or value_3 != keys_3
            and value_3 != 1
        ):
            return False
        # at examples/kv_cache.py:37: scores = query @ keys[:, :, :seen].transpose(-2, -1) / query.shape[3] ** 0.5
        if (
            query_3 != keys_3
            or query_0 != keys_0
            and query_0 != 1
            and keys_0 != 1
            or query_1 != keys_1
            and query_1 != 1
            and keys_1 != 1
        ):
            return False
    except Exception:
        return False
    return True


def violations(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, position: int
) -> list[Violation]:
    """Every guard that fails for these arguments; none where `check` is True. Data is looked at if all else holds."""
    report = Report()
    query_0, query_1, _, query_3 = report.tensor(
        GUARDS[0], "query", query, 4, dtype="torch.float32", device="cpu", layout="torch.strided"
    )
    key_0, key_1, key_2, key_3 = report.tensor(
        GUARDS[1], "key", key, 4, dtype="torch.float32", device="cpu", layout="torch.strided"
    )
    value_0, value_1, value_2, value_3 = report.tensor(
        GUARDS[2], "value", value, 4, dtype="torch.float32", device="cpu", layout="torch.strided"
    )
    keys_0, keys_1, keys_2, keys_3 = report.tensor(
        GUARDS[3], "keys", keys, 4, dtype="torch.float32", device="cpu", layout="torch.strided"
    )
    values_0, values_1, values_2, values_3 = report.tensor(
        GUARDS[4], "values", values, 4, dtype="torch.float32", device="cpu", layout="torch.strided"
    )
    position = report.fact(GUARDS[5], "position", "an int", position, lambda: type(position) is int)
    report.holds(GUARDS[6], lambda: keys_0 == values_0, ("keys.shape[0]", keys_0), ("values.shape[0]", values_0))
    report.holds(GUARDS[7], lambda: keys_1 == values_1, ("keys.shape[1]", keys_1), ("values.shape[1]", values_1))
    report.holds(GUARDS[8], lambda: keys_2 == values_2, ("keys.shape[2]", keys_2), ("values.shape[2]", values_2))
    report.holds(GUARDS[9], lambda: keys_3 == values_3, ("keys.shape[3]", keys_3), ("values.shape[3]", values_3))
    report.holds(GUARDS[10], lambda: position >= 0, ("position", position))
    report.holds(GUARDS[11], lambda: keys_2 > position, ("keys.shape[2]", keys_2), ("position", position))
    report.holds(GUARDS[12], lambda: key_0 == keys_0 or key_0 == 1, ("key.shape[0]", key_0), ("keys.shape[0]", keys_0))
    report.holds(GUARDS[13], lambda: key_1 == keys_1 or key_1 == 1, ("key.shape[1]", key_1), ("keys.shape[1]", keys_1))
    report.equal(GUARDS[14], "key.shape[2]", key_2, 1)
    report.holds(GUARDS[15], lambda: key_3 == keys_3 or key_3 == 1, ("key.shape[3]", key_3), ("keys.shape[3]", keys_3))
    report.holds(
        GUARDS[16], lambda: value_0 == keys_0 or value_0 == 1, ("value.shape[0]", value_0), ("keys.shape[0]", keys_0)
    )
    report.holds(
        GUARDS[17], lambda: value_1 == keys_1 or value_1 == 1, ("value.shape[1]", value_1), ("keys.shape[1]", keys_1)
    )
    report.equal(GUARDS[18], "value.shape[2]", value_2, 1)
    report.holds(
        GUARDS[19], lambda: value_3 == keys_3 or value_3 == 1, ("value.shape[3]", value_3), ("keys.shape[3]", keys_3)
    )
    report.holds(GUARDS[20], lambda: query_3 == keys_3, ("query.shape[3]", query_3), ("keys.shape[3]", keys_3))
    report.holds(
        GUARDS[21],
        lambda: query_0 == keys_0 or query_0 == 1 or keys_0 == 1,
        ("query.shape[0]", query_0),
        ("keys.shape[0]", keys_0),
    )
    report.holds(
        GUARDS[22],
        lambda: query_1 == keys_1 or query_1 == 1 or keys_1 == 1,
        ("query.shape[1]", query_1),
        ("keys.shape[1]", keys_1),
    )
    return report.violations


def require(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, position: int
) -> None:
    """Raise `GuardError`, which lists what `violations` finds, where `check` is False."""
    if not check(query, key, value, keys, values, position):
        raise GuardError(violations(query, key, value, keys, values, position))


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
    Guard("query: a tensor of rank 4, torch.float32 on cpu", "fact"),
    Guard("key: a tensor of rank 4, torch.float32 on cpu", "fact"),
    Guard("value: a tensor of rank 4, torch.float32 on cpu", "fact"),
    Guard("keys: a tensor of rank 4, torch.float32 on cpu", "fact"),
    Guard("values: a tensor of rank 4, torch.float32 on cpu", "fact"),
    Guard("position: an int", "fact"),
    Guard(
        "keys.shape[0] == values.shape[0]", "observation", ("examples/kv_cache.py:30: if keys.shape != values.shape:",)
    ),
    Guard(
        "keys.shape[1] == values.shape[1]", "observation", ("examples/kv_cache.py:30: if keys.shape != values.shape:",)
    ),
    Guard(
        "keys.shape[2] == values.shape[2]", "observation", ("examples/kv_cache.py:30: if keys.shape != values.shape:",)
    ),
    Guard(
        "keys.shape[3] == values.shape[3]", "observation", ("examples/kv_cache.py:30: if keys.shape != values.shape:",)
    ),
    Guard("position >= 0", "observation", ("examples/kv_cache.py:32: if not 0 <= position < keys.shape[2]:",)),
    Guard(
        "keys.shape[2] > position", "observation", ("examples/kv_cache.py:32: if not 0 <= position < keys.shape[2]:",)
    ),
    Guard(
        "key.shape[0] == keys.shape[0] or key.shape[0] == 1",
        "precondition",
        ("examples/kv_cache.py:35: keys[:, :, position:seen] = key",),
    ),
    Guard(
        "key.shape[1] == keys.shape[1] or key.shape[1] == 1",
        "precondition",
        ("examples/kv_cache.py:35: keys[:, :, position:seen] = key",),
    ),
    Guard("key.shape[2] == 1", "precondition", ("examples/kv_cache.py:35: keys[:, :, position:seen] = key",)),
    Guard(
        "key.shape[3] == keys.shape[3] or key.shape[3] == 1",
        "precondition",
        ("examples/kv_cache.py:35: keys[:, :, position:seen] = key",),
    ),
    Guard(
        "value.shape[0] == keys.shape[0] or value.shape[0] == 1",
        "precondition",
        ("examples/kv_cache.py:36: values[:, :, position:seen] = value",),
    ),
    Guard(
        "value.shape[1] == keys.shape[1] or value.shape[1] == 1",
        "precondition",
        ("examples/kv_cache.py:36: values[:, :, position:seen] = value",),
    ),
    Guard("value.shape[2] == 1", "precondition", ("examples/kv_cache.py:36: values[:, :, position:seen] = value",)),
    Guard(
        "value.shape[3] == keys.shape[3] or value.shape[3] == 1",
        "precondition",
        ("examples/kv_cache.py:36: values[:, :, position:seen] = value",),
    ),
    Guard(
        "query.shape[3] == keys.shape[3]",
        "precondition",
        ("examples/kv_cache.py:37: scores = query @ keys[:, :, :seen].transpose(-2, -1) / query.shape[3] ** 0.5",),
    ),
    Guard(
        "query.shape[0] == keys.shape[0] or query.shape[0] == 1 or keys.shape[0] == 1",
        "precondition",
        ("examples/kv_cache.py:37: scores = query @ keys[:, :, :seen].transpose(-2, -1) / query.shape[3] ** 0.5",),
    ),
    Guard(
        "query.shape[1] == keys.shape[1] or query.shape[1] == 1 or keys.shape[1] == 1",
        "precondition",
        ("examples/kv_cache.py:37: scores = query @ keys[:, :, :seen].transpose(-2, -1) / query.shape[3] ** 0.5",),
    ),
)


# The same guards for programs that read them instead of running this module: `guardgen.load(JSON)`.
JSON: str | None = r"""
{
"guardgen":1,
"name":"kv_cache",
"level":"call",
"parameters":[
{"name":"query","kind":"positional_or_keyword"},
{"name":"key","kind":"positional_or_keyword"},
{"name":"value","kind":"positional_or_keyword"},
{"name":"keys","kind":"positional_or_keyword"},
{"name":"values","kind":"positional_or_keyword"},
{"name":"position","kind":"positional_or_keyword"}
],
"facts":[
{"fact":"tensor","at":["query"],"name":"query","text":"a tensor of rank 4, torch.float32 on cpu","rank":4,"dtype":"torch.float32","device":"cpu","layout":"torch.strided"},
{"fact":"tensor","at":["key"],"name":"key","text":"a tensor of rank 4, torch.float32 on cpu","rank":4,"dtype":"torch.float32","device":"cpu","layout":"torch.strided"},
{"fact":"tensor","at":["value"],"name":"value","text":"a tensor of rank 4, torch.float32 on cpu","rank":4,"dtype":"torch.float32","device":"cpu","layout":"torch.strided"},
{"fact":"tensor","at":["keys"],"name":"keys","text":"a tensor of rank 4, torch.float32 on cpu","rank":4,"dtype":"torch.float32","device":"cpu","layout":"torch.strided"},
{"fact":"tensor","at":["values"],"name":"values","text":"a tensor of rank 4, torch.float32 on cpu","rank":4,"dtype":"torch.float32","device":"cpu","layout":"torch.strided"},
{"fact":"int","at":["position"],"name":"position","text":"an int"}
],
"symbols":[
{"name":"keys.shape[0]","read":"size","at":["keys"],"index":0},
{"name":"values.shape[0]","read":"size","at":["values"],"index":0},
{"name":"keys.shape[1]","read":"size","at":["keys"],"index":1},
{"name":"values.shape[1]","read":"size","at":["values"],"index":1},
{"name":"keys.shape[2]","read":"size","at":["keys"],"index":2},
{"name":"values.shape[2]","read":"size","at":["values"],"index":2},
{"name":"keys.shape[3]","read":"size","at":["keys"],"index":3},
{"name":"values.shape[3]","read":"size","at":["values"],"index":3},
{"name":"position","read":"int","at":["position"]},
{"name":"key.shape[0]","read":"size","at":["key"],"index":0},
{"name":"key.shape[1]","read":"size","at":["key"],"index":1},
{"name":"key.shape[2]","read":"size","at":["key"],"index":2},
{"name":"key.shape[3]","read":"size","at":["key"],"index":3},
{"name":"value.shape[0]","read":"size","at":["value"],"index":0},
{"name":"value.shape[1]","read":"size","at":["value"],"index":1},
{"name":"value.shape[2]","read":"size","at":["value"],"index":2},
{"name":"value.shape[3]","read":"size","at":["value"],"index":3},
{"name":"query.shape[3]","read":"size","at":["query"],"index":3},
{"name":"query.shape[0]","read":"size","at":["query"],"index":0},
{"name":"query.shape[1]","read":"size","at":["query"],"index":1}
],
"numbers":[
{"symbol":0},
{"symbol":1},
{"op":"int_eq","of":[0,1]},
{"symbol":2},
{"symbol":3},
{"op":"int_eq","of":[3,4]},
{"symbol":4},
{"symbol":5},
{"op":"int_eq","of":[6,7]},
{"symbol":6},
{"symbol":7},
{"op":"int_eq","of":[9,10]},
{"symbol":8},
{"const":0},
{"op":"int_ge","of":[12,13]},
{"op":"int_gt","of":[6,12]},
{"symbol":9},
{"op":"int_eq","of":[16,0]},
{"const":1},
{"op":"int_eq","of":[16,18]},
{"op":"bool_or","of":[17,19]},
{"symbol":10},
{"op":"int_eq","of":[21,3]},
{"op":"int_eq","of":[21,18]},
{"op":"bool_or","of":[22,23]},
{"symbol":11},
{"op":"int_eq","of":[25,18]},
{"symbol":12},
{"op":"int_eq","of":[27,9]},
{"op":"int_eq","of":[27,18]},
{"op":"bool_or","of":[28,29]},
{"symbol":13},
{"op":"int_eq","of":[31,0]},
{"op":"int_eq","of":[31,18]},
{"op":"bool_or","of":[32,33]},
{"symbol":14},
{"op":"int_eq","of":[35,3]},
{"op":"int_eq","of":[35,18]},
{"op":"bool_or","of":[36,37]},
{"symbol":15},
{"op":"int_eq","of":[39,18]},
{"symbol":16},
{"op":"int_eq","of":[41,9]},
{"op":"int_eq","of":[41,18]},
{"op":"bool_or","of":[42,43]},
{"symbol":17},
{"op":"int_eq","of":[45,9]},
{"symbol":18},
{"op":"int_eq","of":[47,0]},
{"op":"int_eq","of":[47,18]},
{"op":"int_eq","of":[0,18]},
{"op":"bool_or","of":[48,49]},
{"op":"bool_or","of":[51,50]},
{"symbol":19},
{"op":"int_eq","of":[53,3]},
{"op":"int_eq","of":[53,18]},
{"op":"int_eq","of":[3,18]},
{"op":"bool_or","of":[54,55]},
{"op":"bool_or","of":[57,56]}
],
"data":[],
"guards":[
{"condition":"keys.shape[0] == values.shape[0]","kind":"observation","lines":["examples/kv_cache.py:30: if keys.shape != values.shape:"],"symbols":[0,1],"number":2},
{"condition":"keys.shape[1] == values.shape[1]","kind":"observation","lines":["examples/kv_cache.py:30: if keys.shape != values.shape:"],"symbols":[2,3],"number":5},
{"condition":"keys.shape[2] == values.shape[2]","kind":"observation","lines":["examples/kv_cache.py:30: if keys.shape != values.shape:"],"symbols":[4,5],"number":8},
{"condition":"keys.shape[3] == values.shape[3]","kind":"observation","lines":["examples/kv_cache.py:30: if keys.shape != values.shape:"],"symbols":[6,7],"number":11},
{"condition":"position >= 0","kind":"observation","lines":["examples/kv_cache.py:32: if not 0 <= position < keys.shape[2]:"],"symbols":[8],"number":14},
{"condition":"keys.shape[2] > position","kind":"observation","lines":["examples/kv_cache.py:32: if not 0 <= position < keys.shape[2]:"],"symbols":[4,8],"number":15},
{"condition":"key.shape[0] == keys.shape[0] or key.shape[0] == 1","kind":"precondition","lines":["examples/kv_cache.py:35: keys[:, :, position:seen] = key"],"symbols":[9,0],"number":20},
{"condition":"key.shape[1] == keys.shape[1] or key.shape[1] == 1","kind":"precondition","lines":["examples/kv_cache.py:35: keys[:, :, position:seen] = key"],"symbols":[10,2],"number":24},
{"condition":"key.shape[2] == 1","kind":"precondition","lines":["examples/kv_cache.py:35: keys[:, :, position:seen] = key"],"symbols":[11],"number":26},
{"condition":"key.shape[3] == keys.shape[3] or key.shape[3] == 1","kind":"precondition","lines":["examples/kv_cache.py:35: keys[:, :, position:seen] = key"],"symbols":[12,6],"number":30},
{"condition":"value.shape[0] == keys.shape[0] or value.shape[0] == 1","kind":"precondition","lines":["examples/kv_cache.py:36: values[:, :, position:seen] = value"],"symbols":[13,0],"number":34},
{"condition":"value.shape[1] == keys.shape[1] or value.shape[1] == 1","kind":"precondition","lines":["examples/kv_cache.py:36: values[:, :, position:seen] = value"],"symbols":[14,2],"number":38},
{"condition":"value.shape[2] == 1","kind":"precondition","lines":["examples/kv_cache.py:36: values[:, :, position:seen] = value"],"symbols":[15],"number":40},
{"condition":"value.shape[3] == keys.shape[3] or value.shape[3] == 1","kind":"precondition","lines":["examples/kv_cache.py:36: values[:, :, position:seen] = value"],"symbols":[16,6],"number":44},
{"condition":"query.shape[3] == keys.shape[3]","kind":"precondition","lines":["examples/kv_cache.py:37: scores = query @ keys[:, :, :seen].transpose(-2, -1) / query.shape[3] ** 0.5"],"symbols":[17,6],"number":46},
{"condition":"query.shape[0] == keys.shape[0] or query.shape[0] == 1 or keys.shape[0] == 1","kind":"precondition","lines":["examples/kv_cache.py:37: scores = query @ keys[:, :, :seen].transpose(-2, -1) / query.shape[3] ** 0.5"],"symbols":[18,0],"number":52},
{"condition":"query.shape[1] == keys.shape[1] or query.shape[1] == 1 or keys.shape[1] == 1","kind":"precondition","lines":["examples/kv_cache.py:37: scores = query @ keys[:, :, :seen].transpose(-2, -1) / query.shape[3] ** 0.5"],"symbols":[19,2],"number":58}
]
}
"""
