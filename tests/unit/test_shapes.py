"""The int-only graph of a trace: under the concrete table, and printed as assertions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from guardgen import BailoutError, derive, trace
from guardgen.interpret import interpret
from guardgen.ir import Graph
from guardgen.rules.assertions import assertions
from guardgen.rules.concrete import concrete_step
from guardgen.shapes import shape_graph


def shapes_of(fn: Callable[..., Any], *args: Any, level: str = "call") -> Graph:
    return shape_graph(derive(trace(fn, args, level=level)))


def add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a + b


def textbook() -> Graph:
    return shapes_of(add, torch.ones(4), torch.ones(4), level="prims")


def expressions(graph: Graph) -> list[str]:
    """The assertions without the user's lines."""
    return [line.partition("  # ")[0] for line in assertions(graph).splitlines()]


def test_every_tensor_is_gone() -> None:
    graph = textbook()
    assert {node.op.partition("_")[0] for node in graph} == {"int", "bool"}
    assert [(node.name, node.params["name"]) for node in graph.placeholders] == [
        ("a0", "a.shape[0]"),
        ("b0", "b.shape[0]"),
    ]


def test_an_inequality_prints_as_the_equality_that_was_seen_false() -> None:
    assert expressions(textbook())[:2] == ["assert not (a0 == 1)", "assert a0 == b0"]


def test_every_assertion_has_the_line_of_the_user() -> None:
    assert all(
        "test_shapes.py" in line and line.endswith(": return a + b")
        for line in str(assertions(textbook())).splitlines()
    )


@pytest.mark.parametrize("sizes", [(8, 8), (0, 0), (4, 4)])
def test_it_runs_on_sizes_that_agree(sizes: tuple[int, int]) -> None:
    interpret(textbook(), concrete_step, dict(zip(("a0", "b0"), sizes, strict=True)))


@pytest.mark.parametrize(
    ("sizes", "looked_at", "expected"),
    [((1, 1), "a0 == 1", False), ((4, 8), "a0 == b0", True), ((4, 1), "a0 == b0", True)],
)
def test_it_raises_at_the_node_that_disagrees(sizes: tuple[int, int], looked_at: str, expected: bool) -> None:
    graph = textbook()
    with pytest.raises(BailoutError) as caught:
        interpret(graph, concrete_step, dict(zip(("a0", "b0"), sizes, strict=True)))
    made_by = {node.name: node for node in graph if node.names}[caught.value.node]
    names = {"a0": "a0", "b0": "b0", **{node.name: str(node.params["val"]) for node in graph if node.op == "int_const"}}
    assert " == ".join(names[name] for name in made_by.inputs) == looked_at
    assert (made_by.op, caught.value.expected, caught.value.actual) == ("int_eq", expected, not expected)
    assert caught.value.line.text == "return a + b"


def test_names_of_placeholders_are_taken_from_the_arguments_and_are_unique() -> None:
    def program(batch: dict[str, torch.Tensor], batch_b: torch.Tensor, n: int) -> bool:
        return bool(batch["b"].shape[0] == batch_b.shape[0]) and bool(batch["b"].shape[1] < n)

    graph = shapes_of(program, {"b": torch.ones(2, 3)}, torch.ones(2, 3), 5)
    assert [node.name for node in graph.placeholders] == ["batch_b0", "batch_b1", "batch_b0_", "n"]


def test_strides_have_names_of_their_own() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        return x + 1 if x.stride(0) == 3 else x

    assert expressions(shapes_of(program, torch.ones(2, 3))) == ["assert x_stride0 == 3"]


def test_the_numbers_of_a_trace_without_observations_and_requirements_are_none() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(x)

    assert shapes_of(program, torch.ones(2)) == Graph(())
