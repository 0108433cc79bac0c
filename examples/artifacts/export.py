"""A program of torch.export behind guards, beside the bare one, which runs what it is not right for.

python -m examples.artifacts.export
"""

from __future__ import annotations

import torch
from torch.export import Dim

import guardgen


class Mean(torch.nn.Module):
    """The mean of some rows, which the program wants to be there."""

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        assert rows.shape[0] > 0, "no rows"
        total = torch.zeros(rows.shape[1], dtype=rows.dtype) + rows.sum(0)
        return total / rows.shape[0]


def main() -> None:
    example = (torch.ones(8, 4),)
    bare = torch.export.export(Mean(), example, dynamic_shapes={"rows": {0: Dim.AUTO}}, strict=False)
    guards = guardgen.derive(guardgen.trace(Mean(), example))
    guarded = guardgen.export.guard(bare, guards)
    for rows in torch.ones(8, 4), torch.ones(3, 4), torch.ones(0, 4), torch.ones(8, 4).half(), torch.ones(8, 5):
        print(f"{tuple(rows.shape)} {str(rows.dtype).removeprefix('torch.')}")
        for name, module in ("program", Mean()), ("bare", bare.module()), ("guarded", guarded):
            print(f"  {name:8} {answer(module, rows)}")


def answer(module: torch.nn.Module, rows: torch.Tensor) -> str:
    try:
        result = module(rows)
    except Exception as error:  # whichever of the three refuses, in its own words
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return f"{result.tolist()} {str(result.dtype).removeprefix('torch.')}"


if __name__ == "__main__":
    main()
