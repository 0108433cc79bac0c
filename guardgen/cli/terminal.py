"""What a terminal gets, and what a file or a pipe gets instead: plain text."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


@contextmanager
def progress(total: int) -> Iterator[Callable[[str], None]]:
    """A bar on stderr, where that is a terminal. Call what is given with the name of each item as it begins."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("", total=total)
        begun = -1

        def step(name: str) -> None:
            nonlocal begun
            begun += 1
            bar.update(task, description=name, completed=begun)

        yield step


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table: the first column is text, the others are numbers."""
    if not sys.stdout.isatty():
        print_plain(head, rows)
        return
    shown = Table(box=None, header_style="bold", pad_edge=False)
    for i, name in enumerate(head):
        shown.add_column(name, justify="right" if i else "left", no_wrap=True)
    for row in rows:
        shown.add_row(*row)
    Console().print(shown)


def print_plain(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    lines = [head, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    for first, *others in lines:
        numbers = (text.rjust(width) for text, width in zip(others, widths[1:], strict=True))
        print("  ".join([first.ljust(widths[0]), *numbers]))
