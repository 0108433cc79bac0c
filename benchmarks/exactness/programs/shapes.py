"""Broadcasts, views, joins, padding and rank: what sizes alone decide, most of it inside operators."""

import torch
import torch.nn.functional as F
from torch import Tensor

from benchmarks.exactness.arguments import T
from benchmarks.exactness.programs.registry import program


@program(
    "broadcast",
    traced=(T(4, 3), T(4, 3)),
    valid=[(T(1, 3), T(5, 3)), (T(0, 3), T(0, 3)), (T(6, 1), T(1, 7)), (T(1, 1), T(1, 1))],
    invalid=[(T(4, 3), T(5, 3)), (T(4, 3), T(3)), (T(0, 3), T(2, 3))],
)
@program(
    "broadcast", traced=(T(1, 3), T(4, 3)), valid=[(T(4, 3), T(4, 3)), (T(2, 3), T(1, 3))], invalid=[(T(2, 3), T(4, 3))]
)
def scaled_sum(x: Tensor, y: Tensor) -> Tensor:
    return x * 2 + y


@program(
    "broadcast, one way",
    traced=(T(2, 5), T(2, 3), T(3, 5)),
    valid=[(T(1, 5), T(4, 3), T(3, 5)), (T(4, 1), T(4, 0), T(0, 9)), (T(1, 1), T(1, 1), T(1, 1))],
    invalid=[(T(2, 5), T(1, 3), T(3, 5)), (T(2, 5), T(2, 3), T(4, 5))],
)
def biased_product(bias: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return torch.addmm(bias, x, y)


@program(
    "broadcast, in place",
    traced=(T(4, 3), T(3)),
    valid=[(T(1, 3), T(1)), (T(0, 5), T(5))],
    invalid=[(T(4, 1), T(3)), (T(4, 3), T(4))],
)
def accumulate(x: Tensor, y: Tensor) -> Tensor:
    x += y
    return x


@program(
    "views",
    traced=(T(2, 6, 4),),
    valid=[(T(1, 2, 1),), (T(5, 0, 3),), (T(0, 4, 4),), (T(3, 8, 1),)],
    invalid=[(T(2, 5, 4),), (T(1, 1, 1),), (T(2, 6),)],
)
def pair_up(x: Tensor) -> Tensor:
    batch, length, width = x.shape
    return x.view(batch, length // 2, 2, width).sum(2)


@program(
    "views, a size left open",
    traced=(T(4, 6),),
    valid=[(T(8, 3),), (T(1, 12),), (T(0, 5),), (T(2, 6),)],
    invalid=[(T(3, 3),), (T(1, 1),)],
)
def rows_of_twelve(x: Tensor) -> Tensor:
    return x.reshape(-1, 12)


@program(
    "views, expand",
    traced=(T(1, 4), T(3, 4)),
    valid=[(T(1, 1), T(5, 2)), (T(3, 4), T(3, 4)), (T(1, 4), T(0, 4))],
    invalid=[(T(2, 4), T(3, 4)), (T(1, 4), T(3, 1))],
)
def expand_to(x: Tensor, y: Tensor) -> Tensor:
    return x.expand(y.shape[0], y.shape[1]) * y


@program(
    "slices that clamp",
    traced=(T(6), 2),
    valid=[(T(1), 2), (T(0), 3), (T(6), 9), (T(6), -1), (T(6), 0)],
    invalid=[(T(2, 2), 2)],
)
def without_ends(x: Tensor, n: int) -> Tensor:
    return torch.cat([x[n:], x[:-n], x[1:100:2]])


@program(
    "select",
    traced=(T(3, 4), 1),
    valid=[(T(5, 4), 4), (T(2, 1), -2), (T(1, 0), 0)],
    invalid=[(T(3, 4), 3), (T(3, 4), -4), (T(0, 4), 0)],
)
def row(x: Tensor, n: int) -> Tensor:
    return x[n] * 2


@program(
    "joins",
    traced=(T(2, 3), T(4, 3)),
    valid=[(T(0, 3), T(1, 3)), (T(5, 1), T(5, 1)), (T(1, 0), T(1, 0))],
    invalid=[(T(2, 3), T(4, 4)), (T(2, 3), T(3))],
)
def stacked_rows(x: Tensor, y: Tensor) -> Tensor:
    both = torch.cat([x, y])
    return both - both.mean(0)


@program(
    "padding to a multiple",
    traced=(T(2, 5),),
    valid=[(T(2, 3),), (T(1, 7),), (T(3, 1),)],
    invalid=[(T(0, 9),), (T(2, 8),), (T(2, 0),), (T(2, 4),)],
)
def pad_to_four(x: Tensor) -> Tensor:
    missing = (4 - x.shape[-1] % 4) % 4
    if missing > 0:
        x = F.pad(x, (0, missing))
    return x.view(x.shape[0], -1, 4).sum(-1)


@program(
    "padding by reflection",
    traced=(T(1, 2, 6),),
    valid=[(T(3, 1, 3),), (T(1, 1, 9),)],
    invalid=[(T(1, 2, 2),), (T(1, 2, 0),), (T(2, 6),)],
)
def mirror(x: Tensor) -> Tensor:
    return F.pad(x, (2, 1), mode="reflect")


@program(
    "float scale factors",
    traced=(T(1, 2, 4, 6),),
    valid=[(T(3, 1, 5, 7),), (T(1, 1, 1, 1),), (T(2, 2, 10, 3),)],
    invalid=[(T(2, 4, 6),), (T(1, 2, 0, 6),)],
)
def enlarge(x: Tensor) -> Tensor:
    height, width = x.shape[-2:]
    return F.interpolate(x, size=(int(height * 1.5), int(width * 1.5)), mode="nearest")


@program(
    "convolution",
    traced=(T(1, 3, 8, 8), T(4, 3, 3, 3)),
    valid=[(T(2, 3, 3, 5), T(4, 3, 3, 3)), (T(1, 1, 4, 4), T(2, 1, 3, 3)), (T(0, 3, 8, 8), T(1, 3, 3, 3))],
    invalid=[(T(1, 3, 1, 8), T(4, 3, 3, 3)), (T(1, 4, 8, 8), T(4, 3, 3, 3))],
)
def features(x: Tensor, weight: Tensor) -> Tensor:
    return F.max_pool2d(F.conv2d(x, weight), 1)


@program(
    "rank",
    traced=(T(100),),
    valid=[(T(7),), (T(0),), (T(1),)],
    invalid=[(T(1, 100),), (T(3, 4),), (T(),)],
)
@program("rank", traced=(T(2, 9),), valid=[(T(5, 3),), (T(1, 1),)], invalid=[(T(9),), (T(1, 2, 3),)])
def add_batch(x: Tensor) -> Tensor:
    if x.dim() == 1:
        x = x[None]
    return x.cumsum(-1)


@program(
    "rank by squeeze",
    traced=(T(3, 1, 5),),
    valid=[(T(2, 1, 4),), (T(0, 1, 3),)],
    invalid=[(T(3, 2, 5),), (T(1, 1, 5),)],
)
def squeezed_rows(x: Tensor) -> tuple[int, Tensor]:
    y = x.squeeze()
    if y.dim() == 2:
        return 2, y.sum(1)
    return y.dim(), y
