"""Declared dimensions: how they are read, what they decide, and the guards that they are."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
import torch
from torch.export import AdditionalInputs, Dim, ShapesCollection

import guardgen
from guardgen import TraceError, derive, trace
from guardgen.guards import GuardSet
from tests.unit.emitted import load

batch = Dim("batch", min=2, max=64)


def guards_of(fn: Any, args: Any, shapes: Any, **options: Any) -> GuardSet:
    return derive(trace(fn, args, dynamic_shapes=shapes, **options))


def texts(guards: GuardSet) -> list[tuple[str, str]]:
    return [(guard.kind, guard.text) for guard in guards.guards]


def free(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.tanh(x), torch.tanh(y)


def decided(x: torch.Tensor) -> torch.Tensor:
    if x.shape[0] > 1 and x.shape[0] != 100:
        x = x + 1
    assert x.shape[0] <= 128
    return x


def test_what_a_declared_range_implies_is_no_guard() -> None:
    guards = guards_of(decided, (torch.ones(8),), {"x": {0: batch}})
    assert texts(guards) == [("declared", "2 <= batch <= 64")]
    observed = [each for each in guards.dropped if each.guard.kind == "observation"]
    assert [each.guard.text for each in observed] == ["batch >= 2", "batch != 100", "batch <= 128"]
    assert {guard.text for each in observed for guard in each.because} == {"2 <= batch <= 64"}
    assert [guards.check(torch.ones(n)) for n in (1, 2, 64, 65)] == [False, True, True, False]


def test_an_undeclared_size_is_as_free_as_before() -> None:
    shapes: list[Any] = [{}, {"x": None}, {"x": {}}, {"x": {0: None}}, (None, None), ((None, None), {})]
    for each in shapes:
        assert guards_of(free, (torch.ones(2, 3), torch.ones(2, 3)), each).guards == ()


def test_an_int_and_static_fix_a_size() -> None:
    guards = guards_of(free, (torch.ones(2, 3), torch.ones(2, 3)), {"x": (2, Dim.STATIC)})
    assert texts(guards) == [("declared", "x.shape[0] == 2"), ("declared", "x.shape[1] == 3")]


def test_one_dim_at_two_sizes_makes_them_equal() -> None:
    d = Dim("d")
    guards = guards_of(free, (torch.ones(2, 3), torch.ones(3, 2)), ({1: d}, {0: d}))
    assert texts(guards) == [("declared", "d == y.shape[0]")]
    assert guards.guards[0].since == ('dynamic_shapes: y.shape[0] is Dim("d")',)


def test_derived_dims_are_relations() -> None:
    d = Dim("d", max=9)
    guards = guards_of(free, (torch.ones(7), torch.ones(3)), {"x": {0: 2 * d + 1}, "y": {0: d}})
    assert texts(guards) == [("declared", "x.shape[0] == 2 * d + 1"), ("declared", "d <= 9")]
    args = [(7, 3), (19, 9), (1, 0), (21, 10), (8, 3)]
    assert [guards.check(torch.ones(a), torch.ones(b)) for a, b in args] == [True, True, True, False, False]


def test_a_dim_that_no_size_is_relates_what_is_derived_from_it() -> None:
    d = Dim("d", min=1)
    guards = guards_of(free, (torch.ones(6), torch.ones(8)), {"x": {0: 2 * d}, "y": {0: 3 * d - 1}})
    accepted = [(a, b) for a in range(14) for b in range(24) if guards.check(torch.ones(a), torch.ones(b))]
    assert accepted == [(2 * n, 3 * n - 1) for n in range(1, 7)]


def test_an_automatic_dimension_may_be_narrowed() -> None:
    def narrows(x: torch.Tensor) -> torch.Tensor:
        return x + 1 if x.shape[0] % 4 == 0 and x.shape[0] < 20 else x

    (one, other) = guards_of(narrows, (torch.ones(8),), {"x": {0: Dim.AUTO(min=2, max=64)}}).guards
    assert {one.text, other.text} == {"x.shape[0] % 4 == 0", "2 <= x.shape[0] <= 19"}
    (joined,) = (each for each in (one, other) if each.declared)
    assert joined.since[0] == "dynamic_shapes: x.shape[0] is Dim.AUTO(min=2, max=64)"
    assert joined.since[1].endswith("if x.shape[0] % 4 == 0 and x.shape[0] < 20 else x")
    assert guards_of(narrows, (torch.ones(8),), {"x": {0: Dim.AUTO}}).check(torch.ones(4))


def test_int_arguments_can_be_declared() -> None:
    def repeat(x: torch.Tensor, n: int) -> torch.Tensor:
        return x.repeat(n) if n > 0 else x

    assert texts(guards_of(repeat, (torch.ones(2), 3), {"n": Dim.DYNAMIC(min=1, max=5)})) == [
        ("declared", "1 <= n <= 5")
    ]
    assert texts(guards_of(repeat, (torch.ones(2), 3), {"n": 3})) == [("declared", "n == 3")]
    guards = guards_of(repeat, (torch.ones(2), 3), {"n": Dim("times", min=1)})
    assert texts(guards) == [("declared", "times >= 1")]
    assert str(guards.explain(torch.ones(2), 0)[0]).startswith("times (n): expected times >= 1, got times (n) = 0")


class Pair(NamedTuple):
    first: torch.Tensor
    second: torch.Tensor


def nested(items: dict[str, Any], *rest: torch.Tensor, **more: torch.Tensor) -> list[torch.Tensor]:
    return [torch.tanh(each) for each in (*items["pair"], *items["list"], *rest, *more.values())]


def test_declarations_are_nested_as_the_arguments_are() -> None:
    d = Dim("d")
    one = torch.ones
    args = {"pair": Pair(one(3), one(4)), "list": [one(3), one(5)]}, one(3), one(6)
    shapes = {
        "items": {"pair": ({0: d}, None), "list": [{0: d}, None]},
        "rest": ({0: d}, {0: Dim("e", min=6)}),
        "more": {"last": {0: d}},
    }
    guards = derive(trace(nested, args, {"last": one(3)}, dynamic_shapes=shapes))
    assert [text for _, text in texts(guards)] == [
        "d == items['list'][0].shape[0]",
        "d == rest_0.shape[0]",
        "e >= 6",
        "d == last.shape[0]",
    ]
    assert guards.check(*args, last=one(3))
    assert not guards.check(*args, last=one(4))


def test_a_shapes_collection_and_more_inputs_declare_too() -> None:
    x, y = torch.ones(4, 2), torch.ones(3)
    collected = ShapesCollection()
    collected[x] = {0: batch}
    assert texts(guards_of(free, (x, y), collected)) == [("declared", "2 <= batch <= 64")]
    inputs = AdditionalInputs()
    inputs.add((torch.ones(5, 2), torch.ones(3)))
    assert guards_of(free, (x, y), inputs).guards == ()


def test_an_argument_that_is_not_read_is_checked_where_it_is_declared() -> None:
    def ignores(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.tanh(x)

    guards = guards_of(ignores, (torch.ones(4), torch.ones(4)), {"y": {0: batch}})
    assert not guards.check(torch.ones(4), torch.ones(1))
    assert load(guardgen.emit(guards, "python")).check(torch.ones(4), torch.ones(5))


def test_a_tensor_passed_twice_is_declared_by_either_name() -> None:
    x = torch.ones(4)
    guards = guards_of(free, (x, x), {"y": {0: batch}})
    assert texts(guards) == [("declared", "2 <= batch <= 64")]
    assert str(guards.explain(*[torch.ones(1)] * 2)[0]).startswith("batch (x.shape[0]): expected 2 <= batch <= 64")


def named(batch: torch.Tensor) -> torch.Tensor:
    return torch.tanh(batch)


@pytest.mark.parametrize("name", ["batch", "class", "report", "GUARDS", "x_0"])
def test_any_name_of_a_dimension_makes_a_module_that_works(name: str) -> None:
    def program(batch: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return batch + x if x.shape[0] > 3 else batch

    shapes = {"batch": {0: Dim(name, max=9)}, "x": {0: Dim.AUTO}}
    guards = guards_of(program, (torch.ones(4), torch.ones(4)), shapes)
    module = load(guardgen.emit(guards, "python"))
    for a in (1, 4, 9, 10):
        args = torch.ones(a), torch.ones(a)
        assert guards.check(*args) == module.check(*args) == module.check_shapes((a,), (a,)) == (4 <= a <= 9)
        assert [each.what for each in module.violations(*args)] == [each.what for each in guards.explain(*args)]


def test_the_emitted_module_says_what_was_declared() -> None:
    module = load(guardgen.emit(guards_of(decided, (torch.ones(8),), {"x": {0: batch}}), "python"))
    (violation,) = module.violations(torch.ones(65))
    assert str(violation) == (
        "batch (x.shape[0]): expected 2 <= batch <= 64, got batch (x.shape[0]) = 65, "
        'since dynamic_shapes: x.shape[0] is Dim("batch", min=2, max=64)'
    )
    text = guardgen.emit(guards_of(decided, (torch.ones(8),), {"x": {0: batch}}), "python")
    assert '        (batch,) = x.shape\n        # dynamic_shapes: x.shape[0] is Dim("batch", min=2, max=64)\n' in text


WRONG: list[tuple[Any, str]] = [
    ({"z": {0: batch}}, "there is no argument 'z'; the arguments are x, y"),
    (({0: batch},), "dynamic_shapes has 1 items; the arguments are x, y"),
    (7, "dynamic_shapes is a dict by argument or a tuple in their order, not 7"),
    ({"x": {2: batch}}, "argument x has 2 dimensions, and no 2"),
    ({"x": {-1: batch}}, "argument x has 2 dimensions, and no -1"),
    ({"x": (batch,)}, "argument x has 2 dimensions, not 1"),
    ({"x": batch}, "of a tensor such as argument x a dict by dimension or a tuple is declared"),
    ({"x": {0: "b"}}, "argument x: 'b' is no Dim, no int and not None"),
    ({"x": {0: Dim("b", max=3)}}, 'argument x: x.shape[0] is 4 in the traced call, which Dim("b", max=3) does not fit'),
    ({"x": {0: 3 * Dim("b")}}, 'which 3 * Dim("b") does not fit'),
    ({"x": {0: 5}}, "argument x: x.shape[0] is 4 in the traced call, which 5 does not fit"),
    ({"x": {0: Dim.AUTO(min=5)}}, "which Dim.AUTO(min=5) does not fit"),
    ({"x": {0: batch, 1: batch}}, "are two values of 'batch'"),
    ({"x": {0: batch}, "y": {0: Dim("batch")}}, "argument y: 'batch' is both"),
]


@pytest.mark.parametrize(("shapes", "message"), WRONG, ids=[str(i) for i in range(len(WRONG))])
def test_a_declaration_that_does_not_fit_the_arguments_names_them(shapes: Any, message: str) -> None:
    with pytest.raises(TraceError) as caught:
        trace(free, (torch.ones(4, 3), torch.ones(4)), dynamic_shapes=shapes)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ({"items": {"pair": None, "other": None}}, "argument items has no 'other'; it has ['pair', 'list']"),
        ({"items": {"list": [None]}}, "argument items['list'] has 2 items, which [None] does not fit"),
        ({"rest": {0: {3: batch}}}, "argument rest_0 has 1 dimensions, and no 3"),
    ],
)
def test_a_nested_declaration_that_does_not_fit_names_the_container(shapes: Any, message: str) -> None:
    args = {"pair": Pair(torch.ones(3), torch.ones(4)), "list": [torch.ones(3), torch.ones(5)]}, torch.ones(3)
    with pytest.raises(TraceError) as caught:
        trace(nested, args, dynamic_shapes=shapes)
    assert message in str(caught.value)


def test_a_constant_cannot_be_declared() -> None:
    def scaled(x: torch.Tensor, factor: float) -> torch.Tensor:
        return x * factor

    with pytest.raises(TraceError, match="argument factor is no tensor and no int"):
        trace(scaled, (torch.ones(3), 0.5), dynamic_shapes={"factor": Dim.AUTO})
