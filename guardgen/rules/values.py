"""The least and the greatest value in an integer tensor, as far as sizes tell: `arange(n)` ends with n - 1.

Operators that look things up by index refuse indices out of range; where the indices come from sizes, such as position
ids, that is a condition on the sizes. Values that come from the inputs' data are not known; nothing is said of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from guardgen.interpret import RuleTable
from guardgen.ir import Graph, Node
from guardgen.rules.aliasing import Aliases
from guardgen.rules.concrete import fill
from guardgen.rules.shape import Sizes
from guardgen.terms import BoolLike, Int, IntLike, both, either, eq, ge, lt, maximum, minimum, product

value_rules = RuleTable("values")
rule = value_rules.rule
MOST_CONSTANTS = 1 << 16  # elements of a closed-over tensor whose least and greatest value are looked up

Range = tuple[IntLike, IntLike]  # the least and the greatest value: both occur, unless the tensor is empty


@dataclass(frozen=True)
class Tensor:
    """A tensor argument: its sizes, and the range of its values, None where unknown."""

    sizes: Sizes
    range: Range | None = None


SAME_VALUES = """
unsqueeze.default squeeze.default squeeze.dim squeeze.dims view.default reshape.default expand.default
flatten.using_ints permute.default transpose.int t.default clone.default contiguous.default detach.default
alias.default to.dtype to.device to.dtype_layout to.other _to_copy.default repeat.default expand_as.default
unflatten.int movedim.int flip.default roll.default view_as.default reshape_as.default lift_fresh.default
"""


@rule(*(f"aten.{name}" for name in SAME_VALUES.split()))
def same_values(x: Tensor, *_: Any, **__: Any) -> Range | None:
    return x.range


@rule("aten.select.int", "aten.narrow.default")
def part(x: Tensor, *_: Any, **__: Any) -> Range | None:
    """Which values are in it is known only where all are the same."""
    return x.range if x.range is not None and x.range[0] == x.range[1] else None


@rule("aten.slice.Tensor")
def slice_of(x: Tensor, dim: int = 0, start: Any = None, end: Any = None, step: Any = 1) -> Range | None:
    """A part, unless it is all of the dimension, as the `:` of an index is."""
    whole = start in (None, 0) and end in (None, 2**63 - 1) and step == 1
    return x.range if whole else part(x)


@rule("aten.arange.default")
def arange(end: Any, **kwargs: Any) -> Range | None:
    return upto(0, end)


@rule("aten.arange.start")
def arange_start(start: Any, end: Any, **kwargs: Any) -> Range | None:
    return upto(start, end)


def upto(start: Any, end: Any) -> Range | None:
    return (start, end - 1) if all(isinstance(each, (int, Int)) for each in (start, end)) else None


@rule("aten.zeros.default", "aten.zeros_like.default", "aten.new_zeros.default")
def zeros(*_: Any, **__: Any) -> Range:
    return 0, 0


@rule("aten.ones.default", "aten.ones_like.default", "aten.new_ones.default")
def ones(*_: Any, **__: Any) -> Range:
    return 1, 1


@rule("aten.add.Tensor", "aten.add.Scalar")
def add(x: Any, other: Any, alpha: Any = 1, **_: Any) -> Range | None:
    left, right = range_of(x), range_of(other)
    if left is None or right is None or alpha != 1 or not independent(x, other):
        return None
    return left[0] + right[0], left[1] + right[1]


@rule("aten.sub.Tensor", "aten.sub.Scalar")
def sub(x: Any, other: Any, alpha: Any = 1, **_: Any) -> Range | None:
    left, right = range_of(x), range_of(other)
    if left is None or right is None or alpha != 1 or not independent(x, other):
        return None
    return left[0] - right[1], left[1] - right[0]


def independent(x: Any, other: Any) -> bool:
    """Whether each value of one meets each value of the other: in no dimension do both have more than one."""
    if not (isinstance(x, Tensor) and isinstance(other, Tensor)):
        return True
    if any(each.range is not None and each.range[0] == each.range[1] for each in (x, other)):
        return True
    return all(1 in (a, b) for a, b in zip(reversed(x.sizes), reversed(other.sizes), strict=False))


@rule("aten.mul.Tensor", "aten.mul.Scalar")
def mul(x: Any, other: Any) -> Range | None:
    """By a number, or a tensor of one number, that is not negative."""
    left, right = range_of(x), range_of(other)
    if left is not None and left[0] == left[1]:
        left, right = right, left
    if left is None or right is None or right[0] != right[1] or not (isinstance(right[0], int) and right[0] >= 0):
        return None
    return left[0] * right[0], left[1] * right[0]


@rule("aten.cumsum.default")
def cumsum(x: Tensor, dim: int, **_: Any) -> Range | None:
    """Of a tensor of one number that is not negative."""
    if x.range is None or x.range[0] != x.range[1] or not (isinstance(x.range[0], int) and x.range[0] >= 0):
        return None
    return x.range[0], x.range[0] * (x.sizes[dim] if x.sizes else 1)


@rule("aten.clamp.default")
def clamp(x: Tensor, min: Any = None, max: Any = None) -> Range | None:
    if x.range is None or not all(each is None or isinstance(each, (int, Int)) for each in (min, max)):
        return None
    low, high = x.range
    if min is not None:
        low, high = maximum(low, min), maximum(high, min)
    return (low, high) if max is None else (minimum(low, max), minimum(high, max))


def range_of(value: Any) -> Range | None:
    if isinstance(value, Tensor):
        return value.range
    return (value, value) if isinstance(value, (int, Int)) and not isinstance(value, bool) else None


Lookup = tuple[Tensor, IntLike, bool]  # where indices are, how many entries there are, whether -1 is the last one


def in_dimension(x: int, dim: int, index: int, negative: bool = False) -> Callable[[list[Any]], list[Lookup]]:
    """A look-up in one dimension of a tensor; `x`, `dim` and `index` are the places of these among the arguments."""

    def lookups(args: list[Any]) -> list[Lookup]:
        sizes = args[x].sizes
        return [(args[index], sizes[args[dim]] if sizes else 1, negative)]

    return lookups


def by_tensors(args: list[Any]) -> list[Lookup]:
    """`x[i, :, j]`: each tensor of indices is for one dimension; masks are not looked up."""
    sizes, indices = args[0].sizes, args[1]
    if any(each is not None and each.sizes.dtype in (torch.bool, torch.uint8) for each in indices):
        return []
    return [(each, size, True) for each, size in zip(indices, sizes, strict=False) if each is not None]


def by_classes(args: list[Any]) -> list[Lookup]:
    """`one_hot`: as many classes as are said, unless they are to be counted."""
    return [(args[0], args[1], False)] if len(args) > 1 and not (isinstance(args[1], int) and args[1] < 0) else []


LOOKED_UP: dict[str, Callable[[list[Any]], list[Lookup]]] = {
    "aten.embedding.default": lambda args: [(args[1], args[0].sizes[0], False)],
    "aten.index_select.default": in_dimension(0, 1, 2),
    "aten.index_add.default": in_dimension(0, 1, 2),
    "aten.index_copy.default": in_dimension(0, 1, 2),
    "aten.index_fill.int_Scalar": in_dimension(0, 1, 2, negative=True),
    "aten.index_fill.int_Tensor": in_dimension(0, 1, 2, negative=True),
    "aten.gather.default": in_dimension(0, 1, 2),
    "aten.scatter.src": in_dimension(0, 1, 2),
    "aten.scatter.value": in_dimension(0, 1, 2),
    "aten.scatter_add.default": in_dimension(0, 1, 2),
    "aten.scatter_reduce.two": in_dimension(0, 1, 2),
    "aten.take.default": lambda args: [(args[1], product(args[0].sizes), True)],
    "aten.one_hot.default": by_classes,
    "aten.index.Tensor": by_tensors,
    "aten.index_put.default": by_tensors,
}


class Values:
    """The ranges of the integer tensors of one trace. Of memory that the trace writes to nothing is known."""

    def __init__(self, graph: Graph) -> None:
        self.ranges: dict[str, Range] = {}
        self.aliases = Aliases(graph)

    def constant(self, name: str, tensor: torch.Tensor) -> None:
        """Learn the range of a closed-over tensor."""
        whole = not tensor.is_floating_point() and not tensor.is_complex() and tensor.dtype is not torch.bool
        if self.aliases.is_written(name):
            return
        if whole and 0 < tensor.numel() <= MOST_CONSTANTS and not tensor.is_meta and not tensor.is_quantized:
            low, high = tensor.aminmax()
            self.ranges[name] = int(low), int(high)

    def visit(self, node: Node, values: Mapping[str, Any]) -> Iterator[tuple[BoolLike, str]]:
        """Learn what an operator's result holds, and say what it requires of the indices that it is given."""
        if node.op not in value_rules and node.op not in LOOKED_UP:
            return
        inputs = tuple(self.tensor(name, values[name]) for name in node.inputs)
        args = [fill(item, inputs) for item in node.params["args"]]
        kwargs = {key: fill(item, inputs) for key, item in node.params["kwargs"].items()}
        if node.op in value_rules:
            known = value_rules[node.op](*args, **kwargs)
            if known is not None and not self.aliases.is_written(node.name):
                self.ranges[node.name] = known
            return
        for indices, entries, negative in LOOKED_UP[node.op](args):
            if indices.range is not None:
                low, high = indices.range
                inside = both(ge(low, -entries if negative else 0), lt(high, entries))
                yield either(eq(product(indices.sizes), 0), inside), f"indices below {entries}"

    def tensor(self, name: str, value: Any) -> Any:
        return Tensor(value, self.ranges.get(name)) if isinstance(value, Sizes) else value
