"""One loop, rule tables: a graph built by hand under the concrete and the shape table."""

from __future__ import annotations

import pytest
import torch

from guardgen import BailoutError, GraphError
from guardgen.interpret import RuleTable, by_table, interpret
from guardgen.ir import Graph, Node, Slot, make_node
from guardgen.rules.concrete import concrete_step
from guardgen.rules.terms import term_rules
from guardgen.rules.text import condition_text
from guardgen.terms import Symbol, symbol
from tests.unit.test_ir import by_hand


def test_the_concrete_table_runs_a_graph_on_real_values() -> None:
    values = interpret(by_hand(), concrete_step, {"x": torch.ones(3, 2)})
    assert (values["n"], values["one"], values["is_one"]) == (3, 1, False)


def test_a_bailout_that_sees_something_else_raises_with_node_values_and_line() -> None:
    with pytest.raises(BailoutError, match=r"is_one: expected False, got True, since model\.py:14") as caught:
        interpret(by_hand(), concrete_step, {"x": torch.ones(1)})
    error = caught.value
    assert (error.node, error.expected, error.actual, error.line.place) == ("is_one", False, True, "model.py:14")


def test_the_shape_table_gives_terms_over_sizes() -> None:
    n = symbol(Symbol("x.shape[0]", low=0))
    numbers = Graph(
        (
            make_node("n", "int_placeholder", name="x.shape[0]"),
            make_node("two", "int_const", val=2),
            make_node("doubled", "int_mul", "n", "two"),
            make_node("both", "int_add", "doubled", "n"),
            make_node("same", "int_eq", "both", "doubled"),
        )
    )
    values = interpret(numbers, by_table(term_rules), {"n": n})
    assert condition_text(values["both"]) == "3 * x.shape[0]"
    assert condition_text(values["same"]) == "x.shape[0] == 0"


def test_operators_of_pytorch_take_their_inputs_at_the_slots() -> None:
    call = {"args": ([Slot(1), Slot(0)], 1), "kwargs": {}}
    graph = Graph(
        (
            make_node("x", "var_placeholder", name="x"),
            make_node("y", "var_placeholder", name="y"),
            Node(("t",), "aten.cat.default", ("x", "y"), call, ("tensor",)),
        )
    )
    values = interpret(graph, concrete_step, {"x": torch.zeros(1, 2), "y": torch.ones(1, 1)})
    assert values["t"].tolist() == [[1.0, 0.0, 0.0]]


def test_a_node_with_several_names_takes_a_tuple_apart() -> None:
    node = Node(("top", "where"), "aten.max.dim", ("x",), {"args": (Slot(0), 0), "kwargs": {}}, ("tensor", "tensor"))
    values = interpret(
        Graph((make_node("x", "var_placeholder", name="x"), node)), concrete_step, {"x": torch.arange(3.0)}
    )
    assert (values["top"].item(), values["where"].item()) == (2.0, 2)


def test_an_operator_that_pytorch_does_not_have_is_named() -> None:
    node = Node(("t",), "aten.no_such_operator.default", (), {"args": (), "kwargs": {}}, ("tensor",))
    with pytest.raises(GraphError, match=r"has no operator aten\.no_such_operator\.default"):
        interpret(Graph((node,)), concrete_step, {})


def test_a_table_refuses_a_second_rule_and_says_what_it_has() -> None:
    table = RuleTable("test")
    table.rule("int_add", "int_sub")(lambda a, b: a)
    with pytest.raises(GraphError, match="'int_add' has a test rule already"):
        table.rule("int_add")(lambda a, b: b)
    with pytest.raises(GraphError, match="'int_mul' has no test rule; there are rules for int_add, int_sub"):
        table["int_mul"]
    assert table.missing(["int_mul", "int_add", "int_eq"]) == ["int_eq", "int_mul"]


def test_a_fallback_makes_a_rule_once() -> None:
    table, made = RuleTable("test"), []

    def fallback(op: str) -> object:
        made.append(op)
        return (lambda: op) if op.startswith("int_") else None

    table.fallback = fallback  # type: ignore[assignment]
    assert table["int_add"]() == table["int_add"]() == "int_add"
    assert "float_add" not in table
    assert made == ["int_add", "float_add"]
