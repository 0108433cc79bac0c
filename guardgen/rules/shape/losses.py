"""Losses: a number for every element or example, or their mean or sum.

Source: aten/src/ATen/native/Loss.cpp, LossNLL.cpp, LossNLL2d.cpp, LossMultiMargin.cpp, LossMultiLabelMargin.cpp,
LossCTC.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from guardgen.rules.shape.broadcast import broadcast, expand_to
from guardgen.rules.shape.context import Sizes, require, shape_rule
from guardgen.rules.shape.normalisation import require_sizes
from guardgen.terms import IntLike, either, eq, ge, lt, ne, product

Shape = tuple[IntLike, ...]
NONE, MEAN = 0, 1  # values of `reduction`


def loss(sizes: Sequence[IntLike], reduction: int) -> Shape:
    return tuple(sizes) if reduction == NONE else ()


@shape_rule(
    "aten.mse_loss.default",
    "aten.l1_loss.default",
    "aten.smooth_l1_loss.default",
    "aten.huber_loss.default",
    "aten.kl_div.default",
)
def elementwise_loss(x: Sizes, target: Sizes, reduction: int = MEAN, *_: Any, **__: Any) -> Shape:
    return loss(broadcast(x, target), reduction)


@shape_rule("aten.soft_margin_loss.default")
def soft_margin_loss(x: Sizes, target: Sizes, reduction: int = MEAN) -> Shape:
    expand_to(target, x, "a target")
    return loss(x, reduction)


@shape_rule("aten.poisson_nll_loss.default")
def poisson_nll_loss(x: Sizes, target: Sizes, log_input: bool, full: bool, eps: float, reduction: int) -> Shape:
    return loss(broadcast(x, target), reduction)


@shape_rule("aten.hinge_embedding_loss.default")
def hinge_embedding_loss(x: Sizes, target: Sizes, margin: float = 1.0, reduction: int = MEAN) -> Shape:
    return loss(broadcast(x, target), reduction)


@shape_rule("aten.margin_ranking_loss.default")
def margin_ranking_loss(
    input1: Sizes, input2: Sizes, target: Sizes, margin: float = 0.0, reduction: int = MEAN
) -> Shape:
    return loss(broadcast(input1, input2, target), reduction)


@shape_rule("aten.binary_cross_entropy.default")
def binary_cross_entropy(x: Sizes, target: Sizes, weight: Sizes | None = None, reduction: int = MEAN) -> Shape:
    """The target's sizes are the input's; the weight expands to them."""
    require_sizes(target, x, "a target of the input's sizes")
    if weight is not None:
        expand_to(weight, x, "a weight")
    return loss(x, reduction)


@shape_rule("aten.binary_cross_entropy_with_logits.default")
def binary_cross_entropy_with_logits(
    x: Sizes, target: Sizes, weight: Sizes | None = None, pos_weight: Sizes | None = None, reduction: int = MEAN
) -> Shape:
    """Computed in place on a tensor of the target's sizes."""
    for each in (x, weight, pos_weight):
        if each is not None:
            expand_to(each, target, "an operand")
    if pos_weight is not None:
        expand_to(target, x, "a target")
    return loss(target, reduction)


@shape_rule("aten.cosine_embedding_loss.default")
def cosine_embedding_loss(
    input1: Sizes, input2: Sizes, target: Sizes, margin: float = 0.0, reduction: int = MEAN
) -> Shape:
    """Inputs are vectors, with a batch where the target has one."""
    require(len(target) in (0, 1), "a target of at most 1 dimension")
    require(len(input1) == len(input2) == len(target) + 1, "inputs of one dimension more than the target")
    return loss(broadcast(broadcast(input1, input2)[:-1], target), reduction)


@shape_rule("aten.triplet_margin_loss.default")
def triplet_margin_loss(
    anchor: Sizes,
    positive: Sizes,
    negative: Sizes,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: int = MEAN,
) -> Shape:
    require(len(anchor) == len(positive) == len(negative), "inputs of the same number of dimensions")
    pairs = [(anchor, positive), (anchor, negative), *([(positive, negative)] if swap else [])]
    return loss(broadcast(*(broadcast(*pair)[:-1] for pair in pairs)), reduction)


def classified(x: Sizes, target: Sizes, weight: Sizes | None, ignore_index: IntLike) -> None:
    """Scores of classes in dimension 1 (0 without a batch), and the right class for each place."""
    require(len(x) >= 1, "an input of at least 1 dimension")
    classes = 0 if len(x) == 1 else 1
    require(len(target) == len(x) - 1, "a target of one dimension less than the input")
    require_sizes(target, (*x[:classes], *x[classes + 1 :]), "a class for every place")
    if lt(ignore_index, 0) is True or len(x) not in (1, 2, 4):  # else every class could be the one to ignore
        require(either(ne(x[classes], 0), *(eq(size, 0) for size in target)), "classes")
    if weight is not None:
        require(len(weight) == 1, "a weight of 1 dimension")
        require(eq(product(weight), x[classes]), "a weight for every class")


