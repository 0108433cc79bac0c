"""Arguments given on the command line: `x=8x128`, `n=3`, `batch['mask']=1x1x8x8`."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from guardgen.errors import SpecError


class Shape(tuple[int, ...]):
    """The sizes of a tensor; what else a tensor has is not given."""


@dataclass
class Nest:
    """A container that is given item by item; `path` is its name."""

    path: str
    items: dict[Any, Any] = field(default_factory=dict)


def shape(text: str) -> Shape:
    """`8x128`, or `()` for a tensor of rank 0."""
    if text == "()":
        return Shape()
    if not re.fullmatch(r"\d+(x\d+)*", text):
        raise SpecError(f"{text!r} is no shape; write sizes as in 8x128, and () for a tensor without dimensions")
    return Shape(map(int, text.split("x")))


def integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise SpecError(f"{text!r} is no int") from None


def constant(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        raise SpecError(f"{text!r} is no literal; write it as in Python: 0.5, True, None, \"'text'\"") from None


def arguments(
    shapes: Sequence[str], ints: Sequence[str], values: Sequence[str], containers: Mapping[str, str]
) -> dict[str, Any]:
    """Parameters by name. `containers` says what each container is, by its path: `tuple of 2`."""
    root = Nest("")
    for texts, read in ((shapes, shape), (ints, integer), (values, constant)):
        for text in texts:
            put(root, text, read)
    return {name: finished(value, containers) for name, value in root.items.items()}


def put(root: Nest, text: str, read: Callable[[str], Any]) -> None:
    """Put the value of `path=value` where it belongs."""
    path, equals, value = text.rpartition("=")
    if not equals:
        raise SpecError(f"{text!r}: write NAME=VALUE")
    nest, where = root, ""
    *outer, last = keys_of(path)
    for key in outer:
        where = f"{where}[{key!r}]" if where else str(key)
        nest = nest.items.setdefault(key, Nest(where))
        if not isinstance(nest, Nest):
            raise SpecError(f"{where} is given twice")
    if last in nest.items:
        raise SpecError(f"{path} is given twice")
    nest.items[last] = read(value)


def keys_of(path: str) -> list[Any]:
    """`batch['mask'][0]` as `['batch', 'mask', 0]`."""
    try:
        expression = ast.parse(path, mode="eval").body
        keys: list[Any] = []
        while isinstance(expression, ast.Subscript):
            keys.insert(0, ast.literal_eval(expression.slice))
            expression = expression.value
        if isinstance(expression, ast.Name):
            return [expression.id, *keys]
    except (ValueError, SyntaxError):
        pass
    raise SpecError(f"{path!r} names no argument; write as in x, pair[0] or batch['mask']")


def finished(value: Any, containers: Mapping[str, str]) -> Any:
    """The containers that nests stand for."""
    if not isinstance(value, Nest):
        return value
    what = containers.get(value.path, "tuple")
    kind, _, rest = what.partition(" ")
    items = {key: finished(item, containers) for key, item in value.items.items()}
    if kind == "dict":
        _, _, keys = rest.partition("keys ")
        order = ast.literal_eval(f"({keys},)") if keys else ()
        first = [key for key in order if key in items]
        return {key: items[key] for key in dict.fromkeys([*first, *items])}
    if kind not in ("tuple", "list"):
        raise SpecError(f"{value.path} is a {what}, which cannot be given on the command line")
    if sorted(items) != list(range(len(items))):
        raise SpecError(f"{value.path}: the items 0 to {len(items) - 1} must be given, not {list(items)}")
    ordered = [items[i] for i in range(len(items))]
    return ordered if kind == "list" else tuple(ordered)


def call(function: Callable[..., Any], given: Mapping[str, Any]) -> Any:
    """Call a function with arguments by name, those that are positional only included."""
    parameters = inspect.signature(function).parameters
    unknown = [name for name in given if name not in parameters]
    if unknown:
        raise SpecError(f"there is no argument {unknown[0]!r}; there are {', '.join(parameters) or 'none'}")
    missing = [name for name, each in parameters.items() if each.default is each.empty and name not in given]
    if missing:
        raise SpecError(f"the argument {missing[0]!r} is needed too; give it with --shape, --int or --value")
    positional = [name for name, each in parameters.items() if each.kind is each.POSITIONAL_ONLY and name in given]
    keywords = {name: value for name, value in given.items() if name not in positional}
    return function(*(given[name] for name in positional), **keywords)
