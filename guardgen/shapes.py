"""The trace after shape reinterpretation, as a graph: every tensor is gone, the placeholders are sizes of the inputs.

It can be interpreted like any graph: under the concrete table it runs on new sizes and raises `BailoutError` at the
node that disagrees; under the print table it reads as assertions.
"""

from __future__ import annotations

import re
from typing import Any

from guardgen.arguments import unique
from guardgen.guards import GuardSet
from guardgen.ir import Graph, make_node, verify
from guardgen.terms import Bool, BoolLike, Symbol, negate
from guardgen.terms.evaluate import GraphBuilder
from guardgen.terms.ints import symbols

SUFFIX = {"size": "", "stride": "_stride", "offset": "_offset"}


def shape_graph(guards: GuardSet) -> Graph:
    """All observations and preconditions in the order of the trace, as bailouts of an int-only graph."""
    unknown = dict.fromkeys(symbol for guard in guards.raw for symbol in symbols(guard.condition))
    builder = ShapeGraphBuilder(sorted(unknown, key=lambda symbol: symbol.order))
    for guard in guards.raw:
        looked_at, expect = bailout(guard.condition)
        line = guard.lines[0] if guard.lines else None
        builder.nodes.append(make_node("", "bool_bailout", builder.term(looked_at), expect=expect, line=line))
    return verify(Graph(tuple(builder.nodes)))


def bailout(condition: Bool) -> tuple[BoolLike, bool]:
    """The bool that was looked at, and what it was: `x != 1` is `x == 1`, seen False."""
    parts = condition.args if condition.op in ("and", "or") else (condition,)
    negative = all(part.op in ("ne", "not") for part in parts)
    return (negate(condition), False) if negative else (condition, True)


class ShapeGraphBuilder(GraphBuilder):
    """Placeholders come first, in the order of the arguments, named after them: `a0` is `a.shape[0]`."""

    def __init__(self, unknown: list[Symbol]) -> None:
        super().__init__(self.placeholder_name)
        self.taken: set[str] = set()
        for symbol in unknown:
            self.placeholder(symbol)

    def placeholder_name(self, symbol: Symbol) -> str:
        how, where, *rest = symbol.source
        suffix = SUFFIX.get(how, "") + "".join(map(str, rest))
        return unique(re.sub(r"\W+", "_", str(where)).strip("_") + suffix, self.taken)

    def add(self, op: str, *inputs: str, kind: str, **params: Any) -> str:
        """A node under a name that no placeholder has; the same node once."""
        key = (op, inputs, *((key, type(value), repr(value)) for key, value in params.items()))
        if key not in self.names:
            self.names[key] = name = unique(f"{kind[0]}{len(self.nodes)}", self.taken)
            self.nodes.append(make_node(name, op, *inputs, **params))
        return self.names[key]
