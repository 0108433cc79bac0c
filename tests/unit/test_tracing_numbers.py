"""Every way in which Python can look at an int, a float or a bool: the value is right, and the look is recorded."""

from __future__ import annotations

import copy
import functools
import json
import math
import operator
import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch

from guardgen.tracing import trace
from tests.unit.tracing_checks import BAILOUT, RIGHT, outcome, outcomes, trace_of

SYMBOLIC: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda n, m: n + m,
    "reflected add": lambda n, m: 3 + n,
    "sub": lambda n, m: n - m,
    "reflected sub": lambda n, m: 3 - n,
    "mul": lambda n, m: n * m,
    "reflected mul": lambda n, m: 3 * n,
    "floordiv": lambda n, m: n // m,
    "reflected floordiv": lambda n, m: 100 // n,
    "mod": lambda n, m: n % m,
    "reflected mod": lambda n, m: 100 % n,
    "negative mod": lambda n, m: (-n) % m,
    "truediv": lambda n, m: n / m,
    "reflected truediv": lambda n, m: 1 / n,
    "pow": lambda n, m: n**2,
    "reflected pow": lambda n, m: 2**n,
    "negative pow": lambda n, m: n**-1,
    "root": lambda n, m: n**0.5,
    "neg": lambda n, m: -n,
    "pos": lambda n, m: +n,
    "abs": lambda n, m: abs(m - n),
    "invert": lambda n, m: ~n,
    "divmod": lambda n, m: divmod(n, m),
    "reflected divmod": lambda n, m: divmod(100, n),
    "round": lambda n, m: round(n),
    "lshift": lambda n, m: n << m,
    "reflected lshift": lambda n, m: 1 << n,
    "rshift": lambda n, m: n >> 1,
    "and": lambda n, m: n & m,
    "or": lambda n, m: n | m,
    "xor": lambda n, m: n ^ 5,
    "reflected and": lambda n, m: 7 & n,
    "prod": lambda n, m: math.prod([n, m, 2]),
    "sum": lambda n, m: sum([n, m]),
    "floor": lambda n, m: math.floor(n / m),
    "ceil": lambda n, m: math.ceil(n / m),
    "trunc": lambda n, m: math.trunc(-n / m),
    "float arithmetic": lambda n, m: (n * 1.5 + m) / 2.0 - 0.25,
    "float floordiv": lambda n, m: n // 1.5,
    "float mod": lambda n, m: n % 2.5,
    "round float": lambda n, m: round(n / m),
    "round to digits": lambda n, m: round(n / 7, 3),
    "bool arithmetic": lambda n, m: (n > 1) + (m > 1) * 2,
    "comparison": lambda n, m: n > 1,
    "comparison with float": lambda n, m: n > 1.5,
    "bool and": lambda n, m: (n > 1) & (m > 1),
    "bool or": lambda n, m: (n > 100) | (m > 1),
    "bool xor": lambda n, m: (n > 1) ^ (m > 100),
    "numpy float": lambda n, m: n * float(np.float64(0.5)),
    "deepcopy": lambda n, m: copy.deepcopy(n),
    "copy": lambda n, m: copy.copy(n),
    "index of size": lambda n, m: (n, m)[1],
    "conjugate": lambda n, m: n.conjugate() + n.real + n.imag + n.numerator + n.denominator,
}


@pytest.mark.parametrize("name", SYMBOLIC)
def test_arithmetic_stays_symbolic_and_is_what_python_computes(name: str) -> None:
    def f(x: torch.Tensor) -> Any:
        return SYMBOLIC[name](x.shape[0], x.shape[1])

    sizes = [(7, 3), (9, 4), (8, 2)]
    first, *others = [(torch.zeros(size),) for size in sizes]
    assert outcomes(f, first, *others) == [RIGHT, RIGHT]


