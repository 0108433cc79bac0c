"""The render model: all that the templates see. Every text is already code or a comment of the target."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """Statements, then a condition under which the function returns `answer`. `comments` are the user's lines."""

    comments: tuple[str, ...] = ()
    statements: tuple[str, ...] = ()
    condition: tuple[str, ...] = ()  # `if ...:`, in one line or several; empty where nothing is tested
    answer: str = "False"


@dataclass(frozen=True)
class Function:
    """A function: its `def` in one line or several, and its steps or the statements of its body."""

    head: tuple[str, ...]
    steps: tuple[Step, ...] = ()
    body: tuple[str, ...] = ()


@dataclass(frozen=True)
class Global:
    """One of PyTorch's objects, kept in a global of the emitted module."""

    name: str
    value: str


@dataclass(frozen=True)
class PythonModule:
    """A Python module of guards. The flags say what its text uses."""

    header: tuple[str, ...]
    exports: tuple[str, ...]  # the names, as literals
    check: Function
    check_shapes: Function
    violations: Function
    require: Function
    wrappers: tuple[Function, ...]
    values: tuple[Function, ...]
    objects: tuple[Global, ...]
    runtime: str
    environment: tuple[str, ...]  # the lines of ENVIRONMENT and TRAINING
    guards: tuple[str, ...]  # the lines of GUARDS
    data: tuple[str, ...]  # the lines of JSON
    uses_math: bool
    uses_sequence: bool
    uses_tensor_type: bool
    uses_left_out: bool
    has_tensors: bool


@dataclass(frozen=True)
class TorchScriptModule:
    """A TorchScript module of guards: `guards` are tests of numbers, `values` compute those that come from data."""

    header: tuple[str, ...]
    typing: tuple[str, ...]  # what is imported from there
    uses_math: bool
    check: Function
    check_shapes: Function
    wrappers: tuple[Function, ...]
    guards: tuple[Function, ...]
    values: tuple[Function, ...]
    included: tuple[str, ...]  # library code that the guards call


@dataclass(frozen=True)
class TorchScriptArtifact:
    """A TorchScript module that checks and runs: the class `name` with `forward`, and `run` unless it wraps another."""

    header: tuple[str, ...]
    typing: tuple[str, ...]
    name: str
    classes: tuple[tuple[str, ...], ...]  # of the named tuples in the result
    forward: Function
    run: Function
    refused: Function
    guards: tuple[Function, ...]
    values: tuple[Function, ...]
    included: tuple[str, ...]


@dataclass(frozen=True)
class Part:
    """A part of what all C++ headers share; `macro` says that it was included."""

    macro: str
    text: str


@dataclass(frozen=True)
class CppModule:
    """A C++ header of guards. `tests` are of numbers; those and the checks have steps, `violations` a body."""

    header: tuple[str, ...]
    macro: str
    includes: tuple[str, ...]
    parts: tuple[Part, ...]
    version: str
    inline: str  # the inline namespace of the parts, so that two versions of them can be in one program
    namespace: str
    notes: tuple[str, ...]
    guards: tuple[str, ...]  # the lines of GUARDS
    count: int  # of its entries
    tests: tuple[Function, ...]
    check: Function
    check_shapes: Function
    violations: Function


@dataclass(frozen=True)
class NativeModule:
    """A module of Python in C++: `text` is the header, `body` reads the arguments and asks it."""

    text: str
    name: str
    namespace: str
    inline: str
    part: Part
    parameters: tuple[str, ...]
    texts: tuple[str, ...]
    body: tuple[str, ...]
    release: str  # of PyTorch, whose tensors are read


@dataclass(frozen=True)
class NativeTail:
    """A Python module whose `check` is compiled: `text` is the module, `file` has the compiled one, called `name`."""

    text: str
    name: str
    file: str
