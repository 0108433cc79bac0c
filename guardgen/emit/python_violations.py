"""`violations`: every guard tested on its own, with what was expected and what was found."""

from __future__ import annotations

from guardgen.arguments import Path
from guardgen.checking import expected_constant, uses
from guardgen.emit.expressions import Expressions, Terms
from guardgen.emit.literals import call_lines, string
from guardgen.emit.python_check import Source
from guardgen.emit.steps import child, unpack
from guardgen.facts import attributes, expected_text, fact_text
from guardgen.guards import Fact, Guard, SameFact, TensorFact
from guardgen.rules.python import python_rules
from guardgen.terms import Symbol
from guardgen.terms.ints import symbols


class Violations:
    """The statements of `violations`, and the entries of `GUARDS` that they name by number."""

    def __init__(self, source: Source) -> None:
        self.source, self.names = source, source.names
        self.known: set[Path] = {Path(name) for name in source.names.parameters}
        self.lines: list[str] = []
        self.indent = 4
        self.entries: list[tuple[str, ...]] = []
        guards = source.guards
        on_data = [guard for guard in guards.guards if uses(guard, guards.hoists)]
        on_sizes = [guard for guard in guards.guards if guard not in on_data]
        self.used = dict.fromkeys(each for guard in guards.guards for each in symbols(guard.condition))
        for fact in guards.facts:
            self.fact(fact)
        self.offsets()
        self.guards(on_sizes)
        if on_data:
            self.write("if not report.violations:")
            self.indent = 8
            for symbol in guards.hoists:
                self.call(f"{self.names.symbol(symbol)} = computed", [f"lambda: {source.calls[symbol]}"])
            self.guards(on_data)

    def write(self, *lines: str) -> None:
        self.lines += [" " * (self.indent - 4) + line for line in lines]

    def call(self, head: str, arguments: list[str]) -> None:
        self.write(*call_lines(head, arguments, indent=self.indent))

    def entry(self, condition: str, kind: str, lines: tuple[str, ...]) -> str:
        """A new entry of `GUARDS`; returns how it is named."""
        texts = ", ".join(map(string, lines)) + ("," if len(lines) == 1 else "")
        arguments = [string(condition), string(kind), *([f"({texts})"] if lines else [])]
        self.entries.append(tuple(call_lines("Guard", arguments, ",", indent=4)))
        return f"GUARDS[{len(self.entries) - 1}]"

    def path(self, path: Path) -> str:
        if path not in self.known:
            parent = self.path(Path(path.root, path.steps[:-1]))
            self.call(f"{self.names.path(path)} = attempt", [f"lambda: {child(parent, path.steps[-1], path)}"])
            self.known.add(path)
        return self.names.path(path)

    # -- facts

    def fact(self, fact: Fact) -> None:
        guard, what = self.entry(fact_text(fact), "fact", ()), string(str(fact.path))
        value = self.path(fact.path)
        if isinstance(fact, SameFact):
            other = self.path(fact.other)
            self.call("report.same", [guard, what, string(str(fact.other)), f"({value}, {other})", str(fact.same)])
        elif isinstance(fact, TensorFact):
            self.tensor(fact, guard, what, value)
        else:
            test = " and ".join(each.holds for each in self.source.tests(fact, value))
            arguments = [guard, what, string(expected_text(fact)), value, f"lambda: {test}"]
            self.call(f"{value} = report.fact", arguments)

    def tensor(self, fact: TensorFact, guard: str, what: str, value: str) -> None:
        wanted = [f"{name}={string(str(each))}" for name, each in attributes(fact).items()]
        sizes = self.locals(fact, "size")
        head = unpack(sizes, "") if sizes else ""
        self.call(f"{head}report.tensor", [guard, what, value, str(fact.rank), *wanted])
        strides = self.locals(fact, "stride")
        if strides:
            self.call(unpack(strides, "strides"), [value, str(fact.rank)])

    def locals(self, fact: TensorFact, how: str) -> list[str]:
        found = {each.source[2]: each for each in self.used if each.source[0] == how and each.source[1] == fact.path}
        return [self.names.symbol(found[i]) if i in found else "_" for i in range(fact.rank)] if found else []

    def offsets(self) -> None:
        for symbol in self.used:
            if symbol.source[0] == "offset":
                value = self.path(symbol.source[1])
                self.call(f"{self.names.symbol(symbol)} = attempt", [f"lambda: {value}.storage_offset()"])

    # -- guards

    def guards(self, guards: list[Guard]) -> None:
        expressions = Expressions(Terms(guards), python_rules, self.names.symbol, lambda: self.names.new("number"))
        for guard in guards:
            entry = self.entry(guard.text, guard.kind, guard.since)
            condition = expressions.condition(guard)
            for name, text in condition.shared:
                self.call(f"{name} = attempt", [f"lambda: {text}"])
            constant = expected_constant(guard.condition)
            if constant is not None:
                symbol, expected = constant
                self.call("report.equal", [entry, string(symbol.title), self.names.symbol(symbol), repr(expected)])
            else:
                pairs = [self.pair(each) for each in dict.fromkeys(symbols(guard.condition))]
                self.call("report.holds", [entry, f"lambda: {condition.holds}", *pairs])

    def pair(self, symbol: Symbol) -> str:
        return f"({string(symbol.title)}, {self.names.symbol(symbol)})"
