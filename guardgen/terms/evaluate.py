"""The value of a term for given symbols, and its nodes in the IR."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from guardgen.ir import Graph, Node, make_node
from guardgen.terms.ints import Atom, Bool, Int, IntLike, Monomial, Symbol, Term, poly, split_constant

RELATION = {"eq": "int_eq", "ne": "int_ne", "ge": "int_ge"}


class GraphBuilder:
    """Terms as nodes of an int-only graph; a subterm that occurs twice is one node.

    `name` gives the placeholders their names, so that `x.shape[0]` can be `x0` or `x_0`; the other names begin with
    `prefix`.
    """

    def __init__(self, name: Callable[[Symbol], str], prefix: str = "") -> None:
        self.name, self.prefix = name, prefix
        self.nodes: list[Node] = []
        self.names: dict[Any, str] = {}
        self.kinds: dict[str, str] = {}

    def add(self, op: str, *inputs: str, kind: str, **params: Any) -> str:
        key = (op, inputs, *((key, type(value), repr(value)) for key, value in params.items()))
        if key not in self.names:
            name = params["name"] if op.endswith("_placeholder") else f"{self.prefix}{kind[0]}{len(self.nodes)}"
            self.nodes.append(make_node(name, op, *inputs, **params))
            self.names[key] = name
        return self.names[key]

    def placeholder(self, symbol: Symbol) -> str:
        if symbol not in self.names:
            name = self.name(symbol)
            self.nodes.append(make_node(name, f"{symbol.kind}_placeholder", name=symbol.name))
            self.names[symbol] = name
        return self.names[symbol]

    def const(self, value: Any) -> str:
        kind = "bool" if isinstance(value, bool) else "int" if isinstance(value, int) else "float"
        return self.add(f"{kind}_const", kind=kind, val=value)

    def term(self, value: Any) -> str:
        """The name of the node that holds `value`."""
        if not isinstance(value, Term):
            return self.const(value)
        if value in self.names:
            return self.names[value]
        self.names[value] = name = self.build(value)
        return name

    def build(self, value: Any) -> str:
        if value.op == "symbol":
            return self.placeholder(value.args[0])
        if isinstance(value, Int):
            return self.polynomial(value)
        if isinstance(value, Bool) and value.op in RELATION:
            return self.comparison(value)
        if isinstance(value, Bool) and value.op in ("and", "or"):
            first, *rest = map(self.term, value.args)
            for each in rest:
                first = self.add(f"bool_{value.op}", first, each, kind="bool")
            return first
        if isinstance(value, Bool) and value.op == "not":
            return self.add("bool_not", self.term(value.args[0]), kind="bool")
        kind = "int" if isinstance(value, Atom) else "bool" if isinstance(value, Bool) else "float"
        return self.add(value.op, *map(self.term, value.args), kind=kind)

    def monomial(self, monomial: Monomial, k: int) -> str:
        factors = [self.term(each) for each in monomial]
        if k != 1 or not factors:
            factors.insert(0, self.const(k))
        first, *rest = factors
        for each in rest:
            first = self.add("int_mul", first, each, kind="int")
        return first

    def polynomial(self, value: IntLike) -> str:
        """The sum, positive terms first, so that `a - b` is a subtraction."""
        if not isinstance(value, Int):
            return self.const(value)
        ordered = sorted(value.args, key=lambda pair: pair[1] < 0)
        total = ""
        for monomial, k in ordered:
            if not total and k == -1:
                total = self.add("int_neg", self.monomial(monomial, 1), kind="int")
            elif not total:
                total = self.monomial(monomial, k)
            elif k < 0:
                total = self.add("int_sub", total, self.monomial(monomial, -k), kind="int")
            else:
                total = self.add("int_add", total, self.monomial(monomial, k), kind="int")
        return total

    def comparison(self, value: Bool) -> str:
        """`p op 0` as a reader would write it: no negative terms, the constant on the right."""
        op, left, right = readable(value.op, value.args[0])
        return self.add(op, self.term(left), self.term(right), kind="bool")


def readable(op: str, value: Int) -> tuple[str, IntLike, IntLike]:
    """The sides of a comparison without negative terms: `p >= 0` as `a >= b`, `a > b`, `a <= 5` and so on."""
    linear, constant = split_constant(value)
    pairs = dict(linear.args) if isinstance(linear, Int) else {}
    left = poly({monomial: k for monomial, k in pairs.items() if k > 0})
    right = poly({monomial: -k for monomial, k in pairs.items() if k < 0})
    if left == 0:
        relation = {"eq": "int_eq", "ne": "int_ne", "ge": "int_le"}[op]
        return relation, right, constant
    if op == "ge" and right != 0 and constant in (-1, 1):
        return ("int_gt", left, right) if constant == -1 else ("int_le", right, left + 1)
    if constant > 0 and right != 0:
        return RELATION[op], left + constant, right
    return RELATION[op], left, right - constant


def evaluate(value: Any, read: Mapping[Symbol, Any], rules: Any) -> Any:
    """The value of a term where the symbols have these values; `rules` are the concrete ones. Piecewise terms are lazy.

    Raises what Python's arithmetic raises, such as `ZeroDivisionError`.
    """
    if not isinstance(value, Term):
        return value
    if value.op == "symbol":
        return read[value.args[0]]
    if isinstance(value, Int):
        return sum(k * _product(monomial, read, rules) for monomial, k in value.args)
    if value.op == "int_ite":
        chosen = value.args[1] if evaluate(value.args[0], read, rules) else value.args[2]
        return evaluate(chosen, read, rules)
    if value.op in ("and", "or"):
        joined = all if value.op == "and" else any
        return joined(evaluate(arg, read, rules) for arg in value.args)
    inner = [evaluate(arg, read, rules) for arg in value.args]
    if value.op in RELATION and isinstance(value, Bool):
        return rules[RELATION[value.op]](inner[0], 0)
    return rules["bool_not" if value.op == "not" else value.op](*inner)


def _product(monomial: Monomial, read: Mapping[Symbol, Any], rules: Any) -> Any:
    result = 1
    for each in monomial:
        result *= evaluate(each, read, rules)
    return result


def graph_of(values: list[Any], name: Callable[[Symbol], str]) -> tuple[Graph, list[str]]:
    """An int-only graph that computes `values`, and the name of each."""
    builder = GraphBuilder(name)
    names = [builder.term(value) for value in values]
    return Graph(tuple(builder.nodes)), names
