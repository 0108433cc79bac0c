"""Guards in C++ on numbers of any size: the answers of the Python form, no overflow, no undefined behaviour."""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import guardgen
from tests.unit.compiled import GXX, NO_GXX, Case, Described, answers, compiled
from tests.unit.emitted import load
from tests.unit.test_emit_torchscript import CONDITIONS, EDGES, A, B, N, numbers_guards, term

pytestmark = pytest.mark.skipif(GXX is None, reason=NO_GXX)

UNDEFINED = ("-fsanitize=undefined", "-fno-sanitize-recover=all")


def floats(op: str, *args: Any) -> Any:
    return term(f"float_{op}", *(term("int_to_float", each) if each in (A, B, N) else each for each in args))


def product(*factors: Any) -> Any:
    return functools.reduce(lambda left, right: term("int_mul", left, right), factors)


def ratio(left: Any, right: Any) -> Any:
    return term("int_truediv", left, right)


MORE: dict[str, Callable[[], Any]] = {
    "plain div": lambda: term("int_eq", term("int_mod", term("int_floordiv", A, 4), 8), term("int_mod", B, 7)),
    "plain mod": lambda: term("int_eq", term("int_mod", A, B), term("int_mod", B, 7)),
    "cube": lambda: term("int_lt", product(A, B, A), product(N, N, N)),
    "least of int": lambda: term("int_eq", term("int_floordiv", N, term("int_sub", B, 1)), A),
    "long quotient": lambda: term("int_eq", term("int_floordiv", term("int_mul", A, A), term("int_add", B, N)), N),
    "long remainder": lambda: term("int_lt", term("int_mod", term("int_mul", A, A), term("int_sub", B, N)), A),
    "or": lambda: term("int_gt", term("int_or", term("int_mul", A, A), N), B),
    "xor": lambda: term("int_ne", term("int_xor", term("int_mul", A, N), B), term("int_invert", N)),
    "and of long": lambda: term("int_eq", term("int_and", term("int_mul", A, N), term("int_sub", N, A)), 0),
    "shift right of long": lambda: term("int_eq", term("int_rshift", term("int_mul", A, N), B), term("int_neg", B)),
    "power of power": lambda: term("int_gt", term("int_pow", term("int_pow", A, 3), 5), term("int_pow", B, N)),
    "mod of power": lambda: term("int_eq", term("int_mod", term("int_pow", 3, A), B), 1),
    "max": lambda: term("int_eq", term("int_max", term("int_neg", N), B), A),
    "beneath 64 bits": lambda: term("int_gt", N, -(2**70)),
    "equal to what is too long": lambda: term("int_ne", term("int_mul", N, 2), 2**65),
    "quotient of ints": lambda: term("float_eq", term("int_truediv", A, B), term("int_truediv", N, 3)),
    "long quotient of ints": lambda: term("float_lt", term("int_truediv", term("int_mul", A, A), N), 1e30),
    "quotient of powers": lambda: term("float_gt", ratio(term("int_pow", 3, A), term("int_pow", 2, B)), 0.7),
    "float of long": lambda: term("float_le", term("int_to_float", term("int_mul", A, term("int_mul", B, N))), 1e40),
    "float of power": lambda: term("float_lt", term("int_to_float", term("int_pow", 2, A)), 1e300),
    "nearest": lambda: term("int_eq", term("float_round", floats("truediv", A, 2.0)), B),
    "ceil": lambda: term("int_le", term("float_ceil", floats("mul", A, 1e300)), term("int_pow", 10, N)),
    "floor of what may be infinite": lambda: term("int_ge", term("float_floor", floats("mul", N, 1e300)), B),
    "float mod": lambda: term("float_lt", floats("mod", N, 2.5), 1.0),
    "float div": lambda: term("float_eq", floats("floordiv", N, B), -3.0),
    "float mod by negative": lambda: term("float_ge", floats("mod", A, -0.75), -0.5),
    "float power": lambda: term("float_lt", floats("pow", N, -1.5), 0.25),
    "sum of float products": lambda: term("float_eq", floats("sub", floats("mul", A, 0.1), 3.0), floats("abs", N)),
    "neither float": lambda: term("bool_not", term("float_ge", floats("neg", N), floats("add", A, 0.5))),
    "bool": lambda: term("int_gt", term("int_add", term("bool_to_int", term("int_lt", A, N)), B), 1),
}  # fmt: skip
ALL = {**CONDITIONS, **MORE}


def sizes_and_ints(count: int) -> list[tuple[int, int, int]]:
    """Small numbers, those at which something changes, and random ones."""
    numbers = random.Random(1)
    edges = [*EDGES, 2**31 - 1, 2**32 - 1, 2**53, 2**61]
    signed = [*edges, *(-each for each in edges), -(2**63)]
    points = [*itertools.product(range(4), range(4), range(-3, 4))]

    def one(choices: list[int], low: int) -> int:
        kind = numbers.random()
        if kind < 0.4:
            return numbers.choice(choices)
        return numbers.randint(low, 80) if kind < 0.7 else numbers.randint(low << 57, 2**62)

    while len(points) < count:
        points.append((one(edges, 0), one(edges, 0), one(signed, -9)))
    return points[:count]


@pytest.fixture(scope="module")
def forms() -> list[tuple[str, Case, ModuleType]]:
    found = []
    for name, make in ALL.items():
        guards = numbers_guards(make())
        found.append((name, Case(guards), load(guardgen.emit(guards, "python"))))
    return found


@pytest.mark.parametrize("flags", [("-O2",), UNDEFINED], ids=["optimised", "sanitized"])
def test_every_point_gets_the_answer_of_the_python_form(
    forms: list[tuple[str, Case, ModuleType]], flags: tuple[str, ...], tmp_path: Path, points: int
) -> None:
    asked = sizes_and_ints(max(points // len(forms), 200))
    for _, case, _ in forms:
        case.calls = []
        for a, b, n in asked:
            case.ask([Described((a, b)), n])
    cases = [case for _, case, _ in forms]
    program = compiled(cases, tmp_path, *flags)
    differences = []
    trues = 0
    for (name, _, python), found in zip(forms, answers(program, cases, violations=False), strict=True):
        wanted = [python.check_shapes((a, b), n) for a, b, n in asked]
        trues += sum(wanted)
        differences += [
            (name, point)
            for point, answer, want in zip(asked, found, wanted, strict=True)
            if answer.check is not want or answer.check_shapes is not want
        ]
    assert differences == []
    assert trues > len(asked)


def test_what_fits_64_bits_is_computed_in_these() -> None:
    text = guardgen.emit(numbers_guards(ALL["plain div"]()), "cpp")
    assert "if (x_1 % 7 != x_0 / 4 % 8) return false;" in text
    assert "class Int" not in text


def test_what_may_not_fit_is_computed_without_a_bound() -> None:
    text = guardgen.emit(numbers_guards(ALL["product"]()), "cpp")
    assert "if (Int(x_0) * x_1 != n) return false;" in text


def test_what_cpp_cannot_compute_is_refused() -> None:
    third = term("float_lt", term("float_round_to", term("int_truediv", A, 3), 1), 2.5)
    with pytest.raises(guardgen.EmitError, match="round"):
        guardgen.emit(numbers_guards(third), "cpp")
