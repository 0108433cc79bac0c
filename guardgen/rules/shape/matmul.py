"""Products of matrices and vectors. The sizes that are summed over must be equal: a size of 1 does not broadcast there.

Source: aten/src/ATen/native/LinearAlgebra.cpp, Linear.cpp, Distance.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from guardgen.rules.shape.broadcast import broadcast, expand_to
from guardgen.rules.shape.context import Sizes, assume, require, shape_rule, wrap_dim
from guardgen.rules.shape.variants import fresh
from guardgen.terms import IntLike, either, eq, ite, ne, negate

Shape = tuple[IntLike, ...]


def require_equal(left: IntLike, right: IntLike, what: str) -> None:
    require(eq(left, right), f"{what}: {left} and {right}")


def require_rank(x: Sequence[IntLike], rank: int, what: str) -> None:
    require(len(x) == rank, f"{what} of {rank} dimensions")


def contract(left: IntLike, right: IntLike) -> None:
    require_equal(left, right, "equal sizes to sum over")


@shape_rule("aten.matmul.default", "aten.linalg_matmul.default")
def matmul(x: Sequence[IntLike], other: Sequence[IntLike]) -> Shape:
    """By rank: a vector on the left is a row, on the right a column; leading dimensions are batches that broadcast."""
    require(len(x) > 0 and len(other) > 0, "tensors of at least 1 dimension")
    contract(x[-1], other[-1] if len(other) == 1 else other[-2])
    batch = broadcast(x[:-2], other[:-2])
    return (*batch, *(x[-2:-1]), *(other[-1:] if len(other) > 1 else ()))


@shape_rule("aten.mm.default")
def mm(x: Sizes, mat2: Sizes, *_: Any) -> Shape:
    require_rank(x, 2, "a first matrix")
    require_rank(mat2, 2, "a second matrix")
    contract(x[1], mat2[0])
    return fresh((x[0], mat2[1]))


@shape_rule("aten.bmm.default")
def bmm(x: Sizes, mat2: Sizes, *_: Any) -> Shape:
    require_rank(x, 3, "a first batch of matrices")
    require_rank(mat2, 3, "a second batch of matrices")
    require_equal(x[0], mat2[0], "batches of equal size")
    contract(x[2], mat2[1])
    return fresh((x[0], x[1], mat2[2]))


@shape_rule("aten.mv.default")
def mv(x: Sizes, vec: Sizes) -> Shape:
    require_rank(x, 2, "a matrix")
    require_rank(vec, 1, "a vector")
    contract(x[1], vec[0])
    return fresh((x[0],))


@shape_rule("aten.dot.default", "aten.vdot.default")
def dot(x: Sizes, other: Sizes) -> Shape:
    require_rank(x, 1, "a first vector")
    require_rank(other, 1, "a second vector")
    contract(x[0], other[0])
    return ()


@shape_rule("aten.inner.default")
def inner(x: Sizes, other: Sizes) -> Shape:
    if not x or not other:
        return (*x, *other)
    contract(x[-1], other[-1])
    return (*x[:-1], *other[:-1])


@shape_rule("aten.outer.default", "aten.ger.default")
def outer(x: Sizes, other: Sizes) -> Shape:
    require_rank(x, 1, "a first vector")
    require_rank(other, 1, "a second vector")
    return fresh((x[0], other[0]))


def added(x: Sizes, result: Sequence[IntLike]) -> Shape:
    """The sum of a product and `x`, which expands to it and not the other way round."""
    expand_to(x, result, "a summand")
    return fresh(result)


@shape_rule("aten.addmm.default", "aten._addmm_activation.default")
def addmm(x: Sizes, mat1: Sizes, mat2: Sizes, **_: Any) -> Shape:
    return added(x, mm(mat1, mat2))


@shape_rule("aten.baddbmm.default")
def baddbmm(x: Sizes, batch1: Sizes, batch2: Sizes, **_: Any) -> Shape:
    return added(x, bmm(batch1, batch2))


@shape_rule("aten.addbmm.default")
def addbmm(x: Sizes, batch1: Sizes, batch2: Sizes, **_: Any) -> Shape:
    return added(x, bmm(batch1, batch2)[1:])


@shape_rule("aten.addmv.default")
def addmv(x: Sizes, mat: Sizes, vec: Sizes, **_: Any) -> Shape:
    """Of a matrix without elements the product is left out, and the summand is the result as it is."""
    (rows,) = added(x, mv(mat, vec))
    none = either(eq(mat[0], 0), eq(mat[1], 0))
    if not x:
        assume(negate(none), "a matrix with elements: without, a sum with a scalar is a scalar")
        return (rows,)
    return (ite(none, x[0], rows),)


@shape_rule("aten.addr.default")
def addr(x: Sizes, vec1: Sizes, vec2: Sizes, **_: Any) -> Shape:
    return tuple(added(x, outer(vec1, vec2)))


@shape_rule("aten.linear.default")
def linear(x: Sizes, weight: Sizes, bias: Sizes | None = None) -> Shape:
    """The last dimension times the transposed weight; the bias expands to the result."""
    require(len(x) > 0, "an input of at least 1 dimension")
    require(len(weight) in (1, 2), "a weight of 1 or 2 dimensions")
    contract(x[-1], weight[-1])
    result = (*x[:-1], *weight[:-1])
    if bias is not None:
        expand_to(bias, result, "a bias")
    return fresh(result)


@shape_rule("aten.bilinear.default")
def bilinear(input1: Sizes, input2: Sizes, weight: Sizes, bias: Sizes | None = None) -> Shape:
    require(len(input1) == len(input2), "inputs of the same number of dimensions")
    for left, right in zip(input1[:-1], input2[:-1], strict=False):
        require_equal(left, right, "inputs of equal batch sizes")
    require_rank(weight, 3, "a weight")
    require_equal(input1[-1], weight[1], "as many features of the first input as the weight has")
    require_equal(input2[-1], weight[2], "as many features of the second input as the weight has")
    for x in (input1, input2):
        require(ne(x[-1], 0), "inputs with features")
    if bias is not None:
        require_equal(bias[0], weight[0], "a bias of the size of the output")
    return (*input1[:-1], weight[0])


@shape_rule("aten.tensordot.default")
def tensordot(x: Sizes, other: Sizes, dims_self: Sequence[int], dims_other: Sequence[int]) -> Shape:
    """Sums over pairs of dimensions; a size of 1 broadcasts, which sums the other tensor over that dimension."""
    require(len(dims_self) == len(dims_other), "as many dimensions of one tensor as of the other")
    left = [wrap_dim(dim, len(x)) for dim in dims_self]
    right = [wrap_dim(dim, len(other)) for dim in dims_other]
    for i, j in zip(left, right, strict=True):
        require(either(eq(x[i], other[j]), eq(x[i], 1), eq(other[j], 1)), "sizes to sum over that are equal or 1")
    rest = [size for i, size in enumerate(x) if i not in left]
    return (*rest, *(size for j, size in enumerate(other) if j not in right))


@shape_rule("aten.chain_matmul.default")
def chain_matmul(matrices: Sequence[Sizes]) -> Shape:
    for matrix in matrices:
        require_rank(matrix, 2, "each matrix")
    return chain(matrices)


@shape_rule("aten.linalg_multi_dot.default")
def multi_dot(tensors: Sequence[Sizes]) -> Shape:
    """Matrices, of which the first may be a row vector and the last a column vector."""
    require(len(tensors) >= 2, "at least 2 tensors")
    return chain(tensors)


def chain(tensors: Sequence[Sizes]) -> Shape:
    result: Shape = tuple(tensors[0])
    for each in tensors[1:]:
        result = matmul(result, each)
    return result


@shape_rule("aten.kron.default")
def kron(x: Sizes, other: Sizes) -> Shape:
    """Sizes are multiplied, aligned from the last."""
    rank = max(len(x), len(other))
    left, right = ((1,) * (rank - len(each)) + tuple(each) for each in (x, other))
    return tuple(a * b for a, b in zip(left, right, strict=True))


@shape_rule("aten.cdist.default", "aten._cdist_forward.default", "aten._euclidean_dist.default")
def cdist(x1: Sizes, x2: Sizes, *_: Any, **__: Any) -> Shape:
    require(len(x1) >= 2 and len(x2) >= 2, "inputs of at least 2 dimensions")
    require_equal(x1[-1], x2[-1], "inputs with the same number of columns")
    return (*broadcast(x1[:-2], x2[:-2]), x1[-2], x2[-2])


@shape_rule("aten.linalg_vecdot.default")
def vecdot(x: Sizes, y: Sizes, *, dim: int = -1) -> Shape:
    """A sum of products, which broadcast; of two vectors a dot product, which does not."""
    if len(x) == len(y) == 1:
        return dot(x, y)
    result = broadcast(x, y)
    at = wrap_dim(dim, len(result))
    return (*result[:at], *result[at + 1 :])


@shape_rule("aten.trace.default")
def trace(x: Sizes) -> Shape:
    require_rank(x, 2, "a matrix")
    return ()
