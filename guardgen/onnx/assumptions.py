"""What torch.export and the ONNX exporter assumed about sizes, as conditions of ours.

An ONNX model checks nothing itself, so that what cannot be said is refused, rather than left to it.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from guardgen.errors import EmitError
from guardgen.terms import both, either, eq, floordiv, ge, gt, le, lt, maximum, minimum, mod, ne, negate
from guardgen.terms.ints import SIZE_LIMIT

EXPORT = "torch.export assumed it"
ONNX = "the ONNX exporter assumed it"


def joined(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda *parts: functools.reduce(function, parts)


# By the names of sympy's classes, and of those that PyTorch adds to them.
RULES: dict[str, Callable[..., Any]] = {
    "Add": joined(operator.add),
    "Mul": joined(operator.mul),
    "FloorDiv": floordiv,
    "CleanDiv": floordiv,
    "Mod": mod,
    "PythonMod": mod,
    "Max": joined(maximum),
    "Min": joined(minimum),
    "Identity": lambda value: value,
    "Equality": eq,
    "Unequality": ne,
    "StrictLessThan": lt,
    "LessThan": le,
    "StrictGreaterThan": gt,
    "GreaterThan": ge,
    "And": both,
    "Or": either,
    "Not": negate,
}


def exported(sizes: Sequence[tuple[Any, Any]]) -> Iterator[Any]:
    """What torch.export assumed. `sizes` pairs each size of the inputs, as our term, with the one of the export."""
    known: dict[Any, Any] = {}
    environments: dict[int, Any] = {}
    for size, traced in sizes:
        expression = expression_of(traced)
        if getattr(expression, "is_Symbol", False):
            known.setdefault(expression, size)
        if expression is not None:
            environments[id(traced.node.shape_env)] = traced.node.shape_env
    for size, traced in sizes:
        expression = expression_of(traced)
        yield eq(size, int(traced) if expression is None else term(expression, known))
    for environment in environments.values():
        for each in environment.guards:
            yield term(each.expr.xreplace(environment.replacements), known)
        for name, size in known.items():
            values = environment.var_to_range.get(name)
            if values is not None and values.lower.is_Integer:  # or it is infinite
                yield ge(size, int(values.lower))
            if values is not None and values.upper.is_Integer and int(values.upper) < SIZE_LIMIT - 1:
                yield le(size, int(values.upper))


def expression_of(traced: Any) -> Any:
    """Of a size of the export: its expression, or None where it is a number."""
    return None if isinstance(traced, int) else traced.node.expr


def term(expression: Any, known: Mapping[Any, Any]) -> Any:
    """An expression of the export as a term of ours. Raises `EmitError` where there is none."""
    if expression.is_Integer:
        return int(expression)
    if expression in (True, False):
        return bool(expression)
    if expression.is_Symbol and expression in known:
        return known[expression]
    rule = RULES.get(expression.func.__name__)
    if expression.is_Pow and expression.exp.is_Integer and int(expression.exp) > 0:
        return functools.reduce(operator.mul, [term(expression.base, known)] * int(expression.exp))
    if rule is None:
        raise EmitError(f"torch.export assumed {expression}, which cannot be said of the sizes of the arguments")
    return rule(*(term(each, known) for each in expression.args))


def declared_by_model(sizes: Sequence[tuple[Any, Any]]) -> Iterator[Any]:
    """What the model's inputs declare: sizes that are numbers, and sizes that have one name."""
    first: dict[str, Any] = {}
    for size, dim in sizes:
        if isinstance(dim, int):
            yield eq(size, dim)
        elif dim is not None:
            yield eq(size, first.setdefault(str(dim), size))
