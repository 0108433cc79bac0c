"""`violations` in C++: every guard tested on its own; and the table `GUARDS`, whose entries it names by number."""

from __future__ import annotations

import itertools

from guardgen.arguments import Path
from guardgen.checking import uses
from guardgen.emit.cpp_facts import attributes, checked, different, identity
from guardgen.emit.cpp_guards import CppGuards, read
from guardgen.emit.cpp_layout import call_lines
from guardgen.emit.cpp_literals import cpp_string
from guardgen.emit.cpp_names import CppNames
from guardgen.emit.literals import WIDTH
from guardgen.facts import expected_text, fact_text
from guardgen.guards import ConstantFact, Guard, GuardSet, SameFact, TensorFact
from guardgen.terms.ints import symbols


class CppViolations:
    """The statements of `violations`, and the entries of `GUARDS`."""

    def __init__(self, guards: GuardSet, groups: list[CppGuards], names: CppNames) -> None:
        self.guards, self.names = guards, names
        self.lines = ["Report report;"]
        self.entries: list[str] = []  # as lines
        self.count = 0
        self.known: dict[Path, str] = {}
        self.strides: dict[Path, str] = {}
        self.used = dict.fromkeys(each for guard in guards.guards for each in symbols(guard.condition))
        for fact in checked(guards):
            self.fact(fact)
        for symbol in self.used:
            if symbol.source[0] in ("size", "stride", "offset"):
                self.lines.append(f"const std::int64_t {names.symbol(symbol)} = {read(symbol, names, shapes=False)};")
        for group in groups:
            on_data = any(uses(guard, guards.hoists) for guard in group.guards)
            lines = self.reports(group)
            nested = ["if (report.violations.empty()) {", *(f"  {line}" for line in lines), "}"]
            self.lines += nested if on_data else lines
        self.lines.append("return report.violations;")

    def entry(self, condition: str, kind: str, lines: list[str]) -> str:
        """A new entry of `GUARDS`; returns how it is named."""
        texts = [cpp_string(text) for text in (condition, kind, "\n".join(lines))]
        one = f"Guard{{{', '.join(texts)}}},"
        broken = ["Guard{", *(f"    {text}," for text in texts), "},"]
        self.entries += [one] if len(one) + 4 <= WIDTH else broken
        self.count += 1
        return f"GUARDS[{self.count - 1}]"

    def call(self, head: str, arguments: list[str]) -> None:
        self.lines += call_lines(head, arguments, ";", indent=2)

    def fact(self, fact: object) -> None:
        assert isinstance(fact, (SameFact, TensorFact, ConstantFact))
        guard, what, value = (
            self.entry(fact_text(fact), "fact", []),
            cpp_string(str(fact.path)),
            self.names.path(fact.path),
        )
        if isinstance(fact, SameFact):
            is_same = identity(fact, self.guards, self.names)
            self.call("report.same", [guard, what, cpp_string(str(fact.other)), is_same, str(fact.same).lower()])
        elif isinstance(fact, TensorFact):
            self.tensor(fact, guard, what, value)
        else:
            arguments = [guard, what, cpp_string(expected_text(fact)), f"!({different(value, fact.value)})", value]
            self.call("report.constant", arguments)

    def tensor(self, fact: TensorFact, guard: str, what: str, value: str) -> None:
        sources = {symbol.source[0] for symbol in self.used if symbol.source[1:2] == (fact.path,)}
        arguments = [guard, what, value, str(fact.rank), *attributes(fact)]
        if sources:
            self.known[fact.path] = self.names.unique(f"{value}_known")
            self.call(f"const bool {self.known[fact.path]} = report.tensor", arguments)
        else:
            self.call("report.tensor", arguments)
        if fact.requires_grad is not None:
            name, wanted = cpp_string(f"{fact.path}.requires_grad"), str(fact.requires_grad).lower()
            self.call("report.attribute", [guard, name, f"{value}.requires_grad", wanted])
        if "stride" in sources:
            self.strides[fact.path] = self.names.unique(f"{value}_strides_known")
            self.call(f"const bool {self.strides[fact.path]} = report.strides", [guard, what, value, str(fact.rank)])

    def reports(self, group: CppGuards) -> list[str]:
        """The calls for one group of guards, each made only if all that it reads is known."""
        lines: list[str] = []
        for needed, guards in itertools.groupby(group.guards, self.needed):
            calls = [line for guard in guards for line in group.report(guard, self.guard(guard))]
            nested = [f"if ({' && '.join(needed)}) {{", *(f"  {line}" for line in calls), "}"]
            lines += nested if needed else calls
        return lines

    def guard(self, guard: Guard) -> str:
        return self.entry(guard.text, guard.kind, list(guard.since))

    def needed(self, guard: Guard) -> tuple[str, ...]:
        """The locals that say whether what a guard reads is known."""
        found: dict[str, None] = {}
        for symbol in symbols(guard.condition):
            how, path, *_ = symbol.source
            if how in ("size", "offset"):
                found[self.known[path]] = None
            elif how == "stride":
                found[self.strides[path]] = None
        return tuple(found)