OBSERVED: dict[str, Callable[[Any], Any]] = {
    "int": int,
    "float": float,
    "complex": complex,
    "bool": bool,
    "not": lambda n: not n,
    "str": str,
    "repr": repr,
    "format": format,
    "format with spec": lambda n: format(n, "05d"),
    "f-string": lambda n: f"{n}",
    "f-string with spec": lambda n: f"{n:d}{n:>4}",
    "percent": lambda n: "%d %s %5.1f %x" % (n, n, n, n),  # noqa: UP031 - one of the ways to look
    "str.format": lambda n: "{:,}".format(n),  # noqa: UP032
    "hash": hash,
    "index": operator.index,
    "range": lambda n: list(range(n)),
    "reversed range": lambda n: list(range(n, 0, -1)),
    "repeat a list": lambda n: [0] * n,
    "repeat a list, reflected": lambda n: n * [0],
    "repeat a string": lambda n: "a" * n,
    "repeat a tuple": lambda n: (1,) * n,
    "slice a list": lambda n: list(range(100))[n:],
    "index a list": lambda n: list(range(100))[n],
    "set an item": lambda n: operator.setitem(list(range(100)), n, 1) or n == 4,
    "bytes": lambda n: bytes(n),
    "index numpy": lambda n: int(np.arange(100)[n]),
    "slice numpy": lambda n: np.arange(100)[:n].tolist(),
    "numpy zeros": lambda n: np.zeros((n, 2)).tolist(),
    "numpy arange": lambda n: np.arange(n).tolist(),
    "numpy array": lambda n: np.array([n, 1]).tolist(),
    "numpy scalar": lambda n: int(np.int64(3) * n),
    "numpy scalar, reflected": lambda n: int(n * np.int64(3)),
    "dict key": lambda n: {4: "four"}.get(n, "other"),
    "dict keys": lambda n: {n: 1} == {4: 1},
    "set": lambda n: n in {4, 5},
    "set of sizes": lambda n: len({n, 4}),
    "membership": lambda n: n in [1, 2, 4],
    "membership of range": lambda n: n in range(2, 5),
    "list.index": lambda n: [1, 4, 2].index(n) if n in (1, 4, 2) else -1,
    "count": lambda n: [1, 4, 2].count(n),
    "min": lambda n: min(n, 5) * 1,
    "max": lambda n: max(n, 5),
    "sorted": lambda n: sorted([n, 5, 1]),
    "sqrt": math.sqrt,
    "isqrt": math.isqrt,
    "gcd": lambda n: math.gcd(n, 6),
    "lcm": lambda n: math.lcm(n, 6),
    "log2": math.log2,
    "comb": lambda n: math.comb(n, 2),
    "isclose": lambda n: math.isclose(n, 4),
    "pow with modulus": lambda n: pow(n, 2, 5),
    "round to tens": lambda n: round(n, -1),
    "complex arithmetic": lambda n: n * 2j + 1j / n,
    "complex comparison": lambda n: n == 4 + 0j,
    "fraction": lambda n: Fraction(1, 2) * int(n),
    "bit_length": lambda n: n.bit_length(),
    "to_bytes": lambda n: n.to_bytes(2, "little"),
    "json": json.dumps,
    "json nest": lambda n: json.dumps({"n": [n, (n,)], "k": {n: 1}}),
    "json with indent": lambda n: json.dumps([n], indent=1),
    "pickle": lambda n: pickle.loads(pickle.dumps(n)),
    "if": lambda n: 1 if n > 3 else 2,
    "while": lambda n: [k for k in range(100) if k < n],
    "and": lambda n: n > 3 and n < 5,
    "assert": lambda n: n.__class__ is int,
    "equal to a string": lambda n: (n == "a", n != None),  # noqa: E711 - one of the ways to look
}


@pytest.mark.parametrize("name", OBSERVED)
def test_a_look_at_an_int_gives_its_value_and_is_recorded(name: str) -> None:
    def f(x: torch.Tensor) -> Any:
        return OBSERVED[name](x.shape[0])

    def g(n: int) -> Any:
        return OBSERVED[name](n)

    sizes = (3, 5, 1, 6, 17)
    outcomes(f, (torch.zeros(4),), *((torch.zeros(size),) for size in sizes))
    outcomes(g, (4,), *((size,) for size in sizes))


