"""`dynamic_shapes` as torch.export takes it, read against the arguments of the traced call.

A size can be a `torch.export.Dim`, one derived from it such as `2 * d + 1`, `Dim.DYNAMIC`, `Dim.AUTO`, `Dim.STATIC` or
an int. None, and what is left out, declares nothing: such a size is as free as the program leaves it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch.export import AdditionalInputs, Dim, ShapesCollection
from torch.export.dynamic_shapes import _DerivedDim, _DimHint

from guardgen.arguments import Leaf, Path, Signature
from guardgen.containers import children
from guardgen.declarations import Declarations, Declared, DynamicShapes, found
from guardgen.errors import TraceError

SIZE_LIMIT = 2**63 - 1  # a greater bound is none


def read(
    shapes: DynamicShapes, signature: Signature, fn: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Declarations:
    """The declarations for the traced call `fn(*args, **kwargs)`.

    Raises `TraceError` with the argument where one does not fit it.
    """
    bound = signature.binder.signature.bind(*args, **kwargs).arguments
    if isinstance(shapes, (ShapesCollection, AdditionalInputs)):
        try:
            shapes = shapes.dynamic_shapes(fn, args, dict(kwargs))  # type: ignore[no-untyped-call]
        except ValueError as error:
            raise TraceError(f"dynamic_shapes: {error}") from error
    if isinstance(shapes, (tuple, list)):
        if len(shapes) != len(bound):
            raise TraceError(f"dynamic_shapes has {len(shapes)} items; the arguments are {', '.join(bound)}")
        shapes = dict(zip(bound, shapes, strict=True))
    if not isinstance(shapes, Mapping):
        raise TraceError(f"dynamic_shapes is a dict by argument or a tuple in their order, not {shapes!r}")
    unknown = [name for name in shapes if name not in bound]
    if unknown:
        raise TraceError(f"dynamic_shapes: there is no argument {unknown[0]!r}; the arguments are {', '.join(bound)}")
    reader = Reader(signature)
    tree = {name: reader.parameter(name, value, shapes.get(name)) for name, value in bound.items()}
    declarations = Declarations({name: each for name, each in tree.items() if next(found(each), None) is not None})
    consistent(declarations)
    return declarations


class Reader:
    """Reads what is declared of each argument, side by side with it."""

    def __init__(self, signature: Signature) -> None:
        self.binder = signature.binder
        self.leaves = {leaf.path: leaf for leaf in signature.leaves}

    def parameter(self, name: str, value: Any, shape: Any) -> Any:
        """What is declared of a parameter; `*args` and `**kwargs` are containers of arguments with their own names."""
        kind = self.binder.signature.parameters[name].kind.name
        if kind == "VAR_POSITIONAL":
            return self.items(name, [(Path(each), item) for each, item in zip(self.binder.extra, value, strict=True)],
                              shape, list(range(len(value))))  # fmt: skip
        if kind == "VAR_KEYWORD":
            return self.items(name, [(Path(key), item) for key, item in value.items()], shape, list(value))
        return self.value(Path(name), value, shape)

    def value(self, path: Path, value: Any, shape: Any) -> Any:
        if shape is None:
            return None
        inside = children(value)
        if inside is not None:
            if (
                children(shape) is not None
                and type(shape) is type(value)
                and not isinstance(shape, (dict, list, tuple))
            ):
                shape = [item for _, item in children(shape) or ()]
            return self.items(str(path), [(path.into(step), item) for step, item in inside], shape,
                              [step[1] for step, _ in inside])  # fmt: skip
        leaf = self.leaves[path]
        if leaf.kind == "tensor":
            return self.tensor(leaf, leaf.value, shape)
        if leaf.kind == "int":
            return dimension(leaf, None, leaf.value, shape)
        raise TraceError(f"dynamic_shapes: argument {path} is no tensor and no int, so {shape!r} says nothing of it")

    def items(self, name: str, inside: list[tuple[Path, Any]], shape: Any, keys: list[Any]) -> Any:
        """What is declared of the items of a container: by their keys, or in their order."""
        if shape is None:
            return None
        if isinstance(shape, Mapping):
            unknown = [key for key in shape if key not in keys]
            if unknown:
                raise TraceError(f"dynamic_shapes: argument {name} has no {unknown[0]!r}; it has {keys}")
            return {key: self.value(path, item, shape.get(key)) for key, (path, item) in zip(keys, inside, strict=True)}
        if not isinstance(shape, (list, tuple)) or len(shape) != len(inside):
            raise TraceError(f"dynamic_shapes: argument {name} has {len(inside)} items, which {shape!r} does not fit")
        return [self.value(path, item, each) for (path, item), each in zip(inside, shape, strict=True)]

    def tensor(self, leaf: Leaf, tensor: torch.Tensor, shape: Any) -> dict[int, Declared]:
        if isinstance(shape, (tuple, list)):
            if len(shape) != tensor.dim():
                raise TraceError(
                    f"dynamic_shapes: argument {leaf.path} has {tensor.dim()} dimensions, not {len(shape)}"
                )
            shape = dict(enumerate(shape))
        if not isinstance(shape, Mapping):
            raise TraceError(f"dynamic_shapes: of a tensor such as argument {leaf.path} a dict by dimension or a tuple "
                             f"is declared, not {shape!r}")  # fmt: skip
        for dim in shape:
            if type(dim) is not int or not 0 <= dim < tensor.dim():
                raise TraceError(f"dynamic_shapes: argument {leaf.path} has {tensor.dim()} dimensions, and no {dim!r}")
        read = {dim: dimension(leaf, dim, tensor.shape[dim], shape[dim]) for dim in sorted(shape)}
        return {dim: each for dim, each in read.items() if each is not None}


def dimension(leaf: Leaf, dim: int | None, value: int, shape: Any) -> Declared | None:
    """What is declared of one size or int, which is `value` in the traced call."""
    if shape is None:
        return None
    if type(shape) is int:
        declared = Declared(leaf.path, leaf.node, dim, value, "static", shape, shape)
    elif isinstance(shape, _DimHint):
        kind = shape.type.name.lower()
        bounds = (value, value) if kind == "static" else (shape.min, shape.max)
        declared = Declared(leaf.path, leaf.node, dim, value, kind, *bounds)
    elif isinstance(shape, Dim):
        root, factor, offset = shape, 1, 0
        if isinstance(shape, _DerivedDim):
            root, offset, factor = shape.root, int(shape.fn(0)), int(shape.fn(1)) - int(shape.fn(0))
        high = int(root.max) if root.max < SIZE_LIMIT else None
        name = root.__name__
        declared = Declared(leaf.path, leaf.node, dim, value, "dim", int(root.min), high, name, factor, offset)
    else:
        raise TraceError(f"dynamic_shapes: argument {leaf.path}: {shape!r} is no Dim, no int and not None")
    within(declared)
    return declared


def within(declared: Declared) -> None:
    """Raise `TraceError` where the traced call is outside of what is declared."""
    number, rest = divmod(declared.value - declared.offset, declared.factor)
    low, high = declared.low, declared.high
    if rest or (low is not None and number < low) or (high is not None and number > high):
        text = low if declared.kind == "static" else declared.text
        raise TraceError(f"dynamic_shapes: argument {declared.path}: {declared.where} is {declared.value} in the "
                         f"traced call, which {text} does not fit")  # fmt: skip


def consistent(declarations: Declarations) -> None:
    """Raise `TraceError` where one name has two ranges, or two values in the traced call."""
    first: dict[str, Declared] = {}
    for each in declarations:
        if each.kind != "dim":
            continue
        other = first.setdefault(each.name, each)
        if (each.low, each.high) != (other.low, other.high):
            raise TraceError(
                f"dynamic_shapes: argument {each.path}: {each.name!r} is both {other.text} and {each.text}"
            )
        if (each.value - each.offset) // each.factor != (other.value - other.offset) // other.factor:
            raise TraceError(f"dynamic_shapes: argument {each.path}: {other.where} = {other.value} as {other.text} and "
                             f"{each.where} = {each.value} as {each.text} are two values of {each.name!r}")  # fmt: skip
