"""Operators that may refuse tensors whose sizes are right: for their values, or for sizes of which no rule tells.

Where an error cannot be caught, as in TorchScript, a guard must not compute with them.
"""

from __future__ import annotations

from guardgen.rules.shape import shape_rules

BY_VALUES = """
index index_ _index _unsafe_index _unsafe_masked gather take put select_scatter slice_scatter scatter masked_scatter
embedding _embedding linalg_ _linalg cholesky inverse lu_ ormqr geqrf triangular_solve multinomial bincount one_hot
repeat_interleave nll_loss cross_entropy linear_cross_entropy multi_margin multilabel_margin ctc_loss bernoulli poisson
binomial normal histc histogram segment_reduce searchsorted bucketize logdet slogdet det. pinverse matrix_power
nonzero_static tensor_split block_diag quantize fake_quantize sparse _sparse to_sparse pack _pack _pad_packed
"""
WITHOUT_RULE = ("aten.detach_.default",)  # which never refuse
PREFIXES = tuple(f"aten.{name}" for name in BY_VALUES.split())


def may_refuse(op: str) -> bool:
    """Whether an operator may raise although what its size rule requires holds, or has no rule."""
    return op.startswith(PREFIXES) or (shape_rules.find(op) is None and op not in WITHOUT_RULE)