@pytest.mark.parametrize("name", ["int", "str", "hash", "range", "f-string", "numpy arange", "json", "isqrt", "pickle"])
def test_a_look_at_the_value_pins_it(name: str) -> None:
    assert outcomes(OBSERVED[name], (4,), (4,), (9,)) == [RIGHT, BAILOUT]


def test_isinstance_and_match_see_an_int() -> None:
    def f(x: torch.Tensor) -> str:
        match x.shape[0]:
            case 3:
                kind = "three"
            case int(k) if k > 5:
                kind = "large"
            case int():
                kind = "int"
            case _:
                kind = "other"
        assert isinstance(x.shape[0], int)
        assert not isinstance(x.shape[0], (str, float))
        return kind

    assert outcomes(f, (torch.zeros(3),), (torch.zeros(8),), (torch.zeros(3),)) == [BAILOUT, RIGHT]
    assert outcomes(f, (torch.zeros(8),), (torch.zeros(9),), (torch.zeros(3),), (torch.zeros(5),)) == [
        RIGHT,
        BAILOUT,
        BAILOUT,
    ]


def test_a_warm_cache_makes_no_wrong_trace() -> None:
    @functools.lru_cache
    def table(n: int) -> torch.Tensor:
        return torch.arange(n) * 2

    def f(x: torch.Tensor) -> torch.Tensor:
        return x + table(x.shape[0])

    table(4)
    assert outcomes(f, (torch.zeros(4),), (torch.zeros(4),), (torch.zeros(6),)) == [RIGHT, BAILOUT]
    assert outcomes(f, (torch.zeros(6),), (torch.zeros(6),), (torch.zeros(4),)) == [RIGHT, BAILOUT]
    assert torch.equal(table(6), torch.arange(6) * 2)


def test_comparisons_are_observed_once_each() -> None:
    def f(n: int) -> int:
        return sum(1 for _ in range(3) if n > 2)

    graph = trace(f, (4,)).graph
    assert [node.op for node in graph if node.op.endswith("bailout")] == ["bool_bailout"]


def test_a_guarded_bool_handed_to_an_operator_is_observed() -> None:
    def f(q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.scaled_dot_product_attention(q, k, k, is_causal=q.shape[2] > 1)

    def inputs(n: int) -> tuple[torch.Tensor, torch.Tensor]:
        torch.manual_seed(0)
        return torch.randn(2, 2, n, 4), torch.randn(2, 2, n, 4)

    assert outcomes(f, inputs(5), inputs(7), inputs(1)) == [RIGHT, BAILOUT]


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x.sum(dim=0, keepdim=x.shape[0] > 2),
        lambda x: torch.where(torch.tensor(x.shape[0] > 2), x, -x),
        lambda x: x.sort(descending=x.shape[0] > 2).values,
        lambda x: torch.nn.functional.dropout(x, 0.5, training=x.shape[0] > 2),
        lambda x: x * (x.shape[0] > 2),
        lambda x: torch.full((2,), x.shape[0] > 2),
        lambda x: x.to(torch.float64 if x.shape[0] > 2 else torch.float16),
    ],
)
def test_bools_reach_operators(f: Callable[..., Any]) -> None:
    outcomes(f, (torch.ones(4),), (torch.ones(5),), (torch.ones(2),))


def test_numbers_from_two_traces_do_not_mix() -> None:
    kept: list[Any] = []

    def keep(x: torch.Tensor) -> torch.Tensor:
        kept.append(x.shape[0])
        return x * 1

    def use(x: torch.Tensor) -> torch.Tensor:
        return x * (kept[0] + x.shape[0]) + (x.shape[0] - kept[0]) * max(kept[0], 1)

    trace(keep, (torch.zeros(3),))
    assert outcomes(use, (torch.ones(5),), (torch.ones(7),)) == [RIGHT]


