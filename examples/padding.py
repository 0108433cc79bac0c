"""Padding a sequence to a multiple of 64, as kernels want it: whether anything is padded is decided by the length.

The traced run had to pad, so the trace always pads, and is wrong for a length that is a multiple already: the program
would have returned `x` itself. All other lengths are served by this one trace, since the amount is computed in it.
"""

import torch
import torch.nn.functional as F

from guardgen import spec

MULTIPLE = 64


@spec.program(args=lambda: (torch.randn(2, 100, 8),))
def padding(x: torch.Tensor) -> torch.Tensor:
    """`x` of shape (batch, length, width), with zeros after the end of each sequence."""
    extra = -x.shape[1] % MULTIPLE
    if extra == 0:
        return x
    return F.pad(x, (0, 0, 0, extra))
