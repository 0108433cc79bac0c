"""What strides say: whether a tensor is contiguous, and whether sizes can be viewed as others, and how.

Source: c10/core/Contiguity.h, and computeStride in aten/src/ATen/TensorUtils.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from guardgen.rules.shape.context import Sizes, row_major
from guardgen.rules.shape.layout import is_contiguous
from guardgen.terms import BoolLike, Int, IntLike, both, either, eq, ite, maximum, product
from guardgen.terms.ints import Atom, Monomial, divide, only_atom, pairs_of, poly


def is_row_major(x: Sizes) -> bool:
    """Whether the strides are known to be those of a freshly allocated contiguous tensor."""
    return x.strides is not None and x.strides == row_major(x)


def is_dense(x: Sizes) -> bool:
    """Whether the strides are known to be those of a contiguous tensor up to the order of the dimensions."""
    if x.strides is None:
        return False
    rest, order = list(range(len(x))), []
    step: IntLike = 1
    while rest:
        found = [d for d in rest if x.strides[d] == step]
        if not found:
            return False
        at = next((d for d in found if x[d] == 1), found[-1])
        rest.remove(at)
        order.append(at)
        step = step * maximum(x[at], 1)
    return True


def contiguous(x: Sizes) -> BoolLike | None:
    """Whether the tensor is contiguous; None where that is not known."""
    if x.contiguous:
        return True
    if x.strides is None:
        return None
    return is_row_major(x) or is_contiguous(x, x.strides, torch.contiguous_format)


def preserved(x: Sizes) -> tuple[IntLike, ...] | None:
    """The strides of a copy that preserves the format; None where it cannot be told."""
    return x.strides if is_dense(x) else None


def positive_sizes(term: IntLike, sizes: Sequence[IntLike]) -> IntLike:
    """`term` where no size is 0: max(size, 1) is the size itself."""
    if not isinstance(term, Int):
        return term
    total: IntLike = 0
    for monomial, k in pairs_of(term):
        factor: IntLike = k
        for atom in monomial:
            found: IntLike = poly({(atom,): 1})
            if atom.op == "int_max" and atom.args[1] == 1 and atom.args[0] in sizes:
                found = atom.args[0]
            factor = factor * found
        total = total + factor
    return total


def equal_positive(left: IntLike, right: IntLike, sizes: Sequence[IntLike]) -> BoolLike:
    """`left == right` where no size is 0: common factors that are sizes cancel."""
    left, right = positive_sizes(left, sizes), positive_sizes(right, sizes)
    atoms = {atom for size in sizes if (atom := only_atom(size)) is not None}
    for atom in sorted(atoms, key=lambda each: each.key):
        sides = [pairs_of(side) for side in (left, right)]
        while all(sides) and all(atom in monomial for pairs in sides for monomial, _ in pairs):
            left, right = (poly({tuple(_without(monomial, atom)): k for monomial, k in pairs}) for pairs in sides)
            sides = [pairs_of(side) for side in (left, right)]
    return eq(left, right)


def _without(monomial: Monomial, atom: Atom) -> list[Atom]:
    rest = list(monomial)
    rest.remove(atom)
    return rest


def viewable(x: Sizes, sizes: Sequence[IntLike]) -> BoolLike:
    """Whether strides let `x` be seen as these sizes, of which there are as many elements.

    Two neighbours in `x` must either be laid out as one, or end where one of the new sizes ends.
    """
    if x.strides is None or x.contiguous or not len(x) or is_row_major(x):
        return True
    ends = {positive_sizes(product(sizes[at:]), x): None for at in range(1, len(sizes) + 1)}
    parts: list[BoolLike] = []
    merged: IntLike = x[-1] * x.strides[-1]  # the stride with which the next dimension goes on from this one
    for at in range(len(x) - 2, -1, -1):
        tail = product(x[at + 1 :])
        parts.append(
            either(
                eq(x[at], 1),
                equal_positive(x.strides[at], merged, x),
                *(equal_positive(tail, end, x) for end in ends),
            )
        )
        merged = ite(eq(x[at], 1), merged, x.strides[at] * x[at])
    return either(eq(product(x), 0), both(*parts))


def groups(old: Sequence[IntLike], new: Sequence[IntLike]) -> list[tuple[list[int], list[int]]]:
    """The dimensions of both in the finest groups, from the last, whose numbers of elements are equal terms.

    Sizes of 1 at the front of either side make groups without a partner.
    """
    result: list[tuple[list[int], list[int]]] = []
    i, j = len(old), len(new)
    while i or j:
        left: list[int] = []
        right: list[int] = []
        if i:
            i -= 1
            left.insert(0, i)
        if j:
            j -= 1
            right.insert(0, j)
        while (have := product(old[d] for d in left)) != (want := product(new[d] for d in right)):
            if i and (not j or _contains(want, have)):
                i -= 1
                left.insert(0, i)
            elif j:
                j -= 1
                right.insert(0, j)
            else:
                return []
        result.insert(0, (left, right))
    return result


def _contains(product_of_more: IntLike, product_of_less: IntLike) -> bool:
    """Whether one product has all the factors of the other: which side to extend."""
    if isinstance(product_of_more, int) and isinstance(product_of_less, int):
        return product_of_more > product_of_less
    found = divide(product_of_more, product_of_less)
    return found is not None and found != 1


def view_strides(x: Sizes, sizes: Sequence[IntLike]) -> tuple[IntLike, ...] | None:
    """The strides of `x` seen as these sizes, where it can be; None where they cannot be told."""
    if x.strides is None:
        return None
    if is_row_major(x):
        return row_major(sizes)
    if not len(x):
        return (1,) * len(sizes)
    found = groups(x, sizes)
    if not found or any(len(old) > 1 and len(new) > 1 for old, new in found):
        return None
    base: dict[int, IntLike] = {}
    for old, new in found:
        step: IntLike = x.strides[old[0]] if old else 0
        for d in old[1:]:  # the stride of the last dimension that is not 1
            step = ite(eq(x[d], 1), step, x.strides[d])
        for d in reversed(new):
            base[d] = step
            step = step * sizes[d]
    strides: list[IntLike] = [0] * len(sizes)
    below: IntLike = x.strides[-1]  # what a size of 1 takes over from its right
    for d in reversed(range(len(sizes))):
        strides[d] = ite(eq(sizes[d], 1), below, base[d])
        below = sizes[d] * strides[d]
    empty = row_major(sizes)
    if len(x) == len(sizes):
        same = both(*map(eq, x, sizes))
        empty = tuple(ite(same, have, fresh) for have, fresh in zip(x.strides, empty, strict=True))
    none = eq(product(x), 0)
    return tuple(ite(none, when_empty, stride) for when_empty, stride in zip(empty, strides, strict=True))
