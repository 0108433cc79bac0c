"""What went wrong with a program, beginning with the place."""

from __future__ import annotations

import sys
import traceback

from guardgen.errors import EmitError, GuardgenError, NarrowedError
from guardgen.spec import Program
from guardgen.tracing.provenance import is_user_file, line_at


def failure(program: Program, error: Exception) -> str:
    """`file:line: what (program name)`; of a program's own exception, the line is the one that raised it.

    One line, but for what declared dimensions need: a line for each, and one to paste.
    """
    if isinstance(error, GuardgenError):
        text = str(error) if error.line is not None else f"{program.line.place}: {error}"
    else:
        text = f"{raised_at(error) or program.line.place}: {type(error).__name__}: {error}"
    if isinstance(error, EmitError) and not program.targets:
        text += "; a target can be left out with targets=('python',)"
    first, *more = text.splitlines() if isinstance(error, NarrowedError) else [" ".join(text.split())]
    return "\n".join([f"{first} (program {program.name})", *more])


def raised_at(error: Exception) -> str:
    """The last line of the user's that an exception passed, or ''."""
    frames = traceback.extract_tb(error.__traceback__)
    users = [frame for frame in frames if is_user_file(frame.filename) and frame.lineno]
    return line_at(users[-1].filename, users[-1].lineno or 0).place if users else ""


def report(text: str, error: Exception, with_traceback: bool) -> None:
    if with_traceback:
        traceback.print_exception(error)
    print(f"error: {text}", file=sys.stderr)
