"""Spec files: plain Python files that register programs with example arguments, for `guardgen build`.

    from guardgen import spec

    @spec.program(args=lambda: (torch.randn(4), torch.randn(4)), level="prims")
    def add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a + b

    @spec.module(args=lambda: (torch.randn(2, 3),))           # the decorated function builds the module
    def linear() -> torch.nn.Module:
        return torch.nn.Linear(3, 4)

Arguments, and whatever makes a module, are best given as callables: they are called only when the program is built,
after PyTorch's random numbers were seeded. A spec file can be imported like any other; then nothing is registered.
"""

from __future__ import annotations

import importlib.util
import keyword
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, TypeVar, overload

import torch

from guardgen.declarations import DynamicShapes
from guardgen.errors import SpecError
from guardgen.ir import Line
from guardgen.tracing.provenance import line_at

if TYPE_CHECKING:
    from typing_extensions import Unpack  # in typing from Python 3.11

Fn = TypeVar("Fn", bound=Callable[..., Any])
Args: TypeAlias = Sequence[Any] | Callable[[], Sequence[Any]]

SEED = 0
_programs: ContextVar[list[Program] | None] = ContextVar("guardgen_programs", default=None)


@dataclass(frozen=True)
class Program:
    """One registered program: `name` names its generated files, `make` gives the function or module to trace."""

    name: str
    make: Callable[[], Callable[..., Any]]
    args: Args
    kwargs: Mapping[str, Any] | Callable[[], Mapping[str, Any]]
    level: str
    on_data: str
    dynamic_shapes: DynamicShapes | None
    targets: tuple[str, ...]  # empty: all
    requires: tuple[str, ...]
    line: Line

    @property
    def missing(self) -> list[str]:
        """The packages that the program needs and that are not installed."""
        return [name for name in self.requires if importlib.util.find_spec(name) is None]

    def example(self) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]:
        """The function or module, and arguments to trace it with; the same ones each time it is asked."""
        with torch.random.fork_rng(devices=()):
            torch.manual_seed(SEED)
            args = self.args() if callable(self.args) else self.args
            kwargs = self.kwargs() if callable(self.kwargs) else self.kwargs
            return self.make(), tuple(args), dict(kwargs)


class Options(TypedDict, total=False):
    """How a program is built; each has a default.

    `kwargs` are keyword arguments of the traced call, or a callable that makes them. `name` names the generated files,
    and is the function's own where it is left out. `level` and `dynamic_shapes` are those of `trace`, `on_data` is that
    of `derive`, `targets` are those of `emit` (all of them where none is named). Where a package that `requires` names
    is not installed, the program is skipped, and its generated files stay as they are.
    """

    kwargs: Mapping[str, Any] | Callable[[], Mapping[str, Any]]
    name: str
    level: str
    on_data: str
    dynamic_shapes: DynamicShapes
    targets: Sequence[str]
    requires: str | Sequence[str]


@overload
def program(fn: Fn, /, *, args: Args = (), **options: Unpack[Options]) -> Fn: ...


@overload
def program(*, args: Args = (), **options: Unpack[Options]) -> Callable[[Fn], Fn]: ...


def program(fn: Any = None, /, *, args: Args = (), **options: Unpack[Options]) -> Any:
    """Register a function or module, by decorating it or by a call; it is returned as it was.

    `args` are the arguments of the traced call, or a callable that makes them.
    """
    line = caller()

    def register(fn: Fn) -> Fn:
        add(line, fn, lambda: fn, args, **options)
        return fn

    return register if fn is None else register(fn)


def module(*, args: Args = (), **options: Unpack[Options]) -> Callable[[Fn], Fn]:
    """Register what the decorated function returns, such as a module: it is called only when the program is built."""
    line = caller()

    def register(make: Fn) -> Fn:
        add(line, make, make, args, **options)
        return make

    return register


def caller() -> Line:
    """The line of the spec file that registers."""
    frame = sys._getframe(2)
    return line_at(frame.f_code.co_filename, frame.f_lineno)


def add(line: Line, named: Any, make: Callable[[], Callable[..., Any]], args: Args, **options: Unpack[Options]) -> None:
    """Register a program, unless the spec file is only imported."""
    programs = _programs.get()
    if programs is None:
        return
    unknown = options.keys() - Options.__annotations__.keys()
    if unknown:
        raise SpecError(f"unknown options {sorted(unknown)}; there are {list(Options.__annotations__)}", line=line)
    name = options.get("name") or str(getattr(named, "__name__", type(named).__name__))
    if not name.isidentifier() or keyword.iskeyword(name):
        raise SpecError(f"{name!r} cannot name a Python module; give name=, an identifier", line=line)
    requires = options.get("requires", ())
    programs.append(
        Program(
            name=name,
            make=make,
            args=args,
            kwargs=options.get("kwargs", {}),
            level=options.get("level", "call"),
            on_data=options.get("on_data", "hoist"),
            dynamic_shapes=options.get("dynamic_shapes"),
            targets=tuple(options.get("targets", ())),
            requires=(requires,) if isinstance(requires, str) else tuple(requires),
            line=line,
        )
    )


def load(path: str | Path) -> list[Program]:
    """The programs that a spec file registers, in its order. Raises `SpecError` where it cannot be run or has none."""
    path = Path(path)
    if not path.is_file():
        raise SpecError(f"{path}: there is no such spec file")
    with registering() as programs, importing_beside(path):
        run(path)
    if not programs:
        raise SpecError(f"{path}: registers no program; decorate one with @spec.program(args=...)")
    return programs


def load_all(paths: Sequence[str | Path]) -> list[Program]:
    """The programs of several spec files; raises `SpecError` where two would share a generated file."""
    programs = [each for path in paths for each in load(path)]
    taken: dict[str, Program] = {}
    for each in programs:
        for name in (each.name, f"{each.name}_torchscript"):
            if name in taken:
                raise SpecError(f"the name {name!r} is taken, at {taken[name].line.place}", line=each.line)
            taken[name] = each
    return programs


def run(path: Path) -> None:
    """Run a spec file as a module; what it raises becomes a `SpecError` with the line of the file."""
    name = f"guardgen_spec_{path.stem}"
    found = importlib.util.spec_from_file_location(name, path.resolve())
    if found is None or found.loader is None:
        raise SpecError(f"{path}: is no Python file")
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module  # dataclasses and pickles look their module up
    try:
        found.loader.exec_module(module)
    except SpecError:
        raise
    except SyntaxError as error:
        raise SpecError(f"{path}:{error.lineno}: {error.msg}") from error
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == str(path.resolve())]
        place = f"{path}:{lines[-1]}" if lines else str(path)
        raise SpecError(f"{place}: {type(error).__name__}: {error}") from error


@contextmanager
def registering() -> Iterator[list[Program]]:
    programs: list[Program] = []
    token = _programs.set(programs)
    try:
        yield programs
    finally:
        _programs.reset(token)


@contextmanager
def importing_beside(path: Path) -> Iterator[None]:
    """Modules beside the spec file can be imported, as when Python runs a script."""
    folder = str(path.resolve().parent)
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
