"""The names of an emitted module: parameters as the user wrote them, sizes after the parameter that has them."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Iterable

from guardgen.arguments import Path, unique
from guardgen.emit.literals import identifier, is_identifier
from guardgen.errors import EmitError
from guardgen.guards import GuardSet
from guardgen.terms import Symbol

RESERVED = frozenset(dir(builtins)) | frozenset(keyword.kwlist)


class Locals:
    """Names of paths and symbols, each given once; none of `taken`."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.taken = set(taken)
        self.paths: dict[Path, str] = {}
        self.symbols: dict[Symbol, str] = {}

    def path(self, path: Path) -> str:
        """The name for the value at `path`: `batch['mask']` is `batch_mask`."""
        if path not in self.paths:
            self.paths[path] = self.local(str(path))
        return self.paths[path]

    def symbol(self, symbol: Symbol) -> str:
        """The name for a size, stride, offset or number."""
        if symbol not in self.symbols:
            self.symbols[symbol] = self.new_symbol(symbol)
        return self.symbols[symbol]

    def local(self, text: str) -> str:
        """A new name, made of a text."""
        raise NotImplementedError

    def new_symbol(self, symbol: Symbol) -> str:
        raise NotImplementedError


class Names(Locals):
    """Names of locals, each given once. `module` are those that the module defines and uses itself.

    A parameter that would hide one of them is renamed; `hidden` says whether there is any, so that the public functions
    must hand their arguments on to private ones.
    """

    def __init__(self, guards: GuardSet, module: frozenset[str]) -> None:
        parameters = [parameter.name for parameter in guards.signature.parameters]
        for name in parameters:
            if not is_identifier(name):
                raise EmitError(f"argument {name!r}: this is no name of a parameter; pass it in a dict instead")
        reserved = RESERVED | module
        self.hidden = any(name in reserved or name.startswith("_") for name in parameters)
        super().__init__(reserved if self.hidden else reserved.union(parameters))
        self.parameters = {name: self.parameter(name) for name in parameters}
        self.paths.update({Path(name): local for name, local in self.parameters.items()})

    def parameter(self, name: str) -> str:
        if not self.hidden:
            return name
        return unique(identifier(name) if name.startswith("_") else name, self.taken)

    def local(self, text: str) -> str:
        return unique(identifier(text), self.taken)

    def new_symbol(self, symbol: Symbol) -> str:
        how, where, *rest = symbol.source
        if how == "int":
            return self.path(where)
        if how in ("data", "data_size"):
            return self.new("value")
        if symbol.title != symbol.name:  # a declared dimension, which has a name of its own
            return self.local(symbol.name)
        local = self.path(where)
        suffix = {"size": "", "stride": "_stride", "offset": "_offset"}[how]
        return unique("_".join([local + suffix, *map(str, rest)]), self.taken)

    def new(self, prefix: str) -> str:
        """A numbered name."""
        number = 0
        while f"{prefix}_{number}" in self.taken:
            number += 1
        return unique(f"{prefix}_{number}", self.taken)
