"""einsum: every letter is a size; operands that share it agree, or have a size of 1 there.

Source: aten/src/ATen/native/Linear.cpp (einsum).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from guardgen.rules.shape.broadcast import broadcast_dim
from guardgen.rules.shape.context import Sizes, require, shape_rule
from guardgen.terms import IntLike, eq

ELLIPSIS = "."  # in a list of letters: what stands for all dimensions that have none


def letters(subscripts: str) -> list[str]:
    """`b...i` as `['b', '.', 'i']`."""
    return list(subscripts.replace(" ", "").replace("...", ELLIPSIS))


@shape_rule("aten.einsum.default")
def einsum(equation: str, tensors: Sequence[Sizes], path: Any = None) -> tuple[IntLike, ...]:
    left, arrow, right = equation.partition("->")
    operands = [letters(operand) for operand in left.split(",")]
    require(len(operands) == len(tensors), "as many operands as the equation has")
    sizes: dict[str, list[IntLike]] = {}
    covered = 0  # how many dimensions the ellipsis stands for, at most
    for operand, tensor in zip(operands, tensors, strict=True):
        named = [label for label in operand if label != ELLIPSIS]
        rest = len(tensor) - len(named)
        require(rest >= 0 and (rest == 0 or ELLIPSIS in operand), "an operand with a letter for every dimension")
        covered = max(covered, rest)
        for label, size in operand_sizes(operand, tensor, rest).items():
            sizes.setdefault(label, []).append(size)
    output = letters(right) if arrow else implicit_output(operands)
    hidden = [ellipsis_label(i) for i in reversed(range(covered))]
    labels = [each for label in output for each in (hidden if label == ELLIPSIS else [label])]
    agreed = {label: broadcast_dim(have) for label, have in sizes.items()}
    return tuple(agreed[label] for label in labels)


def operand_sizes(operand: Sequence[str], tensor: Sizes, rest: int) -> dict[str, IntLike]:
    """The size of each label of one operand; a letter that is repeated takes a diagonal of equal sizes."""
    labels: list[str] = []
    for label in operand:
        labels += [ellipsis_label(i) for i in reversed(range(rest))] if label == ELLIPSIS else [label]
    sizes: dict[str, IntLike] = {}
    for label, size in zip(labels, tensor, strict=True):
        if label in sizes:
            require(eq(sizes[label], size), f"equal sizes along the repeated letter {label}")
        sizes.setdefault(label, size)
    return sizes


def ellipsis_label(i: int) -> str:
    """The label of the i-th dimension from the end among those that the ellipsis stands for."""
    return f"{ELLIPSIS}{i}"


def implicit_output(operands: Sequence[Sequence[str]]) -> list[str]:
    """Without an arrow: the ellipsis, and the letters that occur once, in order."""
    every = [label for operand in operands for label in operand]
    once = sorted(label for label in set(every) if label != ELLIPSIS and every.count(label) == 1)
    return [*([ELLIPSIS] if ELLIPSIS in every else []), *once]
