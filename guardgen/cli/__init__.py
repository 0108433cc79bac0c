"""The command line, one command a module. Exit codes: 0, 1 for "no", 2 for an error."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence

from guardgen.cli import build, check, diff, explain, prove, show
from guardgen.emit.header import version
from guardgen.errors import GuardgenError

COMMANDS = (build, show, check, explain, prove, diff)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; errors are one line on stderr."""
    options = parser().parse_args(arguments)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except GuardgenError as error:
        if options.traceback:
            traceback.print_exc()
        print(f"error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # who reads has seen enough, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    return code


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="guardgen",
        description="Works out for which inputs a PyTorch trace is valid, and writes the condition down as source.",
        epilog="example:\n  guardgen build examples/*.py --out generated",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"guardgen {version()}")
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    for each in COMMANDS:
        summary, _, example = (each.__doc__ or "").partition("\n\n")
        command = commands.add_parser(
            each.__name__.rpartition(".")[2],
            help=summary.rstrip("."),
            description=summary,
            epilog=example,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        each.add_arguments(command)
        command.add_argument("--traceback", action="store_true", help="show where in guardgen an error was raised")
        command.set_defaults(run=each.run)
    return top
