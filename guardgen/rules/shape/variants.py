"""Registration of a view together with its forms in place (`unsqueeze_`) and copying (`unsqueeze_copy`).

The forms differ in the layout of the result only. Forms with `out=`, and those in place of operators that compute, are
made by `derived`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import torch

from guardgen.rules.shape.context import Sizes, row_major, shape_rule
from guardgen.terms import IntLike

Rule = TypeVar("Rule", bound=Callable[..., Any])


def fresh(sizes: Sequence[IntLike]) -> Sizes:
    """A newly allocated contiguous tensor of those sizes."""
    return Sizes(sizes, strides=row_major(sizes))


def unlaid(sizes: Sequence[IntLike]) -> Sizes:
    """The same sizes, of a layout that is not known."""
    return Sizes(sizes)


def arguments(packet: str, overload: str) -> list[str] | None:
    """The names of an overload's arguments; None where there is no such overload."""
    found = getattr(torch.ops.aten, packet, None)
    if found is None or overload not in found.overloads():
        return None
    return [arg.name for arg in getattr(found, overload)._schema.arguments]


def forms(operators: Sequence[str], suffix: str) -> list[str]:
    """The full names of those of `packet.overload` that have a form with that suffix and the same arguments."""
    result = []
    for operator in operators:
        packet, overload = operator.split(".")
        for each in dict.fromkeys((overload, "default")):
            if (found := arguments(packet + suffix, each)) is not None and found == arguments(packet, overload):
                result.append(f"aten.{packet}{suffix}.{each}")
                break
    return result


def laid(layout: Callable[[Any], Any], rule: Rule) -> Rule:
    """`rule`, with its result laid out by `layout`."""

    @functools.wraps(rule)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return layout(rule(*args, **kwargs))

    return wrapped  # type: ignore[return-value]


def view_rule(*operators: str) -> Callable[[Rule], Rule]:
    """Register a view, given as `packet.overload`: its strides are what the rule gives, a copy's are row-major."""

    def register(rule: Rule) -> Rule:
        shape_rule(*forms(operators, ""), *forms(operators, "_"))(rule)
        shape_rule(*forms(operators, "_copy"))(laid(fresh, rule))
        return rule

    return register
