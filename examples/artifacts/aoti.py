"""An AOTInductor package that refuses what it is not right for, beside the bare one, which answers wrongly.

python -m examples.artifacts.aoti
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import torch

import guardgen


def halves(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Another answer where the rows make two halves of more than two."""
    if x.shape[0] % 2 == 0 and x.shape[0] > 4:
        return (x * 2 + y).sum(1)
    return (x + y).sum(1)


def main() -> None:
    path = Path(tempfile.mkdtemp()) / "halves.pt2"
    guardgen.aoti.compile(halves, (torch.ones(8, 3), torch.ones(8, 3)), package_path=path)  # needs a C++ compiler
    bare = torch._inductor.aoti_load_package(str(path))
    model = guardgen.aoti.load(path)
    turned = torch.arange(24.0).view(3, 8).t()
    for x in torch.ones(6, 3), torch.ones(3, 3), torch.ones(1, 3), turned, torch.ones(8, 3).half():
        print(f"{tuple(x.shape)} {str(x.dtype).removeprefix('torch.')}, strides {x.stride()}")
        y = torch.zeros(x.shape)
        for name, program in ("program", halves), ("bare", bare), ("guarded", model):
            print(f"  {name:8} {answer(program, x, y)}")


def answer(program: Callable[..., torch.Tensor], x: torch.Tensor, y: torch.Tensor) -> str:
    try:
        return str([round(each, 1) for each in program(x, y).tolist()])
    except guardgen.aoti.GuardError as error:
        return "\n           ".join(["GuardError:", *str(error).splitlines()])


if __name__ == "__main__":
    main()
