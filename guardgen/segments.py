"""Running a trace in segments: each checks its own guards, runs, and hands on what the next one needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from guardgen.errors import GuardgenError
from guardgen.runtime import Violation
from guardgen.tracing import Trace

if TYPE_CHECKING:
    from guardgen.guards import GuardSet


@dataclass(frozen=True)
class Segment:
    """A part of a trace, and what it needs of its arguments: for the first those of the program, for the others what
    the part before hands on, in order."""

    trace: Trace
    guards: GuardSet


class SegmentError(GuardgenError):
    """A run that left the traced path: `segment` is the index of the part that is not valid for what it was handed,
    `violations` say what was expected, what was got, and at which line."""

    def __init__(self, segment: int, violations: list[Violation]) -> None:
        self.segment, self.violations = segment, violations
        super().__init__(f"segment {segment}: " + "; ".join(map(str, violations)))


def run_segments(segments: Sequence[Segment], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """The result of the program, computed segment by segment.

    Raises `SegmentError` before the first segment that is not valid, and whatever an operator raises. Segments before
    it have run by then, with what they write.
    """
    handed: Any = args
    for index, segment in enumerate(segments):
        named = kwargs if index == 0 else {}
        violations = segment.guards.explain(*handed, **named)
        if violations:
            raise SegmentError(index, violations)
        handed = segment.trace.replay(*handed, **named)
    return handed
