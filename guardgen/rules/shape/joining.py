"""Operators that put several tensors together. Source: aten/src/ATen/native/TensorShape.cpp."""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial

from guardgen.rules.shape.context import Pieces, Sizes, require, shape_rule, wrap_dim
from guardgen.rules.shape.reshape import reshaped
from guardgen.rules.shape.splitting import ceildiv
from guardgen.rules.shape.strides import is_row_major
from guardgen.rules.shape.variants import fresh
from guardgen.rules.shape.views import unsqueeze
from guardgen.terms import IntLike, eq, floordiv, ne, product


def agreed(sizes: Sequence[IntLike], why: str) -> IntLike:
    """The size that all of these have: a number where one of them is known."""
    for size in sizes[1:]:
        require(eq(sizes[0], size), why)
    return next((size for size in sizes if isinstance(size, int)), sizes[0])


@shape_rule("aten.cat.default", "aten.concat.default", "aten.concatenate.default")
def cat(tensors: Sequence[Sizes], dim: int = 0) -> Sizes:
    """One after the other along `dim`; tensors of shape (0,) are left out where the others have another rank."""
    require(len(tensors) > 0, "at least one tensor")
    rank = max(map(len, tensors))
    joined = [each for each in tensors if len(each) == rank]
    for each in tensors:
        if len(each) != rank:
            require(len(each) == 1, "tensors of one rank")
            require(len(each) == 1 and eq(each[0], 0), "tensors of one rank, or empty ones of rank 1")
    require(rank > 0, "tensors of at least 1 dimension")
    at = wrap_dim(dim, rank)
    total: IntLike = 0
    for each in joined:
        total = total + each[at]
    sizes = [
        total if d == at else agreed([each[d] for each in joined], "tensors of equal sizes but for that dimension")
        for d in range(rank)
    ]
    return laid_out(sizes, joined)


def laid_out(sizes: Sequence[IntLike], tensors: Sequence[Sizes]) -> Sizes:
    """Contiguous, unless all the tensors are laid out channels last."""
    certain = len(sizes) not in (4, 5) or any(map(is_row_major, tensors))
    return fresh(sizes) if certain else Sizes(sizes)


@shape_rule("aten.stack.default")
def stack(tensors: Sequence[Sizes], dim: int = 0) -> Sizes:
    """A new dimension at `dim`, with one index for each of the tensors, which have equal sizes."""
    require(len(tensors) > 0, "at least one tensor")
    require(len({len(each) for each in tensors}) == 1, "tensors of one rank")
    at = wrap_dim(dim, len(tensors[0]) + 1)
    sizes = [agreed(same, "tensors of equal sizes") for same in zip(*tensors, strict=True)]
    sizes.insert(at, len(tensors))
    return laid_out(sizes, [unsqueeze(each, at) for each in tensors])


@shape_rule("aten._chunk_cat.default")
def chunk_cat(tensors: Sequence[Sizes], dim: int, num_chunks: int) -> Sizes:
    """Each tensor padded to `num_chunks` equal parts along `dim`, flattened behind it; the parts are put together."""
    require(len(tensors) > 0 and num_chunks >= 1, "at least one tensor and one chunk")
    require(dim >= 0 or len({len(each) for each in tensors}) == 1, "tensors of one rank")
    at = wrap_dim(dim, len(tensors[0]))
    total: IntLike = 0
    for each in tensors:
        require(at < len(each), "tensors that have that dimension")
        require(ne(product(each), 0), "tensors that are not empty")
        total = total + ceildiv(each[at], num_chunks) * product(each[at + 1 :])
    leading = [agreed([each[d] for each in tensors], "tensors of equal sizes before it") for d in range(at)]
    return fresh((*leading, num_chunks, total))


@shape_rule("aten.atleast_1d.default")
def atleast_1d(x: Sizes) -> Sizes:
    return x if len(x) else reshaped(x, (1,))


@shape_rule("aten.atleast_2d.default")
def atleast_2d(x: Sizes) -> Sizes:
    return x if len(x) >= 2 else unsqueeze(x, 0) if len(x) else reshaped(x, (1, 1))


@shape_rule("aten.atleast_3d.default")
def atleast_3d(x: Sizes) -> Sizes:
    if len(x) >= 3:
        return x
    return reshaped(x, (1, 1, 1)) if not len(x) else unsqueeze(atleast_2d(x), -1)


@shape_rule("aten.atleast_1d.Sequence")
def all_atleast_1d(tensors: Sequence[Sizes]) -> Pieces:
    return Pieces(len(tensors), lambda i: atleast_1d(tensors[i]))


@shape_rule("aten.atleast_2d.Sequence")
def all_atleast_2d(tensors: Sequence[Sizes]) -> Pieces:
    return Pieces(len(tensors), lambda i: atleast_2d(tensors[i]))


@shape_rule("aten.atleast_3d.Sequence")
def all_atleast_3d(tensors: Sequence[Sizes]) -> Pieces:
    return Pieces(len(tensors), lambda i: atleast_3d(tensors[i]))


@shape_rule("aten.hstack.default")
def hstack(tensors: Sequence[Sizes]) -> Sizes:
    require(len(tensors) > 0, "at least one tensor")
    raised = [atleast_1d(each) for each in tensors]
    return cat(raised, 0 if len(raised[0]) == 1 else 1)


@shape_rule("aten.vstack.default", "aten.row_stack.default")
def vstack(tensors: Sequence[Sizes]) -> Sizes:
    return cat([atleast_2d(each) for each in tensors], 0)


@shape_rule("aten.dstack.default")
def dstack(tensors: Sequence[Sizes]) -> Sizes:
    return cat([atleast_3d(each) for each in tensors], 2)


@shape_rule("aten.column_stack.default")
def column_stack(tensors: Sequence[Sizes]) -> Sizes:
    """Tensors of at most 1 dimension become columns."""
    return hstack([each if len(each) > 1 else reshaped(each, (product(each), 1)) for each in tensors])


@shape_rule("aten.block_diag.default")
def block_diag(tensors: Sequence[Sizes]) -> Sizes:
    """The tensors, of at most 2 dimensions, along the diagonal of a matrix."""
    require(all(len(each) <= 2 for each in tensors), "tensors of at most 2 dimensions")
    rows: IntLike = 0
    columns: IntLike = 0
    for each in map(atleast_2d, tensors):
        rows, columns = rows + each[0], columns + each[1]
    return fresh((rows, columns)) if tensors else fresh((1, 0))


@shape_rule("aten.cartesian_prod.default")
def cartesian_prod(tensors: Sequence[Sizes]) -> Sizes:
    """All tuples of elements, one a row; of one tensor its elements."""
    require(len(tensors) > 0, "at least one tensor")
    require(all(len(each) == 1 for each in tensors), "tensors of 1 dimension")
    if len(tensors) == 1:
        return tensors[0]
    return Sizes((product(each[0] for each in tensors), len(tensors)))


@shape_rule("aten.combinations.default")
def combinations(x: Sizes, r: int = 2, with_replacement: bool = False) -> Sizes:
    """All ways to choose `r` elements, one a row."""
    require(len(x) == 1, "1 dimension")
    require(r >= 0, "a number of elements that is not negative")
    if r == 0:
        return Sizes((0,))
    first = x[0] + (r - 1) if with_replacement else x[0]
    return Sizes((floordiv(product(first - i for i in range(r)), factorial(r)), r))
