"""Shapes that satisfy some conditions and break another one, as arguments of the traced function would have them.

A bounded search: symbols that the conditions determine are computed from the others, and these are tried one by one,
two by two, and at random, beginning with what they were in the traced run. Then z3 is asked, where it is installed.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from guardgen import satisfy
from guardgen.arguments import Path
from guardgen.checking import guard_rules
from guardgen.solve.facts import Contradiction, Facts
from guardgen.terms import Bool, Symbol
from guardgen.terms.evaluate import evaluate
from guardgen.terms.ints import Int, Term, symbols

if TYPE_CHECKING:
    from guardgen.guards import GuardSet

Values: TypeAlias = dict[Symbol, Any]

MOST_TRIED = 4000  # readings in one search, of each kind
SECONDS = 2.0  # of z3, where the search finds nothing
LARGE = tuple(2**power + offset for power in (8, 16, 31, 32, 40, 53, 61, 62) for offset in (-1, 0, 1))
SMALL = (0, 1, 2, 3, 4, 5, 7, 8)


def example(guards: GuardSet) -> dict[str, Any]:
    """Shapes that satisfy the guards, by argument: `{"x": (2, 3), "n": 4}`; empty where none were found.

    Those of the traced run, unless these cannot be told. What comes from data is given by the name of its node.
    """
    true = [guard.condition for guard in guards.guards]
    found = search(true, None, guards.traced)
    return {} if found is None else shapes(guards, found)


def counterexample(guards: GuardSet, i: int) -> dict[str, Any]:
    """Shapes that satisfy every guard but `guards.guards[i]`; empty where none were found."""
    conditions = [guard.condition for guard in guards.guards]
    found = search(conditions[:i] + conditions[i + 1 :], conditions[i], guards.traced)
    return {} if found is None else shapes(guards, found)


def shapes(guards: GuardSet, values: Mapping[Symbol, Any]) -> dict[str, Any]:
    """Values as the arguments would have them: the sizes of tensors whole, the others as in the traced run."""
    known = {**guards.traced, **values}
    at = {symbol.source: value for symbol, value in known.items()}
    found: dict[str, Any] = {}
    first: dict[str, Path] = {}
    for leaf in guards.signature.leaves:
        if leaf.kind == "tensor":
            path = first.setdefault(leaf.node, leaf.path)  # where two arguments were one tensor, of the first
            sizes = (at.get(("size", path, i)) for i in itertools.count())
            found[str(leaf.path)] = tuple(itertools.takewhile(lambda size: size is not None, sizes))
    used = {symbol for guard in guards.raw for symbol in symbols(guard.condition)}
    for symbol in sorted(known, key=lambda symbol: (symbol.order, symbol.name)):
        how, where = symbol.source[:2]
        if how != "size" and (how == "int" or symbol in used):
            found[str(where) if isinstance(where, Path) and how == "int" else symbol.name] = known[symbol]
    return found


def holds(condition: Bool, values: Mapping[Symbol, Any]) -> bool:
    """Whether the condition has a value for these values, and it is True."""
    try:
        return bool(evaluate(condition, values, guard_rules))
    except (ArithmeticError, ValueError):
        return False


def search(true: Sequence[Bool], false: Bool | None, start: Mapping[Symbol, Any]) -> Values | None:
    """Values for which all of `true` hold and `false`, if it is given, does not; None where none were found."""
    found = next(tried(true, false, start, wide=False), None)
    if found is None and satisfy.available():
        answer = satisfy.find(true, [] if false is None else [false], SECONDS)
        if answer.values is not None and right(true, false, answer.values):
            found = dict(answer.values)
    return found


def right(true: Sequence[Bool], false: Bool | None, values: Mapping[Symbol, Any]) -> bool:
    return (false is None or not holds(false, values)) and all(holds(condition, values) for condition in true)


def tried(true: Sequence[Bool], false: Bool | None, start: Mapping[Symbol, Any], *, wide: bool) -> Iterator[Values]:
    """The values found by trying; `wide` is with a grid of small numbers, and with numbers up to 2**62."""
    conditions = [*true] if false is None else [*true, false]
    unknown = sorted(set(symbols_of(conditions)), key=lambda each: (each.order, each.name))
    determined = solved(true)
    free = [each for each in unknown if each not in determined]
    choices = {each: candidates(each, conditions, start, wide) for each in free}
    for picked in readings(free, choices, wide):
        values = completed(picked, determined)
        if values is not None and right(true, false, values):
            yield values


def symbols_of(conditions: Sequence[Bool]) -> Iterator[Symbol]:
    for condition in conditions:
        yield from symbols(condition)


def solved(true: Sequence[Bool]) -> dict[Symbol, Any]:
    """The symbols that the conditions determine, each as a term over the others."""
    facts = Facts()
    try:
        for condition in true:
            facts.learn(condition)
    except Contradiction:
        return {}
    return {atom.args[0]: rest for atom, rest in facts.equal.items() if atom.op == "symbol"}


def completed(picked: Mapping[Symbol, Any], determined: Mapping[Symbol, Any]) -> Values | None:
    """The values of all symbols; None where one is out of its range, or cannot be computed."""
    values = dict(picked)
    try:
        for symbol, term in determined.items():
            values[symbol] = evaluate(term, picked, guard_rules)
    except (ArithmeticError, ValueError, KeyError):
        return None
    return values if all(in_range(symbol, value) for symbol, value in values.items()) else None


def in_range(symbol: Symbol, value: Any) -> bool:
    return (symbol.low is None or value >= symbol.low) and (symbol.high is None or value <= symbol.high)


def candidates(symbol: Symbol, conditions: Sequence[Bool], start: Mapping[Symbol, Any], wide: bool) -> list[Any]:
    """What a symbol is tried to be, what it was in the traced run first."""
    first = [start[symbol]] if symbol in start else []
    if symbol.kind == "bool":
        return list(dict.fromkeys([*first, True, False]))
    if symbol.kind == "float":
        return list(dict.fromkeys([*first, 0.0, 1.0, -1.0, 0.5, float("inf"), float("nan")]))
    numbers = {each for condition in conditions if symbol in set(symbols(condition)) for each in constants(condition)}
    near = [number + offset for number in sorted(numbers, key=abs) for offset in (0, 1, -1)]
    signed = [] if symbol.low is not None else [-1, -2, -5]
    found = dict.fromkeys([*first, *SMALL, *signed, *near, *(LARGE if wide else ())])
    return [number for number in found if in_range(symbol, number)]


def constants(value: Any) -> Iterator[int]:
    """The numbers in a term: coefficients, divisors and what is compared with."""
    if isinstance(value, int):
        yield abs(value)
    elif isinstance(value, Int):
        for monomial, k in value.args:
            yield abs(k)
            for atom in monomial:
                yield from constants(atom)
    elif isinstance(value, Term) and value.op != "symbol":
        for arg in value.args:
            yield from constants(arg)


def readings(free: Sequence[Symbol], choices: Mapping[Symbol, list[Any]], wide: bool) -> Iterator[Values]:
    """First near the start, then all of a small grid, then at random; no more than `MOST_TRIED` of each."""
    start = {symbol: choices[symbol][0] for symbol in free}
    yield start
    near = itertools.chain.from_iterable(itertools.combinations(free, count) for count in (1, 2))
    changed = ((group, values) for group in near for values in itertools.product(*(choices[each] for each in group)))
    for group, values in itertools.islice(changed, MOST_TRIED):
        yield {**start, **dict(zip(group, values, strict=True))}
    for values in itertools.islice(
        itertools.product(*(choices[each][: 7 if wide else 5] for each in free)), MOST_TRIED
    ):
        yield dict(zip(free, values, strict=True))
    draw = random.Random(0)
    for _ in range(MOST_TRIED):
        pool = [draw.choice(choices[draw.choice(free)]) for _ in range(3)] if free else []
        yield {each: fitting(each, draw, pool, choices[each]) for each in free}


def fitting(symbol: Symbol, draw: random.Random, pool: Sequence[Any], choices: Sequence[Any]) -> Any:
    """A value out of the pool, so that sizes are often equal, or any of the choices."""
    value = draw.choice(pool)
    usable = symbol.kind == "int" and type(value) is int and in_range(symbol, value) and draw.random() < 0.6
    return value if usable else draw.choice(choices)
