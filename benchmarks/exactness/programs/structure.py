"""Optional arguments, containers and arguments that are never read."""

import torch
from torch import Tensor

from benchmarks.exactness.arguments import T
from benchmarks.exactness.programs.registry import program


@program(
    "optional arguments",
    traced=(T(3, 4), None),
    valid=[(T(1, 2), None), (T(0, 4), None)],
    invalid=[(T(3, 4), T(4)), (T(3, 4), 1)],
)
@program(
    "optional arguments",
    traced=(T(3, 4), T(4)),
    valid=[(T(2, 5), T(1)), (T(1, 6), T(6))],
    invalid=[(T(3, 4), None), (T(3, 4), T(3)), (T(3, 4), T(3, 4))],
)
def maybe_biased(x: Tensor, bias: Tensor | None) -> Tensor:
    if bias is not None:
        x = x + bias
    return x.relu()


@program(
    "optional arguments, a number",
    traced=(T(3), 0.5),
    valid=[(T(9), 0.5)],
    invalid=[(T(3), 0.0), (T(3), None), (T(3), "0.5")],
)
def damped(x: Tensor, rate: float) -> Tensor:
    if rate == 0.5:
        return x * rate
    return x


@program(
    "lists",
    traced=([T(2, 3), T(4, 3)],),
    valid=[([T(1, 2), T(0, 2)],), ([T(5, 1), T(5, 1)],)],
    invalid=[([T(2, 3)],), ([T(2, 3), T(4, 3), T(1, 3)],), ([T(2, 3), T(4, 2)],), (T(2, 3),)],
)
def joined(xs: list[Tensor]) -> Tensor:
    total = torch.cat(xs)
    for x in xs:
        total = total - x.sum(0)
    return total


@program(
    "dicts",
    traced=({"x": T(3, 4), "scale": 2},),
    valid=[({"x": T(1, 1), "scale": 5},), ({"x": T(0, 2), "scale": 0},)],
    invalid=[({"x": T(3, 4)},), ({"x": T(3, 4), "scale": None},), ([T(3, 4), 2],)],
)
def scaled(batch: dict[str, Tensor]) -> dict[str, Tensor]:
    return {"y": batch["x"] * batch["scale"], "n": batch["x"].sum(-1)}


@program(
    "never read",
    traced=(T(3), T(2, 2), 4),
    valid=[(T(5), T(1), 4), (T(0), T(2, 2), 9), (T(3), T(2, 2, dtype=torch.bool), 0)],
    invalid=[(T(3, 3), T(2, 2), 4)],
)
def first_only(x: Tensor, y: Tensor, n: int) -> Tensor:
    return x.cumsum(0)
