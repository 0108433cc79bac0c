"""Expressions of PyTorch's symbolic shapes -> terms of ours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import Any

from guardgen.rules.terms import not_negative, term_rules
from guardgen.terms import Float, both, either, eq, floordiv, ge, gt, le, lt, maximum, minimum, mod, ne, negate

MOST_POWER = 8


def joined(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda *parts: reduce(function, parts)


def power(base: Any, exponent: Any) -> Any:
    return (
        reduce(lambda a, b: a * b, [base] * exponent) if type(exponent) is int and 0 < exponent <= MOST_POWER else None
    )


# By the name of the class: sympy's own, and those of torch.utils._sympy.functions.
FORMS: dict[str, Callable[..., Any]] = {
    "Add": joined(lambda a, b: a + b),
    "Mul": joined(lambda a, b: a * b),
    "Pow": power,
    "PowByNatural": power,
    "FloorDiv": floordiv,
    "CleanDiv": floordiv,
    "Mod": mod,
    "PythonMod": mod,
    "ModularIndexing": lambda base, divisor, modulus: mod(floordiv(base, divisor), modulus),
    "Max": joined(maximum),
    "Min": joined(minimum),
    "Equality": eq,
    "Unequality": ne,
    "StrictLessThan": lt,
    "LessThan": le,
    "StrictGreaterThan": gt,
    "GreaterThan": ge,
    "And": both,
    "Or": either,
    "Not": negate,
    "ToFloat": term_rules["int_to_float"],
    "IntTrueDiv": term_rules["int_truediv"],
    "FloatTrueDiv": term_rules["float_truediv"],
    "FloatPow": term_rules["float_pow"],
    "TruncToInt": term_rules["float_trunc"],
    "FloorToInt": term_rules["float_floor"],
    "CeilToInt": term_rules["float_ceil"],
}
ON_FLOATS = {
    "Add": "add", "Mul": "mul", "Equality": "eq", "Unequality": "ne", "StrictLessThan": "lt", "LessThan": "le",
    "StrictGreaterThan": "gt", "GreaterThan": "ge",
}  # fmt: skip


def term(expression: Any, known: Mapping[Any, Any]) -> Any:
    """An expression as a term, where every symbol of it is known and every function has a form; else None."""
    if expression.is_Integer:
        return int(expression)
    if expression.is_Float:
        return float(expression)
    if expression.is_Symbol:
        return known.get(expression)
    name = type(expression).__name__
    if name in ("BooleanTrue", "BooleanFalse"):
        return name == "BooleanTrue"
    parts = [term(each, known) for each in expression.args]
    if any(part is None for part in parts) or name not in FORMS:
        return None
    if name in ON_FLOATS and any(map(is_float, parts)):
        return on_floats(name, [part if is_float(part) else term_rules["int_to_float"](part) for part in parts])
    return FORMS[name](*parts)


def is_float(value: Any) -> bool:
    return isinstance(value, (Float, float))


def on_floats(name: str, parts: list[Any]) -> Any:
    """Arithmetic and comparisons of floats; a power of what is not negative is not negative, which PyTorch asks."""
    first, second = parts[0], parts[-1]
    root = isinstance(first, Float) and first.op == "float_pow" and not_negative(first.args[0])
    if name == "GreaterThan" and root and second == 0.0:
        return True
    return joined(term_rules[f"float_{ON_FLOATS[name]}"])(*parts)


def known_symbols(sizes: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    """The symbols of an export by the sizes that they are; of a declared `2 * d`, where nothing else has it, half."""
    expressions = [(ours, getattr(getattr(theirs, "node", None), "expr", None)) for ours, theirs in sizes]
    known: dict[Any, Any] = {}
    for ours, expression in expressions:
        if getattr(expression, "is_Symbol", False):
            known.setdefault(expression, ours)
    for ours, expression in expressions:
        if expression is None or len(expression.free_symbols) != 1 or expression.free_symbols <= known.keys():
            continue
        (name,) = expression.free_symbols
        factor, rest = expression.coeff(name, 1), expression.coeff(name, 0)
        if factor.is_Integer and rest.is_Integer and factor > 0 and expression == factor * name + rest:
            known[name] = floordiv(ours - int(rest), int(factor))
    return known
