"""The names of a C++ header: parameters as the user wrote them where C++ can take them, sizes after their tensors."""

from __future__ import annotations

from guardgen.emit.cpp_literals import cpp_identifier
from guardgen.emit.names import Locals
from guardgen.terms import Symbol


class CppNames(Locals):
    """Names of parameters and locals, each given once."""

    def local(self, text: str) -> str:
        return self.unique(cpp_identifier(text))

    def new_symbol(self, symbol: Symbol) -> str:
        how, where, *rest = symbol.source
        if how == "int":
            return self.path(where)
        if how in ("data", "data_size"):
            return self.local(symbol.name)
        parts = [self.path(where).rstrip("_"), *{"size": (), "stride": ("stride",), "offset": ("offset",)}[how], *rest]
        return self.unique("_".join(map(str, parts)))

    def new(self, prefix: str) -> str:
        return self.unique(f"{prefix}_0")

    def unique(self, name: str) -> str:
        """`name`, or `name` with the first number that makes it new."""
        new, number = name, 1
        while new in self.taken:
            new, number = f"{name.rstrip('_')}_{number}", number + 1
        self.taken.add(new)
        return new
