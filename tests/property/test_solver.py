"""What the solver makes of conditions means what they mean: by brute force on small numbers, and by z3 for all."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from guardgen import satisfy
from guardgen.collect import Collector
from guardgen.errors import DeriveError
from guardgen.rules.text import condition_text
from guardgen.solve.apart import broken_alone
from guardgen.solve.facts import Contradiction, Facts
from guardgen.solve.minimise import because, drop_implied
from guardgen.solve.simplify import simplify
from guardgen.solve.strengthen import strengthen
from guardgen.terms import (
    Bool,
    BoolLike,
    IntLike,
    Symbol,
    both,
    either,
    eq,
    floordiv,
    ge,
    gt,
    ite,
    maximum,
    minimum,
    mod,
    ne,
    negate,
    symbol,
)
from guardgen.terms.ints import Atom, Int
from guardgen.witness import holds

SIZES = [Symbol(name, "int", ("size", name, 0), order, 0, 2**63 - 1) for order, name in enumerate("ab")]
NUMBER = Symbol("n", "int", ("int", "n"), 2)
UNKNOWN = [*SIZES, NUMBER]
TERMS = [symbol(each) for each in UNKNOWN]
READINGS = [dict(zip(UNKNOWN, values, strict=True)) for values in itertools.product(range(7), range(7), range(-4, 7))]
Reading = dict[Symbol, int]

common = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])


def leaves() -> st.SearchStrategy[IntLike]:
    return st.sampled_from(TERMS) | st.integers(-3, 6)


def larger(inner: st.SearchStrategy[IntLike]) -> st.SearchStrategy[IntLike]:
    """Sums, products, quotients and piecewise values of what `inner` draws."""
    divisors = st.sampled_from([2, 3, 4, 8, -2]) | st.sampled_from(TERMS)
    return st.one_of(
        st.builds(lambda x, y: x + y, inner, inner),
        st.builds(lambda x, y: x - y, inner, inner),
        st.builds(lambda x, k: x * k, inner, st.sampled_from([2, 3, -1]) | leaves()),
        st.builds(floordiv, inner, divisors),
        st.builds(mod, inner, divisors),
        st.builds(minimum, inner, inner),
        st.builds(maximum, inner, inner),
        st.builds(lambda x, y, z: ite(eq(x, 1), y, z), inner, inner, inner),
    )


def comparisons() -> st.SearchStrategy[BoolLike]:
    ints = st.recursive(leaves(), larger, max_leaves=4)
    return st.builds(lambda op, x, y: op(x, y), st.sampled_from([eq, eq, ne, ge, gt]), ints, ints)


def conditions() -> st.SearchStrategy[BoolLike]:
    single = comparisons()
    joined = st.builds(lambda op, x, y: op(x, y), st.sampled_from([both, either]), single, single)
    return st.one_of(single, single, joined, st.builds(negate, joined))


def true_somewhere(most: int) -> st.SearchStrategy[tuple[list[Bool], Reading]]:
    """Conditions that all hold for some reading, which is given too."""

    def pick(drawn: list[BoolLike], reading: Reading) -> tuple[list[Bool], Reading]:
        seen = [each if isinstance(each, bool) or holds(each, reading) else negate(each) for each in drawn]
        return [each for each in seen if isinstance(each, Bool) and holds(each, reading)], reading

    return st.builds(pick, st.lists(conditions(), min_size=1, max_size=most), st.sampled_from(READINGS))


@functools.lru_cache(maxsize=4096)
def table(condition: BoolLike) -> tuple[bool, ...]:
    """Whether the condition holds, by reading. It is computed by Python from its text; what raises does not hold."""
    code = compile(str(condition) if isinstance(condition, bool) else condition_text(condition), "<condition>", "eval")
    found = []
    for reading in READINGS:
        try:
            found.append(bool(eval(code, {}, {each.name: value for each, value in reading.items()})))
        except ZeroDivisionError:
            found.append(False)
    return tuple(found)


def where(values: Iterable[BoolLike]) -> set[int]:
    """The readings for which all of the conditions hold."""
    found = set(range(len(READINGS)))
    for each in values:
        found &= {i for i, held in enumerate(table(each)) if held}
    return found


def same_everywhere(left: Any, right: Any) -> None:
    different = where(left) ^ where(right)
    assert not different, (left, right, READINGS[min(different)])


def learned(values: list[Bool]) -> Facts:
    """Facts of all conditions; examples that cannot hold together are passed over."""
    facts = Facts()
    try:
        for each in values:
            facts.learn(each)
    except Contradiction:
        pytest.fail(f"{values} hold together")
    return facts


@common
@given(true_somewhere(4), conditions())
def test_what_is_decided_is_so_wherever_the_known_conditions_hold(drawn: Any, asked: BoolLike) -> None:
    known, _ = drawn
    decided = learned(known).decide(asked)
    assume(decided is not None)
    assert (where(known) <= where([asked])) if decided else not (where(known) & where([asked])), (known, asked)


@common
@given(true_somewhere(3), conditions())
def test_a_rewritten_condition_means_the_same_where_what_is_known_holds(drawn: Any, asked: BoolLike) -> None:
    known, _ = drawn
    rewritten = learned(known).rewrite(asked)
    different = (where([asked]) ^ where([rewritten])) & where(known) & with_value(asked)
    assert not different, (known, asked, rewritten, READINGS[min(different)])


def with_value(condition: BoolLike) -> set[int]:
    """Where a condition has a value: it holds, or its negation does."""
    return where([condition]) | where([negate(condition)])


@common
@given(true_somewhere(3), conditions())
def test_a_simplified_condition_means_the_same_where_what_is_known_holds(drawn: Any, asked: BoolLike) -> None:
    known, _ = drawn
    simpler = simplify(asked, learned(known))
    different = (where([asked]) ^ where([simpler])) & where(known) & with_value(asked)
    assert not different, (known, asked, simpler, READINGS[min(different)])


@common
@given(true_somewhere(5))
def test_what_is_dropped_follows_from_what_is_kept(drawn: Any) -> None:
    values, _ = drawn
    same_everywhere(values, [values[i] for i in drop_implied(values)])


@common
@given(true_somewhere(5))
def test_a_call_that_breaks_a_condition_alone_spares_a_proof_and_changes_nothing(drawn: Any) -> None:
    values, traced = drawn
    assert broken_alone(values, range(len(values)), traced) <= set(drop_implied(values))
    assert drop_implied(values, traced) == drop_implied(values)


def test_a_remainder_by_0_says_nothing() -> None:
    facts, (rest,) = Facts(), Int((((Atom("int_mod", (TERMS[0], 0)),), 1),)).args
    facts.equal[rest[0][0]] = 1
    assert list(facts.remainders()) == []


def test_a_condition_that_no_other_one_implies_is_seen_by_one_call() -> None:
    a, b, c = (symbol(each) for each in UNKNOWN)
    values = [eq(a, b), ge(a, 1), ge(b, 1), either(eq(c, a), eq(c, 1))]
    alone = broken_alone(values, range(4), dict(zip(UNKNOWN, (2, 2, 1), strict=True)))
    assert alone == {0, 3}  # a >= 1 and b >= 1 imply each other
    assert broken_alone(values, range(4), {}) == set()


@common
@given(true_somewhere(5))
def test_stronger_conditions_mean_the_same_as_those_they_stand_for(drawn: Any) -> None:
    values, _ = drawn
    kept = strengthen(values, learned(values).implied)
    same_everywhere(values, [each.condition for each in kept])
    assert {i for each in kept for i in each.origins} <= set(range(len(values)))


@common
@given(true_somewhere(4))
def test_the_reasons_for_dropping_a_condition_imply_it(drawn: Any) -> None:
    assume(drawn[0])
    (asked, *known), _ = drawn
    reasons = [known[i] for i in because(asked, known)]
    assume(reasons)
    assert where(reasons) <= where([asked])


def large() -> st.SearchStrategy[int]:
    """Sizes up to 2**62, many of them multiples of one another or near a power of 2."""
    powers = st.builds(lambda power, offset: 2**power + offset, st.integers(3, 61), st.integers(-2, 2))
    return powers | st.integers(0, 2**62) | st.builds(lambda n: n // 24 * 24, st.integers(0, 2**62))


def true_of(values: Iterable[BoolLike], reading: Reading) -> list[Bool]:
    """The conditions as they are seen for these sizes: each, or its negation."""
    seen = [each if isinstance(each, bool) or holds(each, reading) else negate(each) for each in values]
    return [each for each in seen if isinstance(each, Bool) and holds(each, reading)]


@common
@given(st.lists(conditions(), min_size=1, max_size=4), st.lists(large(), min_size=3, max_size=3), conditions())
def test_large_sizes_are_decided_and_guarded_as_small_ones(drawn: Any, sizes: list[int], asked: BoolLike) -> None:
    reading = dict(zip(UNKNOWN, sizes, strict=True))
    values = true_of(drawn, reading)
    decided = learned(values).decide(asked)
    assert decided is None or isinstance(asked, bool) or not decided or holds(asked, reading)
    assert decided is not False or isinstance(asked, bool) or not holds(asked, reading)
    kept = [each.condition for each in collected(values, reading).finish()]
    assert all(holds(each, reading) for each in kept)
    for other in ({**reading, NUMBER: 0}, {**reading, SIZES[0]: sizes[1]}, {**reading, SIZES[1]: sizes[0] // 2}):
        assert all(holds(each, other) for each in kept) == all(holds(each, other) for each in values)


def collected(values: Iterable[Any], hints: Reading) -> Collector:
    collector = Collector(hints, lambda *_: True)
    for each in values:
        collector.observe(each, None, "")
    return collector


@common
@given(true_somewhere(5))
def test_collected_guards_mean_what_was_observed(drawn: Any) -> None:
    values, hints = drawn
    collector = collected(values, hints)
    same_everywhere(values, [each.condition for each in collector.finish()])


@common
@given(true_somewhere(4), st.randoms(use_true_random=False))
def test_the_order_of_observations_does_not_change_what_the_guards_mean(drawn: Any, draw: Any) -> None:
    values, hints = drawn
    shuffled = draw.sample(values, len(values))
    first, second = (collected(each, hints).finish() for each in (values, shuffled))
    same_everywhere([each.condition for each in first], [each.condition for each in second])


@pytest.mark.skipif(not satisfy.available(), reason="z3 is not installed")
@settings(common, max_examples=25)
@given(true_somewhere(4))
def test_z3_finds_no_sizes_on_which_guards_and_observations_differ(drawn: Any) -> None:
    values, hints = drawn
    kept = [each.condition for each in collected(values, hints).finish()]
    for true, false in ((kept, values), (values, kept)):
        if false:
            answer = satisfy.find(true, false, 1.0)
            assert answer.verdict != "some", (true, false, answer)


def test_conditions_that_cannot_hold_together_are_refused() -> None:
    a, b, _ = TERMS
    collector = collected([gt(a, b)], {SIZES[0]: 2, SIZES[1]: 1, NUMBER: 0})
    with pytest.raises(DeriveError, match="contradict"):
        collector.observe(gt(b, a), None, "b was larger")
