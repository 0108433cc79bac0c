"""Terms over the inputs' sizes in normal form: `ints` (polynomials over atoms), `bools` (comparisons and their joins).

Shape rules compute with them, the solver reasons about them, and `graph` turns them into nodes of the IR.
"""

from guardgen.terms.bools import both, either, eq, ge, gt, ite, le, lt, ne, negate
from guardgen.terms.ints import (
    Bool,
    BoolLike,
    Float,
    FloatLike,
    Int,
    IntLike,
    Symbol,
    floordiv,
    maximum,
    minimum,
    mod,
    product,
    symbol,
)

__all__ = [
    "Bool",
    "BoolLike",
    "Float",
    "FloatLike",
    "Int",
    "IntLike",
    "Symbol",
    "both",
    "either",
    "eq",
    "floordiv",
    "ge",
    "gt",
    "ite",
    "le",
    "lt",
    "maximum",
    "minimum",
    "mod",
    "ne",
    "negate",
    "product",
    "symbol",
]
