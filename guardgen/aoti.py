"""AOTInductor packages that refuse what they are not right for: `compile`, `load`, and `guard` for those made before.

A package carries its guards as data and as a C++ header. They are the conjunction of two: what our trace of the program
depends on, and what torch.export and AOTInductor assumed besides; `docs/artifacts-aoti.md` says what that is.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from torch.export import Dim, ShapesCollection

from guardgen import archive, assumed, stored
from guardgen.arguments import signature_of
from guardgen.checking import expected_constant
from guardgen.derive import derive
from guardgen.emit import emit
from guardgen.errors import EmitError, LoadError
from guardgen.exported import inputs
from guardgen.guards import GuardSet
from guardgen.loaded import Model
from guardgen.packaged import checks
from guardgen.runtime import GuardError
from guardgen.torchscript import SWITCH
from guardgen.tracing import trace


def compile(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    kwargs: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
    *,
    package_path: str | os.PathLike[str] | None = None,
    level: str = "call",
    name: str | None = None,
    inductor_configs: Mapping[str, Any] | None = None,
) -> str:
    """Trace, export and compile a function or module into a `.pt2` that carries its guards; returns the path.

    Without `dynamic_shapes`, every size that the guards of our trace do not hold fixed is `Dim.AUTO`. Without
    `package_path` it is `<name>.pt2` in the current folder. Raises `TraceError` and `DeriveError` as tracing does, and
    `EmitError` where torch.export or AOTInductor refuses the program, a guard cannot be carried as data, or there is no
    C++ compiler.
    """
    compiler()
    keywords = in_order(fn, kwargs or {})
    recorded = trace(fn, args, keywords, level=level, name=name, dynamic_shapes=dynamic_shapes)
    guards = derive(recorded)
    target = Path(package_path if package_path is not None else f"{guards.name}.pt2").absolute()
    if target.suffix != ".pt2":
        raise EmitError(f"{target.name}: the name of a package ends in .pt2")
    guards.to_json()  # what cannot be carried is said before minutes are spent on compiling
    program = exported(
        fn, args, keywords, free(fn, args, keywords, guards) if dynamic_shapes is None else dynamic_shapes
    )
    inputs(program, guards)
    with quiet():
        call = {"numbers": results(program), **assumed.call(program, guards)}
    before = assumed.before(program)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.stem}.") as folder:
        bare = Path(folder) / target.name  # where nobody takes a package that has no guards yet for the artifact
        with assumed.remembering(program):
            compiled(program, bare, inductor_configs)
        found, tensors = assumed.assumptions(program, guards, before)
        put(assumed.with_assumptions(guards, found, tensors), bare, target, call)
    return str(target)


def load(path: str | os.PathLike[str], *, check: bool = True, **options: Any) -> Model:
    """A package with its guards before it. `options` are those of `torch._inductor.aoti_load_package`.

    Where the environment has `GUARDGEN_CHECK=0`, the check is off. Raises `LoadError` where the package carries no
    guards, or what it carries is none.
    """
    guards = stored.loaded(archive.guards_in(Path(path)))
    runner = torch._inductor.aoti_load_package(os.fspath(path), **options)
    return Model(guards, runner, archive.call_in(Path(path)), check and os.environ.get(SWITCH) != "0")


def guard(
    path: str | os.PathLike[str], guards: GuardSet, *, target: str | os.PathLike[str] | None = None, model: str = ""
) -> str:
    """Put guards into a package that is there already, or into a copy of it at `target`; returns where they are.

    Beside `guards`, which are those of our trace of the same program, it carries what AOTInductor's own checks in the
    package test: dtypes, fixed sizes, ranges, and strides. **What that cannot see**: relations of sizes that
    torch.export or AOTInductor decided from the example, as that one is a multiple of another; and whether the package
    is of this program and these parameters. Prefer `compile`, which has no such gap.

    Raises `EmitError` where the package takes other arguments than the guards are about, or its checks cannot be read;
    `model` says which, where the package has several.
    """
    sources = archive.sources(Path(path))
    if not sources:
        raise EmitError(f"{path}: no source of an AOTInductor wrapper is in it, so that what it assumed is unknown")
    if (model or len(sources) == 1) and (model or next(iter(sources))) in sources:
        source = sources[model or next(iter(sources))]
    else:
        raise EmitError(f"{path} has the models {', '.join(sorted(sources))}; name one of them as model")
    found, tensors = checks(source, guards)
    where = Path(target if target is not None else path).absolute()
    put(assumed.with_assumptions(guards, found, tensors), Path(path).absolute(), where)
    return str(where)


# -- how it is made


def in_order(fn: Callable[..., Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments in the order of the parameters, in which torch.export and our guards list what is in them."""
    order = list(signature_of(fn).parameters)
    return {
        key: kwargs[key] for key in sorted(kwargs, key=lambda key: order.index(key) if key in order else len(order))
    }


