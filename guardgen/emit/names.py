"""The names of an emitted module: parameters as the user wrote them, sizes after the parameter that has them."""

from __future__ import annotations

import builtins
import keyword

from guardgen.arguments import Path, unique
from guardgen.emit.literals import identifier, is_identifier
from guardgen.errors import EmitError
from guardgen.guards import GuardSet
from guardgen.terms import Symbol

RESERVED = frozenset(dir(builtins)) | frozenset(keyword.kwlist)


class Names:
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
        self.taken = set(reserved)
        if not self.hidden:
            self.taken.update(parameters)
        self.parameters = {name: self.parameter(name) for name in parameters}
        self.paths: dict[Path, str] = {Path(name): local for name, local in self.parameters.items()}
        self.symbols: dict[Symbol, str] = {}

    def parameter(self, name: str) -> str:
        if not self.hidden:
            return name
        return unique(identifier(name) if name.startswith("_") else name, self.taken)

    def path(self, path: Path) -> str:
        """The local that holds the value at `path`."""
        if path not in self.paths:
            self.paths[path] = unique(identifier(str(path)), self.taken)
        return self.paths[path]

    def symbol(self, symbol: Symbol) -> str:
        """The local that holds a size, stride, offset or number."""
        if symbol not in self.symbols:
            self.symbols[symbol] = self.new_symbol(symbol)
        return self.symbols[symbol]

    def new_symbol(self, symbol: Symbol) -> str:
        how, where, *rest = symbol.source
        if how == "int":
            return self.path(where)
        if how in ("data", "data_size"):
            return self.new("value")
        if symbol.title != symbol.name:  # a declared dimension, which has a name of its own
            return unique(identifier(symbol.name), self.taken)
        local = self.path(where)
        suffix = {"size": "", "stride": "_stride", "offset": "_offset"}[how]
        return unique("_".join([local + suffix, *map(str, rest)]), self.taken)

    def new(self, prefix: str) -> str:
        """A numbered name."""
        number = 0
        while f"{prefix}_{number}" in self.taken:
            number += 1
        return unique(f"{prefix}_{number}", self.taken)
