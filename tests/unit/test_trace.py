"""The recorded trace as data: what is in the graph, and how little is observed."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from guardgen.errors import TraceError
from guardgen.ir import refs, verify
from guardgen.tracing import trace
from tests.unit.tracing_checks import BAILOUT, RIGHT, outcomes


def ops(made: Any) -> list[str]:
    return [node.op for node in made.graph]


def test_sizes_are_read_once_and_only_where_asked() -> None:
    made = trace(lambda x, y: x.shape[0] * x.shape[0] + x.size(0), (torch.zeros(3, 2), torch.zeros(4)))
    assert ops(made) == ["var_placeholder", "var_placeholder", "var_size", "size_index", "int_mul", "int_add"]
    assert made.reads == {"x"}
    assert made.observations == 0


def test_composites_stay_whole_at_level_call() -> None:
    weight = torch.ones(4, 6)

    def f(x: torch.Tensor) -> torch.Tensor:
        y = torch.nn.functional.linear(x.reshape(-1, 6), weight)
        return torch.matmul(y.contiguous(), weight).to(torch.float64).flatten()

    made = trace(f, (torch.zeros(2, 3, 6),))
    torch_ops = [op for op in ops(made) if "." in op]
    assert torch_ops == [
        "aten.reshape.default",
        "aten.linear.default",
        "aten.contiguous.default",
        "aten.matmul.default",
        "aten.to.dtype",
        "aten.flatten.using_ints",
    ]
    assert made.observations == 0
    assert made.operators == 6


def test_composites_are_taken_apart_at_level_aten() -> None:
    made = trace(lambda x: x.reshape(-1, 6) @ torch.ones(6), (torch.zeros(2, 3, 6),), level="aten")
    assert not {"aten.reshape.default", "aten.matmul.default"}.intersection(ops(made))


def test_the_graph_is_verified_and_prints() -> None:
    made = trace(lambda x: x * 2 if x.shape[0] > 2 else x, (torch.zeros(3),), name="double")
    assert made.name == "double"
    assert verify(made.graph) is made.graph
    assert str(made.graph).splitlines()[:3] == [
        "x = var_placeholder(name='x')",
        "s0 = var_size(x)",
        "i1 = size_index(s0, index=0)",
    ]
    assert list(refs(made.graph.result)) == [made.graph.nodes[-1].name]


def test_tensors_of_the_run_are_described() -> None:
    made = trace(lambda x: (x * 2).sum(0), (torch.zeros(3, 2),))
    assert {name: meta.shape for name, meta in made.tensors.items()} == {"x": (3, 2), "t0": (3, 2), "t1": (2,)}


def test_unread_numbers_are_dropped() -> None:
    made = trace(lambda x: (x.shape[0] + 1, x * 1)[1], (torch.zeros(3),))
    assert ops(made) == ["var_placeholder", "aten.mul.Tensor"]


def test_placeholders_are_named_for_their_arguments() -> None:
    made = trace(
        lambda batch, *, n: batch["mask"][0] * n, ({"mask": [torch.zeros(3)], "x y": torch.zeros(1)},), {"n": 2}
    )
    assert [node.name for node in made.graph.placeholders] == ["batch_mask_0", "batch_x_y", "n"]
    assert [node.params["name"] for node in made.graph.placeholders] == ["batch['mask'][0]", "batch['x y']", "n"]


def test_names_of_lambdas_and_modules_are_identifiers() -> None:
    assert trace(lambda x: x, (1,)).name.isidentifier()
    assert trace(torch.nn.ReLU(), (torch.zeros(1),)).name == "ReLU"


def test_an_error_of_the_program_is_its_own() -> None:
    with pytest.raises(RuntimeError, match="must match"):
        trace(lambda x: x + torch.zeros(4), (torch.zeros(3),))


def test_a_repeated_run_does_not_write_twice() -> None:
    def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x.add_(1)
        return y.sum(0, keepdim=x.shape[0] > 2)

    with pytest.raises(TraceError, match=r"write bool\(\.\.\.\)"):
        trace(f, (torch.zeros(3), torch.zeros(2)))


def test_a_repeated_run_has_the_same_random_numbers() -> None:
    x = torch.ones(3)
    torch.manual_seed(0)
    expected = torch.rand(3)
    kept: list[torch.Tensor] = []

    def f(x: torch.Tensor) -> torch.Tensor:
        kept.append(torch.rand(3))
        return x.sum(0, keepdim=x.shape[0] > 2)

    torch.manual_seed(0)
    trace(f, (x,))
    assert len(kept) == 2
    assert torch.equal(kept[-1] * 1, expected)


def test_an_operator_that_takes_no_guarded_int_gets_a_plain_one() -> None:
    def f(x: torch.Tensor, k: int) -> torch.Tensor:
        out, where = torch.nn.functional.max_pool2d_with_indices(x, [k, k])
        grad = torch.ones_like(out)
        return torch.ops.aten.max_pool2d_with_indices_backward.default(grad, x, k, k, 0, 1, False, where)

    x = torch.randn(1, 1, 6, 6)
    assert outcomes(f, (x, 3), (torch.randn(2, 1, 9, 6), 3), (x, 2)) == [RIGHT, BAILOUT]
    assert all(
        node.line is None for node in trace(f, (x, 3)).graph if node.inputs == ("k",)
    )  # seen before the program ran
