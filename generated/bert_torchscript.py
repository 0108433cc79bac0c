# Made by guardgen 0.1.0; do not edit, change the program and build again.
# For which arguments a trace is valid: function bert of transformers/models/bert/modeling_bert.py, traced at level c...
# Traced with grad mode on, default dtype torch.float32, default device cpu, autocast off.
# The module was in training, model in evaluation.
"""For which arguments a trace is valid: `check` and `check_shapes`, for `torch.jit.script`."""

from __future__ import annotations

from typing import List

import torch
from torch import Tensor

__all__ = ["check", "check_shapes"]


def check(input_ids: Tensor, attention_mask: Tensor) -> bool:
    """Whether the trace is valid for these arguments."""
    if (
        input_ids.dtype != torch.int64
        or input_ids.dim() != 2
        or input_ids.layout != torch.strided
        or not input_ids.is_cpu
    ):
        return False
    if (
        attention_mask.dtype != torch.int64
        or attention_mask.dim() != 2
        or attention_mask.layout != torch.strided
        or not attention_mask.is_cpu
    ):
        return False
    if attention_mask is input_ids:
        return False
    input_ids_0 = input_ids.size(0)
    input_ids_1 = input_ids.size(1)
    if not _sizes(input_ids_0, input_ids_1):
        return False
    value_0 = _value_0(attention_mask)
    if not _data(value_0):
        return False
    return True


def check_shapes(input_ids: List[int], attention_mask: List[int]) -> bool:
    """Whether the trace is valid for tensors of these sizes, as far as sizes tell.

    Dtypes, devices, layouts, strides, the identity of tensors and what is in them are not looked at: `check` does.
    """
    if len(input_ids) != 2:
        return False
    if len(attention_mask) != 2:
        return False
    input_ids_0 = input_ids[0]
    input_ids_1 = input_ids[1]
    if not _sizes(input_ids_0, input_ids_1):
        return False
    return True


def _sizes(input_ids_0: int, input_ids_1: int) -> bool:
    # at transformers/models/bert/modeling_bert.py:95: token_type_ids = buffered_token_type_ids.expand(batch_size, se...
    # at transformers/models/bert/modeling_bert.py:105: embeddings = embeddings + position_embeddings
    # at transformers/integrations/sdpa_attention.py:148: is_causal = q_length > 1 and attention_mask is None and is_...
    if input_ids_1 > 64 or input_ids_1 < 2:
        return False
    # at transformers/models/bert/modeling_bert.py:177: query_layer = self.query(hidden_states).view(*hidden_shape).t...
    # at transformers/models/bert/modeling_bert.py:178: key_layer = self.key(hidden_states).view(*hidden_shape).trans...
    # at transformers/models/bert/modeling_bert.py:179: value_layer = self.value(hidden_states).view(*hidden_shape).t...
    # and 2 lines more
    if input_ids_0 == 0:
        return False
    return True


def _data(value_0: bool) -> bool:
    # at transformers/masking_utils.py:354: and (padding_mask is None or padding_mask.all())
    if not value_0:
        return False
    return True


def _value_0(attention_mask: Tensor) -> bool:
    with torch.no_grad():
        t31 = torch.ops.aten.to(attention_mask, torch.device("cpu"), torch.bool)
        t42 = torch.ops.aten.all(t31)
        b43 = t42.item()
        return bool(b43)
