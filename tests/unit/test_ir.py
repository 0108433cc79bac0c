"""Graphs: built by hand, verified, printed."""

from __future__ import annotations

import pytest

from guardgen import GraphError
from guardgen.ir import Graph, Line, Node, Ref, Slot, drop_unused, make_node, verify

LINE = Line("model.py", 14)


def by_hand() -> Graph:
    """`x.shape[0]` was seen not to be 1."""
    return Graph(
        (
            make_node("x", "var_placeholder", name="x"),
            make_node("s", "var_size", "x"),
            make_node("n", "size_index", "s", index=0),
            make_node("one", "int_const", val=1),
            make_node("is_one", "int_eq", "n", "one"),
            make_node("", "bool_bailout", "is_one", expect=False, line=LINE),
        ),
        (Ref("x"), Ref("n")),
    )


def test_a_graph_built_by_hand_is_accepted_as_it_is() -> None:
    graph = by_hand()
    assert verify(graph) is graph
    assert [node.name for node in graph.placeholders] == ["x"]


@pytest.mark.parametrize(
    ("nodes", "says"),
    [
        ([make_node("n", "int_neg", "m")], "int_neg uses 'm' before it is defined"),
        ([make_node("n", "int_const", val=1)] * 2, "'n' is defined twice"),
        (
            [make_node("n", "int_const", val=1), make_node("m", "int_add", "n")],
            r"int_add takes \(int, int\), got \(int\)",
        ),
        ([make_node("b", "bool_const", val=True), make_node("m", "int_neg", "b")], r"takes \(int\), got \(bool\)"),
        ([make_node("n", "int_const")], r"int_const has the params \['val'\], got \[\]"),
        ([make_node("n", "int_const", val=1, more=2)], r"got \['more', 'val'\]"),
        ([Node(("n",), "int_const", (), {"val": 1}, ("bool",))], "int_const defines int"),
        ([Node((), "int_const", (), {"val": 1}, ())], "int_const defines int"),
        ([Node(("n",), "int_pls", (), {}, ("int",))], "unknown op 'int_pls'; the ops are bool_and, "),
    ],
)
def test_what_breaks_the_rules_is_refused(nodes: list[Node], says: str) -> None:
    with pytest.raises(GraphError, match=says):
        verify(Graph(tuple(nodes)))


def test_the_users_line_is_in_the_error() -> None:
    with pytest.raises(GraphError, match=r"^model\.py:14: bool_bailout uses 'b' before it is defined$"):
        verify(Graph((make_node("", "bool_bailout", "b", expect=True, line=LINE),)))


def test_a_result_may_use_only_what_is_defined() -> None:
    with pytest.raises(GraphError, match="the result uses 'n'"):
        verify(Graph((), [Ref("n")]))


def test_the_last_kind_of_a_variadic_op_repeats() -> None:
    numbers = [make_node(name, "int_const", val=1) for name in "abc"]
    verify(Graph((*numbers, make_node("s", "size_ctor", "a", "b", "c"))))


def test_an_item_has_the_kind_that_its_node_says() -> None:
    x = make_node("x", "var_placeholder", name="x")
    assert make_node("i", "var_item", "x", type="float").kinds == ("float",)
    verify(Graph((x, make_node("i", "var_item", "x", type="float"), make_node("f", "float_neg", "i"))))


def test_nodes_that_nobody_uses_are_dropped() -> None:
    unused = make_node("two", "int_const", val=2)
    graph = by_hand()
    with_unused = Graph((*graph.nodes[:1], unused, *graph.nodes[1:]), graph.result)
    assert drop_unused(with_unused, lambda node: node.op.endswith(("_bailout", "_placeholder"))) == graph


def test_slots_and_names_in_results_compare_by_value() -> None:
    assert Slot(1) == Slot(1) != Slot(2)
    assert Ref("a") == Ref("a") != Ref("b")
