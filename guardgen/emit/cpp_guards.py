"""Guards as C++ functions of numbers, and as the calls of `violations` that report each on its own."""

from __future__ import annotations

from guardgen.checking import expected_constant
from guardgen.emit.cpp_expressions import CppDefinedness, CppExpressions
from guardgen.emit.cpp_layout import call_lines, if_lines
from guardgen.emit.cpp_literals import cpp_comment, cpp_string
from guardgen.emit.cpp_names import CppNames
from guardgen.emit.cpp_parameters import TYPES
from guardgen.emit.expressions import Terms
from guardgen.emit.model import Function, Step
from guardgen.emit.steps import line_comments
from guardgen.errors import EmitError
from guardgen.guards import Guard
from guardgen.rules.cpp import EQUAL, LARGEST
from guardgen.terms import Symbol
from guardgen.terms.ints import symbols

INDENT = 2


class CppGuards:
    """The function `name` that tests `guards`, given their symbols."""

    def __init__(self, name: str, guards: list[Guard], names: CppNames) -> None:
        self.name, self.guards, self.names = name, guards, names
        self.terms = Terms(guards, total=CppDefinedness)
        self.symbols = sorted(self.terms.symbols.values(), key=lambda symbol: (symbol.order, symbol.name))

    def function(self) -> Function:
        steps: list[Step] = []
        expressions = CppExpressions(self.terms, self.names.symbol, lambda: self.names.new("number"))
        known: tuple[str, ...] = ()
        for guard in self.guards:
            comments = tuple(map(cpp_comment, line_comments(guard, INDENT)))
            shared: list[tuple[str, str]] = []
            parts = refusing(expressions, self.terms.root(guard), guard, shared)
            statements = tuple(f"const auto {name} = {text};" for name, text in shared)
            steps.append(Step(comments if comments != known else (), statements, tuple(if_lines(parts, INDENT))))
            known = comments
        declared = [f"{TYPES[symbol.kind]} {self.names.symbol(symbol)}" for symbol in self.symbols]
        return Function(tuple(call_lines(f"inline bool {self.name}", declared, " {")), tuple(steps))

    def report(self, guard: Guard, entry: str) -> list[str]:
        """The call of `violations` that reports a guard."""
        constant = expected_constant(guard.condition)
        if constant is not None and abs(constant[1]) <= LARGEST:
            symbol, expected = constant
            value = str(expected).lower() if isinstance(expected, bool) else str(expected)
            arguments = [entry, cpp_string(symbol.title), self.names.symbol(symbol), value]
            return call_lines("report.equal", arguments, ";", indent=INDENT)
        expressions = CppExpressions(self.terms, self.names.symbol)
        holds = str(expressions.text(self.terms.root(guard), []))
        used = dict.fromkeys(symbols(guard.condition))
        pairs = ", ".join(f"{{{cpp_string(each.title)}, {self.names.symbol(each)}}}" for each in used)
        return call_lines("report.holds", [entry, holds, f"{{{pairs}}}"], ";", indent=INDENT)


def refusing(expressions: CppExpressions, root: str, guard: Guard, shared: list[tuple[str, str]]) -> list[str]:
    """The parts of the condition under which a guard refuses; raises `EmitError` where C++ cannot compute it."""
    try:
        parts = expressions.fails(root, shared)
    except EmitError as error:
        raise EmitError(f"{guard.text}: {error.message}", line=(guard.lines or (None,))[0]) from error
    return [part.text if len(parts) == 1 else part.at(EQUAL) for part in parts]


def read(symbol: Symbol, names: CppNames, *, shapes: bool) -> str:
    """How a symbol is read from the parameters."""
    how, where, *rest = symbol.source
    if how in ("int", "data", "data_size"):
        return names.symbol(symbol)
    value = names.path(where)
    if how == "offset":
        return f"{value}.storage_offset"
    if how == "stride":
        return f"{value}.stride({rest[0]})"
    return f"{value}{'' if shapes else '.sizes'}[{rest[0]}]"
