"""Where a tensor of a trace begins in its storage, worked out only where something observes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from guardgen.ir import Node
from guardgen.layouts import Layouts
from guardgen.ops import is_torch_op
from guardgen.rules.aliasing import may_alias
from guardgen.rules.concrete import fill
from guardgen.rules.shape.context import Sizes, wrap_dim
from guardgen.rules.shape.slicing import from_front
from guardgen.terms import BoolLike, IntLike, both, maximum, minimum

# Views that begin where their input does, and operators that return it.
KEEP = {
    "_reshape_alias", "alias", "detach", "detach_", "expand", "expand_as", "lift_fresh", "movedim", "moveaxis",
    "permute", "squeeze", "squeeze_", "swapaxes", "swapdims", "t", "t_", "transpose", "transpose_", "unflatten",
    "unfold", "unsqueeze", "unsqueeze_", "view", "view_as", "broadcast_in_dim", "collapse_view", "split_dim", "view_of",
}  # fmt: skip


class Offsets:
    """The offsets of one derivation. `inputs` has those of arguments, and is asked by the name of their nodes."""

    def __init__(self, layouts: Layouts, inputs: Callable[[str], IntLike]) -> None:
        self.layouts, self.inputs = layouts, inputs
        self.makers: Mapping[str, Node] = layouts.makers

    def of(self, name: str) -> tuple[IntLike | None, BoolLike]:
        """The offset of the tensor `name`, None where it is not known; and what must hold for it to be right."""
        self.assumed: BoolLike = True
        return self.offset(name), self.assumed

    def offset(self, name: str) -> IntLike | None:
        node = self.makers[name]
        if node.op == "var_placeholder":
            return self.inputs(name)
        if node.op == "var_const":
            return int(node.params["val"].storage_offset())
        if not is_torch_op(node.op):
            return None
        if not list(may_alias(node)):
            return 0  # a new tensor
        base = node.op.split(".")[1]
        values = [self.value(each) for each in node.inputs]
        args = [fill(each, tuple(values)) for each in node.params["args"]]
        if base == "as_strided" and len(args) > 3 and args[3] is not None:
            return args[3]  # type: ignore[no-any-return]  # what the program passed, or a term
        before = self.offset(node.inputs[0])
        if before is None or base in KEEP or base == "as_strided" or (base.endswith("_") and base + "_" not in KEEP):
            return before
        rule = MOVED.get(base)
        return None if rule is None else before + rule(*args)

    def value(self, name: str) -> Any:
        value = self.layouts.values[name]
        if not isinstance(value, Sizes):
            return value
        strides, assumed = self.layouts.of(name)
        self.assumed = both(self.assumed, assumed)
        return Sizes(value, value.dtype, strides)


def sliced(x: Sizes, dim: int = 0, start: IntLike | None = None, *_: Any) -> IntLike:
    at = wrap_dim(dim, len(x))
    first = 0 if start is None else from_front(start, x[at])
    return minimum(maximum(first, 0), x[at]) * x.strides[at]  # type: ignore[index]  # they were worked out


def selected(x: Sizes, dim: int, index: IntLike) -> IntLike:
    at = wrap_dim(dim, len(x))
    return from_front(index, x[at]) * x.strides[at]  # type: ignore[index]


MOVED: dict[str, Callable[..., IntLike]] = {"slice": sliced, "narrow": sliced, "select": selected}
