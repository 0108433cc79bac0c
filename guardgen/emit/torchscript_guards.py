"""Guards as TorchScript functions of numbers: in 64 bits, and as wide numbers where these could wrap."""

from __future__ import annotations

from guardgen.emit.definedness import Definedness
from guardgen.emit.expressions import Expressions, Terms
from guardgen.emit.literals import call_lines
from guardgen.emit.magnitude import SAFE, Magnitudes
from guardgen.emit.model import Function
from guardgen.emit.names import Names
from guardgen.emit.steps import Steps, line_comments
from guardgen.errors import EmitError
from guardgen.guards import Guard
from guardgen.rules.python import number
from guardgen.rules.torchscript import torchscript_rules, wide_rules

INDENT = 4
NOT_NEGATIVE = ("size", "stride", "offset", "data_size")


class GuardFunction:
    """One function `name` that tests `guards`, given their symbols; and, where needed, one for sizes beyond 64 bits."""

    def __init__(self, name: str, guards: list[Guard], names: Names) -> None:
        self.name, self.guards, self.names = name, guards, names
        self.terms = Terms(guards, total=Definedness)
        self.symbols = sorted(self.terms.symbols.values(), key=lambda symbol: (symbol.order, symbol.name))
        inline = Expressions(self.terms, torchscript_rules, names.symbol)
        sizes = frozenset(name for name, symbol in self.terms.symbols.items() if symbol.source[0] in NOT_NEGATIVE)
        self.magnitudes = Magnitudes(self.terms.nodes, lambda node: inline.text(node, []), sizes, self.terms.defined)
        self.risks = {id(guard): self.risks_of(guard) for guard in guards}

    def risks_of(self, guard: Guard) -> list[str]:
        root = self.terms.root(guard)
        return [] if self.magnitudes.always_wide(root) else self.magnitudes.risks(root)

    def call(self, name: str) -> str:
        return f"{name}({', '.join(map(self.names.symbol, self.symbols))})"

    def functions(self) -> list[Function]:
        risks = list(dict.fromkeys(risk for each in self.risks.values() for risk in each))
        steps = Steps(self.names, INDENT)
        if not risks:
            return [self.function(self.name, steps, wide=False)]
        large = f"{self.name}_wide"
        steps.comment(["sizes whose products could be beyond 64 bits"])
        steps.refuse(*self.too_large(risks))
        steps.flush(self.call(large))
        return [self.function(self.name, steps, wide=False), self.function(large, Steps(self.names, INDENT), wide=True)]

    def function(self, name: str, steps: Steps, *, wide: bool) -> Function:
        tables = torchscript_rules, wide_rules
        expressions = [Expressions(self.terms, table, self.names.symbol, self.fresh) for table in tables]
        lines: tuple[str, ...] | None = None
        for guard in self.guards:
            comments = line_comments(guard, INDENT)
            if comments != lines:
                steps.comment(comments)
                lines = comments
            self.write(guard, steps, wide, *expressions)
        declared = [f"{self.names.symbol(symbol)}: {symbol.kind}" for symbol in self.symbols]
        return Function(tuple(call_lines(f"def {name}", declared, " -> bool:")), steps.done())

    def too_large(self, risks: list[str]) -> list[str]:
        return [f"not {risk} < {number(SAFE)}" for risk in risks]

    def fresh(self) -> str:
        return self.names.new("number")

    def write(self, guard: Guard, steps: Steps, wide: bool, plain: Expressions, large: Expressions) -> None:
        root = self.terms.root(guard)
        always = self.magnitudes.always_wide(root)
        expressions = large if always or (wide and self.risks[id(guard)]) else plain
        if expressions is large and not self.can_be_wide(root):
            if always:
                raise EmitError(f"{guard.text}: TorchScript cannot compute this", line=(guard.lines or (None,))[0])
            steps.refuse(*self.too_large(self.risks[id(guard)]))  # bits and floats of wide numbers are not told apart
            expressions = plain
        condition = expressions.condition(guard)
        steps.read(*(f"{name} = {text}" for name, text in condition.shared))
        steps.refuse(*condition.fails)

    def can_be_wide(self, root: str) -> bool:
        return all(node.op in wide_rules and node.kinds != ("float",) for node in self.magnitudes.reachable(root))
