"""The shape interpretation of one operator: its hand-written rule, else its meta kernel, else the traced sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from guardgen.ir import Node, TensorMeta
from guardgen.rules.concrete import concrete_rules, fill, torch_op
from guardgen.rules.meta import Decide, Stuck, explore
from guardgen.rules.settle import Settler
from guardgen.rules.shape import Pieces, Sizes, applying, shape_rules
from guardgen.rules.shape.context import data_list, data_size
from guardgen.terms import BoolLike, IntLike, Symbol, both, eq
from guardgen.terms.evaluate import evaluate
from guardgen.terms.ints import Term


@dataclass(frozen=True)
class Result:
    """The value of each output (`Sizes`, `Pieces`, or None for a number read from data), and the conditions on them.

    `requirements` are what the operator asks of its inputs, with why; `assumed` is what must hold for the values to be
    right; `empty_too` says whether strides are right for tensors without elements, which PyTorch lays out in odd ways.
    """

    values: tuple[Any, ...]
    requirements: tuple[tuple[BoolLike, str], ...] = ()
    assumed: BoolLike = True
    empty_too: bool = True


class Operators:
    """Applies operators to sizes.

    `metas` are the tensors of the traced run, against which each result is checked; `decide` and `rewrite` say what is
    known of conditions and of sizes; `hints` is what each input was.
    """

    def __init__(
        self,
        metas: Mapping[str, TensorMeta],
        decide: Decide,
        rewrite: Callable[[IntLike], IntLike],
        hints: Mapping[Symbol, Any],
    ) -> None:
        self.metas, self.decide, self.rewrite, self.hints = metas, decide, rewrite, hints

    def apply(self, node: Node, values: tuple[Any, ...]) -> Result:
        tags = torch_op(node.op).tags
        attempts: list[Callable[[Node, tuple[Any, ...]], Result | None]] = [self.by_rule, self.by_kernel]
        if torch.Tag.dynamic_output_shape in tags:
            attempts.remove(self.by_kernel)
        for attempt in attempts:
            result = attempt(node, values)
            if result is not None and self.agrees(node, result):
                return self.settled(result)
        # What a random operator returns cannot be computed beforehand, but its sizes are no matter of chance.
        last = self.as_traced if torch.Tag.nondeterministic_seeded in tags else self.by_data
        return last(node, values)

    def settled(self, result: Result) -> Result:
        """The result without sizes that are too long to read."""
        settler = Settler(self.hints, self.rewrite)
        try:
            outputs = tuple(self.settle(value, settler) for value in result.values)
        except (KeyError, ArithmeticError):  # they depend on data, which the trace does not keep
            return result
        return replace(result, values=outputs, assumed=both(result.assumed, settler.assumed))

    def settle(self, value: Any, settler: Settler) -> Any:
        if not isinstance(value, Sizes):
            return value
        strides = value.strides and settler.sizes(tuple(value.strides))
        return Sizes(settler.sizes(tuple(value)), value.dtype, strides, value.contiguous)

    def by_rule(self, node: Node, values: tuple[Any, ...]) -> Result | None:
        """By the hand-written rule, if there is one."""
        rule = shape_rules.find(node.op)
        if rule is None:
            return None
        args = [fill(item, values) for item in node.params["args"]]
        kwargs = {key: fill(item, values) for key, item in node.params["kwargs"].items()}
        metas = tuple(self.metas[name].shape if name in self.metas else () for name in node.names)
        with applying(node.names, metas) as application:
            try:
                output = rule(*args, **kwargs)
            except Exception:
                return None
        outputs = output if isinstance(output, list) else [output]
        if len(outputs) != len(node.names):
            return None
        assumed = both(*(condition for condition, _ in application.assumptions))
        wrapped = tuple(
            self.wrap(name, kind, each) for name, kind, each in zip(node.names, node.kinds, outputs, strict=True)
        )
        return Result(wrapped, tuple(application.requirements), assumed)

    def by_kernel(self, node: Node, values: tuple[Any, ...]) -> Result | None:
        """By PyTorch's meta kernel, run on terms."""
        if any(kind in ("int", "bool", "float") for kind in node.kinds):
            return Result((None,) * len(node.names)) if "tensor" not in node.kinds else None
        ranks = tuple(len(meta.shape) for meta in self.traced(node))
        try:
            outcome = explore(node, values, self.metas, ranks, self.decide, self.hints)
        except Stuck:
            return None
        sizes = iter(outcome.sizes)
        outputs = tuple(self.take(name, kind, sizes) for name, kind in zip(node.names, node.kinds, strict=True))
        return Result(outputs, ((outcome.required, "sizes that its kernel accepts"),), outcome.assumed)

    def take(self, name: str, kind: str, sizes: Iterator[tuple[Any, ...]]) -> Any:
        """The next output from the sizes of all tensors that an operator returned."""
        if kind == "tensor":
            return self.wrap(name, kind, next(sizes))
        return pieces([next(sizes) for _ in self.items(name)]) if kind == "list" else None

    def items(self, name: str) -> list[TensorMeta]:
        """What each item of the list `name` was."""
        items: list[TensorMeta] = []
        while (meta := self.metas.get(f"{name}[{len(items)}]")) is not None:
            items.append(meta)
        return items

    def traced(self, node: Node) -> Iterator[TensorMeta]:
        """What each tensor that the operator returned was, those in lists included."""
        for name, kind in zip(node.names, node.kinds, strict=True):
            if kind == "tensor":
                yield self.metas[name]
            elif kind == "list":
                yield from self.items(name)

    def by_data(self, node: Node, values: tuple[Any, ...]) -> Result:
        """Every size of every output is what the operator makes of the inputs' data, for all that is known."""
        with applying(node.names, ()):
            return Result(tuple(self.unknown(i, name, kind) for i, (name, kind) in enumerate(node_outputs(node))))

    def unknown(self, output: int, name: str, kind: str) -> Any:
        if kind == "tensor":
            return self.wrap(name, kind, tuple(data_size(output, dim) for dim in range(len(self.metas[name].shape))))
        if kind != "list":
            return None
        count, size = data_list(output)
        ranks = [len(item.shape) for item in self.items(name)]
        return Pieces(count, lambda item: tuple(size(item, dim) for dim in range(ranks[item])))

    def as_traced(self, node: Node, values: tuple[Any, ...]) -> Result:
        """The traced sizes, right where every size among the inputs is what it was."""
        assumed = both(*(eq(size, evaluate(size, self.hints, concrete_rules)) for size in sizes_in(values)))
        sizes = iter([meta.shape for meta in self.traced(node)])
        outputs = tuple(self.take(name, kind, sizes) for name, kind in zip(node.names, node.kinds, strict=True))
        return Result(outputs, (), assumed)

    def wrap(self, name: str, kind: str, output: Any) -> Any:
        if kind != "tensor" or output is None:
            return output
        dtype = self.metas[name].dtype
        if not isinstance(output, Sizes):
            return Sizes(output, dtype)
        return Sizes(output, dtype, output.strides, output.contiguous)

    def agrees(self, node: Node, result: Result) -> bool:
        """Whether the sizes are those of the traced run, at its inputs."""
        for name, value in zip(node.names, result.values, strict=True):
            if isinstance(value, Sizes) and not self.all_equal(value, self.metas[name].shape):
                return False
            if isinstance(value, Pieces):
                items = self.items(name)
                if not self.evaluates_to(value.count, len(items)):
                    return False
                if not all(self.all_equal(value.at(i), item.shape) for i, item in enumerate(items)):
                    return False
        return True

    def all_equal(self, sizes: Sequence[Any], traced: tuple[int, ...]) -> bool:
        return len(sizes) == len(traced) and all(map(self.evaluates_to, sizes, traced))

    def evaluates_to(self, size: Any, traced: int) -> bool:
        try:
            return bool(evaluate(size, self.hints, concrete_rules) == traced)
        except KeyError:
            return True  # it depends on data, which the trace does not keep
        except ArithmeticError:
            return False


def node_outputs(node: Node) -> Iterator[tuple[str, str]]:
    return zip(node.names, node.kinds, strict=True)


def pieces(sizes: list[tuple[Any, ...]]) -> Pieces:
    return Pieces(len(sizes), sizes.__getitem__)


def sizes_in(values: Any) -> Any:
    """The symbolic sizes and ints among the inputs."""
    for value in values:
        if isinstance(value, Sizes):
            yield from sizes_in(tuple(value))
        elif isinstance(value, Term) and type(value).__name__ == "Int":
            yield value
