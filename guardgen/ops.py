"""The vocabulary: every op's name, the kinds of its inputs and output, and its static parameters.

Kinds are `bool`, `int`, `float`, `size` (a tensor's sizes), `stride`, `tensor`, `list` (of tensors). An op is a name;
what it means lives in the rule tables. PyTorch's operators keep their own names (`aten.add.Tensor`), take any inputs,
and are not listed here.
"""

from __future__ import annotations

from dataclasses import dataclass

KINDS = frozenset({"bool", "int", "float", "size", "stride", "tensor", "list", "none"})


@dataclass(frozen=True)
class Op:
    """One op. `variadic` lets the last input kind repeat; an `output` of None means that nothing is defined."""

    name: str
    inputs: tuple[str, ...]
    output: str | None
    params: tuple[str, ...] = ()
    variadic: bool = False


def _family(prefix: str, names: str, inputs: tuple[str, ...], output: str) -> list[Op]:
    return [Op(f"{prefix}_{name}", inputs, output) for name in names.split()]


INT2, FLOAT2 = ("int", "int"), ("float", "float")

BAILOUTS = {
    op.name: op
    for op in (
        Op("bool_bailout", ("bool",), None, ("expect",)),
        Op("int_bailout", ("int",), None, ("expect",)),
        Op("float_bailout", ("float",), None, ("expect",)),
    )
}

_PURE = [
    Op("bool_const", (), "bool", ("val",)),
    Op("int_const", (), "int", ("val",)),
    Op("float_const", (), "float", ("val",)),
    Op("bool_placeholder", (), "bool", ("name",)),
    Op("int_placeholder", (), "int", ("name",)),
    Op("float_placeholder", (), "float", ("name",)),
    Op("bool_and", ("bool", "bool"), "bool"),
    Op("bool_or", ("bool", "bool"), "bool"),
    Op("bool_not", ("bool",), "bool"),
    Op("bool_eq", ("bool", "bool"), "bool"),
    Op("bool_to_int", ("bool",), "int"),
    Op("int_ite", ("bool", "int", "int"), "int"),
    *_family("int", "eq ne lt le gt ge", INT2, "bool"),
    *_family("int", "add sub mul floordiv mod min max pow lshift rshift and or xor", INT2, "int"),
    *_family("int", "neg abs invert", ("int",), "int"),
    Op("int_truediv", INT2, "float"),
    Op("int_to_float", ("int",), "float"),
    *_family("float", "eq ne lt le gt ge", FLOAT2, "bool"),
    *_family("float", "add sub mul truediv floordiv mod pow", FLOAT2, "float"),
    *_family("float", "neg abs", ("float",), "float"),
    *_family("float", "floor ceil trunc round", ("float",), "int"),
    Op("float_round_to", ("float", "int"), "float"),
]

_TENSOR = [
    Op("var_placeholder", (), "tensor", ("name",)),
    Op("var_const", (), "tensor", ("val",)),
    Op("var_size", ("tensor",), "size"),
    Op("var_stride", ("tensor",), "stride"),
    Op("var_rank", ("tensor",), "int"),
    Op("var_requires_grad", ("tensor",), "bool"),
    Op("var_storage_offset", ("tensor",), "int"),
    Op("var_is_contiguous", ("tensor",), "bool", ("memory_format",)),
    Op("var_item", ("tensor",), None, ("type",)),  # the kind of the result is the parameter `type`
    Op("size_index", ("size",), "int", ("index",)),
    Op("stride_index", ("stride",), "int", ("index",)),
    Op("size_ctor", ("int",), "size", variadic=True),
    Op("list_len", ("list",), "int"),
    Op("list_index", ("list",), "tensor", ("index",)),
]

PURE = {op.name: op for op in _PURE}  # ints, bools and floats only: no tensor comes near them
OPS = {**BAILOUTS, **PURE, **{op.name: op for op in _TENSOR}}

COMPARISONS = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}  # each with its negation


def is_torch_op(name: str) -> bool:
    """Whether `name` is one of PyTorch's operators: those alone have a dot (`aten.add.Tensor`)."""
    return "." in name
