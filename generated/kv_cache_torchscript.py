# Made by guardgen 0.1.0; do not edit, change the program and build again.
# For which arguments a trace is valid: function kv_cache of examples/kv_cache.py, traced at level call.
# Traced with grad mode on, default dtype torch.float32, default device cpu, autocast off.
"""For which arguments a trace is valid: `check` and `check_shapes`, for `torch.jit.script`."""

from __future__ import annotations

from typing import List, Union

import torch
from torch import Tensor

__all__ = ["check", "check_shapes"]


def check(query: Tensor, key: Tensor, value: Tensor, keys: Tensor, values: Tensor, position: Union[int, bool]) -> bool:
    """Whether the trace is valid for these arguments."""
    if query.dtype != torch.float32 or query.dim() != 4 or query.layout != torch.strided or not query.is_cpu:
        return False
    if key.dtype != torch.float32 or key.dim() != 4 or key.layout != torch.strided or not key.is_cpu:
        return False
    if value.dtype != torch.float32 or value.dim() != 4 or value.layout != torch.strided or not value.is_cpu:
        return False
    if keys.dtype != torch.float32 or keys.dim() != 4 or keys.layout != torch.strided or not keys.is_cpu:
        return False
    if values.dtype != torch.float32 or values.dim() != 4 or values.layout != torch.strided or not values.is_cpu:
        return False
    if not isinstance(position, int):
        return False
    query_0 = query.size(0)
    query_1 = query.size(1)
    query_3 = query.size(3)
    key_0 = key.size(0)
    key_1 = key.size(1)
    key_2 = key.size(2)
    key_3 = key.size(3)
    value_0 = value.size(0)
    value_1 = value.size(1)
    value_2 = value.size(2)
    value_3 = value.size(3)
    keys_0 = keys.size(0)
    keys_1 = keys.size(1)
    keys_2 = keys.size(2)
    keys_3 = keys.size(3)
    values_0 = values.size(0)
    values_1 = values.size(1)
    values_2 = values.size(2)
    values_3 = values.size(3)
    if not _sizes(query_0, query_1, query_3, key_0, key_1, key_2, key_3, value_0, value_1, value_2, value_3, keys_0, keys_1, keys_2, keys_3, values_0, values_1, values_2, values_3, position):
        return False
    return True


def check_shapes(
    query: List[int], key: List[int], value: List[int], keys: List[int], values: List[int], position: Union[int, bool]
) -> bool:
    """Whether the trace is valid for tensors of these sizes, as far as sizes tell.

    Dtypes, devices, layouts, strides, the identity of tensors and what is in them are not looked at: `check` does.
    """
    if len(query) != 4:
        return False
    if len(key) != 4:
        return False
    if len(value) != 4:
        return False
    if len(keys) != 4:
        return False
    if len(values) != 4:
        return False
    if not isinstance(position, int):
        return False
    query_0 = query[0]
    query_1 = query[1]
    query_3 = query[3]
    key_0 = key[0]
    key_1 = key[1]
    key_2 = key[2]
    key_3 = key[3]
    value_0 = value[0]
    value_1 = value[1]
    value_2 = value[2]
    value_3 = value[3]
    keys_0 = keys[0]
    keys_1 = keys[1]
    keys_2 = keys[2]
    keys_3 = keys[3]
    values_0 = values[0]
    values_1 = values[1]
    values_2 = values[2]
    values_3 = values[3]
    if not _sizes(query_0, query_1, query_3, key_0, key_1, key_2, key_3, value_0, value_1, value_2, value_3, keys_0, keys_1, keys_2, keys_3, values_0, values_1, values_2, values_3, position):
        return False
    return True


def _sizes(
    query_0: int,
    query_1: int,
    query_3: int,
    key_0: int,
    key_1: int,
    key_2: int,
    key_3: int,
    value_0: int,
    value_1: int,
    value_2: int,
    value_3: int,
    keys_0: int,
    keys_1: int,
    keys_2: int,
    keys_3: int,
    values_0: int,
    values_1: int,
    values_2: int,
    values_3: int,
    position: int,
) -> bool:
    # at examples/kv_cache.py:30: if keys.shape != values.shape:
    if keys_0 != values_0 or keys_1 != values_1 or keys_2 != values_2 or keys_3 != values_3:
        return False
    # at examples/kv_cache.py:32: if not 0 <= position < keys.shape[2]:
    if position < 0 or keys_2 <= position:
        return False
    # at examples/kv_cache.py:35: keys[:, :, position:seen] = key
    if key_0 != keys_0 and key_0 != 1 or key_1 != keys_1 and key_1 != 1 or key_2 != 1 or key_3 != keys_3 and key_3 != 1:
        return False
    # at examples/kv_cache.py:36: values[:, :, position:seen] = value
    if (
        value_0 != keys_0
        and value_0 != 1
        or value_1 != keys_1
        and value_1 != 1
        or value_2 != 1
        or value_3 != keys_3
        and value_3 != 1
    ):
        return False
    # at examples/kv_cache.py:37: scores = query @ keys[:, :, :seen].transpose(-2, -1) / query.shape[3] ** 0.5
    if (
        query_3 != keys_3
        or query_0 != keys_0
        and query_0 != 1
        and keys_0 != 1
        or query_1 != keys_1
        and query_1 != 1
        and keys_1 != 1
    ):
        return False
    return True
