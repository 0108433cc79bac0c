"""The strides of computed tensors: what a program sees of them is guarded, whatever it computed them with."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

import guardgen
from guardgen.rules.shape.context import row_major


def scaled(x: Tensor) -> Any:
    return (x * 2).is_contiguous()


def product_of_both(x: Tensor) -> Any:
    return (x @ x.t()).stride()[1] == 1


def broadcast_sum(x: Tensor) -> Any:
    return (x + x[0]).is_contiguous()


def normalised(x: Tensor) -> Any:
    return F.layer_norm(x, x.shape[1:]).is_contiguous()


def softmax_turned(x: Tensor) -> Any:
    return torch.softmax(x, -1).t().is_contiguous()


def copy_stride(x: Tensor) -> Any:
    return x.clone().stride(0) == 8


def piece(x: Tensor) -> Any:
    return torch.relu(x).chunk(2, 1)[0].is_contiguous()


def turned(x: Tensor) -> Any:
    return x.exp().t().stride(0) == 1


def made_contiguous(x: Tensor) -> Any:
    return (x.t().contiguous() * x.t().contiguous()).flatten().unsqueeze(1).is_contiguous()


def repeated(x: Tensor) -> Any:
    return x.repeat_interleave(2, 0).is_contiguous() and x.repeat_interleave(torch.tensor([2]), 1).is_contiguous()


PROGRAMS = [
    made_contiguous,
    repeated,
    scaled,
    product_of_both,
    broadcast_sum,
    normalised,
    softmax_turned,
    copy_stride,
    piece,
    turned,
]


def arguments() -> Iterator[Tensor]:
    for rows, columns in itertools.product((1, 2, 3, 8), (1, 2, 3, 8)):
        yield torch.randn(rows, columns)
        yield torch.randn(columns, rows).t()
        yield torch.randn(rows, 2 * columns)[:, ::2]
    yield from (torch.randn(0, 8), torch.randn(4, 0))


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("traced", [torch.randn(4, 8), torch.randn(8, 4).t()], ids=["rows", "columns"])
def test_guards_say_whether_the_program_sees_the_same_layout(program: Callable[..., Any], traced: Tensor) -> None:
    def seen(x: Tensor) -> Tensor:
        return x + 1 if program(x) else x - 1

    guards = guardgen.derive(guardgen.trace(seen, (traced,)))
    accepted = 0
    for x in [traced, *arguments()]:
        try:
            same = program(x) == program(traced)
        except IndexError:
            same = False
        assert same or not guards.check(x), (x.shape, x.stride())
        refused_in_rows = same and not guards.check(x) and x.numel() and x.stride() == row_major(x.shape)
        if traced.is_contiguous():
            assert not refused_in_rows, (x.shape, guards)
        accepted += guards.check(x)
    assert accepted > 1


def test_a_channels_last_convolution_is_told_from_one_in_rows() -> None:
    weight = torch.randn(4, 3, 3, 3)

    def seen(x: Tensor) -> Tensor:
        y = F.conv2d(x, weight)
        return y + 1 if y.is_contiguous(memory_format=torch.channels_last) else y

    last = torch.randn(2, 3, 8, 8).to(memory_format=torch.channels_last)
    for traced, other in [(last, torch.randn(2, 3, 8, 8)), (torch.randn(2, 3, 8, 8), last)]:
        guards = guardgen.derive(guardgen.trace(seen, (traced,)))
        assert guards.check(traced)
        assert not guards.check(other)


def test_operators_that_keep_rows_are_asked_only_whether_their_inputs_are_in_rows() -> None:
    def seen(x: Tensor, weight: Tensor) -> Tensor:
        y = torch.relu(F.linear(x, weight)) + 1
        return y.view(-1) if y.is_contiguous() else y

    guards = guardgen.derive(guardgen.trace(seen, (torch.randn(2, 3, 4), torch.randn(5, 4))))
    assert guards.check(torch.randn(1, 7, 4), torch.randn(5, 4))
    assert not any("stride" in guard.text for guard in guards.guards), guards


def test_what_is_made_contiguous_can_be_seen_as_anything() -> None:
    def heads_joined(x: Tensor) -> Tensor:
        y = x.transpose(1, 2).contiguous().view(x.shape[0], -1)
        return y * 2 if y.is_contiguous() else y

    guards = guardgen.derive(guardgen.trace(heads_joined, (torch.randn(2, 3, 4),)))
    assert [guard.text for guard in guards.guards] == ["x.shape[0] != 0"]  # nothing about memory
    assert guards.check(torch.randn(3, 1, 1).expand(3, 1, 5))
    assert not guards.check(torch.randn(0, 3, 4))


def test_strides_of_what_has_no_elements_are_odd_and_not_taken_for_granted() -> None:
    def program(x: Tensor) -> Tensor:
        y = torch.cat([x[::2].transpose(0, 1)] * 2) + 1  # of sizes (0, 0, 1), with strides (0, 1, 0)
        return y if y.stride(0) >= y.stride(2) and y.stride(2) == 1 else -y

    guards = guardgen.derive(guardgen.trace(program, (torch.ones(2, 1, 4),)))
    assert guards.check(torch.ones(6, 5, 3))
    assert not guards.check(torch.ones(0, 0, 1))

    guards = guardgen.derive(guardgen.trace(program, (torch.ones(0, 0, 1),)))
    assert guards.check(torch.ones(0, 0, 1))
    assert not guards.check(torch.ones(2, 1, 4))


def test_strides_of_sizes_of_1_beside_a_number_are_not_those_of_a_contiguous_tensor() -> None:
    def program(x: Tensor) -> Tensor:
        y = (x.unsqueeze(0).contiguous() + 1 + 1).permute(3, 2, 1, 0)
        return y if y.stride()[0] >= y.stride()[-1] else -y

    traced = torch.ones(2, 2, 4).permute(1, 2, 0)
    guards = guardgen.derive(guardgen.trace(program, (traced,)))
    assert guards.check(traced)
    for sizes in itertools.product((0, 1, 2), repeat=3):
        for x in (torch.ones(sizes), torch.ones(sizes[::-1]).permute(2, 1, 0)):
            y = (x.unsqueeze(0).contiguous() + 1 + 1).permute(3, 2, 1, 0)
            assert not (guards.check(x) and y.stride()[0] >= y.stride()[-1]), (sizes, x.stride())


OFFSETS: list[tuple[Callable[..., Any], tuple[int, ...]]] = [
    (lambda x: x[1:], (4, 8)),
    (lambda x: x[-2:, 1], (4, 8)),
    (lambda x: (x * 2)[1:][0], (4, 8)),
    (lambda x: x.clone().t(), (4, 8)),
    (lambda x: x.narrow(0, 1, 2).as_strided((2,), (1,)), (4, 8)),
]


@pytest.mark.parametrize(("part", "shape"), OFFSETS, ids=[str(i) for i in range(len(OFFSETS))])
def test_where_a_part_begins_is_guarded(part: Callable[..., Any], shape: tuple[int, ...]) -> None:
    def seen(x: Tensor) -> Tensor:
        return x + 1 if part(x).storage_offset() == part(torch.zeros(shape)).storage_offset() else x

    guards = guardgen.derive(guardgen.trace(seen, (torch.zeros(shape),)))
    for x in (torch.zeros(shape), torch.zeros(5, 8), torch.zeros(4, 9), torch.zeros(5, 8)[1:], torch.zeros(3, 8)):
        assert guards.check(x) is (part(x).storage_offset() == part(torch.zeros(shape)).storage_offset())