@shape_rule("aten.nll_loss_nd.default", "aten.nll_loss.default", "aten.nll_loss2d.default")
def nll_loss(
    x: Sizes, target: Sizes, weight: Sizes | None = None, reduction: int = MEAN, ignore_index: IntLike = -100
) -> Shape:
    classified(x, target, weight, ignore_index)
    return loss(target, reduction)


@shape_rule("aten.nll_loss_forward.default", "aten.nll_loss2d_forward.default")
def nll_loss_forward(
    x: Sizes, target: Sizes, weight: Sizes | None, reduction: int, ignore_index: IntLike
) -> list[Shape]:
    """The loss, and the sum of the weights."""
    return [nll_loss(x, target, weight, reduction, ignore_index), ()]


@shape_rule("aten.cross_entropy_loss.default")
def cross_entropy_loss(
    x: Sizes,
    target: Sizes,
    weight: Sizes | None = None,
    reduction: int = MEAN,
    ignore_index: IntLike = -100,
    label_smoothing: float = 0.0,
) -> Shape:
    """The target holds classes, or probabilities of all classes, and then has the input's sizes."""
    if len(target) != len(x) or not target.dtype.is_floating_point:
        return nll_loss(x, target, weight, reduction, ignore_index)
    classes = 0 if len(x) == 1 else 1
    require_sizes(target, x, "a target of the input's sizes")
    if weight is not None:
        require(len(weight) == 1, "a weight of 1 dimension")
        require(eq(product(weight), x[classes]), "a weight for every class")
    return loss((*x[:classes], *x[classes + 1 :]), reduction)


def examples(x: Sizes, target: Sizes, one_each: bool) -> Shape:
    """A matrix of scores, of which only the batch may be empty, and one target for each row or for each score."""
    require(len(x) <= 2, "an input of at most 2 dimensions")
    if x:
        require(ne(x[-1], 0), "an input of which only the batch may be empty")
    batch = x[:-1] if len(x) == 2 else (1,)
    if one_each:
        require(len(target) <= 1, "a target of at most 1 dimension")
        require(eq(product(target), product(batch)), "a target for every row of the input")
    else:
        require(eq(product(target), product(x)), "a target for every score")
    return tuple(batch if len(x) == 2 or (one_each and target) else ())


@shape_rule("aten.multi_margin_loss.default")
def multi_margin_loss(
    x: Sizes, target: Sizes, p: Any = 1, margin: Any = 1, weight: Sizes | None = None, reduction: int = MEAN
) -> Shape:
    rows = examples(x, target, True)
    if weight is not None:
        require(eq(product(weight), x[-1] if x else 1), "a weight for every class")
    return loss(rows, reduction)


@shape_rule("aten.multilabel_margin_loss.default")
def multilabel_margin_loss(x: Sizes, target: Sizes, reduction: int = MEAN) -> Shape:
    rows = examples(x, target, False)
    require(len(x) == len(target) or len(x) <= 1, "a target of the input's sizes")
    if len(x) == len(target) == 2:
        require_sizes(target, x, "a target of the input's sizes")
    return loss(rows, reduction)


@shape_rule("aten.ctc_loss.IntList")
def ctc_loss(
    log_probs: Sizes,
    targets: Sizes,
    input_lengths: Sequence[IntLike],
    target_lengths: Sequence[IntLike],
    blank: int = 0,
    reduction: int = MEAN,
    zero_infinity: bool = False,
) -> Shape:
    """Targets are a row for every example, or all in a row."""
    for length in input_lengths:
        require(ge(log_probs[0], length), "input lengths of at most the time")
    if len(targets) == 1:
        require(eq(targets[0], sum(target_lengths)), "as many targets as the lengths say")
    else:
        for length in target_lengths:
            require(ge(targets[1], length), "target lengths of at most the width of the targets")
    return examples_in_time(log_probs, targets, len(input_lengths), len(target_lengths), blank, reduction)


@shape_rule("aten.ctc_loss.Tensor")
def ctc_loss_of_tensors(
    log_probs: Sizes,
    targets: Sizes,
    input_lengths: Sizes,
    target_lengths: Sizes,
    blank: int = 0,
    reduction: int = MEAN,
    zero_infinity: bool = False,
) -> Shape:
    return examples_in_time(log_probs, targets, product(input_lengths), product(target_lengths), blank, reduction)


def examples_in_time(
    log_probs: Sizes, targets: Sizes, inputs: IntLike, outputs: IntLike, blank: int, reduction: int
) -> Shape:
    """The sizes are time, batch, classes; or time, classes."""
    batch = log_probs[1] if len(log_probs) == 3 else 1
    require(ge(log_probs[-1], blank + 1), "a class for blanks")
    for size in log_probs:
        require(ne(size, 0), "log probabilities")
    require(eq(inputs, batch), "an input length for every example")
    require(eq(outputs, batch), "a target length for every example")
    if len(targets) == 2:
        require(eq(targets[0], batch), "targets for every example")
    return loss((batch,) if len(log_probs) == 3 else (), reduction)
