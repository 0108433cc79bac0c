"""Size rules of views, reshapes and slices, held against the operators, and what they look like on symbols."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from guardgen.rules.shape import Pieces, Sizes, applying, shape_rules
from guardgen.rules.shape.context import row_major
from guardgen.terms import Symbol, both, either, eq, ge, ite, maximum, minimum, ne, symbol
from guardgen.terms.bools import to_int
from tests.unit.shape_rule_oracle import Call, check_concrete, check_symbolic, queries_for

b, s, h = (symbol(Symbol(name, "int", (), order, 0, 2**63 - 1)) for order, name in enumerate("bsh"))
LAYOUTS = {
    "row-major": lambda: torch.randn(4, 6, 2),
    "transposed": lambda: torch.randn(6, 4, 2).transpose(0, 1),
    "cut": lambda: torch.randn(4, 6, 5)[:, :, :2],
    "a size of 1": lambda: torch.randn(4, 1, 2),
    "flat": lambda: torch.randn(12),
}
PLAIN = ("alias", "detach", "numpy_T", "ravel", "contiguous", "clone", "squeeze", "zeros_like", "atleast_3d")
BOUNDS = ((0, 2), (1, None), (-1, None), (None, -1), (-3, -1), (1, 5, 2), (3, 1), (None, None, 3), (0, 2**63 - 1))


def calls(x: torch.Tensor) -> Iterator[Call]:
    """Calls of every view on `x`."""
    for sizes in ([-1], [4, -1], [-1, 2], [4, 6, 2, 1], [4, 12], [24, 2], [2, 2, -1]):
        for op in ("view", "reshape", "view_copy", "_unsafe_view"):
            yield Call(f"aten.{op}.default", [x, sizes])
    for name in PLAIN:
        yield Call(f"aten.{name}.default", [x])
    for start, end in ((0, -1), (0, 1), (-2, -1)):
        yield Call("aten.flatten.using_ints", [x, start, end])
    for bounds in BOUNDS:
        yield Call("aten.slice.Tensor", [x, 0, *bounds])
    for index in (0, -1, 2):
        yield Call("aten.select.int", [x, 0, index])
    yield Call("aten.narrow.default", [x, -1, -1, 1])
    yield Call("aten.unfold.default", [x, 0, 2, 2])
    yield Call("aten.unsqueeze.default", [x, -1])
    yield Call("aten.squeeze.dim", [x, -1])
    yield Call("aten.transpose.int", [x, 0, -1])
    yield Call("aten.permute.default", [x, [*range(x.dim())][::-1]])
    yield Call("aten.expand.default", [x, [3, *[-1] * x.dim()]])
    yield Call("aten.expand.default", [x.unsqueeze(-1), [*x.shape, 4]])
    yield Call("aten.unflatten.int", [x, 0, [2, -1]])
    yield Call("aten.view.dtype", [x, torch.int16])
    if x.dim() > 1:
        yield Call("aten.diagonal.default", [x, 1])
        yield Call("aten.movedim.int", [x, 0, -1])
        yield Call("aten.squeeze.dims", [x, [0, 1]])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_views_agree_with_eager_on_numbers_and_at_sizes_they_were_not_traced_at(layout: str) -> None:
    pick = random.Random(layout)
    faults = []
    for call in calls(LAYOUTS[layout]()):
        for ints in (False, True):
            queries = queries_for(call, pick, 2, ints, layout=True)
            faults += [fault for query in (call, *queries) if (fault := check_concrete(query))]
            faults += check_symbolic(call, queries, "symbols", ints)
    assert not faults, "\n".join(faults)


def tensor(*sizes: Any) -> Sizes:
    return Sizes(sizes, torch.float32, row_major(sizes))


def applied(op: str, *args: Any, metas: Any = (), **kwargs: Any) -> tuple[Any, list[Any], list[Any]]:
    """The rule's result, what it requires, and what it assumes."""
    with applying(("t",), metas) as application:
        result = shape_rules[op](*args, **kwargs)
    return result, [each for each, _ in application.requirements], [each for each, _ in application.assumptions]


def test_splitting_heads_and_joining_them_again_needs_nothing() -> None:
    split, needs, _ = applied("aten.view.default", tensor(b, s, 64), [b, s, 4, 16])
    assert tuple(split) == (b, s, 4, 16)
    heads, _, _ = applied("aten.transpose.int", split, 1, 2)
    back, _, _ = applied("aten.transpose.int", heads, 1, 2)
    joined, more, _ = applied("aten.view.default", back, [b, s, 64])
    assert (tuple(joined), joined.strides) == ((b, s, 64), row_major((b, s, 64)))
    assert not needs + more


def test_a_view_of_transposed_heads_needs_sizes_that_make_it_possible() -> None:
    heads, _, _ = applied("aten.transpose.int", tensor(b, s, 4, 16), 1, 2)
    _, needs, _ = applied("aten.view.default", heads, [b, 4, s * 16])
    assert needs == [either(eq(b, 0), eq(s, 0), eq(s, 1))]


def test_the_size_of_minus_one_is_a_quotient_without_a_condition_where_it_divides() -> None:
    result, needs, _ = applied("aten.reshape.default", tensor(b, s, h), [s, -1])
    assert (tuple(result), needs) == ((s, b * h), [ne(s, 0)])
    assert tuple(applied("aten.reshape.default", tensor(b, 4), [-1, 2])[0]) == (b * 2, 2)


def test_slices_clamp() -> None:
    for bounds, size in {
        (0, 5): minimum(b, 5),
        (1, None): maximum(b - 1, 0),
        (-1, None): minimum(b, 1),
        (None, -1): maximum(b - 1, 0),
        (0, s): minimum(b, s),
    }.items():
        assert tuple(applied("aten.slice.Tensor", tensor(b, 3), 0, *bounds)[0]) == (size, 3)


def test_an_index_must_be_in_range() -> None:
    assert applied("aten.select.int", tensor(b, s), 0, -1)[1] == [ge(b, 1)]


def test_squeeze_assumes_what_was_dropped_and_what_was_kept() -> None:
    kept, _, assumed = applied("aten.squeeze.default", tensor(b, 1, s), metas=[(5, 3)])
    assert (tuple(kept), assumed) == ((b, s), [both(ne(b, 1), ne(s, 1))])
    gone, _, assumed = applied("aten.squeeze.dim", tensor(b, s), 1, metas=[(5,)])
    assert (tuple(gone), assumed) == ((b,), [eq(s, 1)])


def test_squeeze_finds_the_size_that_stays_whichever_it_is() -> None:
    one, _, assumed = applied("aten.squeeze.default", tensor(b, s), metas=[(5,)])
    assert tuple(one) == (ite(eq(b, 1), s, b),)
    assert assumed == [eq(to_int(eq(b, 1)) + to_int(eq(s, 1)), 1)]


def test_chunks_are_counted_exactly() -> None:
    pieces, _, _ = applied("aten.chunk.default", tensor(3 * b, s), 3)
    assert isinstance(pieces, Pieces)
    assert (pieces.count, tuple(pieces.at(0))) == (3, (b, s))
    assert eq(applied("aten.chunk.default", tensor(b), 2)[0].count, 2) == ne(b, 1)
    assert eq(applied("aten.chunk.default", tensor(b), 3)[0].count, 3) == both(ne(b, 1), ne(b, 2), ne(b, 4))
