"""Pointwise operators, recognised by PyTorch's own tag: the sizes of all tensor arguments broadcast.

There are hundreds of them, so they are not registered one by one: `pointwise_rule` answers when the table is asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from guardgen.errors import GraphError
from guardgen.interpret import Rule
from guardgen.rules.concrete import torch_op
from guardgen.rules.shape.broadcast import broadcast, expand_to
from guardgen.rules.shape.context import Sizes

# Pointwise too, but without the tag.
UNTAGGED = frozenset(
    """
    complex divide fill float_power floor_divide greater greater_equal hardswish isclose isreal less less_equal ldexp
    log_sigmoid mul multiply not_equal polar rrelu rsub special_entr special_expit special_gammainc special_gammaincc
    special_ndtr special_polygamma special_xlogy special_zeta subtract true_divide arccos arccosh arcsin arcsinh arctan
    arctanh arctan2 absolute negative clip fix square conj_physical nan_to_num special_logit special_exp2 special_expm1
    special_digamma special_psi special_gammaln special_erf special_erfc special_erfinv special_i0 special_log1p
    special_round special_sinc special_multigammaln special_log_softmax logical_and floor_divide bitwise_not
    fused_dropout native_dropout_backward imag real _conj _conj_physical _neg_view resolve_conj resolve_neg
    normal softplus_backward hardswish_backward hardsigmoid_backward leaky_relu_backward hardtanh_backward elu_backward
    log_sigmoid_backward mish_backward hardshrink_backward softshrink_backward prelu_kernel _prelu_kernel
    """.split()
)

# The sizes of the first argument, whatever the others are.
LIKE_FIRST = frozenset(
    """
    alpha_dropout bernoulli cauchy dropout exponential feature_alpha_dropout feature_dropout geometric log_normal
    native_dropout normal_functional random uniform zero _fused_dropout rrelu_with_noise celu
    _masked_scale detach
    """.split()
)


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
    if not tagged and name not in UNTAGGED and name not in LIKE_FIRST:
        return None
    first = operator._schema.arguments[0] if operator._schema.arguments else None
    if first is None or "Tensor" not in str(first.type) or "List" in str(first.type):
        return None
    if first.alias_info is not None and first.alias_info.is_write:
        return like_first if name in LIKE_FIRST or name == "normal" else written
    if name in LIKE_FIRST:
        return results(like_first, len(operator._schema.returns))
    return results(broadcasting, len(operator._schema.returns))


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


def broadcasting(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
    return broadcast(*tensors(*args, **kwargs))


def written(self: Sizes, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """In place: the other tensors expand to the first, which keeps its sizes."""
    for other in tensors(*args, **kwargs):
        expand_to(other, self, "an operand")
    return tuple(self)


def like_first(self: Sizes, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
    return tuple(self)
