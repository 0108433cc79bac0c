"""Parameters of emitted TorchScript functions: every type that TorchScript can check, and what it cannot is refused.

Numbers are declared as unions: TorchScript converts what it is given to a plain `int`, `bool` or `float`, so that True
would be 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from guardgen.arguments import Container, Leaf, Parameter, Path, Signature
from guardgen.emit.literals import call_lines, literal
from guardgen.errors import EmitError

NUMBERS = {int: "Union[int, bool]", bool: "Union[bool, int, float]", float: "Union[float, int, bool]", str: "str"}


class Types:
    """The parameter list. `tensor` is how a tensor is declared; `names` are the locals of the parameters."""

    def __init__(self, signature: Signature, names: Mapping[str, str], tensor: str) -> None:
        self.names, self.tensor = names, tensor
        self.parameters = ordered(signature.parameters)
        self.at: dict[Path, Container | Leaf] = {each.path: each for each in signature.containers}
        self.at.update({each.path: each for each in signature.leaves})
        for parameter in signature.parameters:
            if not parameter.name.isascii():
                raise EmitError(f"argument {parameter.name}: TorchScript takes ASCII names only")

    def head(self, function: str) -> tuple[str, ...]:
        """`def function(...) -> bool:`, in one line or several."""
        return tuple(call_lines(f"def {function}", self.declarations(), " -> bool:"))

    def declarations(self) -> list[str]:
        parts = []
        for parameter in self.parameters:
            if parameter.kind == "keyword_only" and not parameter.has_default and "*" not in parts:
                parts.append("*")
            parts.append(self.declaration(parameter))
        return parts

    def declaration(self, parameter: Parameter) -> str:
        type_text = self.type(Path(parameter.name))
        name = f"{self.names[parameter.name]}: "
        if not parameter.has_default:
            return name + type_text
        default = literal(parameter.default)
        if default is None or (parameter.default is not None and type_text != NUMBERS.get(type(parameter.default))):
            raise EmitError(f"argument {parameter.name}: TorchScript cannot express its default; pass it without one")
        if parameter.default is None and not type_text.startswith("Optional"):
            type_text = f"Optional[{type_text}]"
        return f"{name}{type_text} = {default}"

    def optional(self, path: Path) -> bool:
        """Whether an argument may be None by its type, although the traced call passed something."""
        found = [each for each in self.parameters if each.name == path.root and not path.steps]
        return any(each.has_default and each.default is None for each in found)

    def type(self, path: Path) -> str:
        found = self.at.get(path)
        if isinstance(found, Leaf):
            return self.leaf(found)
        if found is None or found.type not in (list, tuple, dict):
            what = "its type" if found is None else f"a {found.type.__qualname__}"
            raise EmitError(f"argument {path}: TorchScript has no type for {what}; pass a tensor, number, list or dict")
        inside = [self.type(path.into(("index", key))) for key in found.keys]
        if found.type is tuple:
            return f"Tuple[{', '.join(inside) or '()'}]"
        item = self.item(path, found, inside)
        return f"List[{item}]" if found.type is list else f"Dict[{key_type(path, found)}, {item}]"

    def item(self, path: Path, found: Container, inside: list[str]) -> str:
        """The type of every item of a list or dict."""
        if len(set(inside)) <= 1:
            return inside[0] if inside else self.tensor
        if all(isinstance(self.at[path.into(("index", key))], Leaf) for key in found.keys):
            optional = any(each.startswith("Optional") for each in inside)
            return "Optional[Any]" if optional else "Any"  # to TorchScript, an `Any` never is None
        raise EmitError(
            f"argument {path}: TorchScript has no type for a {found.type.__name__} with different containers"
        )

    def leaf(self, leaf: Leaf) -> str:
        if leaf.kind == "tensor":
            return self.tensor
        if leaf.kind == "int":
            return NUMBERS[int]
        if leaf.value is None:
            return f"Optional[{self.tensor}]"
        if type(leaf.value) not in NUMBERS:
            kind = type(leaf.value)
            raise EmitError(
                f"argument {leaf.path}: TorchScript has no type for a {kind.__module__}.{kind.__qualname__}; "
                "close over it with a lambda, or pass a tensor, number, bool or string"
            )
        return NUMBERS[type(leaf.value)]

    def is_any(self, path: Path) -> bool:
        """Whether the value at `path` comes from a container of items of different types."""
        parent = self.at.get(Path(path.root, path.steps[:-1])) if path.steps else None
        if not isinstance(parent, Container) or parent.type is tuple:
            return False
        return len({self.type(parent.path.into(("index", key))) for key in parent.keys}) > 1

    def forwarded(self, inner: Mapping[str, str]) -> list[str]:
        """The arguments as they are handed on to a function whose parameters have the names `inner`."""
        handed = []
        for each in self.parameters:
            by_name = each.kind == "keyword_only" and not each.has_default
            handed.append(f"{inner[each.name]}={self.names[each.name]}" if by_name else self.names[each.name])
        return handed


def ordered(parameters: tuple[Parameter, ...]) -> list[Parameter]:
    """TorchScript allows no default after `*`: such parameters become positional, and come before it."""
    positional = [each for each in parameters if each.kind != "keyword_only"]
    with_default = [each for each in parameters if each.kind == "keyword_only" and each.has_default]
    return [*positional, *with_default, *(each for each in parameters if each not in positional + with_default)]


def key_type(path: Path, found: Container) -> str:
    kinds: set[Any] = {type(key) for key in found.keys} or {str}
    if kinds not in ({str}, {int}):
        raise EmitError(f"argument {path}: TorchScript has dicts with str or int keys only")
    return str(kinds.pop().__name__)
