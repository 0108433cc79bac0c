"""The result of a traced program in TorchScript: its type, and the expression that makes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch

from guardgen.arguments import unique
from guardgen.containers import Sizes, children
from guardgen.emit.artifact_graph import annotated
from guardgen.emit.literals import identifier, items_text, literal, string
from guardgen.errors import EmitError
from guardgen.ir import Ref
from guardgen.rules.precedence import Text

TYPES = {"tensor": "Tensor", "int": "int", "float": "float", "bool": "bool", "size": "List[int]"}


class Result(NamedTuple):
    type: str
    text: str


class Results:
    """Writes results; `classes` are the definitions of the named tuples among them."""

    def __init__(self, texts: Mapping[str, Text], kinds: Mapping[str, str], taken: set[str]) -> None:
        self.texts, self.kinds, self.taken = texts, kinds, taken
        self.classes: list[tuple[str, ...]] = []
        self.named: dict[tuple[Any, ...], str] = {}

    def result(self, value: Any, where: str = "the result") -> Result:
        """The type and the expression. Raises `EmitError` where TorchScript has no type for a part, and says which."""
        if isinstance(value, Ref):
            kind = self.kinds[value.name]
            if kind not in TYPES:
                raise EmitError(f"{where}: TorchScript has no type for a {kind}")
            return Result(TYPES[kind], str(self.texts[value.name]))
        inside = children(value)
        if inside is None:
            return constant(value, where)
        items = [self.result(item, f"{where}[{step[1]!r}]") for step, item in inside]
        if isinstance(value, (torch.Size, Sizes)):
            return Result("List[int]", items_text("[", (item.text for item in items), "]"))
        if isinstance(value, tuple):
            return self.tuple(value, items)
        kinds = {item.type for item in items}
        if isinstance(value, dict):
            return dictionary([step[1] for step, _ in inside], items, kinds, where)
        if isinstance(value, list) and len(kinds) <= 1:
            kind = kinds.pop() if kinds else "Tensor"
            return Result(f"List[{kind}]", annotated(kind, items_text("[", (item.text for item in items), "]")))
        what = "a list of different types" if isinstance(value, list) else f"a {type(value).__qualname__}"
        raise EmitError(f"{where}: TorchScript has no type for {what}; return a tensor, tuple, or dict of one type")

    def tuple(self, value: Any, items: list[Result]) -> Result:
        kinds = [item.type for item in items]
        texts = [item.text for item in items]
        fields = getattr(value, "_fields", None)
        if fields and items:
            key = type(value), tuple(kinds)
            if key not in self.named:
                self.named[key] = name = unique(identifier(type(value).__name__), self.taken)
                declared = [f"    {field}: {kind}" for field, kind in zip(fields, kinds, strict=True)]
                self.classes.append((f"class {name}(NamedTuple):", *declared))
            return Result(self.named[key], f"{self.named[key]}{items_text('(', texts, ')')}")
        return Result(f"Tuple[{', '.join(kinds) or '()'}]", items_text("(", texts, ",)" if len(texts) == 1 else ")"))


def dictionary(keys: list[Any], items: list[Result], kinds: set[str], where: str) -> Result:
    """Dicts, those of other classes too, are plain ones of keys of one type and values of one type."""
    types = {type(key) for key in keys}
    if len(kinds) > 1 or (not types <= {str} and not types <= {int}):
        raise EmitError(f"{where}: TorchScript has dicts with str or int keys and values of one type only")
    kind = f"Dict[{'int' if types == {int} else 'str'}, {kinds.pop() if kinds else 'Tensor'}]"
    pairs = [f"{literal(key)}: {item.text}" for key, item in zip(keys, items, strict=True)]
    return Result(kind, f"torch.jit.annotate({kind}, {items_text('{', pairs, '}')})")


def constant(value: Any, where: str) -> Result:
    if value is None:
        return Result("Optional[Tensor]", "torch.jit.annotate(Optional[Tensor], None)")
    if isinstance(value, torch.device):
        return Result("torch.device", f"torch.device({string(str(value))})")
    if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
        return Result("int", str(value))
    kind = type(value)
    if kind in (bool, int, str):
        return Result(kind.__name__, literal(value) or "")
    if kind is float:
        return Result("float", literal(value) or f'float("{value!r}")')
    raise EmitError(f"{where}: TorchScript has no type for a {kind.__module__}.{kind.__qualname__}")
