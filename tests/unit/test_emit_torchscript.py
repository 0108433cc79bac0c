"""Emitted TorchScript modules: compiled, they answer as the Python form does; what has no type there is refused."""

from __future__ import annotations

import dataclasses
import math
from collections import OrderedDict
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import guardgen
from guardgen.arguments import Path
from guardgen.conditions import IntFact
from guardgen.emit.literals import string
from guardgen.guards import GuardSet
from guardgen.ir import Line
from guardgen.rules.terms import term_rules
from guardgen.terms import Bool, Symbol, symbol
from tests.unit.emitted import GARBAGE, by_hand, garbage, guard, guards_of, load, script, tensor

X, Y = torch.zeros(2, 3), torch.zeros(2, 3)
REFUSALS = ("Expected a value of type", "cannot infer type", "schema")


@dataclasses.dataclass
class Forms:
    """One guard set in every form."""

    guards: GuardSet
    python: ModuleType
    torchscript: ModuleType
    compiled: Any
    compiled_shapes: Any

    def agree(self, /, *args: Any, **kwargs: Any) -> bool:
        answer = self.guards.check(*args, **kwargs)
        assert self.python.check(*args, **kwargs) is answer
        assert self.compiled(*args, **kwargs) is answer
        return bool(answer)

    def agree_on_shapes(self, *args: Any) -> bool:
        answer = self.python.check_shapes(*args)
        assert self.compiled_shapes(*args) is answer
        return bool(answer)


def forms(guards: GuardSet) -> Forms:
    python, torchscript = (load(guardgen.emit(guards, target)) for target in ("python", "torchscript"))
    return Forms(guards, python, torchscript, script(torchscript.check), script(torchscript.check_shapes))


