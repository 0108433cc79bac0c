"""Parameters of emitted Python functions: the traced function's own names, kinds and defaults, with annotations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from guardgen.arguments import Container, Leaf, Parameter, Path, Signature
from guardgen.emit.literals import call_lines, literal

LEFT_OUT = "_LEFT_OUT"  # stands for a default that has no literal


class Parameters:
    """The parameter list. `tensor` is how a tensor is annotated; `names` are the locals of the parameters."""

    def __init__(self, signature: Signature, names: Mapping[str, str], tensor: str) -> None:
        self.signature, self.names, self.tensor = signature, names, tensor
        self.at: dict[Path, Container | Leaf] = {each.path: each for each in signature.containers}
        self.at.update({each.path: each for each in signature.leaves})

    def head(self, function: str, result: str) -> tuple[str, ...]:
        """`def function(...) -> result:`, in one line or several."""
        return tuple(call_lines(f"def {function}", self.declarations(), f" -> {result}:"))

    def declarations(self) -> list[str]:
        parts = []
        kinds = [parameter.kind for parameter in self.signature.parameters]
        last_positional_only = max((i for i, kind in enumerate(kinds) if kind == "positional_only"), default=-1)
        for i, parameter in enumerate(self.signature.parameters):
            if parameter.kind == "keyword_only" and "*" not in parts:
                parts.append("*")
            parts.append(self.declaration(parameter, self.needs_value(i)))
            if i == last_positional_only:
                parts.append("/")
        return parts

    def needs_value(self, index: int) -> bool:
        """Whether a positional parameter can have no default, because one after it has none (`*args` of the trace)."""
        after = self.signature.parameters[index + 1 :]
        positional = self.signature.parameters[index].kind != "keyword_only"
        return positional and any(each.kind != "keyword_only" and not each.has_default for each in after)

    def declaration(self, parameter: Parameter, needs_value: bool) -> str:
        annotation = self.annotation(Path(parameter.name))
        name = f"{self.names[parameter.name]}: "
        if not parameter.has_default or needs_value:
            return name + annotation
        default = literal(parameter.default)
        if annotation not in ("object", type(parameter.default).__name__):
            annotation = f"{annotation} | None" if parameter.default is None else "Any"
        return f"{name}{annotation} = {LEFT_OUT if default is None else default}"

    def annotation(self, path: Path) -> str:
        """What mypy is told of an argument."""
        found = self.at.get(path)
        if isinstance(found, Leaf):
            return {"tensor": self.tensor, "int": "int"}.get(found.kind, "object")
        if found is None or found.type not in (list, tuple, dict):
            return "Any"
        inside = [self.annotation(path.into(("index", key))) for key in found.keys]
        if found.type is tuple:
            return f"tuple[{', '.join(inside) or '()'}]"
        item = inside[0] if len(set(inside)) == 1 else "Any"
        keys = "str" if all(type(key) is str for key in found.keys) else "Any"
        return f"list[{item}]" if found.type is list else f"dict[{keys}, {item}]"

    def forwarded(self, inner: Mapping[str, str]) -> list[str]:
        """The arguments as they are handed on to a function whose parameters have the names `inner`."""
        parts = []
        for parameter in self.signature.parameters:
            local = self.names[parameter.name]
            by_name = parameter.kind == "keyword_only"
            parts.append(f"{inner[parameter.name]}={local}" if by_name else local)
        return parts

    def unwritten(self) -> dict[str, Any]:
        """The defaults that have no literal, by parameter."""
        return {
            each.name: each.default
            for each in self.signature.parameters
            if each.has_default and literal(each.default) is None
        }
