"""The names of a C++ header: parameters as the user wrote them where C++ can take them, sizes after their tensors."""

from __future__ import annotations

from guardgen.arguments import Path
from guardgen.emit.cpp_literals import cpp_identifier
from guardgen.terms import Symbol


class CppNames:
    """Names of parameters and locals, each given once; `reserved` are those that the header itself uses."""

    def __init__(self, reserved: frozenset[str]) -> None:
        self.taken = set(reserved)
        self.paths: dict[Path, str] = {}
        self.symbols: dict[Symbol, str] = {}

    def path(self, path: Path) -> str:
        """The parameter for the value at `path`: `batch['mask']` is `batch_mask`."""
        if path not in self.paths:
            self.paths[path] = self.unique(cpp_identifier(str(path)))
        return self.paths[path]

    def symbol(self, symbol: Symbol) -> str:
        """The parameter or local that holds a size, stride, offset or number."""
        if symbol not in self.symbols:
            self.symbols[symbol] = self.new_symbol(symbol)
        return self.symbols[symbol]

    def new_symbol(self, symbol: Symbol) -> str:
        how, where, *rest = symbol.source
        if how == "int":
            return self.path(where)
        if how in ("data", "data_size"):
            return self.unique(cpp_identifier(symbol.name))
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
