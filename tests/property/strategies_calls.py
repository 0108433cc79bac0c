"""Calls of random programs: arguments of sizes drawn from a small pool, so that they often fit, and changes of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from hypothesis import strategies as st

from benchmarks.exactness.arguments import T, build
from tests.property.strategies import Draw, Writer, indented

CALLS = 20  # calls of one program, beside the traced one
SIZES = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16)
DTYPES = (*(torch.float32,) * 6, torch.float64, torch.int64, torch.bool)
WRONG: tuple[Any, ...] = (None, 3, -1, 2.5, "x", T(), T(2), T(2, 3, 4, 5, 6), [], T(2, 3, dtype=torch.int32), True)


@dataclass(frozen=True)
class Case:
    """A program's source, the call that is traced, and others to ask about."""

    source: str
    traced: tuple[Any, ...]
    asked: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Dims:
    """A tensor whose sizes are places in the pool, or numbers of their own where negative."""

    places: tuple[int, ...]
    dtype: torch.dtype

    def of(self, pool: list[int], changed: dict[int, int]) -> T:
        sizes = [pool[p] if p >= 0 else -p for p in self.places]
        return T(*(changed.get(i, n) for i, n in enumerate(sizes)), dtype=self.dtype)


@st.composite
def cases(draw: Draw, calls: int = CALLS) -> Case:
    """A program of one to three tensors, up to two ints and perhaps a container, and calls of it."""
    pool = [draw(st.integers(1, 5)) for _ in range(3)]
    shape = draw(arguments())
    traced = filled(shape, pool, {}, draw)
    names, lines = parameters(traced)
    writer = Writer(draw, dict(names))
    body = [*lines, *writer.program()]
    source = "\n".join([f"def program({', '.join(f'x{i}' for i in range(len(traced)))}):", *indented(body), ""])
    return Case(source, traced, tuple(draw(another(shape, pool, traced)) for _ in range(calls)))


@st.composite
def arguments(draw: Draw) -> list[Any]:
    tensors = [draw(dims()) for _ in range(draw(st.integers(1, 3)))]
    form = draw(st.sampled_from(("flat", "flat", "flat", "list", "dict")))
    items: list[Any] = list(tensors)
    if form == "list":
        items = [tensors]
    elif form == "dict":
        items = [{"a": tensors[0], "b": tensors[1:]}]
    return [*items, *(int for _ in range(draw(st.integers(0, 2))))]


@st.composite
def dims(draw: Draw) -> Dims:
    rank = draw(st.sampled_from((2, 3, 2, 1, 3, 4)))
    places = tuple(draw(st.sampled_from((0, 1, 2, 0, 1, 2, -1))) for _ in range(rank))
    return Dims(places, draw(st.sampled_from(DTYPES)))


def filled(shape: Any, pool: list[int], changed: dict[int, int], draw: Draw) -> tuple[Any, ...]:
    """The arguments of these sizes; `changed` gives sizes by their place among the dimensions of all tensors."""
    count = 0

    def fill(value: Any) -> Any:
        nonlocal count
        if isinstance(value, Dims):
            mine = {i: changed[count + i] for i in range(len(value.places)) if count + i in changed}
            count += len(value.places)
            return value.of(pool, mine)
        if isinstance(value, list):
            return [fill(item) for item in value]
        if isinstance(value, dict):
            return {key: fill(item) for key, item in value.items()}
        return draw(st.integers(-2, 6))

    return tuple(fill(value) for value in shape)


@st.composite
def another(draw: Draw, shape: Any, pool: list[int], traced: tuple[Any, ...]) -> tuple[Any, ...]:
    """The traced call with other sizes: the pool's, one dimension's alone, or an argument of another kind."""
    how = draw(st.sampled_from(("pool", "pool", "pool", "one", "ints", "wrong", "pool")))
    if how == "ints":
        return tuple(draw(st.integers(-2, 7)) if type(value) is int else value for value in traced)
    other = [draw(st.sampled_from(SIZES)) if draw(st.integers(0, 2)) else n for n in pool] if how == "pool" else pool
    changed = {draw(st.integers(0, 6)): draw(st.sampled_from(SIZES))} if how == "one" else {}
    keep = iter([value for value in traced if type(value) is int])
    call = tuple(next(keep) if each is int else filled([each], other, {}, draw)[0] for each in shape)
    if changed:
        call = one_changed(shape, pool, changed, draw, call)
    if how == "wrong":
        at = draw(st.integers(0, len(call) - 1))
        call = (*call[:at], draw(st.sampled_from(WRONG)), *call[at + 1 :])
    return call


def one_changed(
    shape: Any, pool: list[int], changed: dict[int, int], draw: Draw, call: tuple[Any, ...]
) -> tuple[Any, ...]:
    tensors = filled([each for each in shape if each is not int], pool, changed, draw)
    return (*tensors, *(value for value in call if type(value) is int))


def parameters(traced: tuple[Any, ...]) -> tuple[dict[str, Any], list[str]]:
    """What the first call's arguments are by name, and the lines that take containers apart."""
    values: dict[str, Any] = {}
    lines: list[str] = []
    for i, value in enumerate(build(traced)):
        if isinstance(value, (list, dict)):
            first = next(iter(value.values())) if isinstance(value, dict) else value[0]
            values[f"t{i}"] = first
            lines.append(f"t{i} = x{i}['a']" if isinstance(value, dict) else f"t{i} = x{i}[0]")
            rest = value["b"] if isinstance(value, dict) else value[1:]
            for j, item in enumerate(rest):
                values[f"t{i}_{j}"] = item
                lines.append(f"t{i}_{j} = x{i}['b'][{j}]" if isinstance(value, dict) else f"t{i}_{j} = x{i}[{j + 1}]")
        else:
            values[f"x{i}"] = value
    return values, lines