def compiler() -> None:
    """Raise `EmitError` where there is no C++ compiler."""
    from torch._inductor import cpp_builder, exc

    try:
        found = shutil.which(cpp_builder.get_cpp_compiler())
    except exc.InvalidCxxCompiler:
        found = None
    if not found:
        raise EmitError("AOTInductor needs a C++ compiler: install g++ (`apt install g++`, `dnf install gcc-c++`), or "
                        "name one in the environment as CXX")  # fmt: skip


class Program(torch.nn.Module):
    """A function as the module that torch.export wants."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        super().__init__()
        self.forward = fn  # its own, since torch.export reads the signature there
        owner = getattr(fn, "__self__", None)
        if isinstance(owner, torch.nn.Module):
            self.owner = owner  # so that its parameters are found


def exported(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], shapes: Any) -> Any:
    """The program of torch.export: as if 0 and 1 were sizes like others, if PyTorch can, else without them."""
    module = fn if isinstance(fn, torch.nn.Module) else Program(fn)
    for oblivious in (True, False):
        try:
            with torch.fx.experimental._config.patch(backed_size_oblivious=oblivious):  # type: ignore[attr-defined]
                return torch.export.export(module, args, kwargs, dynamic_shapes=shapes, strict=False)
        except Exception as error:  # of many kinds; the second attempt tells what is wrong
            if not oblivious:
                raise EmitError(f"torch.export refuses the program: {first_lines(error)}") from error
    raise AssertionError


def free(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], guards: GuardSet) -> Any:
    """`Dim.AUTO` for every size that the guards do not hold fixed."""
    fixed = {found[0].source for each in guards.guards if (found := expected_constant(each.condition))}
    shapes = ShapesCollection()
    some = False
    for leaf in guards.signature.leaves:
        given = next(each.given for each in guards.signature.parameters if each.name == leaf.path.root)
        if leaf.kind != "tensor" or not given:
            continue
        dims = {i: Dim.AUTO for i in range(leaf.value.dim()) if ("size", leaf.path, i) not in fixed}
        if dims:
            shapes[leaf.value] = dims
            some = True
    module = fn if isinstance(fn, torch.nn.Module) else Program(fn)
    return shapes.dynamic_shapes(module, args, kwargs) if some else None


def results(program: Any) -> list[int]:
    """Which results are numbers. Raises `EmitError` for a constant, which AOTInductor does not return."""
    given = [spec.arg for spec in program.graph_signature.output_specs if spec.kind.name == "USER_OUTPUT"]
    for each in given:
        if getattr(each, "value", None) is not None:
            raise EmitError(f"the program returns the constant {each.value!r}, which AOTInductor cannot; return "
                            "tensors, None, or numbers of sizes that are not fixed")  # fmt: skip
    return [i for i, each in enumerate(given) if type(each).__name__.startswith("Sym")]


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """PyTorch pickles and copies its own LeafSpec, which it deprecates."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        yield


def compiled(program: Any, target: Path, configs: Mapping[str, Any] | None) -> None:
    try:
        with quiet(), torch.fx.experimental._config.patch(backed_size_oblivious=True):  # type: ignore[attr-defined]
            torch._inductor.aoti_compile_and_package(
                program, package_path=str(target), inductor_configs=dict(configs or {})
            )
    except Exception as error:
        raise EmitError(f"AOTInductor refuses the program: {first_lines(error)}") from error


def put(guards: GuardSet, path: Path, target: Path, call: dict[str, Any] | None = None) -> None:
    """Write a package with these guards, as data and as a header."""
    try:
        header = emit(guards, "cpp")
    except EmitError as error:
        why = str(error).replace("\\", "/").replace("\n", " ")
        header = f"#error guardgen: these guards have no C++ form: {why}\n"
    texts = {archive.GUARDS: guards.to_json(), archive.HEADER: header}
    if call is not None:
        texts[archive.CALL] = json.dumps(call)
    archive.write(path, target, texts)


def first_lines(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return " ".join(lines[:3])[:400] or type(error).__name__


__all__ = ["EmitError", "GuardError", "LoadError", "Model", "compile", "guard", "load"]
