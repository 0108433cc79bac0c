"""The errors of guardgen. Each carries its facts as attributes; the text is made from them."""

from __future__ import annotations

from typing import Any


class GuardgenError(Exception):
    """Anything guardgen refuses, with the user's line where there is one.

    `line` is the place in the user's program, as `file:number: text`, or None.
    """

    def __init__(self, message: str, *, line: Any = None) -> None:
        self.message, self.line = message, line
        super().__init__(f"{line.place}: {message}" if line is not None else message)


class GraphError(GuardgenError):
    """A graph that breaks the rules of the IR: a name used before it is defined, a wrong arity or kind."""


class TraceError(GuardgenError):
    """The program observed something that cannot be recorded."""


class DeriveError(GuardgenError):
    """The guards of a trace cannot be stated."""


class NarrowedError(DeriveError):
    """Observations would narrow declared dimensions.

    `declared` is what was declared, `needs` says line by line what is needed beyond that, and `fits` is the declaration
    that says so too; both as Python text for `dynamic_shapes`.
    """

    def __init__(self, declared: str, needs: tuple[str, ...], fits: str, *, line: Any = None) -> None:
        self.declared, self.needs, self.fits = declared, needs, fits
        lines = "".join(f"\n  {need}" for need in needs)
        super().__init__(f"dynamic_shapes={declared} promises more than the trace is valid for{lines}\n"
                         f"declare dynamic_shapes={fits}", line=line)  # fmt: skip


class EmitError(GuardgenError):
    """A target cannot express the guards or the signature; names the argument."""


class SpecError(GuardgenError):
    """A spec file that cannot be loaded, or registers nothing."""


class LoadError(GuardgenError):
    """A stored guard set that cannot be read: no JSON, too large, of another version, cut off or inconsistent."""


class BailoutError(GuardgenError):
    """Replay observed something else than the traced run did.

    `node` is the name of the bailout's input in the graph, `expected` what the traced run observed, `actual` what
    this run observed.
    """

    def __init__(self, node: str, expected: Any, actual: Any, *, line: Any = None) -> None:
        self.node, self.expected, self.actual = node, expected, actual
        since = f", since {line}" if line is not None else ""
        super().__init__(f"{node}: expected {expected!r}, got {actual!r}{since}")
        self.line = line
