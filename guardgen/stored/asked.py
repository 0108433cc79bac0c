"""One call's arguments, looked at as stored guards say."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from guardgen.runtime import MISSING, Guard, Report, Violation, attempt, is_error, is_tensor, strides
from guardgen.stored.data import compute
from guardgen.stored.facts import holds, take
from guardgen.stored.numbers import constant, evaluate

ATTRIBUTES = ("dtype", "device", "layout", "requires_grad")


class Asked:
    """`bad` are the paths below which nothing can be read; `entries` are the facts and guards, as they are reported."""

    def __init__(self, document: Mapping[str, Any], entries: Sequence[Guard], values: Mapping[str, Any]) -> None:
        self.document, self.entries, self.values = document, entries, values
        self.bad: list[Any] = []
        self.report = Report()

    def get(self, path: Sequence[Any]) -> Any:
        """The value at a path, or `MISSING` where it is inside something that is not as it should be."""
        if any(path[: len(bad)] == bad for bad in self.bad):
            return MISSING
        return attempt(lambda: take(self.values[path[0]], path))

    # -- tensors

    def violations(self) -> list[Violation]:
        """Every failing fact and guard; data is looked at if all else holds."""
        facts = self.document["facts"]
        for fact, entry in zip(facts, self.entries, strict=False):
            self.fact(fact, entry)
        on_data = [self.uses_data(guard) for guard in self.document["guards"]]
        self.guards([not each for each in on_data], self.symbols(self.number))
        if not self.report.violations and any(on_data):
            data = [compute(each, self.get) for each in self.document["data"]]
            self.guards(on_data, self.symbols(lambda symbol: self.number(symbol, data)))
        return self.report.violations

    def fact(self, fact: Mapping[str, Any], entry: Guard) -> None:
        value, what = self.get(fact["at"]), fact["name"]
        if fact["fact"] == "same":
            other = self.get(fact["other"])
            self.report.same(entry, what, fact["other_name"], (value, other), fact["same"])
        elif fact["fact"] == "tensor":
            wanted = {name: fact[name] for name in ATTRIBUTES if name in fact}
            sizes = self.report.tensor(entry, what, value, fact["rank"], **wanted)
            if MISSING in sizes or not is_tensor(value):
                self.bad.append(fact["at"])
        elif self.report.fact(entry, what, fact["text"], value, lambda: holds(fact, value)) is MISSING:
            self.bad.append(fact["at"])

    def uses_data(self, guard: Mapping[str, Any]) -> bool:
        return any(self.document["symbols"][i]["read"] == "data" for i in guard["symbols"])

    def symbols(self, read: Callable[[Mapping[str, Any]], Any]) -> list[Any]:
        return [read(symbol) for symbol in self.document["symbols"]]

    def number(self, symbol: Mapping[str, Any], data: Sequence[Any] = ()) -> Any:
        """The value of a symbol, `MISSING` where it cannot be read, an exception where it cannot be computed."""
        if symbol["read"] == "data":
            return data[symbol["data"]] if data else MISSING
        value = self.get(symbol["at"])
        if value is MISSING or symbol["read"] == "int":
            return value
        if symbol["read"] == "offset":
            return attempt(lambda: int(value.storage_offset()))
        index = symbol["index"]
        size = symbol["read"] == "size"
        return attempt(lambda: value.shape[index] if size else strides(value, value.dim())[index])

    def guards(self, chosen: Sequence[bool], symbols: Sequence[Any]) -> None:
        numbers = self.document["numbers"]
        values = evaluate(numbers, [known(each) for each in symbols])
        entries = self.entries[len(self.document["facts"]) :]
        for guard, entry, wanted in zip(self.document["guards"], entries, chosen, strict=True):
            if not wanted:
                continue
            at = guard["number"]
            pairs = [(self.document["symbols"][i]["name"], symbols[i]) for i in guard["symbols"]]
            expected = expected_constant(numbers, at)
            if expected is not None:
                self.report.equal(entry, *pairs[0], expected[0])
            else:
                self.report.holds(entry, lambda at=at: truth(values[at]), *pairs)  # type: ignore[misc]

    # -- sizes alone

    def sizes(self) -> bool:
        """What sizes alone tell; they are given in place of tensors. Anything at all gives an answer."""
        return attempt(self.sizes_hold) is True

    def sizes_hold(self) -> bool:
        for fact in self.document["facts"]:
            value = take(self.values[fact["at"][0]], fact["at"])
            if fact["fact"] == "tensor" and (value is None or len(value) != fact["rank"]):
                return False
            if fact["fact"] not in ("tensor", "same") and not holds(fact, value):
                return False
        symbols = self.symbols(self.size)
        values = evaluate(self.document["numbers"], symbols)
        return all(
            values[guard["number"]] is True
            for guard in self.document["guards"]
            if all(self.document["symbols"][i]["read"] in ("size", "int") for i in guard["symbols"])
        )

    def size(self, symbol: Mapping[str, Any]) -> Any:
        if symbol["read"] not in ("size", "int"):
            return LookupError(symbol["name"])
        value = take(self.values[symbol["at"][0]], symbol["at"])
        return value if symbol["read"] == "int" else operator.index(tuple(value)[symbol["index"]])


def known(value: Any) -> Any:
    """A symbol to compute with: what cannot be read makes nothing true."""
    return LookupError("it cannot be read") if value is MISSING else value


def truth(value: Any) -> bool:
    return value is True and not is_error(value)


def expected_constant(numbers: Sequence[Any], at: int) -> tuple[Any] | None:
    """What the symbol of a condition such as `x.shape[1] == 3` must be; None for any other condition."""
    number = numbers[at]
    if "symbol" in number:
        return (True,)
    if number.get("op") == "bool_not" and "symbol" in numbers[number["of"][0]]:
        return (False,)
    if number.get("op") != "int_eq":
        return None
    left, right = (numbers[i] for i in number["of"])
    return (constant(right["const"]),) if "symbol" in left and "const" in right else None
