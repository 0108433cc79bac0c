"""A guard set as lines to read: each condition with the lines of the program that made it, equal sizes as one chain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from guardgen.conditions import Fact, Guard
from guardgen.facts import fact_text
from guardgen.terms import Bool, Symbol


def listing(facts: Iterable[Fact], guards: Sequence[Guard]) -> list[str]:
    """The facts, then the guards; sizes that several guards make equal are one line: `a == b == c`."""
    lines = list(map(fact_text, facts))
    chains = chains_of(guards)
    for guard in guards:
        pair = equal_symbols(guard.condition)
        if pair is None:
            lines.append(line(guard.text, [guard]))
            continue
        chain = next((chain for chain in chains if pair[0] in chain), None)
        if chain is not None:
            chains.remove(chain)
            text = " == ".join(each.name for each in sorted(chain, key=lambda each: (each.order, each.name)))
            lines.append(
                line(text, [each for each in guards if chain.issuperset(equal_symbols(each.condition) or "?")])
            )
    return lines


def line(text: str, guards: Iterable[Guard]) -> str:
    """A condition, and what made it: of each guard the first line."""
    return "  # ".join([text, *dict.fromkeys(since for guard in guards for since in guard.since[:1])])


def chains_of(guards: Iterable[Guard]) -> list[set[Symbol]]:
    """The sizes that are equal to one another, by the guards that say so."""
    chains: list[set[Symbol]] = []
    for pair in filter(None, (equal_symbols(guard.condition) for guard in guards)):
        joined = [chain for chain in chains if not chain.isdisjoint(pair)]
        chains = [chain for chain in chains if chain not in joined]
        chains.append(set(pair).union(*joined))
    return chains


def equal_symbols(condition: Bool) -> tuple[Symbol, Symbol] | None:
    """The two sizes that a condition says are equal; None for any other condition."""
    if condition.op != "eq" or len(condition.args[0].args) != 2:
        return None
    (first, j), (second, k) = condition.args[0].args
    atoms = (*first, *second)
    if j + k != 0 or len(first) != 1 or len(second) != 1 or any(each.op != "symbol" for each in atoms):
        return None
    return atoms[0].args[0], atoms[1].args[0]
