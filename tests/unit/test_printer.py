"""Graphs as text, and under the print table."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from guardgen.ir import Graph, Line, Node, Ref, Slot, make_node
from guardgen.printer import show
from guardgen.rules.assertions import assertions
from tests.unit.test_ir import by_hand


def test_one_node_a_line_with_the_users_line_at_each_bailout() -> None:
    assert str(by_hand()).splitlines() == [
        "x = var_placeholder(name='x')",
        "s = var_size(x)",
        "n = size_index(s, index=0)",
        "one = int_const(val=1)",
        "is_one = int_eq(n, one)",
        "bool_bailout(is_one, expect=False)  # model.py:14",
        "return (x, n)",
    ]


def test_operators_of_pytorch_print_as_their_calls() -> None:
    call = {"args": (Slot(0), [Slot(1), -1]), "kwargs": {"dtype": torch.float32, "pin_memory": None}}
    node = Node(("t",), "aten.view.dtype", ("x", "n"), call, ("tensor",))
    assert str(Graph((node,))) == "t = aten.view.dtype(x, [n, -1], dtype=torch.float32, pin_memory=None)"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ((1,), "(1,)"),
        ({"k": [Ref("t")]}, "{'k': [t]}"),
        (torch.ones(2, 3), "Tensor((2, 3), torch.float32)"),
        (float("nan"), "nan"),
        (object(), "<object>"),
        (torch.float64, "torch.float64"),
        ("a\n'b'", "\"a\\n'b'\""),
    ],
)
def test_static_values_print_the_same_on_every_machine(value: Any, text: str) -> None:
    assert show(value) == text


def numbers(*nodes: Node) -> Graph:
    return Graph((make_node("a0", "int_placeholder", name="a.shape[0]"), make_node("one", "int_const", val=1), *nodes))


def test_under_the_print_table_bailouts_are_assertions() -> None:
    graph = numbers(
        make_node("b", "int_eq", "a0", "one"),
        make_node("", "bool_bailout", "b", expect=False, line=Line("model.py", 14)),
        make_node("", "bool_bailout", "b", expect=True),
        make_node("m", "int_add", "a0", "one"),
        make_node("", "int_bailout", "m", expect=5),
        make_node("f", "int_truediv", "a0", "one"),
        make_node("", "float_bailout", "f", expect=2.5),
        make_node("", "float_bailout", "f", expect=float("nan")),
    )
    assert assertions(graph).splitlines() == [
        "assert not (a0 == 1)  # model.py:14",
        "assert a0 == 1",
        "assert a0 + 1 == 5",
        "assert a0 / 1 == 2.5",
        "assert a0 / 1 != a0 / 1",
    ]


def test_operands_are_in_parentheses_only_where_that_is_needed() -> None:
    graph = numbers(
        make_node("sum", "int_add", "a0", "one"),
        make_node("product", "int_mul", "sum", "a0"),
        make_node("rest", "int_mod", "product", "sum"),
        make_node("", "int_bailout", "rest", expect=0),
    )
    assert assertions(graph) == "assert (a0 + 1) * a0 % (a0 + 1) == 0"
