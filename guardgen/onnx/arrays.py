"""Stored guards asked of numpy arrays by the names of a model's inputs: shapes, dtypes, and what follows from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from guardgen.runtime import MISSING, Guard, Violation, attempt, shown
from guardgen.stored import Guards
from guardgen.stored.asked import Asked


def violations(guards: Guards, feed: Mapping[str, Any]) -> list[Violation]:
    """Every guard that these arrays break. An input that is missing from `feed` is not looked at."""
    return Arrays(guards.document, guards.guards, feed).violations()


class Arrays(Asked):
    """The inputs of one run."""

    def get(self, path: Any) -> Any:
        return MISSING if path[0] not in self.values else super().get(path)

    def number(self, symbol: Mapping[str, Any], data: Sequence[Any] = ()) -> Any:
        """Strides are counted in bytes by numpy, in elements by PyTorch and our guards."""
        if symbol["read"] != "stride":
            return super().number(symbol, data)
        value: Any = self.get(symbol["at"])
        return attempt(lambda: value.strides[symbol["index"]] // value.itemsize)

    def fact(self, fact: Mapping[str, Any], entry: Guard) -> None:
        value = self.get(fact["at"])
        if fact["fact"] != "tensor":
            super().fact(fact, entry)
        elif value is not MISSING and not self.array(fact, entry, fact["name"], value):
            self.bad.append(fact["at"])

    def array(self, fact: Mapping[str, Any], entry: Guard, what: str, value: Any) -> bool:
        """Whether its sizes can be looked at; what is wrong with it is reported."""
        rank, dtype = fact["rank"], fact["dtype"].removeprefix("torch.")
        shape = attempt(lambda: tuple(map(int, value.shape)))
        if shape is MISSING or not hasattr(value, "dtype"):
            self.report.add(entry, what, f"an array of rank {rank}, {dtype}", shown(value))
            return False
        if (got := dtype_of(value)) != dtype:
            self.report.add(entry, f"{what}.dtype", dtype, got)
        if len(shape) != rank:
            self.report.add(entry, f"{what}.ndim", str(rank), str(len(shape)))
        return bool(len(shape) == rank)


def dtype_of(value: Any) -> str:
    """The name of its dtype; numbers in the other byte order are another dtype, although numpy names both alike."""
    name = attempt(lambda: str(value.dtype.name))
    native = attempt(lambda: bool(value.dtype.isnative))
    return "no dtype" if name is MISSING else name if native is True else f"{name}, not in this machine's byte order"
