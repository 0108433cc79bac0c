"""The names of dtypes, in the part of Python that TorchScript compiles, to which a dtype is a mere number.

TorchScript artifacts include what is below the imports.
"""

from __future__ import annotations

import torch


def dtype_name(dtype: torch.dtype) -> str:
    if dtype == torch.float32:
        return "torch.float32"
    if dtype == torch.float64:
        return "torch.float64"
    if dtype == torch.float16:
        return "torch.float16"
    if dtype == torch.bfloat16:
        return "torch.bfloat16"
    if dtype == torch.int64:
        return "torch.int64"
    if dtype == torch.int32:
        return "torch.int32"
    if dtype == torch.int16:
        return "torch.int16"
    if dtype == torch.int8:
        return "torch.int8"
    if dtype == torch.uint8:
        return "torch.uint8"
    if dtype == torch.bool:
        return "torch.bool"
    if dtype == torch.complex64:
        return "torch.complex64"
    if dtype == torch.complex128:
        return "torch.complex128"
    return "another"