def test_a_number_of_a_finished_trace_is_its_value() -> None:
    kept: list[Any] = []
    made = trace(lambda x: kept.extend([x.shape[0], x.shape[0] / 2, x.shape[0] > 1, x.shape, x + 1]), (torch.zeros(3),))
    nodes = len(made.graph)
    n, half, more, shape, tensor = kept
    assert (n + 1, n // 2, half * 2, bool(more), str(n), hash(n), f"{n:d}") == (4, 1, 3.0, True, "3", hash(3), "3")
    assert type(n + 1) is int
    assert isinstance(n, int)
    assert shape == (3,)
    assert {3: "x"}[n] == "x"
    assert torch.zeros(int(n)).shape == (torch.arange(n) * n).shape
    assert torch.equal(tensor * 2, torch.full((3,), 2.0))
    assert repr(tensor) == "tensor([1., 1., 1.])"
    assert tensor.numpy().tolist() == [1, 1, 1]
    assert len(made.graph) == nodes


def test_sizes_behave_as_a_torch_size() -> None:
    def f(x: torch.Tensor) -> Any:
        shape = x.shape
        assert isinstance(shape, torch.Size)
        assert isinstance(shape[1:], torch.Size)
        longer = shape + (1,)  # noqa: RUF005 - one of the ways to add
        assert isinstance(longer, torch.Size)
        assert isinstance((1, *shape), tuple)
        parts = [shape, shape[1:], longer, torch.Size(shape), tuple(shape), shape * 2]
        return [*parts, shape.numel(), len(shape), shape[-1]]

    assert outcomes(f, (torch.zeros(2, 3),), (torch.zeros(4, 5),)) == [RIGHT]


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x.shape == (2, 3),
        lambda x: x.shape != torch.Size([2, 3]),
        lambda x: (2, 3) == x.shape,  # noqa: SIM300 - one of the ways to compare
        lambda x: torch.Size([2, 3]) == x.shape,
        lambda x: list(x.shape) == [2, 3],
        lambda x: x.size() == x.t().shape,
        lambda x: {x.shape: 1}.get(torch.Size([2, 3]), 0),
        lambda x: str(x.shape),
        lambda x: 2 in x.shape,
        lambda x: x.shape.index(3) if 3 in x.shape else -1,
        lambda x: torch.broadcast_shapes(x.shape, (1, 3)),
        lambda x: x.shape < (2, 4),
        lambda x: max(x.shape),
        lambda x: sorted(x.shape),
        lambda x: [i for i, n in enumerate(x.shape) if n == 3],
        lambda x: dict(zip("ab", x.shape, strict=True)),
        lambda x: x.size(0) * x.size(-1) + x.size(dim=1),
    ],
)
def test_looks_at_sizes_are_right_or_bail_out(f: Callable[..., Any]) -> None:
    outcomes(f, (torch.zeros(2, 3),), *((torch.zeros(size),) for size in [(2, 3), (3, 2), (3, 3), (1, 3), (2, 5)]))


def test_number_properties_of_tensors_stay_symbolic() -> None:
    def f(x: torch.Tensor) -> list[Any]:
        return [x.numel(), x.nelement(), x.nbytes, x.stride(0), x.stride()[1], x.storage_offset(), x.size(1)]

    made = trace_of(f, torch.zeros(4, 6)[1:])
    assert made.observations == 0
    assert outcome(made, f, (torch.zeros(5, 7)[2:, 1:],)) == RIGHT


def test_division_by_a_size_is_observed_not_to_be_by_zero() -> None:
    def f(x: torch.Tensor) -> int:
        return 12 // x.shape[0]

    assert outcomes(f, (torch.zeros(4),), (torch.zeros(5),), (torch.zeros(0),)) == [RIGHT, BAILOUT]


def test_floats_are_observed_like_ints() -> None:
    def f(x: torch.Tensor) -> Any:
        scale = x.shape[0] / 2
        return int(scale), f"{scale:.1f}", scale.is_integer(), hash(scale), bool(scale), math.isnan(scale)

    assert outcomes(f, (torch.zeros(4),), (torch.zeros(4),), (torch.zeros(6),)) == [RIGHT, BAILOUT]


def test_values_read_from_tensors_are_guarded() -> None:
    def f(t: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        n = t.item()
        assert n < y.shape[0]
        return y[:n] * n

    y = torch.arange(8.0)
    assert outcomes(f, (torch.tensor(4), y), (torch.tensor(3), y), (torch.tensor(9), y)) == [RIGHT, BAILOUT]
