"""Why an artifact refuses its arguments: the steps of a TorchScript check, each of which says what it found."""

from __future__ import annotations

from guardgen.checking import expected_constant
from guardgen.conditions import Fact, Guard, IntFact, SameFact, TensorFact
from guardgen.emit.literals import string
from guardgen.emit.torchscript_checks import Checks
from guardgen.emit.torchscript_guards import GuardFunction
from guardgen.facts import expected_text, fact_text
from guardgen.terms import Symbol
from guardgen.terms.ints import symbols


class Refusals(Checks):
    """The steps of a function that returns the first reason to refuse, as text. `message` is an expression for it."""

    message = '""'

    def refuse(self, *conditions: str) -> None:
        self.steps.flush()
        self.steps.refuse(*conditions)
        self.steps.flush(self.message)

    def fact(self, fact: Fact) -> None:
        """Facts that are no tensor's have one message; what an argument is instead, TorchScript can hardly say."""
        if isinstance(fact, SameFact):
            self.message = string(f"{fact_text(fact)}: this is not so")
        elif isinstance(fact, TensorFact):
            self.message = string(f"{fact.path}: expected {expected_text(fact)}")
        else:
            kind = " (True and False are none)" if isinstance(fact, IntFact) else ""
            self.message = string(f"{fact.path}: expected {expected_text(fact)}{kind}, got something else")
        super().fact(fact)

    def tensor(self, fact: TensorFact, value: str) -> None:
        """One condition a step, so that each says what it found."""
        if self.types.is_any(fact.path):
            self.refuse(f"not isinstance({value}, Tensor)")
        expected = {
            "dtype": (f"{value}.dtype != {fact.dtype}", fact.dtype, f"dtype_name({value}.dtype)"),
            "dim()": (f"{value}.dim() != {fact.rank}", str(fact.rank), f"str({value}.dim())"),
            "layout": (f"{value}.layout != {fact.layout}", fact.layout, '"another"'),
            "device": (
                f"not {value}.is_cpu" if fact.device == "cpu" else f"str({value}.device) != {string(fact.device)}",
                fact.device,
                f"str({value}.device)",
            ),
        }
        if fact.requires_grad is not None:
            test = f"{'not ' if fact.requires_grad else ''}{value}.requires_grad"
            expected["requires_grad"] = test, str(fact.requires_grad), f'"{not fact.requires_grad}"'
        for attribute, (test, wanted, found) in expected.items():
            self.message = f"{string(f'{fact.path}.{attribute}: expected {wanted}, got ')} + {found}"
            self.refuse(test)

    def guard(self, guard: Guard, function: GuardFunction) -> None:
        """Refuse where one guard does not hold: its condition, the numbers in it, and the line that made it."""
        for symbol in function.symbols:
            self.read(symbol)
        self.message = self.guard_message(guard)
        self.refuse(f"not {function.call(function.name)}")

    def guard_message(self, guard: Guard) -> str:
        names = list(dict.fromkeys(symbols(guard.condition)))
        constant = expected_constant(guard.condition)
        if constant is not None:
            symbol, expected = constant
            parts = [string(f"{symbol.title}: expected {expected!r}, got "), self.shown(symbol)]
        else:
            what = names[0].title if names else guard.text
            parts = [string(f"{what}: expected {guard.text}, got {names[0].title} = ")] if names else []
            for i, symbol in enumerate(names):
                parts += [string(f", {symbol.title} = ")] if i else []
                parts.append(self.shown(symbol))
        if guard.since:
            parts.append(string(f", since {guard.since[0]}"))
        return " + ".join(parts)

    def shown(self, symbol: Symbol) -> str:
        return f"str({self.names.symbol(symbol)})"
