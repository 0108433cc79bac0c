"""What AOTInductor's own checks in a package test, read from the C++ source that it puts there.

The generated wrapper can check its inputs (`AOTI_RUNTIME_CHECK_INPUTS=1`); it does not unless asked. The same text says
how each size is called, what dtype, range and stride every input has, and so what the code below takes for granted.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

from guardgen.arguments import Leaf
from guardgen.assumed import INDUCTOR, stride_condition
from guardgen.errors import EmitError
from guardgen.exported import Assumption, own
from guardgen.guards import GuardSet
from guardgen.terms import eq, floordiv, ge, le, mod, symbol

INPUT = re.compile(r"auto (\w+) = std::move\(inputs\[(\d+)\]\);")
SYMBOL = re.compile(r"int64_t (\w+) = ([^;]+);")
ASSERT = re.compile(r'assert_size_stride\((\w+), \{([^}]*)\}, \{([^}]*)\}, "input"\)')
RANGE = re.compile(r"input_handles\[(\d+)\]: dim value is too (small|large) at (\d+), .*?(?:>=|<=) (\d+)", re.DOTALL)
DTYPE = re.compile(
    r"aoti_torch_dtype_(\w+)\(\);\s*if \([^)]*\) \{\s*std::stringstream ss;\s*ss << \"input_handles\[(\d+)\]"
)
LENGTH = re.compile(r"steal_from_raw_handles_to_raii_handles\(input_handles, (\d+)\)")


def checks(source: str, guards: GuardSet) -> tuple[list[Assumption], list[Leaf]]:
    """The conditions that a wrapper's source has about its inputs, and the tensors that they are about.

    Raises `EmitError` where the inputs are others than the guards' tensors, or a size is said in a form that is not
    known.
    """
    given = {each.name for each in guards.signature.parameters if each.given}
    tensors = [leaf for leaf in guards.signature.leaves if leaf.kind == "tensor" and leaf.path.root in given]
    found = LENGTH.search(source)
    if not found or int(found[1]) != len(tensors):
        taken = found[1] if found else "an unknown number of"
        raise EmitError(f"the package takes {taken} tensors, the guards are about {len(tensors)}")
    dtypes = {int(i): f"torch.{name}" for name, i in DTYPE.findall(source)}
    for i, leaf in enumerate(tensors):
        assert leaf.facts is not None
        if dtypes.get(i) != str(leaf.facts.dtype):
            raise EmitError(f"argument {leaf.path} is {leaf.facts.dtype}, and {dtypes.get(i)} in the package")
    return list(conditions(source, guards, tensors)), tensors


def conditions(source: str, guards: GuardSet, tensors: list[Leaf]) -> Iterator[Assumption]:
    inputs = {name: tensors[int(i)] for name, i in INPUT.findall(source)}
    known: dict[str, Any] = {}
    for name, leaf in inputs.items():
        assert leaf.facts is not None
        for i in range(leaf.facts.rank):
            known[f"{name}_size_{i}"] = symbol(own(guards, "size", leaf, i))
    for name, text in SYMBOL.findall(source.partition("AOTInductorModel::run_impl(")[2]):
        if (value := number(text, known)) is not None:
            known.setdefault(name, value)
    for i, which, dim, limit in RANGE.findall(source):
        size = symbol(own(guards, "size", tensors[int(i)], int(dim)))
        yield (ge if which == "small" else le)(size, int(limit)), INDUCTOR
    for name, sizes, strides in ASSERT.findall(source):
        for i, (size, stride) in enumerate(zip(parts(sizes), parts(strides), strict=True)):
            ours = known[f"{name}_size_{i}"]
            yield eq(ours, said(size, known)), INDUCTOR
            yield stride_condition(ours, symbol(own(guards, "stride", inputs[name], i)), said(stride, known)), INDUCTOR


def parts(text: str) -> list[str]:
    return [each.strip() for each in text.split(",") if each.strip()]


def said(text: str, known: Mapping[str, Any]) -> Any:
    found = number(text, known)
    if found is None:
        raise EmitError(f"the package's checks have {text}, which the sizes of the arguments do not tell")
    return found


def number(text: str, known: Mapping[str, Any]) -> Any:
    """A C++ expression of sizes as a term; None where it is none."""
    text = re.sub(r"static_cast<int64_t>|\b(?<=\d)L\b|(?<=\d)LL?\b", "", text)
    text = re.sub(r"(\w+_size)\[(\d+)\]", r"\1_\2", text).replace("::", "_")
    try:
        return value(ast.parse(text.strip(), mode="eval").body, known)
    except SyntaxError:
        return None


def value(node: ast.expr, known: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inside = value(node.operand, known)
        return None if inside is None else -1 * inside
    if isinstance(node, ast.BinOp):
        left, right = value(node.left, known), value(node.right, known)
        forms: dict[type, Any] = {
            ast.Add: lambda a, b: a + b,
            ast.Sub: lambda a, b: a - b,
            ast.Mult: lambda a, b: a * b,
            ast.Mod: mod,
        }
        known_form = type(node.op) in forms and left is not None and right is not None
        return forms[type(node.op)](left, right) if known_form else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.endswith("div_floor_integer"):
        operands = [value(each, known) for each in node.args]
        return None if None in operands else floordiv(*operands)
    return None
