"""Linear algebra on batches of matrices: functions of one matrix, and its decompositions.

Source: aten/src/ATen/native/BatchLinearAlgebra.cpp, LinearAlgebra.cpp, LinearAlgebraUtils.h (squareCheckInputs).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from guardgen.rules.shape.broadcast import broadcast
from guardgen.rules.shape.conditional import choose, empty, unless
from guardgen.rules.shape.context import Sizes, assume, require, shape_rule, wrap_dim
from guardgen.rules.shape.reductions import Dims, reduced, require_not_empty, vector_norm
from guardgen.terms import Int, IntLike, eq, minimum, ne, negate

Shape = tuple[IntLike, ...]


def require_matrix(x: Sequence[IntLike], what: str = "an input") -> None:
    require(len(x) >= 2, f"{what} of at least 2 dimensions")


def require_square(x: Sequence[IntLike], what: str = "an input") -> None:
    require_matrix(x, what)
    require(eq(x[-2], x[-1]), f"{what} of square matrices: {x[-2]} and {x[-1]}")


def matrix(x: Sizes) -> Shape:
    return tuple(x)


def batch(x: Sizes) -> Shape:
    return tuple(x[:-2])


def vector(x: Sizes) -> Shape:
    return tuple(x[:-1])


# Operators on square matrices, and the sizes of each of their results.
SQUARE: dict[str, tuple[Any, ...]] = {
    "linalg_det": (batch,),
    "det": (batch,),
    "logdet": (batch,),
    "linalg_slogdet": (batch, batch),
    "slogdet": (batch, batch),
    "_linalg_det": (batch, matrix, vector),
    "_linalg_slogdet": (batch, batch, matrix, vector),
    "linalg_inv": (matrix,),
    "inverse": (matrix,),
    "linalg_inv_ex": (matrix, batch),
    "linalg_cholesky": (matrix,),
    "linalg_cholesky_ex": (matrix, batch),
    "cholesky_inverse": (matrix,),
    "matrix_exp": (matrix,),
    "linalg_matrix_exp": (matrix,),
    "linalg_matrix_power": (matrix,),
    "matrix_power": (matrix,),
    "linalg_eig": (vector, matrix),
    "linalg_eigh": (vector, matrix),
    "linalg_eigvals": (vector,),
    "linalg_eigvalsh": (vector,),
    "linalg_ldl_factor": (matrix, vector),
    "linalg_ldl_factor_ex": (matrix, vector, batch),
}


def of_square(results: tuple[Any, ...]) -> Any:
    def rule(x: Sizes, *_: Any, **__: Any) -> Any:
        require_square(x)
        return results[0](x) if len(results) == 1 else [result(x) for result in results]

    return rule


for _name, _results in SQUARE.items():
    shape_rule(f"aten.{_name}.default")(of_square(_results))


@shape_rule("aten.cholesky.default")
def cholesky(x: Sizes, upper: bool = False) -> Shape:
    """An empty input is returned before it is checked."""
    with unless(empty(x)):
        require_square(x)
    return tuple(x)


def narrow(x: Sizes) -> IntLike:
    """The smaller side of the matrix."""
    return minimum(x[-2], x[-1])


@shape_rule("aten.linalg_svd.default", "aten._linalg_svd.default")
def svd(x: Sizes, full_matrices: bool = True, *_: Any, **__: Any) -> list[Shape]:
    require_matrix(x)
    rows, columns = (x[-2], x[-1]) if full_matrices else (narrow(x), narrow(x))
    return [(*x[:-1], rows), (*x[:-2], narrow(x)), (*x[:-2], columns, x[-1])]


@shape_rule("aten.svd.default")
def old_svd(x: Sizes, some: bool = True, compute_uv: bool = True) -> list[Shape]:
    """The last result is not transposed; without vectors, they are zeros."""
    u, s, vh = svd(x, not some or not compute_uv)
    return [u, s, (*vh[:-2], vh[-1], vh[-2])]


@shape_rule("aten.linalg_svdvals.default")
def svdvals(x: Sizes, **_: Any) -> Shape:
    require_matrix(x)
    return (*x[:-2], narrow(x))


@shape_rule("aten.linalg_qr.default")
def qr(x: Sizes, mode: str = "reduced") -> list[Shape]:
    require_matrix(x)
    inner = x[-2] if mode == "complete" else narrow(x)
    return [(0,) if mode == "r" else (*x[:-1], inner), (*x[:-2], inner, x[-1])]


@shape_rule("aten.qr.default")
def old_qr(x: Sizes, some: bool = True) -> list[Shape]:
    return qr(x, "reduced" if some else "complete")


@shape_rule("aten.geqrf.default")
def geqrf(x: Sizes) -> list[Shape]:
    require_matrix(x)
    return [tuple(x), (*x[:-2], narrow(x))]


@shape_rule("aten.linalg_lu_factor.default")
def lu_factor(x: Sizes, **_: Any) -> list[Shape]:
    require_matrix(x)
    return [tuple(x), (*x[:-2], narrow(x))]


@shape_rule("aten.linalg_lu_factor_ex.default", "aten._lu_with_info.default")
def lu_factor_ex(x: Sizes, *_: Any, **__: Any) -> list[Shape]:
    return [*lu_factor(x), tuple(x[:-2])]


@shape_rule("aten.linalg_lu.default")
def lu(x: Sizes, *, pivot: bool = True) -> list[Shape]:
    require_matrix(x)
    return [(*x[:-1], x[-2]) if pivot else (0,), (*x[:-1], narrow(x)), (*x[:-2], narrow(x), x[-1])]


@shape_rule(
    "aten.linalg_pinv.default",
    "aten.linalg_pinv.atol_rtol_float",
    "aten.linalg_pinv.atol_rtol_tensor",
    "aten.pinverse.default",
)
def pinv(x: Sizes, *rest: Any, hermitian: bool = False, **tolerances: Any) -> Shape:
    require_matrix(x)
    with unless(empty(x)):
        if hermitian or True in rest[1:]:
            require_square(x)
        broadcast(x[:-2], *given(tolerances))
    return (*x[:-2], x[-1], x[-2])


def given(tolerances: dict[str, Any]) -> list[Sizes]:
    """Tolerances that are not numbers but tensors, which broadcast with the batch."""
    return [value for value in tolerances.values() if isinstance(value, Sizes)]


@shape_rule(
    "aten.linalg_matrix_rank.default",
    "aten.linalg_matrix_rank.atol_rtol_float",
    "aten.linalg_matrix_rank.atol_rtol_tensor",
)
def matrix_rank(x: Sizes, *rest: Any, hermitian: bool = False, **tolerances: Any) -> Shape:
    require_matrix(x)
    with unless(empty(x)):
        if hermitian or True in rest[1:]:
            require_square(x)
        result = broadcast(x[:-2], *given(tolerances))
    if len(result) != len(x) - 2:
        assume(negate(empty(x)), "matrices with elements: of none, the tolerances don't count")
        return result
    return choose(empty(x), x[:-2], result)


@shape_rule("aten.linalg_cond.default", "aten.linalg_cond.p_str")
def cond(x: Sizes, p: Any = None) -> Shape:
    """Of the singular values, or of norms of the matrix and its inverse."""
    require_matrix(x)
    if isinstance(p, str):
        require_square(x)
    elif p is not None and p not in (2, -2):
        with unless(empty(x)):
            require_square(x)
    return tuple(x[:-2])


@shape_rule("aten.linalg_matrix_norm.default", "aten.linalg_matrix_norm.str_ord")
def matrix_norm(
    x: Sizes, ord: Any = "fro", dim: Sequence[int] = (-2, -1), keepdim: bool = False, *, dtype: Any = None
) -> Shape:
    """Norms that are a minimum, of sums or of singular values, need something to take it of."""
    require_matrix(x)
    first, second = (wrap_dim(d, len(x)) for d in dim)
    require(first != second, "2 different dimensions")
    if ord == -math.inf:
        require_not_empty(x, [first])
    for order, minimum_over in ((-2, [first, second]), (-1, [second])):
        with unless(ne(ord, order) if isinstance(ord, Int) else ord != order):
            require_not_empty(x, minimum_over)
    return reduced(x, [first, second], keepdim)


@shape_rule("aten.linalg_norm.default", "aten.linalg_norm.ord_str")
def norm(x: Sizes, ord: Any = None, dim: Dims = None, keepdim: bool = False, *, dtype: Any = None) -> Shape:
    """A vector norm along one dimension, or of all without an order; else a matrix norm."""
    dims = None if dim is None else [dim] if isinstance(dim, int) else list(dim)
    if ord is not None and ((dims is not None and len(dims) == 2) or (dims is None and len(x) == 2)):
        return matrix_norm(x, ord, dims or (0, 1), keepdim)
    return vector_norm(x, 2 if ord is None else ord, dims, keepdim)
