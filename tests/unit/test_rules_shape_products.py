"""Size rules of matrix products, einsum, attention and linear algebra, held against the operators."""

from __future__ import annotations

import math
import random

import pytest
import torch

from guardgen.rules.shape import Sizes, applying, shape_rules
from guardgen.terms import Symbol, eq, symbol
from tests.unit.shape_rule_oracle import Call, check_concrete, check_symbolic, queries_for

b, s, h = (symbol(Symbol(name, "int", (), order, 0, 2**63 - 1)) for order, name in enumerate("bsh"))
square = torch.eye(3).expand(2, 3, 3).clone()


def r(*sizes: int) -> torch.Tensor:
    return torch.rand(sizes)


CALLS = [
    Call("aten.matmul.default", [r(2, 1, 3, 4), r(5, 4, 6)]),
    Call("aten.matmul.default", [r(4), r(2, 4, 3)]),
    Call("aten.matmul.default", [r(2, 3, 4), r(4)]),
    Call("aten.matmul.default", [r(4), r(4)]),
    Call("aten.mm.default", [r(2, 3), r(3, 4)]),
    Call("aten.bmm.default", [r(2, 3, 4), r(2, 4, 5)]),
    Call("aten.addmm.default", [r(1, 4), r(2, 3), r(3, 4)]),
    Call("aten.addmm_.default", [r(2, 4), r(2, 3), r(3, 4)]),
    Call("aten.baddbmm.default", [r(4), r(2, 3, 3), r(2, 3, 4)]),
    Call("aten.addmv.default", [r(2), r(2, 3), r(3)]),
    Call("aten.linear.default", [r(2, 3, 4), r(5, 4), r(5)]),
    Call("aten.linear.default", [r(3, 4), r(5, 4), r(1)]),
    Call("aten.bilinear.default", [r(2, 3), r(2, 4), r(5, 3, 4), r(5)]),
    Call("aten.tensordot.default", [r(2, 3, 4), r(4, 3), [1, 2], [1, 0]]),
    Call("aten.einsum.default", ["bhqd,bhkd->bhqk", [r(2, 3, 4, 5), r(2, 3, 6, 5)]]),
    Call("aten.einsum.default", ["...ij,jk", [r(2, 3, 4), r(4, 5)]]),
    Call("aten.einsum.default", ["ii,i...->...i", [r(3, 3), r(3, 2)]]),
    Call("aten.kron.default", [r(2, 3), r(4)]),
    Call("aten.cdist.default", [r(2, 3, 4), r(1, 5, 4)]),
    Call("aten.linalg_vecdot.default", [r(2, 3), r(3)]),
    Call("aten.linalg_solve.default", [r(2, 3, 3), r(2, 3)]),
    Call("aten.linalg_solve.default", [r(2, 3, 3), r(3, 2)]),
    Call("aten.linalg_solve.default", [r(2, 1, 3, 3), r(4, 3, 2)]),
    Call("aten.linalg_solve.default", [r(3, 3), r(2, 3)], {"left": False}),
    Call("aten.linalg_lstsq.default", [r(2, 4, 3), r(1, 4, 2)], {"driver": "gels"}),
    Call("aten.linalg_lstsq.default", [r(2, 4), r(2)]),
    Call("aten.linalg_lstsq.default", [r(2, 2, 3), r(2, 2)], {"driver": "gelsd"}),
    Call("aten.linalg_multi_dot.default", [[r(3), r(3, 4), r(4, 2)]]),
    Call("aten.scaled_dot_product_attention.default", [r(2, 3, 4, 5), r(2, 3, 6, 5), r(2, 3, 6, 7), r(4, 6)]),
    Call(
        "aten.scaled_dot_product_attention.default", [r(2, 4, 3, 5), r(2, 2, 3, 5), r(2, 2, 3, 5)], {"enable_gqa": True}
    ),
    Call("aten.linalg_det.default", [square]),
    Call("aten.linalg_eigh.default", [square]),
    Call("aten.linalg_svd.default", [r(2, 3, 4), False]),
    Call("aten.linalg_qr.default", [r(2, 3, 4), "complete"]),
    *(Call("aten.linalg_matrix_norm.default", [r(2, 3, 4), order]) for order in (-1, -2, 2, -math.inf)),
    *(Call("aten.norm.Scalar", [r(3, 4), order]) for order in (2, -1)),
    Call("aten.norm.ScalarOpt_dim", [r(3, 4), -2, [1]]),
    Call("aten.linalg_cross.default", [r(2, 3), r(1, 3)]),
    Call("aten.linalg_pinv.atol_rtol_float", [r(2, 3, 4)]),
    Call("aten.fft_fft.default", [r(3, 4), None, 0]),
    Call("aten.fft_rfft2.default", [r(3, 4, 5)]),
    Call("aten.fft_irfftn.default", [r(3, 4).to(torch.complex64), [4, 6]]),
    Call("aten.stft.center", [r(20), 6], {"return_complex": True}),
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.op)
def test_rules_agree_with_eager_on_numbers_and_on_symbols(call: Call) -> None:
    queries = queries_for(call, random.Random(call.op), 16, ints=True, layout=False)
    queries = [query for query in queries if not unchecked(query)]
    faults = [fault for query in (call, *queries) if (fault := check_concrete(query))]
    faults += check_symbolic(call, queries, "symbols")
    assert not faults, "\n".join(faults[:3])


def unchecked(call: Call) -> bool:
    """Whether attention for CPU goes past its checks: more or fewer values than keys, and no heads to share."""
    if not call.op.startswith("aten.scaled_dot"):
        return False
    key, value = call.args[1:3]
    return key.shape[-2] != value.shape[-2] or 0 in (key.shape[-3], value.shape[-3])


def test_a_size_of_one_that_is_summed_over_does_not_broadcast() -> None:
    with applying(("t0",)) as application:
        assert shape_rules["aten.matmul.default"](Sizes([b, s]), Sizes([h, 4])) == (b, 4)
    assert [condition for condition, _ in application.requirements] == [eq(s, h)]


def test_self_attention_asks_for_nothing() -> None:
    q = Sizes([b, 4, s, 16])
    with applying(("t0",)) as application:
        assert shape_rules["aten.scaled_dot_product_attention.default"](q, q, q) == (b, 4, s, 16)
    assert not application.requirements
