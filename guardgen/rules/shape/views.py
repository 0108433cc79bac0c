"""Views that insert, drop or reorder dimensions, or only pass a tensor on.

Source: aten/src/ATen/native/TensorShape.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from guardgen.rules.shape.context import Sizes, assume, require, shape_rule, traced_rank, wrap_dim
from guardgen.rules.shape.variants import laid, unlaid, view_rule
from guardgen.terms import BoolLike, IntLike, both, eq, ite, ne
from guardgen.terms.bools import to_int


def pick(x: Sizes, dims: Sequence[int]) -> Sizes:
    """These dimensions of `x`, in this order."""
    return Sizes([x[d] for d in dims], x.dtype, x.strides and [x.strides[d] for d in dims])


@view_rule(
    "alias.default",
    "detach.default",
    "lift_fresh.default",
    "_conj.default",
    "_neg_view.default",
)
def same(x: Sizes, *_: Any, **__: Any) -> Sizes:
    """The tensor itself, seen again."""
    return x


shape_rule("aten.positive.default", "aten.data.default", "aten.requires_grad_.default", "aten.conj.default")(same)
shape_rule("aten.lift.default", "aten.cpu.default", "aten.pin_memory.default")(laid(unlaid, same))


@shape_rule("aten.resolve_conj.default", "aten.resolve_neg.default", "aten.real.default")
def real(x: Sizes, **_: Any) -> Sizes:
    """The tensor itself where it is not complex."""
    return Sizes(x, x.dtype, None if x.dtype.is_complex else x.strides)


@shape_rule("aten.imag.default")
def imag(x: Sizes) -> Sizes:
    return unlaid(x)


@view_rule("unsqueeze.default")
def unsqueeze(x: Sizes, dim: int) -> Sizes:
    """Insert a size of 1 at `dim`."""
    at = wrap_dim(dim, len(x) + 1)
    sizes = (*x[:at], 1, *x[at:])
    if x.strides is None:
        return Sizes(sizes, x.dtype, contiguous=x.contiguous)
    step = x[at] * x.strides[at] if at < len(x) else 1
    return Sizes(sizes, x.dtype, (*x.strides[:at], step, *x.strides[at:]), x.contiguous)


@view_rule("squeeze.default")
def squeeze(x: Sizes) -> Sizes:
    """Drop every size of 1."""
    return squeezed(x, range(len(x)))


@view_rule("squeeze.dim")
def squeeze_dim(x: Sizes, dim: int) -> Sizes:
    return squeezed(x, [wrap_dim(dim, len(x))] if len(x) else [])


@view_rule("squeeze.dims")
def squeeze_dims(x: Sizes, dim: Sequence[int]) -> Sizes:
    return squeezed(x, [wrap_dim(d, len(x)) for d in dim] if len(x) else [])


def squeezed(x: Sizes, dims: Sequence[int]) -> Sizes:
    """`x` without those of `dims` whose size is 1: as many as in the traced run, whichever they are."""
    ones = {d: eq(x[d], 1) for d in dims}
    kept = [d for d in range(len(x)) if ones.get(d, False) is not True]
    open_dims = [d for d in kept if ones.get(d, False) is not False]
    if not open_dims:
        return pick(x, kept)
    drop = len(kept) - traced_rank()
    if drop == 0:
        assume(both(*(ne(x[d], 1) for d in open_dims)), "sizes that squeeze does not drop")
        return pick(x, kept)
    if drop == len(open_dims):
        assume(both(*(eq(x[d], 1) for d in open_dims)), "sizes of 1 that squeeze drops")
        return pick(x, [d for d in kept if d not in open_dims])
    assume(eq(sum(to_int(ones[d]) for d in open_dims), drop), f"squeeze to drop {drop} sizes of 1")
    stays = {d: ne(x[d], 1) if d in open_dims else True for d in kept}
    return Sizes(
        compact(x, stays, len(kept) - drop), x.dtype, x.strides and compact(x.strides, stays, len(kept) - drop)
    )


def compact(values: Sequence[IntLike], stays: dict[int, BoolLike], count: int) -> list[IntLike]:
    """The `count` values that stay, in order, where it is not known which they are."""
    result: list[IntLike] = []
    for position in range(count):
        before: IntLike = 0
        choices: list[tuple[BoolLike, IntLike]] = []
        for d, stay in stays.items():
            choices.append((both(stay, eq(before, position)), values[d]))
            before = before + to_int(stay)
        value = choices[-1][1]
        for chosen, other in reversed(choices[:-1]):
            value = ite(chosen, other, value)
        result.append(value)
    return result


@view_rule("permute.default")
def permute(x: Sizes, dims: Sequence[int]) -> Sizes:
    order = [wrap_dim(d, len(x)) for d in dims]
    require(sorted(order) == list(range(len(x))), f"each of the {len(x)} dimensions once")
    return pick(x, order)


@view_rule("transpose.int", "swapdims.default")
def transpose(x: Sizes, dim0: int, dim1: int) -> Sizes:
    first, second = wrap_dim(dim0, len(x)), wrap_dim(dim1, len(x))
    order = list(range(len(x)))
    if order:
        order[first], order[second] = order[second], order[first]
    return pick(x, order)


@view_rule("swapaxes.default")
def swapaxes(x: Sizes, axis0: int, axis1: int) -> Sizes:
    return transpose(x, axis0, axis1)


@view_rule("t.default")
def t(x: Sizes) -> Sizes:
    require(len(x) <= 2, "at most 2 dimensions")
    return pick(x, range(len(x))[::-1])


@shape_rule("aten.numpy_T.default")
def numpy_transpose(x: Sizes) -> Sizes:
    return pick(x, range(len(x))[::-1])


@shape_rule("aten.mT.default", "aten.adjoint.default", "aten.mH.default", "aten.matrix_H.default")
def matrix_transpose(x: Sizes) -> Sizes:
    require(len(x) >= 2, "at least 2 dimensions")
    return transpose(x, -2, -1)


@shape_rule("aten.movedim.intlist", "aten.moveaxis.intlist")
def movedim(x: Sizes, source: Sequence[int], destination: Sequence[int]) -> Sizes:
    """Each dimension in `source` goes to that place in `destination`, the others keep their order."""
    moved = {wrap_dim(d, len(x)): wrap_dim(s, len(x)) for s, d in zip(source, destination, strict=True)}
    rest = iter([d for d in range(len(x)) if d not in moved.values()])
    return pick(x, [moved[d] if d in moved else next(rest) for d in range(len(x))])


@shape_rule("aten.movedim.int", "aten.moveaxis.int")
def movedim_one(x: Sizes, source: int, destination: int) -> Sizes:
    return movedim(x, [source], [destination])


@view_rule("view_as_real.default")
def view_as_real(x: Sizes) -> Sizes:
    """Real and imaginary part as a last dimension of size 2."""
    return Sizes((*x, 2), x.dtype, x.strides and (*(2 * step for step in x.strides), 1))


@view_rule("view_as_complex.default")
def view_as_complex(x: Sizes) -> Sizes:
    require(len(x) > 0, "at least 1 dimension")
    require(eq(x[-1], 2), "a last size of 2")
    if x.strides is None:
        return Sizes(x[:-1])
    require(eq(x.strides[-1], 1), "a last stride of 1")
    for step in x.strides[:-1]:
        require(eq(step % 2, 0), "strides divisible by 2")
    return Sizes(x[:-1], x.dtype, [step // 2 for step in x.strides[:-1]])
