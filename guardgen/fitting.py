"""The declaration that fits what a program needs: narrower ranges, multiples, dimensions that depend, ints.

What no `Dim` can say is left to `Dim.AUTO`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from guardgen.declarations import Declarations, Declared
from guardgen.declared import TermOf, anchors_of, bound, conditions
from guardgen.solve.facts import Facts
from guardgen.terms import Bool
from guardgen.terms.ints import Int, IntLike, Symbol, split_constant, symbols

LARGEST_MODULUS = 4096
NO_BOUND = 2**62  # a bound beyond this only says that sizes are finite


def fitting(declared: Declarations, term: TermOf, needs: Sequence[Bool]) -> Declarations:
    """Declarations that imply all `needs`, and that the traced call fits."""
    before = learned(declared, term)
    after = before.copy()
    for need in needs:
        after.learn(need)
    named = {each: with_name(each, declared) for each in declared if each.strict}
    fit = Fit(after, term, named.values())
    narrowed = {each: fit.narrowed(name) for each, name in named.items()}
    names = [each.name for each in narrowed.values()]
    for each, found in narrowed.items():
        if each.kind == "dynamic" and found.kind == "dim" and found.same_as_name and names.count(found.name) == 1:
            narrowed[each] = replace(found, kind="dynamic", name="", low=found.low or None)
    trial = declared.mapped(lambda each: narrowed.get(each, each))
    now = learned(trial, term)
    missed = {symbol for need in needs if now.decide(need) is not True for symbol in symbols(before.rewrite(need))}
    return declared.mapped(
        lambda each: automatic(each) if missed & used(before.rewrite(term(each))) else narrowed.get(each, each)
    )


def learned(declared: Iterable[Declared], term: TermOf) -> Facts:
    """What declarations say."""
    facts = Facts()
    for condition, _ in conditions(declared, term):
        facts.learn(condition)
    return facts


def used(value: IntLike) -> frozenset[Symbol]:
    return frozenset(symbols(value)) if isinstance(value, Int) else frozenset()


def with_name(declared: Declared, others: Declarations) -> Declared:
    """The size as a dimension with a name, one that no other has where it has none."""
    if declared.kind == "dim":
        return declared
    name = re.sub(r"\W+", "_", declared.where.replace(".shape", "")).strip("_")
    while any(each.name == name for each in others):
        name += "_"
    return replace(declared, kind="dim", name=name, low=declared.low or 0)


def automatic(declared: Declared) -> Declared:
    """The size as one that observations may narrow."""
    if not declared.strict:
        return declared
    low, high = bound(declared, declared.low) or None, bound(declared, declared.high)
    return Declared(declared.path, declared.node, declared.dim, declared.value, "auto", low, high)


@dataclass(frozen=True)
class Root:
    """A dimension as `factor * name + offset`, between bounds of `name`; a constant where `name` is empty."""

    name: str
    low: int = 0
    high: int | None = None
    factor: int = 1
    offset: int = 0


class Fit:
    """One search: `facts` are the declarations and the needs, over the sizes that stand for the dimensions."""

    def __init__(self, facts: Facts, term: TermOf, declared: Iterable[Declared]) -> None:
        self.facts, self.term = facts, term
        self.anchors = anchors_of(declared)
        self.roots: Mapping[str, Root] = {name: self.root(name) for name in self.anchors}

    def narrowed(self, declared: Declared) -> Declared:
        """What the size is to be declared as."""
        root = self.roots[declared.name]
        if not root.name:
            value = declared.value
            return replace(declared, kind="static", low=value, high=value, name="", factor=1, offset=0)
        return replace(
            declared,
            name=root.name,
            low=root.low,
            high=root.high,
            factor=declared.factor * root.factor,
            offset=declared.factor * root.offset + declared.offset,
        )

    def root(self, name: str) -> Root:
        anchor = self.anchors[name]
        value = self.facts.rewrite(self.term(anchor))
        if isinstance(value, int):
            return Root("")
        linear, constant = split_constant(value)
        ((monomial, k), *rest) = linear.args if isinstance(linear, Int) else ()
        other = next((each for each in self.anchors.values() if self.term(each) == Int(((monomial, 1),))), None)
        if rest or other is None or other is anchor:
            return self.own(anchor)
        # anchor = k * other + constant, each of them a factor times its name
        own = self.own(other)
        inside = k * other.factor * own.factor
        outside = k * (other.factor * own.offset + other.offset) + constant - anchor.offset
        if k < 0 or inside % anchor.factor or outside % anchor.factor or not own.name:
            return self.own(anchor)
        return replace(own, factor=inside // anchor.factor, offset=outside // anchor.factor)

    def own(self, anchor: Declared) -> Root:
        """A dimension by what is known of the size that stands for it."""
        size = self.term(anchor)
        low, high = self.facts.range(size)
        low, high = self.beside_excluded(anchor, low or 0, high if high is not None and high < NO_BOUND else None)
        step, rest = self.multiple(anchor)
        factor, offset = anchor.factor * step, anchor.factor * rest + anchor.offset
        least = max(0, -((offset - low) // factor))
        most = None if high is None else (high - offset) // factor
        return Root("" if least == most else anchor.name, least, most, step, rest)

    def beside_excluded(self, anchor: Declared, low: int, high: int | None) -> tuple[int, int | None]:
        """The bounds, less those that are on the other side of a value that the size must not have."""
        size = self.term(anchor)
        for unequal in self.facts.unequal:
            linear, constant = split_constant(unequal)
            if linear == size and anchor.value > -constant:
                low = max(low, -constant + 1)
            elif linear == size:
                high = -constant - 1 if high is None else min(high, -constant - 1)
        return low, high

    def multiple(self, anchor: Declared) -> tuple[int, int]:
        """The step and the rest of what the dimension must be, from the remainders of the size that are known."""
        step, rest, size = 1, 0, self.term(anchor)
        for atom, value in self.facts.equal.items():
            if atom.op != "int_mod" or not isinstance(value, int):
                continue
            inside, modulus = atom.args
            if inside != size or not isinstance(modulus, int) or step * modulus > LARGEST_MODULUS:
                continue
            right = [
                n for n in range(rest, step * modulus, step) if (anchor.factor * n + anchor.offset) % modulus == value
            ]
            if right:
                step, rest = step * modulus // len(right), right[0]
        return step, rest
