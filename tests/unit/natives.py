"""Native forms as tests use them: many in one file, since PyTorch's headers take longer to compile than they do."""

from __future__ import annotations

import dataclasses
import importlib.util
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from guardgen import native
from guardgen.emit.native import emit_native, module_name
from guardgen.guards import GuardSet
from tests.unit.compiled import STRICT

NO_COMPILER = "no C++ compiler is installed, which compiles the native form"
FLAGS = tuple(flag for flag in STRICT if not flag.startswith("-std"))
Check = Callable[..., Any]


def compiled_natives(guards: Mapping[str, GuardSet], folder: Path) -> dict[str, ModuleType]:
    """The compiled modules, by the names of the programs, which are those of C++ namespaces."""
    names = []
    for name, each in guards.items():
        names.append(module_name(name))
        source = folder / f"{names[-1]}.cpp"
        source.write_text(emit_native(dataclasses.replace(each, name=name)), encoding="utf-8")
    main = folder / "main.cpp"
    main.write_text("".join(f'#include "{name}.cpp"\n' for name in names), encoding="utf-8")
    library = folder / native.file_name("main")
    native.compile_module(main, library, ("-O0", *FLAGS))
    return {name: loaded(module, library) for name, module in zip(guards, names, strict=True)}


def loaded(name: str, library: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, library)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Bound:
    """A native check with the Python form that it asks; `asked` counts how often it did."""

    def __init__(self, module: ModuleType, python: Check) -> None:
        self.asked = 0

        def asking(*args: Any, **kwargs: Any) -> Any:
            self.asked += 1
            return python(*args, **kwargs)

        parameters = inspect.signature(python).parameters.values()
        defaults = {each.name: each.default for each in parameters if each.default is not each.empty}
        self.check: Check = module.bind(asking, defaults)


def answer(check: Check, args: Any, kwargs: Mapping[str, Any]) -> Any:
    """What a check says, or the message of Python's `TypeError` for a call that it cannot bind."""
    try:
        return check(*args, **kwargs)
    except TypeError as error:
        return str(error)
