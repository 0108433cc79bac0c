"""The steps of a check: what is read, and which conditions refuse the arguments, early ones first."""

from __future__ import annotations

from collections.abc import Iterable

from guardgen.arguments import Path
from guardgen.containers import Step as PathStep
from guardgen.emit.literals import comment, if_lines, literal
from guardgen.emit.model import Step
from guardgen.emit.names import Names
from guardgen.errors import EmitError
from guardgen.guards import Guard

MOST_COMMENTS = 3  # of a guard that many lines of the program made


class Steps:
    """Collects steps; neighbouring conditions become one `if`."""

    def __init__(self, names: Names, indent: int) -> None:
        self.names, self.indent = names, indent
        self.known: set[Path] = {Path(name) for name in names.parameters}
        self.steps: list[Step] = []
        self.comments: list[str] = []
        self.statements: list[str] = []
        self.fails: list[str] = []

    def comment(self, texts: Iterable[str]) -> None:
        self.flush()
        self.comments += texts

    def read(self, *statements: str) -> None:
        if self.fails and statements:
            self.flush()
        self.statements += statements

    def refuse(self, *conditions: str) -> None:
        """Answer False where this holds too: the parts of one condition, or several conditions."""
        for condition in conditions:
            joined = condition.startswith(("and ", "or "))
            self.fails.append(condition if joined or not self.fails else f"or {condition}")

    def flush(self, answer: str = "False") -> None:
        if self.comments or self.statements or self.fails:
            condition = tuple(if_lines(self.fails, self.indent)) if self.fails else ()
            self.steps.append(Step(tuple(self.comments), tuple(self.statements), condition, answer))
        self.comments, self.statements, self.fails = [], [], []

    def done(self) -> tuple[Step, ...]:
        self.flush()
        return tuple(self.steps)

    def path(self, path: Path) -> str:
        """The local that holds the value at `path`, read where it is not known yet."""
        if path not in self.known:
            parent = self.path(Path(path.root, path.steps[:-1]))
            self.read(f"{self.names.path(path)} = {child(parent, path.steps[-1], path)}")
            self.known.add(path)
        return self.names.path(path)


def child(parent: str, step: PathStep, path: Path) -> str:
    """The expression for one step into a container."""
    how, key = step
    if how == "child":
        return f"children({parent})[{key}]"
    text = literal(key)
    if text is None:
        raise EmitError(f"argument {path}: the key {type(key).__qualname__} has no literal")
    if how == "index":
        return f"{parent}[{text}]"
    return f"{parent}.{key}" if key.isascii() and key.isidentifier() else f"getattr({parent}, {text})"


def line_comments(guard: Guard, indent: int) -> tuple[str, ...]:
    """The user's lines that made a guard."""
    lines: list[str] = [f"at {line}" for line in guard.lines[:MOST_COMMENTS]]
    if len(guard.lines) > MOST_COMMENTS:
        lines.append(f"and {len(guard.lines) - MOST_COMMENTS} lines more")
    return tuple(comment(line, indent) for line in [*guard.declared, *lines])


def unpack(targets: list[str], value: str) -> str:
    """`a, b = value`; a wrong count raises."""
    return f"({targets[0]},) = {value}" if len(targets) == 1 else f"{', '.join(targets)} = {value}"
