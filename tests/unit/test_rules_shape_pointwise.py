"""Size rules of pointwise operators, reductions and forms in place, held against the operators."""

from __future__ import annotations

import random

import pytest
import torch

from guardgen.errors import GraphError
from guardgen.rules.shape import Sizes, applying, shape_rules
from guardgen.terms import Symbol, either, eq, ite, symbol
from tests.unit.shape_rule_oracle import Call, check_concrete, check_symbolic, queries_for

b, s, h = (symbol(Symbol(name, "int", (), order, 0, 2**63 - 1)) for order, name in enumerate("bsh"))
x = torch.rand(4, 1, 3)
y = torch.rand(5, 3)

CALLS = [
    Call("aten.add.Tensor", [x, y]),
    Call("aten.add_.Tensor", [torch.rand(4, 5, 3), y]),
    Call("aten.add.out", [x, y], {"out": torch.rand(2)}),
    Call("aten.pow.Scalar", [2, x]),
    Call("aten.lerp.Tensor", [x, y, torch.rand(3)]),
    Call("aten.addcmul.default", [x, y, torch.rand(())]),
    Call("aten.clamp.Tensor", [x, None, y]),
    Call("aten.frexp.Tensor", [x]),
    Call("aten.rsub.Tensor", [x, y]),
    Call("aten.isclose.default", [x, y]),
    Call("aten.dropout.default", [x, 0.5, True]),
    Call("aten.normal_.default", [x]),
    Call("aten.sum.default", [x]),
    Call("aten.sum.dim_IntList", [x, [0, -1], True]),
    Call("aten.mean.dim", [x, None]),
    Call("aten.amax.default", [x, [0]]),
    Call("aten.max.default", [x]),
    Call("aten.max.dim", [x, 2]),
    Call("aten.aminmax.default", [x], {"dim": 0, "keepdim": True}),
    Call("aten.argmax.default", [x]),
    Call("aten.var_mean.correction", [x, [1]], {"correction": 0}),
    Call("aten.linalg_vector_norm.default", [x, float("inf"), [0]]),
    Call("aten.norm.ScalarOpt_dim", [x, 2, [0], False]),
    Call("aten.quantile.default", [x, torch.rand(2), 0]),
    Call("aten.cumsum.default", [x, 0]),
    Call("aten.cumsum_.default", [x, 0]),
    Call("aten.cummax.default", [x, -1]),
    Call("aten.kthvalue.default", [x, 2, 0]),
    Call("aten.topk.default", [x, 2, 2]),
    Call("aten.sort.default", [x, 1]),
    Call("aten.glu.default", [torch.rand(3, 6)]),
    Call("aten.prelu.default", [x, torch.rand(1)]),
    Call("aten.diff.default", [y, 2, 0]),
    Call("aten.gradient.tensorarray", [y], {"spacing": [torch.arange(4.0)], "dim": [1]}),
    Call("aten.gradient.tensorarray", [y], {"spacing": [torch.arange(3.0)], "dim": [0], "edge_order": 2}),
    Call("aten.trapezoid.x", [y, torch.rand(3)]),
    Call("aten.bincount.default", [torch.randint(5, (6,))]),
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.op)
def test_rules_agree_with_eager_on_numbers_and_on_symbols(call: Call) -> None:
    queries = queries_for(call, random.Random(call.op), 16, ints=True, layout=True)
    faults = [fault for query in (call, *queries) if (fault := check_concrete(query))]
    faults += check_symbolic(call, queries, "symbols")
    faults += check_symbolic(call, queries, "row-major")
    assert not faults, "\n".join(faults[:3])


def test_sizes_of_one_stay_a_case_and_equal_sizes_broadcast_without_one() -> None:
    with applying(("t0",)) as application:
        assert tuple(shape_rules["aten.add.Tensor"](Sizes([b, s]), Sizes([b, h]))) == (b, ite(eq(s, 1), h, s))
    assert [condition for condition, _ in application.requirements] == [either(eq(s, h), eq(s, 1), eq(h, 1))]


def test_broadcasting_with_a_size_that_it_was_broadcast_from_adds_nothing() -> None:
    with applying(("t0",)):
        (once,) = shape_rules["aten.add.Tensor"](Sizes([s]), Sizes([h]))
        (twice,) = shape_rules["aten.add.Tensor"](Sizes([once]), Sizes([b]))
    for others in ([s], [h], [1], [once]):
        with applying(("t0",)) as application:
            assert tuple(shape_rules["aten.add.Tensor"](Sizes([once]), Sizes(others))) == (once,)
        assert application.requirements == []
    with applying(("t0",)) as application:
        assert tuple(shape_rules["aten.mul.Tensor"](Sizes([h]), Sizes([twice]))) == (twice,)
    assert application.requirements == []


def test_an_operand_of_an_operator_in_place_is_not_larger_than_what_it_writes() -> None:
    with applying(("t0",)) as application:
        assert tuple(shape_rules["aten.mul_.Tensor"](Sizes([b, 4]), Sizes([s, 1]))) == (b, 4)
    assert [condition for condition, _ in application.requirements] == [either(eq(s, 1), eq(s, b))]


def test_forms_without_a_rule_of_their_own_take_that_of_the_functional_form() -> None:
    for op in ("aten.sum.IntList_out", "aten.max.dim_max", "aten.addmm_.default", "aten.sort.values"):
        assert op in shape_rules
    assert shape_rules.missing(["aten.mm.out", "aten.no_such_operator.default"]) == ["aten.no_such_operator.default"]
    with pytest.raises(GraphError, match=r"aten\.no_such_operator\.default"):
        shape_rules["aten.no_such_operator.default"]
