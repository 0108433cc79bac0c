"""What TorchScript guards may compute with: no operator that may raise, since nothing there can catch it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import guardgen

DATA = torch.arange(4.0)
REFUSED: dict[str, Callable[[torch.Tensor, torch.Tensor], Any]] = {
    "aten.index.Tensor": lambda x, ids: bool(x[ids].sum() > 0),
    "aten.embedding.default": lambda x, ids: bool(torch.embedding(x[:, None], ids).sum() > 0),
    "aten.linalg_inv.default": lambda x, ids: bool(torch.linalg.inv(x.reshape(2, 2)).sum() > 0),
}


@pytest.mark.parametrize("op", REFUSED)
def test_an_operator_that_may_refuse_values_is_named_where_torchscript_would_raise(op: str) -> None:
    program = REFUSED[op]
    guards = guardgen.derive(guardgen.trace(program, (torch.tensor([2.0, 1.0, 1.0, 3.0]), torch.tensor([1, 2]))))
    with pytest.raises(guardgen.EmitError, match=op):
        guardgen.emit(guards, "torchscript")
    assert not guards.check(torch.zeros(4), torch.tensor([9, 9]))


def test_an_operator_that_cannot_refuse_is_computed() -> None:
    guards = guardgen.derive(guardgen.trace(lambda x: bool((x * 2).sum().detach() > 0), (DATA,)))
    assert "aten.mul" in guardgen.emit(guards, "torchscript")


def test_an_artifact_may_compute_with_it_since_it_raises_anyway() -> None:
    artifact = guardgen.torchscript.trace(lambda x, ids: x * 2 if x[ids].sum() > 0 else x, (DATA, torch.tensor([1, 2])))
    assert torch.equal(artifact(DATA, torch.tensor([3])), DATA * 2)
    for ids in ([0], [9]):
        with pytest.raises(Exception, match=r"expected|out of bounds"):
            artifact(DATA, torch.tensor(ids))
