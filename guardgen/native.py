"""Native source, compiled: a module of Python with PyTorch's headers, by the compiler that is there.

`save` writes a module that is used like the emitted Python module; where nothing can be compiled, it is that module.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import torch
from torch.utils import cpp_extension

from guardgen import files
from guardgen.emit.native import emit_native, emit_native_tail, module_name
from guardgen.errors import EmitError
from guardgen.guards import GuardSet

FLAGS = ("-std=c++20", "-fPIC", "-shared", "-fvisibility=hidden")
OPTIMISED = ("-O2",)
LIBRARIES = ("-lc10", "-ltorch_cpu")
NO_COMPILER = "there is no C++ compiler; name one with CXX"


def compiler() -> list[str]:
    """The command of the C++ compiler: `CXX`, or what the system has; empty where there is none that takes `FLAGS`."""
    if sys.platform == "win32":
        return []
    commands = [shlex.split(os.environ.get("CXX", ""))] if os.environ.get("CXX") else [["c++"], ["g++"], ["clang++"]]
    return next((command for command in commands if command and shutil.which(command[0])), [])


def file_name(module: str, source: str = "") -> str:
    """The file of a compiled module; it says for which Python it is, and of which source."""
    made_of = hashlib.sha256("\n".join([source, *FLAGS, *OPTIMISED]).encode()).hexdigest()[:8]
    return f"{module}_{made_of}{EXTENSION_SUFFIXES[0]}"


def save(guards: GuardSet, python: str, out: Path) -> str:
    """Write `<name>.py` into the folder `out`, and the compiled form of its `check` beside it.

    `python` is the text of the emitted Python module. What is returned says in one line why `check` is not compiled,
    and is empty where it is. The module names the compiled file that it was written with, so that it never takes that
    of another build.
    """
    module = module_name(guards.name)
    source = out / f"{module}.cpp"
    try:
        text = emit_native(guards)
        compiled = out / file_name(module, text)
        files.write(source, text)
        if not compiled.exists():
            compile_module(source, compiled)
    except EmitError as error:
        files.write(out / f"{guards.name}.py", python)
        source.unlink(missing_ok=True)
        forget(module, out)
        return error.message
    files.write(out / f"{guards.name}.py", emit_native_tail(python, guards.name, compiled.name))
    forget(module, out, but=compiled)
    return ""


def forget(module: str, out: Path, but: Path | None = None) -> None:
    """Remove what earlier builds compiled."""
    of_module = re.compile(re.escape(module) + "_[0-9a-f]{8}" + re.escape(EXTENSION_SUFFIXES[0]))
    for path in out.iterdir():
        if path != but and of_module.fullmatch(path.name):
            path.unlink(missing_ok=True)


def compile_module(source: Path, to: Path, flags: Sequence[str] = OPTIMISED) -> None:
    """Compile one source file. Raises `EmitError` with the compiler's first error."""
    found = compiler()
    if not found:
        raise EmitError(NO_COMPILER)
    files.replace(to, lambda temporary: run([*found, *flags], source, temporary))


def run(found: list[str], source: Path, to: Path) -> None:
    """The libraries are found where PyTorch was loaded from: the result has no path of this machine."""
    includes = [f"-isystem{path}" for path in (*cpp_extension.include_paths(), sysconfig.get_paths()["include"])]
    abi = f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}"
    folders = [f"-L{path}" for path in cpp_extension.library_paths()]
    late = ["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else []
    command = [*found, *FLAGS, abi, *includes, str(source), "-o", str(to), *folders, *LIBRARIES, *late]
    ran = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if ran.returncode:
        lines = ran.stderr.splitlines()
        why = [line for line in lines if "error" in line] or lines or ["it does not say why"]
        raise EmitError(f"{Path(found[0]).name} refuses {source.name}: {why[0].strip()}")
