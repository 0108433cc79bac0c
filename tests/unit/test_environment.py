"""The environment of a trace: shown in the header, and checked where someone asks."""

from __future__ import annotations

import pytest
import torch

import guardgen
from guardgen.environment import Environment
from tests.unit.emitted import load


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout(0.5))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.body(x)


def traced(net: torch.nn.Module) -> guardgen.GuardSet:
    with torch.no_grad():
        return guardgen.derive(guardgen.trace(net, (torch.ones(1, 2),)))


def test_settings_and_flags_are_compared_and_told() -> None:
    net = Net().eval()
    module = load(guardgen.emit(traced(net), "python"))
    assert module.TRAINING == {"": False}
    assert not module.check_environment(net)
    with torch.no_grad():
        assert module.check_environment()
        assert module.check_environment(net)
        net.body[1].train()
        assert module.check_environment()
        assert not module.check_environment(net)
        (found,) = module.environment_violations(net)
        assert str(found) == "training: expected {'': False}, got {'': False, 'body.1': True}"
        assert not module.check_environment(3)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (torch.enable_grad, "grad mode: expected off, got on"),
        (torch.inference_mode, "grad mode: expected off, got inference"),
        (lambda: torch.autocast("cpu", torch.bfloat16), "autocast: expected off, got torch.bfloat16 on cpu"),
        (lambda: torch.device("meta"), "default device: expected cpu, got meta"),
    ],
)
def test_each_setting_is_told(change: object, expected: str) -> None:
    environment = traced(Net()).environment
    with torch.no_grad():
        assert environment.differences() == []
        with change():  # type: ignore[operator]
            assert [str(each) for each in environment.differences()] == [expected]


def test_the_header_says_how_the_trace_was_made() -> None:
    net = Net()
    net.body[0].eval()
    header = guardgen.emit(traced(net), "python").split('"""')[0]
    assert "# Traced with grad mode off, default dtype torch.float32, default device cpu, autocast off." in header
    assert "# The module was in training, body.0 in evaluation." in header


def test_functions_have_no_flags_and_methods_have_their_module_s() -> None:
    assert Environment.of(torch.relu).training == {}
    assert Environment.of(Net().forward).training == {"": True}
