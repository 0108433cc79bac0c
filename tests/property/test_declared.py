"""Declared dimensions: guards accept what was declared and observed; what is offered as a fitting declaration fits."""

from __future__ import annotations

from typing import Any

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.export import Dim
from torch.export.dynamic_shapes import _DerivedDim

from guardgen import NarrowedError, derive, trace
from tests.unit.test_solve_counts import program

SMALL = range(14)
NAMES = "abc"


def terms() -> st.SearchStrategy[str]:
    name = st.sampled_from(NAMES)
    pieces = [
        name,
        st.builds("{} * {}".format, st.integers(2, 3), name),
        st.builds("{} // {}".format, name, st.integers(2, 4)),
        st.builds("{} % {}".format, name, st.integers(2, 4)),
        st.builds("{} + {}".format, name, st.integers(1, 4)),
        st.builds("{} + {}".format, name, name),
    ]
    return st.one_of(*pieces)


def observations() -> st.SearchStrategy[str]:
    other = st.integers(0, 12).map(str) | terms()
    return st.builds("{} {} {}".format, terms(), st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), other)


@st.composite
def declarations(draw: Any, size: int) -> Any:
    """Something that fits a size in the traced run; its name is told apart from others by the range."""
    low, high = draw(st.integers(0, size)), draw(st.none() | st.integers(size, 20))
    kind = draw(st.sampled_from(["dim", "dim", "dynamic", "auto", "multiple", "static", "none"]))
    if kind == "dim":
        return Dim(f"d{low}_{high}_{size}", min=low, max=high if high != low else None)
    if kind == "multiple":
        step = draw(st.integers(2, 3))
        return step * Dim(f"m{step}_{size % step}_{size}") + size % step
    hints = {"dynamic": Dim.DYNAMIC, "auto": Dim.AUTO}
    return hints[kind](min=low, max=high) if kind in hints else size if kind == "static" else None


def allowed(declared: Any, size: int, traced: int) -> bool:
    """Whether one size alone is as declared."""
    if declared is None or type(declared) is int:
        return declared in (None, size)
    if not isinstance(declared, Dim):
        return (declared.min or 0) <= size <= (20 if declared.max is None else declared.max)
    if isinstance(declared, _DerivedDim):
        step, rest = declared.fn(1) - declared.fn(0), declared.fn(0)
        return size % step == rest
    return bool(declared.min <= size <= declared.max)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_guards_are_what_was_declared_and_observed_and_what_is_offered_fits(data: Any) -> None:
    count = data.draw(st.integers(1, 3))
    sizes = data.draw(st.lists(st.integers(0, 12), min_size=count, max_size=count))
    names = NAMES[:count]
    tests = [each for each in data.draw(st.lists(observations(), max_size=3)) if set(each) & set(NAMES) <= set(names)]
    declared = [data.draw(declarations(size)) for size in sizes]
    fn, args = program(tests, names), [torch.ones(size) for size in sizes]
    shapes: Any = {f"t{name}": {0: each} for name, each in zip(names, declared, strict=True)}
    try:
        guards = derive(trace(fn, args, dynamic_shapes=shapes))
    except NarrowedError as error:
        guards = derive(trace(fn, args, dynamic_shapes=eval(error.fits)))
        assert guards.check(*args)
        return
    seen = [eval(each, dict(zip(names, sizes, strict=True))) for each in tests]
    roots = {each.__name__: i for i, each in enumerate(declared) if isinstance(each, Dim)}
    for _ in range(40):
        other = [data.draw(st.sampled_from(SMALL), label=name) for name in names]
        for i, each in enumerate(declared):
            other[i] = other[roots[each.__name__]] if isinstance(each, Dim) else other[i]
        fits = all(map(allowed, declared, other, sizes))
        same = [eval(each, dict(zip(names, other, strict=True))) for each in tests] == seen
        assert guards.check(*map(torch.ones, other)) == (fits and same), (tests, sizes, declared, other)
