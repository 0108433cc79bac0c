"""One question asked of a guard, its answer held against the program itself, and the counts of many."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Protocol

from benchmarks.exactness.outcomes import Outcome, run, same, same_kind


class System(Protocol):
    """What is measured: a program traced once, guards that can be asked, and a trace that can be run."""

    def accepts(self, args: Any, kwargs: Mapping[str, Any] | None = None) -> tuple[bool, list[str]]: ...

    def replay(self, args: Any, kwargs: Mapping[str, Any] | None = None) -> Outcome: ...


@dataclass
class Count:
    """How many questions there were, and how they were answered. `faults` says each fault in words."""

    right: int = 0  # questions to which True is right
    accepted: int = 0  # of these, those answered so
    wrong: int = 0  # questions to which False is right
    refused: int = 0
    unsound: int = 0  # True, and the trace answers otherwise than the program, or one of the two raises alone
    missed: int = 0  # True, and both raise
    not_total: int = 0  # neither True nor False
    inconsistent: int = 0  # two forms of a guard answer differently
    untraced: int = 0  # programs that could not be traced
    faults: list[str] = field(default_factory=list)

    def __iadd__(self, other: Count) -> Count:
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))
        return self

    def ask(
        self,
        system: System,
        fn: Callable[..., Any],
        args: Any,
        kwargs: Mapping[str, Any] | None = None,
        *,
        valid: bool | None = None,
        where: str = "",
        exact: bool = True,
    ) -> None:
        """Ask one question. `valid` says which answer is right; where it is None, running the trace decides.

        Where the program is no function of its inputs (`exact` is False), only sizes and dtypes are compared.
        """
        accepted, faults = system.accepts(args, kwargs)
        for fault in faults:
            self.fault("not_total" if fault.startswith("NOT-TOTAL") else "inconsistent", where, fault)
        eager = run(fn, args, kwargs)
        replay = system.replay(args, kwargs) if accepted or valid is None else Outcome(error="not asked")
        agree = eager.ran and replay.ran and (same if exact else same_kind)(eager.result, replay.result)
        right = agree if valid is None else valid
        self.right, self.wrong = self.right + right, self.wrong + (not right)
        if not accepted:
            self.refused += not right
            if right:
                self.faults.append(f"over-strict {where}")
        elif agree:
            self.accepted += right
        elif eager.ran or replay.ran:
            self.fault("unsound", where, eager.error or replay.error or "the answers differ")
        else:
            self.fault("missed", where, eager.error)

    def fault(self, kind: str, where: str, text: str) -> None:
        setattr(self, kind, getattr(self, kind) + 1)
        self.faults.append(f"{kind} {where}: {text}")

    def untraceable(self, where: str, error: Exception, right: int = 0, wrong: int = 0) -> None:
        """A program that could not be traced, and how many questions were to be asked of it."""
        self.right, self.wrong = self.right + right, self.wrong + wrong
        self.fault("untraced", where, f"{type(error).__name__}: {str(error)[:160]}")


COLUMNS = ("accepted", "refused", "unsound", "missed", "not total", "inconsistent", "untraced")


def row(count: Count) -> tuple[str, ...]:
    """The cells of one row of the table."""
    return (
        f"{count.accepted}/{count.right}",
        f"{count.refused}/{count.wrong}",
        *(str(getattr(count, name.replace(" ", "_"))) for name in COLUMNS[2:]),
    )
