"""Rules that are not registered but made when the table is asked: pointwise operators, and forms in place and `out=`.

An operator in place writes its result into its first argument, which is not resized, so the result must have the sizes
that this argument has. An `out=` argument is resized, so its sizes don't matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from guardgen.errors import GraphError
from guardgen.interpret import Rule
from guardgen.rules.concrete import torch_op
from guardgen.rules.shape.context import Sizes, require, shape_rules
from guardgen.rules.shape.pointwise import pointwise_rule
from guardgen.terms import IntLike, eq

LAYOUT = frozenset({"dtype", "layout", "device", "pin_memory", "memory_format"})  # parameters that don't decide sizes


def derived_rule(op: str) -> Rule | None:
    """The rule of an operator that has none of its own, made from that of its functional form."""
    try:
        schema = torch_op(op)._schema
    except (GraphError, ValueError):
        return None
    written = frozenset(arg.name for arg in schema.arguments if arg.kwarg_only and is_written(arg))
    if written:
        base = functional(op, schema)
        rule = shape_rules.find(base) if base else None
        return rule and without(rule, written)
    rule = pointwise_rule(op)
    namespace, packet, overload = op.split(".")
    if rule is None and packet.endswith("_") and not packet.startswith("__"):
        rule = shape_rules.find(f"{namespace}.{packet[:-1]}.{overload}")
        return rule and in_place(rule)
    return rule


def is_written(argument: Any) -> bool:
    return argument.alias_info is not None and bool(argument.alias_info.is_write)


def functional(op: str, schema: Any) -> str | None:
    """The overload of the same operator that has the same parameters, but for those that are written to."""
    namespace, packet, _ = op.split(".")
    wanted = parameters(schema)
    for overload in getattr(getattr(torch_op(op), "overloadpacket", None), "overloads", list)():
        candidate = torch_op(f"{namespace}.{packet}.{overload}")._schema
        if not candidate.is_mutable and parameters(candidate) == wanted:
            return f"{namespace}.{packet}.{overload}"
    return None


def parameters(schema: Any) -> list[tuple[str, str]]:
    """Name and type of the parameters that decide the result's sizes."""
    return [
        (arg.name, str(arg.type))
        for arg in schema.arguments
        if arg.name not in LAYOUT and not (arg.kwarg_only and is_written(arg))
    ]


def without(rule: Rule, names: frozenset[str]) -> Rule:
    """The rule, not told of the arguments `names`."""

    def functional_rule(*args: Any, **kwargs: Any) -> Any:
        return rule(*args, **{key: value for key, value in kwargs.items() if key not in names})

    return functional_rule


def in_place(rule: Rule) -> Rule:
    """The rule of an operator that writes its result into its first argument."""

    def in_place_rule(self: Sizes, *args: Any, **kwargs: Any) -> Any:
        require_same(rule(self, *args, **kwargs), self)
        return Sizes(self, self.dtype, self.strides)

    return in_place_rule


def require_same(result: Sequence[IntLike], sizes: Sequence[IntLike]) -> None:
    """Require that a result of sizes `result` fits a tensor of `sizes`, which is not resized."""
    why = "a result of the sizes of the tensor that it is written to"
    require(len(result) == len(sizes), why)
    for have, want in zip(result, sizes, strict=False):
        require(eq(have, want), why)


shape_rules.fallback = derived_rule
