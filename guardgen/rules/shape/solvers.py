"""Systems of linear equations: matrices of coefficients, and right-hand sides that are vectors or matrices.

Source: aten/src/ATen/native/BatchLinearAlgebra.cpp, LinearAlgebraUtils.h (linalg_solve_is_vector_rhs,
_linalg_broadcast_batch_dims), Cross.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence

from guardgen.rules.shape.broadcast import broadcast
from guardgen.rules.shape.conditional import unless
from guardgen.rules.shape.context import Sizes, assume, data_size, require, shape_rule, traced_rank, wrap_dim
from guardgen.rules.shape.linalg import narrow, require_matrix, require_square
from guardgen.rules.shape.normalisation import require_sizes
from guardgen.terms import BoolLike, IntLike, both, either, eq, ge, gt, ite, minimum, ne, negate, product

Shape = tuple[IntLike, ...]


def is_vector(a: Sizes, b: Sizes) -> BoolLike:
    """Whether the right-hand side is a vector for each matrix: one dimension less than they have, and their sizes."""
    if len(b) == 1:
        return True
    return len(a) - 1 == len(b) and both(*(eq(left, right) for left, right in zip(a[:-1], b, strict=True)))


def solution(a: Sizes, b: Sizes, left: bool) -> Shape:
    require_square(a, "coefficients")
    vector = is_vector(a, b)
    if isinstance(vector, bool):
        return of_vectors(a, b, left) if vector else of_matrices(a, b, left)
    with unless(vector):
        matrices = of_matrices(a, b, left)
    traced = traced_rank() == len(a) - 1  # the number of dimensions of the result depends on sizes
    assume(vector if traced else negate(vector), "a right-hand side of vectors or of matrices as in the trace")
    return tuple(b) if traced else matrices


def of_vectors(a: Sizes, b: Sizes, left: bool) -> Shape:
    require(left, "matrices on the right-hand side")
    require(eq(a[-1], b[-1]), "a right-hand side that fits the coefficients")
    return (*broadcast(a[:-2], b[:-1]), b[-1])


def of_matrices(a: Sizes, b: Sizes, left: bool) -> Shape:
    require_matrix(b, "a right-hand side")
    require(eq(a[-1], b[-2] if left else b[-1]), "a right-hand side that fits the coefficients")
    return (*broadcast(a[:-2], b[:-2]), *b[-2:])


@shape_rule("aten.linalg_solve.default")
def solve(A: Sizes, B: Sizes, *, left: bool = True) -> Shape:
    return solution(A, B, left)


@shape_rule("aten.linalg_solve_ex.default")
def solve_ex(A: Sizes, B: Sizes, *, left: bool = True, check_errors: bool = False) -> list[Shape]:
    return [solution(A, B, left), tuple(A[:-2])]


@shape_rule("aten.linalg_solve_triangular.default")
def solve_triangular(x: Sizes, B: Sizes, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Shape:
    require_square(x, "coefficients")
    require_matrix(B, "a right-hand side")
    require(eq(x[-1], B[-2] if left else B[-1]), "a right-hand side that fits the coefficients")
    return (*broadcast(x[:-2], B[:-2]), *B[-2:])


def with_factor(b: Sizes, factor: Sizes) -> Shape:
    """The solution for a factorised matrix."""
    require_matrix(b, "a right-hand side")
    require_square(factor, "a factor")
    require(eq(b[-2], factor[-1]), "a right-hand side that fits the factor")
    return (*broadcast(b[:-2], factor[:-2]), *b[-2:])


@shape_rule("aten.cholesky_solve.default")
def cholesky_solve(x: Sizes, input2: Sizes, upper: bool = False) -> Shape:
    return with_factor(x, input2)


@shape_rule("aten.triangular_solve.default")
def old_triangular_solve(
    x: Sizes, A: Sizes, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> list[Shape]:
    result = with_factor(x, A)
    return [result, (*result[:-2], *A[-2:])]


@shape_rule("aten.lu_solve.default")
def old_lu_solve(x: Sizes, LU_data: Sizes, LU_pivots: Sizes) -> Shape:
    require_sizes(LU_pivots, LU_data[:-1], "pivots for every row")
    return with_factor(x, LU_data)


@shape_rule("aten.linalg_lu_solve.default")
def lu_solve(LU: Sizes, pivots: Sizes, B: Sizes, *, left: bool = True, adjoint: bool = False) -> Shape:
    require_square(LU, "a factor")
    require_sizes(pivots, LU[:-1], "pivots for every row")
    require_matrix(B, "a right-hand side")
    require(eq(LU[-1], B[-2] if left else B[-1]), "a right-hand side that fits the factor")
    return (*broadcast(LU[:-2], B[:-2]), *B[-2:])


@shape_rule("aten.linalg_ldl_solve.default")
def ldl_solve(LD: Sizes, pivots: Sizes, B: Sizes, *, hermitian: bool = False) -> Shape:
    require_sizes(pivots, LD[:-1], "pivots for every row")
    require(len(B) >= 2, "a right-hand side of at least 2 dimensions")
    return with_factor(B, LD)


@shape_rule("aten.lu_unpack.default")
def lu_unpack(LU_data: Sizes, LU_pivots: Sizes, unpack_data: bool = True, unpack_pivots: bool = True) -> list[Shape]:
    require_matrix(LU_data)
    if unpack_pivots:
        require_sizes(LU_pivots, (*LU_data[:-2], narrow(LU_data)), "a pivot for every step")
    permutation: Shape = (*LU_data[:-1], LU_data[-2]) if unpack_pivots else (0,)
    if not unpack_data:
        return [permutation, (0,), (0,)]
    return [permutation, (*LU_data[:-1], narrow(LU_data)), (*LU_data[:-2], narrow(LU_data), LU_data[-1])]


@shape_rule("aten.linalg_householder_product.default", "aten.orgqr.default")
def householder_product(x: Sizes, tau: Sizes) -> Shape:
    require_matrix(x)
    require(ge(x[-2], x[-1]), "at least as many rows as columns")
    require(len(tau) == len(x) - 1, "factors of one dimension less than the input")
    require(ge(x[-1], tau[-1]), "at most as many factors as columns")
    require_sizes(tau[:-1], x[:-2], "factors for every matrix")
    return tuple(x)


@shape_rule("aten.ormqr.default")
def ormqr(x: Sizes, input2: Sizes, input3: Sizes, left: bool = True, transpose: bool = False) -> Shape:
    require_matrix(x)
    require_matrix(input3)
    side = input3[-2] if left else input3[-1]
    require(eq(side, x[-2]), "a matrix of as many rows as the reflectors")
    require(eq(input2[-1], minimum(side, x[-1])), "a factor for every reflector")
    require(len(input2) == len(x) - 1, "factors of one dimension less than the reflectors")
    require(len(x) == len(input3), "a matrix of as many dimensions as the reflectors")
    require_sizes(input2[:-1], x[:-2], "factors for every matrix")
    require_sizes(input3[:-2], x[:-2], "as many matrices as reflectors")
    return tuple(input3)


@shape_rule("aten.linalg_cross.default")
def cross(x: Sizes, other: Sizes, *, dim: int = -1) -> Shape:
    """Of vectors of 3 numbers, which broadcast."""
    require(len(x) == len(other), "inputs of the same number of dimensions")
    at = wrap_dim(dim, len(x))
    require(eq(x[at], 3), "vectors of 3 numbers")
    require(eq(other[at], 3), "vectors of 3 numbers")
    return broadcast(x, other)


@shape_rule("aten.cross.default")
def old_cross(x: Sizes, other: Sizes, dim: int | None = None) -> Shape:
    """Without `dim`, along the first dimension of size 3."""
    if dim is not None:
        return cross(x, other, dim=dim)
    require(len(x) == len(other), "inputs of the same number of dimensions")
    first: list[BoolLike] = []
    before: BoolLike = True
    for left, right in zip(x, other, strict=True):
        first.append(both(before, eq(left, 3), eq(right, 3)))
        before = both(before, ne(left, 3))
    require(either(*first), "vectors of 3 numbers")
    return broadcast(x, other)


@shape_rule("aten.linalg_tensorinv.default")
def tensorinv(x: Sizes, ind: int = 2) -> Shape:
    require(ind > 0, "ind above 0")
    require(eq(product(x[:ind]), product(x[ind:])), "sides of the same number of elements")
    return (*x[ind:], *x[:ind])


@shape_rule("aten.linalg_tensorsolve.default")
def tensorsolve(x: Sizes, other: Sizes, dims: Sequence[int] | None = None) -> Shape:
    """Dimensions `dims` of the coefficients go last; those beyond the right-hand side's are the solution's."""
    if dims is not None:
        moved = [wrap_dim(d, len(x)) for d in dims]
        rest = [d for d in range(len(x)) if d not in moved]
        x = Sizes([x[d] for d in (*rest, *moved)])
    result = tuple(x[len(other) :])
    require(eq(product(result), product(x[: len(other)])), "as many unknowns as equations")
    require(eq(product(result), product(other)), "a right-hand side for every equation")
    return result


@shape_rule("aten.linalg_lstsq.default")
def lstsq(x: Sizes, b: Sizes, rcond: float | None = None, *, driver: str | None = None) -> list[Shape]:
    """Solution, residuals, ranks and singular values; which of the last three are empty is a matter of the driver.

    There are residuals where the matrices are tall, and of full rank, which only the driver `gels` takes for granted.
    """
    require_matrix(x, "coefficients")
    require(len(b) >= 1, "a right-hand side of at least 1 dimension")
    require(0 <= len(x) - len(b) <= 1, "a right-hand side with as many dimensions as the coefficients, or one less")
    vector, batch = layout_of_sides(x, b)
    sides = Sizes((*b, 1)) if vector else b
    solved = (*batch, x[-1], sides[-1])
    name = driver or "gelsy"
    if name in ("gelsd", "gelss"):  # with nothing to solve for, their kernels fail, or crash the process
        require(either(ne(sides[-1], 0), eq(product(x), 0), eq(product(batch), 0)), "a right-hand side of some columns")
    residuals: Shape = (0,)
    if name != "gelsy":
        kept = tuple(data_size(1, dim) for dim in range(traced_rank(1)))
        residuals = kept if name != "gels" else residuals_of(x, (*batch, sides[-1]))
    ranks = (0,) if name == "gels" else tuple(x[:-2])
    singular = (*x[:-2], minimum(x[-2], x[-1])) if name in ("gelsd", "gelss") else (0,)
    return [solved[:-1] if vector else solved, residuals, ranks, singular]


def residuals_of(x: Sizes, sizes: Shape) -> Shape:
    tall = gt(x[-2], x[-1])
    if len(sizes) == 1:
        return (ite(tall, sizes[0], 0),)
    traced = traced_rank(1) == len(sizes)
    assume(tall if traced else negate(tall), "tall matrices or others as in the trace")
    return sizes if traced else (0,)


def layout_of_sides(x: Sizes, b: Sizes) -> tuple[bool, Shape]:
    """Whether the right-hand side of `lstsq` is a vector for each matrix, and the sizes of the batch."""
    if len(b) == 1:
        require(eq(x[-2], b[0]), "a right-hand side that fits the coefficients")
        return True, tuple(x[:-2])
    one_less = len(b) < len(x)
    vector = is_vector(x, b) if one_less else False
    with unless(vector):  # matrices; where there is one dimension less, their rows count among the batch, by accident
        batch = broadcast(x[:-2], b[:-1] if one_less else b[:-2])
        require(eq(x[-2], b[-2]), "a right-hand side that fits the coefficients")
    if not isinstance(vector, bool):
        traced = traced_rank() == len(x) - 1
        assume(vector if traced else negate(vector), "a right-hand side of vectors or of matrices as in the trace")
        vector = traced
    return vector, tuple(x[:-2]) if vector else tuple(batch)
