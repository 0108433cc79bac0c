"""What the code of a function does that no call shows: comparing by identity, naming a builtin.

`x is y` calls nothing, so it cannot be recorded. Where the code that a trace can reach compares two names by identity,
which tensors are one and which are not is an entry fact; elsewhere the same tensor may be passed twice.
"""

from __future__ import annotations

import dis
import functools
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType

BUILTINS = ("int", "float", "len", "range", "min", "max")  # those that `tracing.builtins` stands in for
NO_TENSOR = ("LOAD_CONST", "LOAD_GLOBAL")  # what a name is compared with: None, a type, a sentinel
SILENT = ("CACHE", "EXTENDED_ARG", "PUSH_NULL")


def codes(code: CodeType) -> Iterator[CodeType]:
    """The code and all code nested in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


def compares_identity(functions: Iterable[FunctionType]) -> bool:
    """Whether one of the functions has an `is` between two things that may both be tensors."""
    return any(identity_test(code) for function in functions for code in codes(function.__code__))


@functools.lru_cache(maxsize=16384)
def identity_test(code: CodeType) -> bool:
    if dis.opmap["IS_OP"] not in code.co_code[::2]:
        return False
    before: list[str] = []
    for instruction in dis.get_instructions(code):
        if instruction.opname == "IS_OP" and len(before) > 1 and not set(NO_TENSOR) & set(before[-2:]):
            return True
        if instruction.opname not in SILENT:
            before.append(instruction.opname)
    return False


def names_builtins(function: FunctionType) -> bool:
    return any(set(BUILTINS).intersection(code.co_names) for code in codes(function.__code__))


def compares_types(function: FunctionType) -> bool:
    """Whether the function compares one of these types by identity (`type(n) is int`)."""
    return any(type_test(code) for code in codes(function.__code__))


@functools.lru_cache(maxsize=16384)
def type_test(code: CodeType) -> bool:
    if not set(BUILTINS).intersection(code.co_names) or dis.opmap["IS_OP"] not in code.co_code[::2]:
        return False
    loaded = ""
    for instruction in dis.get_instructions(code):
        if instruction.opname == "IS_OP" and loaded in BUILTINS:
            return True
        if instruction.opname == "LOAD_GLOBAL":
            loaded = instruction.argval
        elif instruction.opname not in SILENT:
            loaded = ""
    return False