def of(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Forms:
    return forms(guards_of(fn, *args, **kwargs))


# -- signatures and facts


def test_keyword_only_parameters_and_defaults() -> None:
    def program(a: Any, b: Any = None, *, c: int = 3, d: Any) -> Any:
        return a.view(c, -1) + d

    found = of(program, torch.zeros(3, 2), d=2)
    assert found.agree(torch.zeros(3, 4), d=5)
    assert not found.agree(torch.zeros(3, 4), c=2, d=5)
    assert not found.agree(torch.zeros(3, 4), torch.zeros(1), d=5)


@pytest.mark.parametrize(
    "name", ["self", "check", "torch", "len", "int", "Tensor", "math", "wide", "List", "_x", "x_0"]
)
def test_a_parameter_may_have_any_name(name: str) -> None:
    scope: dict[str, Any] = {}
    exec(f"def program({name}, x):\n    return {name}.view(x.shape[0], -1) * 2\n", scope)
    found = of(scope["program"], torch.zeros(4, 3), torch.zeros(6))
    assert found.agree(torch.zeros(4, 4), torch.zeros(8))
    assert found.agree(**{name: torch.zeros(4, 4), "x": torch.zeros(8)})
    assert not found.agree(torch.zeros(4, 4), torch.zeros(7))
    assert found.agree_on_shapes([4, 4], [8])
    assert not found.agree_on_shapes([4, 4], [7])


@pytest.mark.parametrize(
    "value", [None, True, False, 2.5, 0.0, -0.0, math.inf, math.nan, 'it\'s "{{ odd }}"\n\u2028'], ids=repr
)
def test_constants(value: Any) -> None:
    found = of(lambda x, c: x + 1, X, value)
    assert found.agree(X, value)
    others: list[Any] = [1, 0, 0.0, -0.0, True, False, 2.5, 3, math.nan] if isinstance(value, (bool, float)) else []
    for other in others:
        assert found.agree(X, other) is (type(other) is type(value) and repr(other) == repr(value))
    if value is None:
        assert not found.agree(X, X)
    if isinstance(value, str):
        assert not found.agree(X, "other")


def test_ints_are_no_bools() -> None:
    found = of(lambda x, n: x * n, X, 1)
    assert found.agree(X, 2)
    assert not found.agree(X, True)


@pytest.mark.parametrize(
    ("traced", "others"),
    [
        ([X, Y], [[X], [X, X, X], []]),
        ({"a": X, "b": Y}, [{"a": X}, {"b": X, "a": Y}, {}, {"a": X, "c": Y}]),
        ((X, 2), [(torch.zeros(1), 2)]),
        ([2, 3], [[2], [True, 3], [2, 3, 4]]),
        ({"x": X, "n": 2, "s": "sum", "z": None}, [{"x": X, "n": 2, "s": "max", "z": None}, {"x": 3, "n": 2}]),
        ([[X], [Y, X]], [[[X], [X]], [[X, X], [X, X]]]),
        ({"k": [X], "v": [Y]}, [{"k": [X], "v": []}]),
        ((X, (Y, [X])), [(X, (torch.zeros(2), [X]))]),
        ([], [[X]]),
    ],
    ids=repr,
)
def test_containers(traced: Any, others: list[Any]) -> None:
    def program(x: Any, nest: Any) -> Any:
        for leaf in torch.utils._pytree.tree_leaves(nest):
            x = x + leaf if isinstance(leaf, (int, torch.Tensor)) else x
        return x

    found = of(program, X, traced)
    assert found.agree(X, traced)
    for other in others:
        assert not found.agree(X, other)


@pytest.fixture(scope="module")
def nested() -> Forms:
    return of(lambda a, b, n: a[0] + b["k"].view(n, -1), [X], {"k": torch.zeros(3, 2)}, 2)


def answer_of(function: Any, args: list[Any]) -> Any:
    """What a compiled function answers; None where TorchScript refuses the types before it runs."""
    try:
        return function(*args)
    except Exception as error:
        if not any(each in str(error) for each in REFUSALS):
            raise
        return None


@pytest.mark.parametrize("name", [name for name in GARBAGE if "Strange" not in name])
def test_what_is_accepted_by_type_gets_the_same_answer(nested: Forms, name: str) -> None:
    found = nested
    value = garbage()[name]
    good: list[Any] = [[X], {"k": torch.zeros(3, 2)}, 2]
    assert found.agree(*good)
    for at, bad in (0, [value]), (1, {"k": value}), (2, value):
        args = [*good[:at], bad, *good[at + 1 :]]
        assert answer_of(found.compiled, args) in (None, found.guards.check(*args))


def test_none_is_no_tensor() -> None:
    found = of(lambda x: x + 1, X)
    assert found.compiled(None) is False


def test_identity_strides_and_gradients() -> None:
    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        assert b.stride(0) == 3
        assert b.storage_offset() < 4
        assert not c.requires_grad
        return a + b + c

    found = of(program, X, Y, X)
    a = torch.zeros(5, 3)
    assert found.agree(a, torch.zeros(5, 3), a)
    assert not found.agree(a, torch.zeros(5, 3), a.clone())
    assert not found.agree(a, torch.zeros(5, 9)[:, :3], a)
    assert not found.agree(a, torch.zeros(9, 3)[4:], a)
    grad = torch.zeros(5, 3, requires_grad=True)
    assert not found.agree(grad, torch.zeros(5, 3), grad)


NO_TYPE = [OrderedDict(a=X), torch.float32, object(), b"x", [X, [X]], {(1, 2): X}, torch.Size([2])]


@pytest.mark.parametrize("value", NO_TYPE, ids=lambda value: type(value).__name__)
def test_what_has_no_type_is_refused_by_name(value: Any) -> None:
    with pytest.raises(guardgen.EmitError, match="argument strange"):
        guardgen.emit(guards_of(lambda x, strange: x + 1, X, value), "torchscript")


def test_names_beyond_ascii_are_refused() -> None:
    with pytest.raises(guardgen.EmitError, match="argument naïve"):
        guardgen.emit(guards_of(lambda naïve: naïve + 1, X), "torchscript")


def test_data_is_computed() -> None:
    def program(x: torch.Tensor, mask: torch.Tensor, n: int) -> torch.Tensor:
        table = torch.tensor([1.0, -math.inf])
        if (mask * table[0] > 0).all() and int(mask.sum().item()) > n:
            return x * 2
        return x

    found = of(program, X, torch.ones(4), 2)
    assert found.agree(X, torch.ones(4), 3)
    assert not found.agree(X, torch.ones(4), 4)
    assert not found.agree(X, torch.zeros(4), 2)
    assert not found.agree(X, torch.ones(4, dtype=torch.int64), 2)


@pytest.mark.parametrize(
    "text", ['"""', "\\", "{{ 7 }}", "\n", "\u2028", "é漢", 'a"); import os; ("', "# type: ignore", "#type:int"]
)
def test_text_of_the_program_cannot_change_the_code(text: str) -> None:
    key = Path("x").into(("index", text))
    size = Symbol(f"x[{text!r}].shape[0]", "int", ("size", key, 0), 0, 0)
    condition = guard(term_rules["int_eq"](symbol(size), 3), Line(f"dir {text}.py", 1))
    found = forms(by_hand(lambda x: x[text] + 1, ({text: X},), (tensor(key, 2),), condition))
    assert found.agree({text: torch.zeros(3, 3)})
    assert not found.agree({text: torch.zeros(4, 3)})
    assert string(text) in guardgen.emit(found.guards, "torchscript") or text not in found.python.GUARDS[0].condition


# -- numbers: no form wraps, traps or divides by 0

SYMBOLS = (
    Symbol("x.shape[0]", "int", ("size", Path("x"), 0), 0, 0, 2**63 - 1),
    Symbol("x.shape[1]", "int", ("size", Path("x"), 1), 1, 0, 2**63 - 1),
    Symbol("n", "int", ("int", Path("n")), 2),
)
EDGES = [0, 1, 2, 3, 7, 8, 64, 2**31, 2**32, 2**53 + 1, 2**62 - 1, 2**62, 2**63 - 1]
SIZES = st.one_of(st.sampled_from(EDGES), st.integers(0, 9), st.integers(0, 2**63 - 1))
INTS = st.one_of(SIZES, SIZES.map(lambda n: -n - 1))


def term(op: str, *args: Any) -> Any:
    return term_rules[op](*args)


A, B, N = map(symbol, SYMBOLS)
CONDITIONS = {
    "product": lambda: term("int_eq", term("int_mul", A, B), N),
    "square": lambda: term("int_ge", term("int_mul", A, A), term("int_mul", B, N)),
    "sum": lambda: term("int_lt", term("int_add", A, B), N),
    "mod": lambda: term("int_eq", term("int_mod", A, N), 0),
    "mod of product": lambda: term("int_eq", term("int_mod", term("int_mul", A, B), 64), 0),
    "div": lambda: term("int_eq", term("int_floordiv", N, A), B),
    "div by negative": lambda: term("int_ge", term("int_floordiv", A, N), B),
    "least by -1": lambda: term("int_ne", term("int_floordiv", N, term("int_sub", A, B)), 3),
    "least mod -1": lambda: term("int_ne", term("int_mod", N, term("int_sub", A, B)), 3),
    "abs": lambda: term("int_eq", term("int_abs", N), A),
    "neg": lambda: term("int_gt", term("int_neg", N), A),
    "piecewise": lambda: term("int_eq", term("int_ite", term("int_eq", N, 0), 7, term("int_floordiv", A, N)), 7),
    "either": lambda: term("bool_or", term("int_eq", A, B), term("int_eq", term("int_mod", A, N), 1)),
    "neither": lambda: term("bool_or", term("int_ne", A, B), term("int_ne", term("int_mod", A, N), 1)),
    "power": lambda: term("int_eq", term("int_pow", 2, N), A),
    "power of sizes": lambda: term("int_le", term("int_pow", A, N), B),
    "shift": lambda: term("int_le", term("int_lshift", A, N), B),
    "shift right": lambda: term("int_eq", term("int_rshift", A, N), 1),
    "bits": lambda: term("int_eq", term("int_and", N, 12), 4),
    "beyond 64 bits": lambda: term("int_lt", N, 2**70),
    "least": lambda: term("int_gt", N, -(2**63)),
    "min": lambda: term("int_eq", term("int_min", term("int_mul", A, B), N), N),
    "float": lambda: term("float_lt", term("int_truediv", A, B), 2.5),
    "floor": lambda: term("int_eq", term("float_floor", term("float_mul", term("int_to_float", A), 1.5)), B),
    "root": lambda: term("int_eq", term("float_trunc", term("float_pow", term("int_to_float", N), 0.5)), A),
}  # fmt: skip


def numbers_guards(condition: Any) -> GuardSet:
    assert isinstance(condition, Bool)
    facts = tensor(Path("x"), 2), IntFact(Path("n"))
    return by_hand(lambda x, n: x + n, (X, 2), facts, guard(condition, Line("program.py", 3)))


@pytest.fixture(scope="module")
def numbers() -> dict[str, Forms]:
    return {name: forms(numbers_guards(make())) for name, make in CONDITIONS.items()}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(a=SIZES, b=SIZES, n=INTS)
def test_numbers_of_any_size_get_the_same_answer(numbers: dict[str, Forms], a: int, b: int, n: int) -> None:
    for name, found in numbers.items():
        python, compiled = found.python.check_shapes((a, b), n), found.compiled_shapes([a, b], n)
        assert found.torchscript.check_shapes([a, b], n) is compiled
        exact = max(a, b, abs(n)) < 2**52 or name not in ("float", "floor", "root")
        assert compiled is python or (not exact and not compiled), name


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(a=st.integers(0, 9), b=st.integers(0, 9), n=st.integers(-9, 9))
def test_small_numbers_get_the_same_answer(numbers: dict[str, Forms], a: int, b: int, n: int) -> None:
    for found in numbers.values():
        assert found.agree(torch.zeros(a, b), n) is found.agree_on_shapes([a, b], n)


def test_what_torchscript_cannot_compute_is_refused() -> None:
    third = term("float_lt", term("float_round_to", term("int_truediv", A, 3), 1), 2.5)
    with pytest.raises(guardgen.EmitError, match="round"):
        guardgen.emit(numbers_guards(third), "torchscript")
