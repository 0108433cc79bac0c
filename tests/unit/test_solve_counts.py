"""How many guards come out of conditions, in whatever order a program observes them, and how they read."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
import torch

from guardgen import derive, trace
from guardgen.guards import GuardSet
from guardgen.solve.strengthen import strengthen
from guardgen.terms import Bool, Symbol, either, eq, ne, symbol

# conditions, sizes in the traced run, and the sets of guards that may come out
COUNTS: list[tuple[Sequence[str], Mapping[str, int], Sequence[set[str]]]] = [
    (["a < b", "b < c", "a < c"], {"a": 2, "b": 4, "c": 6}, [{"b > a", "c > b"}]),
    (["a % 2 == 0", "a % 4 == 0", "a % 8 == 0"], {"a": 8}, [{"a % 8 == 0"}]),
    (["a + b > 7", "a + b > 5"], {"a": 4, "b": 6}, [{"a + b >= 8"}]),
    (["a > b", "b > 5", "a > 5"], {"a": 8, "b": 6}, [{"a > b", "b >= 6"}]),
    (["a == b", "b == c", "a == c"], {"a": 3, "b": 3, "c": 3}, [{"a == b", "a == c"}, {"a == b", "b == c"}]),
    (["a // 2 == b", "a == 2 * b"], {"a": 6, "b": 3}, [{"a == 2 * b"}]),
    (["a + b > 7", "2 * a + 2 * b > 14"], {"a": 4, "b": 6}, [{"a + b >= 8"}]),
    (["a <= b", "b <= c", "c <= a"], {"a": 3, "b": 3, "c": 3}, [{"a == b", "a == c"}, {"a == b", "b == c"}]),
    (["not a > 5", "not a < 5"], {"a": 5}, [{"a == 5"}]),
    (["(a + 1) // 2 == 3"], {"a": 5}, [{"(a + 1) // 2 == 3"}]),
    (["a >= 2", "a <= 6"], {"a": 4}, [{"2 <= a <= 6"}]),
    (["a >= 2", "a <= 6", "a <= 9", "a != 1"], {"a": 4}, [{"2 <= a <= 6"}]),
    (["a != 1", "a != 0", "a <= 64"], {"a": 4}, [{"2 <= a <= 64"}]),
    (["a <= b", "a >= b"], {"a": 4, "b": 4}, [{"a == b"}]),
    (["a // 4 == b", "a % 4 == 0"], {"a": 8, "b": 2}, [{"a == 4 * b"}]),
    (["a == 4 * b", "a % 4 == 0", "a >= b"], {"a": 8, "b": 2}, [{"a == 4 * b"}]),
    (["a * b >= a", "b >= 1"], {"a": 2, "b": 3}, [{"b >= 1"}, {"b != 0"}]),
    (["min(a, b) == a", "a <= b"], {"a": 2, "b": 3}, [{"b >= a"}]),
    (["a // 2 // 2 == b", "a // 4 == b"], {"a": 8, "b": 2}, [{"b == a // 4"}]),
    (["a // 2 == 3", "a % 2 == 0"], {"a": 6}, [{"a == 6"}]),
    (["a // 4 >= b", "4 * b <= a"], {"a": 9, "b": 2}, [{"a >= 4 * b"}]),
    (["-a % 64 != 0"], {"a": 65}, [{"a % 64 != 0"}]),
    (["-(-a // 4) == 2"], {"a": 7}, [{"(a + 3) // 4 == 2"}]),
    (["a % 8 == 0", "a != 1", "a != 4"], {"a": 16}, [{"a % 8 == 0"}]),
    (["a % 8 == 0", "a >= 1", "a >= 5"], {"a": 16}, [{"a % 8 == 0", "a >= 5"}, {"a % 8 == 0", "a >= 1"}]),
    (["a % 8 == 0", "a >= 2", "a <= 12"], {"a": 8}, [{"a == 8"}]),
    (["a % 2 == 0", "a // 2 % 2 == 0"], {"a": 8}, [{"a % 4 == 0"}]),
    (["a % 8 == 0", "a >= 2", "a <= 20", "a * a % 5 != 0"], {"a": 8}, [{"a % 8 == 0", "2 <= a <= 20"}]),
    (["a - 2 * (a // 2) == 0"], {"a": 8}, [{"a % 2 == 0"}]),
    (["a // b * b == a"], {"a": 8, "b": 2}, [{"a % b == 0"}]),
    (["a * b == 2 * b * (a // 2)"], {"a": 8, "b": 2}, [{"b == 0 or a % 2 == 0"}]),
    (["a >= 3", "a // 2 == a // 4 + 1", "a <= 5"], {"a": 4}, [{"3 <= a <= 5"}]),
    (["(a + 2) // 3 == 4", "a != 0"], {"a": 10}, [{"(a + 2) // 3 == 4"}]),
    (["a % b == 0", "a // b * b == a", "b != 0"], {"a": 8, "b": 2}, [{"a % b == 0"}]),
]


def program(conditions: Sequence[str], names: Sequence[str]) -> Callable[..., Any]:
    """A function of tensors that tests the conditions on their sizes, one a line."""
    tests = "".join(f"    if {each}: pass\n" for each in conditions)
    sizes = "".join(f"    {name} = t{name}.shape[0]\n" for name in names)
    parameters = ", ".join(f"t{name}" for name in names)
    scope: dict[str, Any] = {"torch": torch}
    exec(f"def program({parameters}):\n{sizes}{tests}    return torch.tanh(t{names[0]})\n", scope)
    made: Callable[..., Any] = scope["program"]
    return made


def guards_of(conditions: Sequence[str], sizes: Mapping[str, int]) -> GuardSet:
    traced = trace(program(conditions, list(sizes)), [torch.ones(size) for size in sizes.values()])
    return derive(traced)


def texts(guards: GuardSet) -> set[str]:
    """The guards, with `a` for `ta.shape[0]`."""
    return {guard.text.replace(".shape[0]", "").replace("t", "") for guard in guards.guards}


@pytest.mark.parametrize(("conditions", "sizes", "expected"), COUNTS, ids=[", ".join(each[0]) for each in COUNTS])
def test_the_fewest_guards_come_out_in_every_order(
    conditions: Sequence[str], sizes: Mapping[str, int], expected: Sequence[set[str]]
) -> None:
    for order in itertools.permutations(conditions):
        assert texts(guards_of(order, sizes)) in expected, order


def test_a_disjunction_loses_what_another_excludes() -> None:
    a, b = (symbol(Symbol(name, "int", ("size", name, 0), i, 0)) for i, name in enumerate("ab"))
    broadcasts, not_one = either(eq(a, b), eq(a, 1), eq(b, 1)), either(eq(a, 1), ne(b, 1))
    for order in ([broadcasts, not_one], [not_one, broadcasts]):
        (kept,) = strengthen([each for each in order if isinstance(each, Bool)], [])
        assert kept.condition == either(eq(a, b), eq(a, 1))
        assert kept.origins == (0, 1)


def test_a_merged_guard_has_the_lines_of_all_that_made_it() -> None:
    def joined(x: torch.Tensor) -> torch.Tensor:
        if x.shape[0] >= 2:
            x = x + 1
        if x.shape[0] > 6:
            x = x + 2
        return x

    (guard,) = derive(trace(joined, (torch.ones(4),))).guards
    assert guard.text == "2 <= x.shape[0] <= 6"
    assert [line.text for line in guard.lines] == ["if x.shape[0] >= 2:", "if x.shape[0] > 6:"]


def test_a_condition_seen_again_adds_its_line_to_the_guard() -> None:
    def twice(x: torch.Tensor) -> torch.Tensor:
        if x.shape[0] % 4 == 0:
            x = x + 1
        return x * 2 if x.shape[0] % 4 == 0 else x

    (guard,) = derive(trace(twice, (torch.ones(4),))).guards
    assert [line.text for line in guard.lines] == [
        "if x.shape[0] % 4 == 0:",
        "return x * 2 if x.shape[0] % 4 == 0 else x",
    ]


def test_a_dropped_condition_names_the_fewest_guards_that_imply_it() -> None:
    guards = guards_of(["a > b", "b > 5", "a > 5", "a > 3"], {"a": 8, "b": 6})
    because = {each.guard.text: sorted(kept.text for kept in each.because) for each in guards.dropped}
    assert because["ta.shape[0] >= 6"] == ["ta.shape[0] > tb.shape[0]", "tb.shape[0] >= 6"]
    assert "tb.shape[0] >= 6" not in because


def test_a_divisor_that_may_be_zero_keeps_a_guard_though_the_remainder_is_known() -> None:
    for order in itertools.permutations(["a * b == c", "c % b == 0"]):
        guards = guards_of(order, {"a": 2, "b": 3, "c": 6})
        assert not guards.check(torch.ones(2), torch.ones(0), torch.ones(0)), order
        assert guards.check(torch.ones(4), torch.ones(5), torch.ones(20)), order


def test_what_follows_from_a_choice_is_no_guard() -> None:
    a, b, c = (symbol(Symbol(name, "int", ("size", name, 0), order, 0, 2**62)) for order, name in enumerate("abc"))
    choice = either(eq(a, b), eq(a, 1))
    for conditions in itertools.permutations([ne(a, 0), ne(b, 0), choice]):
        kept = strengthen([each for each in conditions if isinstance(each, Bool)], [])
        assert {each.condition for each in kept} == {ne(b, 0), choice}
    among = [ne(b, 0), ne(c, 0), either(eq(a, b), eq(a, c), eq(a, 1)), ne(a, 0)]
    kept = strengthen([each for each in among if isinstance(each, Bool)], [])
    assert ne(a, 0) not in {each.condition for each in kept}
