"""Pointwise operators, recognised by PyTorch's own tag: the sizes of all tensor arguments broadcast.

There are hundreds of them, so they are not registered one by one: `pointwise_rule` answers when the table is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch

from guardgen.errors import GraphError
from guardgen.interpret import Rule
from guardgen.rules.concrete import torch_op
from guardgen.rules.shape.broadcast import broadcast, expand_to
from guardgen.rules.shape.context import Sizes
from guardgen.rules.shape.strides import is_row_major, preserved
from guardgen.rules.shape.variants import fresh
from guardgen.terms import IntLike

# Pointwise too, but without the tag.
UNTAGGED = """
_conj_physical _prelu_kernel absolute arccos arccosh arcsin arcsinh arctan arctan2 arctanh clip complex divide
elu_backward fill fix floor_divide greater greater_equal hardshrink_backward hardsigmoid_backward hardswish
hardswish_backward hardtanh_backward isclose isreal ldexp leaky_relu_backward less less_equal log_sigmoid
log_sigmoid_backward log_sigmoid_forward mish_backward mul multiply native_dropout_backward negative normal not_equal
polar rrelu rsub softplus_backward softshrink_backward special_digamma special_erf special_erfc special_erfinv
special_exp2 special_expit special_expm1 special_gammainc special_gammaincc special_gammaln special_i0 special_log1p
special_logit special_multigammaln special_ndtr special_polygamma special_psi special_round special_sinc special_xlogy
subtract true_divide
"""

# The sizes of the first argument, whatever the others are.
LIKE_FIRST = """
_fused_dropout _masked_scale alpha_dropout bernoulli cauchy dropout exponential feature_alpha_dropout feature_dropout
geometric log_normal native_dropout normal_functional random rrelu_with_noise uniform zero
"""


def pointwise_rule(op: str) -> Rule | None:
    """The rule of `op` if it is a pointwise operator, in place or not, with one result or several."""
    namespace, packet, _ = op.split(".")
    if namespace != "aten":
        return None
    try:
        operator = torch_op(op)
    except GraphError:
        return None
    name = packet if packet.startswith("__") else packet.rstrip("_")
    tagged = torch.Tag.pointwise in operator.tags
    if not tagged and name not in UNTAGGED.split() and name not in LIKE_FIRST.split():
        return None
    schema = operator._schema
    if not schema.arguments or any(str(each.type) != "Tensor" for each in schema.returns):
        return None
    first = schema.arguments[0]
    if first.alias_info is not None and first.alias_info.is_write:
        return like_first_in_place if name in LIKE_FIRST.split() or name == "normal" else written
    count = len(schema.returns)
    if str(first.type) != "Tensor":
        return results(unlaid_broadcasting, count)
    if name in LAYOUTS or name in LIKE_FIRST.split():
        return results(LAYOUTS.get(name, like_first), count)
    return results(broadcasting, count)


def results(rule: Rule, count: int) -> Rule:
    """The rule of an operator with `count` results of the same sizes."""
    if count == 1:
        return rule

    def several(*args: Any, **kwargs: Any) -> list[Any]:
        return [rule(*args, **kwargs)] * count

    return several


def tensors(*args: Any, **kwargs: Any) -> Iterator[Sizes]:
    """The tensors among the arguments, in order."""
    for arg in (*args, *kwargs.values()):
        if isinstance(arg, Sizes):
            yield arg


def broadcasting(*args: Any, **kwargs: Any) -> Sizes:
    operands = list(tensors(*args, **kwargs))
    sizes = broadcast(*operands)
    alone = len(operands) == len(args) + len(kwargs)
    if alone and all(each.contiguous and tuple(each) == tuple(sizes) for each in operands):
        return fresh(sizes)
    return Sizes(sizes, strides=strides(sizes, operands))


def unlaid_broadcasting(*args: Any, **kwargs: Any) -> Sizes:
    return Sizes(broadcasting(*args, **kwargs))


def strides(sizes: Sequence[IntLike], operands: Sequence[Sizes]) -> tuple[IntLike, ...] | None:
    """The layout of the operands, where all have the result's sizes and one layout; beside row-major ones, scalars too.

    Source: TensorIteratorBase::fast_set_up. None where it cannot be told.
    """
    several = [each for each in operands if each]
    if not several or any(tuple(each) != tuple(sizes) for each in several):
        return None
    first = several[0]
    if any(each.strides != first.strides for each in several):
        return None
    return preserved(first) if len(several) == len(operands) or is_row_major(first) else None


def written(self: Sizes, *args: Any, **kwargs: Any) -> Sizes:
    """In place: the other tensors expand to the first, which keeps its sizes."""
    for other in tensors(*args, **kwargs):
        expand_to(other, self, "an operand")
    return self


def like_first(self: Sizes, *args: Any, **kwargs: Any) -> Sizes:
    return Sizes(self, strides=preserved(self))


def like_first_in_place(self: Sizes, *args: Any, **kwargs: Any) -> Sizes:
    return self


def like_first_contiguous(self: Sizes, *args: Any, **kwargs: Any) -> Sizes:
    return fresh(self)


def like_first_unlaid(self: Sizes, *args: Any, **kwargs: Any) -> Sizes:
    return Sizes(self)


# Operators whose results are laid out in their own way.
LAYOUTS = {
    "bernoulli": like_first_contiguous,
    "log_sigmoid": like_first_contiguous,
    "mvlgamma": like_first_unlaid,
    "normal": unlaid_broadcasting,
    "special_multigammaln": like_first_unlaid,
}
