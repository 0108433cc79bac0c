"""Size rules of convolution, pooling, interpolation and unfolding, held against the operators."""

from __future__ import annotations

import random

import pytest
import torch

from guardgen.rules.shape import Sizes, applying, shape_rules
from guardgen.terms import Symbol, floordiv, ge, symbol
from tests.unit.shape_rule_oracle import Call, check_concrete, check_symbolic, queries_for

b, s, h = (symbol(Symbol(name, "int", (), order, 0, 2**63 - 1)) for order, name in enumerate("bsh"))


def r(*sizes: int) -> torch.Tensor:
    return torch.rand(sizes)


CALLS = [
    Call("aten.conv1d.default", [r(2, 4, 9), r(6, 2, 3), r(6), [2], [1], [2], 2]),
    Call("aten.conv2d.default", [r(2, 3, 8, 9), r(4, 3, 3, 2), None, [2, 1], [1, 0]]),
    Call("aten.conv2d.default", [r(3, 8, 9), r(4, 3, 3, 3), r(4)]),
    Call("aten.conv2d.padding", [r(2, 3, 8, 9), r(4, 3, 3, 2), None, [1], "same", [2]]),
    Call("aten.conv2d.padding", [r(2, 3, 8, 9), r(4, 3, 3, 2), None, [2], "valid"]),
    Call("aten.conv3d.default", [r(1, 2, 4, 5, 6), r(3, 2, 2, 2, 2)]),
    Call("aten.conv_transpose2d.input", [r(2, 4, 5, 6), r(4, 3, 3, 3), None, [2, 2], [1, 1], [1, 1], 2]),
    Call("aten.max_pool1d.default", [r(2, 3, 9), [3], [2], [1], [1], True]),
    Call("aten.max_pool2d.default", [r(2, 3, 8, 9), [3, 2], [2, 2], [1, 1]]),
    Call("aten.max_pool2d_with_indices.default", [r(2, 3, 8, 9), [3], [], [0], [2], True]),
    Call("aten.avg_pool2d.default", [r(3, 8, 9), [3, 2], [2], [1], True]),
    Call("aten.avg_pool3d.default", [r(1, 2, 4, 5, 6), [2]]),
    Call("aten.adaptive_avg_pool2d.default", [r(2, 3, 8, 9), [1, 1]]),
    Call("aten.adaptive_avg_pool2d.default", [r(2, 3, 8, 9), [2, 4]]),
    Call("aten.adaptive_max_pool1d.default", [r(2, 3, 8), [3]]),
    Call("aten.upsample_nearest2d.vec", [r(2, 3, 4, 5), None, [2.0, 1.3]]),
    Call("aten.upsample_bilinear2d.vec", [r(2, 3, 4, 5), [7, 3], False, None]),
    Call("aten.upsample_linear1d.vec", [r(2, 3, 4), None, True, [0.5]]),
    Call("aten.grid_sampler_2d.default", [r(2, 3, 4, 5), r(2, 6, 7, 2), 0, 0, False]),
    Call("aten.affine_grid_generator.default", [r(2, 2, 3), [2, 3, 4, 5], False]),
    Call("aten.pixel_shuffle.default", [r(2, 8, 3, 4), 2]),
    Call("aten.pixel_unshuffle.default", [r(2, 3, 4, 6), 2]),
    Call("aten.im2col.default", [r(2, 3, 6, 7), [2, 3], [1, 1], [1, 0], [2, 1]]),
    Call("aten.col2im.default", [r(2, 12, 6), [3, 4], [2, 2], [1, 1], [0, 0], [1, 1]]),
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.op)
def test_rules_agree_with_eager_on_numbers_and_on_symbols(call: Call) -> None:
    queries = queries_for(call, random.Random(call.op), 16, ints=True, layout=False)
    faults = [fault for query in (call, *queries) if (fault := check_concrete(query))]
    faults += check_symbolic(call, queries, "symbols")
    assert not faults, "\n".join(faults[:3])


def test_a_strided_convolution_on_symbols() -> None:
    with applying(("t0",)) as application:
        sizes = shape_rules["aten.conv2d.default"](Sizes([b, 3, s, 32]), Sizes([8, 3, 3, 3]), None, [2, 2], [1, 1])
    assert sizes == (b, 8, floordiv(s - 1, 2) + 1, 16)
    assert ge(s + 2, 3) in [condition for condition, _ in application.requirements]


def test_a_whole_factor_multiplies_and_a_half_divides() -> None:
    with applying(("t0",)):
        rule = shape_rules["aten.upsample_nearest1d.vec"]
        assert rule(Sizes([b, 3, s]), None, [2.0]) == (b, 3, 2 * s)
        assert rule(Sizes([b, 3, s]), None, [0.5]) == (b, 3, floordiv(s, 2))
