"""Native source, compiled: a module of Python with PyTorch's headers, by the compiler that is there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import torch
from torch.utils import cpp_extension

from guardgen import files
from guardgen.errors import EmitError

FLAGS = ("-std=c++20", "-O2", "-fPIC", "-shared", "-fvisibility=hidden")
LIBRARIES = ("-lc10", "-ltorch_cpu")


def compiler() -> str | None:
    """The C++ compiler: `CXX`, or what the system has."""
    named = os.environ.get("CXX")
    found = [shutil.which(name) for name in ([named] if named else ["c++", "g++", "clang++"])]
    return next((path for path in found if path), None)


def file_name(module: str) -> str:
    """The file of a compiled module; it says for which Python it is."""
    return module + EXTENSION_SUFFIXES[0]


def compile_module(source: Path, to: Path) -> None:
    """Compile one source file. Raises `EmitError` with the compiler's first error."""
    found = compiler()
    if found is None:
        raise EmitError("there is no C++ compiler")
    files.replace(to, lambda temporary: run(found, source, temporary))


def run(found: str, source: Path, to: Path) -> None:
    """The libraries are found where PyTorch was loaded from: the result has no path of this machine."""
    includes = [f"-isystem{path}" for path in (*cpp_extension.include_paths(), sysconfig.get_paths()["include"])]
    abi = f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}"
    folders = [f"-L{path}" for path in cpp_extension.library_paths()]
    late = ["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else []
    command = [found, *FLAGS, abi, *includes, str(source), "-o", str(to), *folders, *LIBRARIES, *late]
    ran = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if ran.returncode:
        lines = [line for line in ran.stderr.splitlines() if "error" in line] or ran.stderr.splitlines() or ["no reason"]
        raise EmitError(f"{Path(found).name} refuses {source.name}: {lines[0].strip()}")
