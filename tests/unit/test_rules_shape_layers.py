"""Size rules of normalisation, losses, embeddings, recurrent networks and `prims`, held against the operators."""

from __future__ import annotations

import random

import pytest
import torch

from guardgen.rules.shape import Sizes, applying, shape_rules
from guardgen.terms import Symbol, eq, symbol
from tests.unit.shape_rule_oracle import Call, check_concrete, check_symbolic, queries_for

b, s, h = (symbol(Symbol(name, "int", (), order, 0, 2**63 - 1)) for order, name in enumerate("bsh"))


def r(*sizes: int) -> torch.Tensor:
    return torch.rand(sizes)


def zeros(*sizes: int) -> torch.Tensor:
    """Indices and classes that are right wherever there is anything to index."""
    return torch.zeros(sizes, dtype=torch.long)


CALLS = [
    Call("aten.softmax.int", [r(2, 3), -1]),
    Call("aten.layer_norm.default", [r(2, 3, 4), [3, 4], r(3, 4), r(3, 4)]),
    Call("aten.native_layer_norm.default", [r(2, 3, 4), [4], None, None, 1e-5]),
    Call("aten.rms_norm.default", [r(2, 3, 4), [4], r(4)]),
    Call("aten.group_norm.default", [r(2, 6, 4), 3, r(6), r(6)]),
    Call("aten.instance_norm.default", [r(2, 3, 4), r(3), r(3), None, None, True, 0.1, 1e-5, False]),
    Call("aten.embedding.default", [r(5, 4), zeros(2, 3)]),
    Call("aten.mse_loss.default", [r(2, 3), r(3), 0]),
    Call("aten.binary_cross_entropy_with_logits.default", [r(2, 3), r(2, 3), None, r(3)]),
    Call("aten.cross_entropy_loss.default", [r(2, 5, 3), zeros(2, 3), r(5)]),
    Call("aten.cross_entropy_loss.default", [r(5), zeros(), None, 0]),
    Call("aten.cross_entropy_loss.default", [r(2, 5), r(2, 5)]),
    Call("aten.multi_margin_loss.default", [r(2, 5), zeros(2)]),
    Call("aten.triplet_margin_loss.default", [r(2, 5), r(2, 5), r(1, 5)]),
    Call("aten.cosine_similarity.default", [r(2, 5), r(1, 5)]),
    Call("aten.lstm_cell.default", [r(2, 3), [r(2, 4), r(2, 4)], r(16, 3), r(16, 4)]),
    Call("prims.add.default", [r(2, 3), r(2, 3)]),
    Call("prims.where.default", [r(2, 3) > 0, r(2, 3), r()]),
    Call("prims.broadcast_in_dim.default", [r(3, 1), [2, 3, 4], [1, 2]]),
    Call("prims.amax.default", [r(2, 3), [0]]),
    Call("prims.transpose.default", [r(2, 3, 4), [2, 0, 1]]),
    Call("prims.squeeze.default", [r(2, 1, 4), [1]]),
    Call("prims.collapse.default", [r(2, 3, 4), 1, 2]),
    Call("prims.split_dim.default", [r(2, 6), 1, 3]),
    Call("prims.cat.default", [[r(2, 3), r(4, 3)], 0]),
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.op)
def test_rules_agree_with_eager_on_numbers_and_on_symbols(call: Call) -> None:
    queries = queries_for(call, random.Random(call.op), 16, ints=True, layout=False)
    faults = [fault for query in (call, *queries) if (fault := check_concrete(query))]
    faults += check_symbolic(call, queries, "symbols")
    assert not faults, "\n".join(faults[:3])


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
@pytest.mark.parametrize("batch_first", [False, True])
def test_recurrent_networks_at_other_lengths_and_batches(kind: str, batch_first: bool) -> None:
    projected = {"proj_size": 3} if kind == "LSTM" else {}
    net = getattr(torch.nn, kind)(5, 4, 2, bidirectional=True, batch_first=batch_first, **projected)
    name = {"RNN": "rnn_tanh"}.get(kind, kind.lower())
    weights = [weight.detach() for weight in net._flat_weights]

    def call(time: int, batch: int) -> Call:
        x = r(batch, time, 5) if batch_first else r(time, batch, 5)
        states = [r(4, batch, 3), r(4, batch, 4)] if kind == "LSTM" else r(4, batch, 4)
        return Call(f"aten.{name}.input", [x, states, weights, True, 2, 0.0, False, True, batch_first])

    assert not check_concrete(call(3, 2))
    assert not list(check_symbolic(call(3, 2), [call(1, 2), call(7, 1), call(0, 2)], "symbols", ints=False))


def test_primitives_do_not_broadcast() -> None:
    with applying(("t0",)) as application:
        shape_rules["prims.mul.default"](Sizes([b, 1]), Sizes([s, 1]))
    assert [condition for condition, _ in application.requirements] == [eq(b, s)]


def test_a_normalized_shape_fixes_the_last_sizes() -> None:
    with applying(("t0",)) as application:
        assert tuple(shape_rules["aten.layer_norm.default"](Sizes([b, s, h]), [64], Sizes([64]))) == (b, s, h)
    assert [condition for condition, _ in application.requirements] == [eq(h, 64)]
