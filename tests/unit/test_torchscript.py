"""TorchScript artifacts: the program's own results where the guards hold, and an error in words everywhere else."""

from __future__ import annotations

import enum
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch

import guardgen
from benchmarks.exactness.arguments import build
from benchmarks.exactness.outcomes import run
from benchmarks.exactness.programs import PROGRAMS, Program
from guardgen import torchscript
from guardgen.errors import EmitError
from tests.unit.emitted import guards_of

UNTYPED = ("by_options",)  # programs with arguments that TorchScript has no type for
TYPED = [program for program in PROGRAMS if program.fn.__name__ not in UNTYPED]
NAMES = [f"{i} {program.name}" for i, program in enumerate(TYPED)]


def raised(module: Any, *args: Any, **kwargs: Any) -> str:
    """The last line of what a ScriptModule raises: TorchScript tells first where it is."""
    with pytest.raises((torch.jit.Error, RuntimeError)) as caught:
        module(*args, **kwargs)
    return str(caught.value).strip().splitlines()[-1].removeprefix("builtins.ValueError: ")


def same(left: Any, right: Any) -> bool:
    if isinstance(left, torch.Tensor):
        return left.dtype == right.dtype and left.shape == right.shape and torch.allclose(left, right, equal_nan=True)
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


# -- right where it answers


@pytest.mark.parametrize("program", TYPED, ids=NAMES)
@pytest.mark.filterwarnings("ignore::UserWarning")  # PyTorch's, of what some programs do
def test_valid_calls_give_the_program_s_results_and_invalid_ones_raise(program: Program) -> None:
    module = torchscript.trace(program.fn, tuple(build(program.traced)))
    for call in (program.traced, *program.valid):
        expected, got = run(program.fn, build(call)), run(module, build(call))
        assert got.ran, got.error
        assert same_values(expected, got), call
    for call in program.invalid:
        expected, got = run(program.fn, build(call)), run(module, build(call))
        assert not got.ran or same_values(expected, got), call


def same_values(expected: Any, got: Any) -> bool:
    return bool(expected.ran and same(expected.result, got.result))


@pytest.mark.parametrize("name", UNTYPED)
def test_programs_with_arguments_of_other_types_are_refused(name: str) -> None:
    (program,) = (each for each in PROGRAMS if each.fn.__name__ == name)
    with pytest.raises(EmitError, match=r"TorchScript has no type for a .*; close over it"):
        torchscript.trace(program.fn, tuple(build(program.traced)))


class Halves(NamedTuple):
    left: torch.Tensor
    right: torch.Tensor


def halves(x: torch.Tensor) -> Halves:
    n = x.shape[0] // 2
    return Halves(x[:n], x[n:])


def in_place(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    view = x[1:]
    view.mul_(2)
    y[0] = x.sum()
    return x + y


def without_gradients(x: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        scale = x.norm() + 1
        scale = scale * 2
    return x / scale


def several(x: torch.Tensor, n: int) -> Any:
    values, indices = x.topk(n)
    return {"values": values, "more": values + 1}, [indices, indices + 1], n * 2, x.shape[0], x.shape, None, 1.5, "text"


def numbers(x: torch.Tensor, n: int) -> Any:
    half = (x.shape[0] + n) // 2
    return x[:half] * (x.shape[1] ** 0.5), -half, half % 3, max(half, n), round(half / 3)


CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any], list[tuple[Any, ...]]]] = {
    "a named tuple": (halves, (torch.randn(4, 2),), {}, [(torch.randn(7, 3),), (torch.randn(0, 1),)]),
    "writes": (in_place, (torch.randn(4), torch.randn(4)), {}, [(torch.randn(9), torch.randn(9))]),
    "no gradients": (without_gradients, (torch.randn(4),), {}, [(torch.randn(5),)]),
    "several results": (several, (torch.randn(4, 5), 2), {}, [(torch.randn(3, 7), 4)]),
    "numbers": (numbers, (torch.randn(4, 5), 2), {}, [(torch.randn(8, 3), 4), (torch.randn(3, 1), 0)]),
    "a list": (
        lambda items: torch.cat(items),
        ([torch.ones(2), torch.ones(3)],),
        {},
        [([torch.ones(1), torch.ones(4)],)],
    ),
    "a dict": (lambda d: d["a"] @ d["b"], ({"a": torch.ones(2, 3), "b": torch.ones(3, 2)},), {}, []),
    "a mixed list": (lambda items: items[0] * items[1], ([torch.ones(2), 3],), {}, [([torch.ones(4), 5],)]),
    "constants": (
        lambda x: torch.zeros(x.shape, dtype=torch.float64, device="cpu").to(memory_format=torch.contiguous_format) + x,
        (torch.ones(2, 3),),
        {},
        [(torch.ones(4, 1),)],
    ),
    "indexing": (lambda x, i: x[:, i, None] + x[..., :1, None], (torch.ones(2, 3), torch.tensor([0, 2])), {}, []),
    "an empty list": (lambda x: x.sum([]) + x.new_zeros([]), (torch.ones(2, 3),), {}, [(torch.ones(4, 1),)]),
    "complex": (lambda x: x * (1 + 2j), (torch.ones(2),), {}, [(torch.ones(3),)]),
    "infinity": (lambda x: x.masked_fill(x > 0, float("-inf")), (torch.ones(2),), {}, [(-torch.ones(3),)]),
    "an optional tensor": (lambda x, y=None: x if y is None else x + y, (torch.ones(2), torch.ones(2)), {}, []),
    "an argument left out": (lambda x, y=None: x if y is None else x + y, (torch.ones(2),), {}, [(torch.ones(5),)]),
    "a keyword": (lambda x, *, scale=2.0, flag: x * scale, (torch.ones(2),), {"flag": True}, [(torch.ones(5),)]),
    "names of TorchScript's": (
        lambda torch, why, Tensor, guard_0: torch * why + Tensor - guard_0,
        (torch.ones(2),) * 3 + (torch.ones(2),),
        {},
        [],
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_every_kind_of_argument_and_result(name: str) -> None:
    fn, args, kwargs, others = CALLS[name]
    module = torchscript.trace(fn, copied(args), kwargs)
    for call in (args, *others):
        torch.manual_seed(0)
        expected_args, got_args = copied(call), copied(call)
        assert same(plain(fn(*expected_args, **kwargs)), plain(module(*got_args, **kwargs)))
        assert same(expected_args, got_args)


def copied(args: Any) -> Any:
    return torch.utils._pytree.tree_map(lambda x: x.clone() if isinstance(x, torch.Tensor) else x, tuple(args))


def plain(result: Any) -> Any:
    return tuple(map(plain, result)) if isinstance(result, torch.Size | tuple) else result


def test_random_operators_draw_the_same_numbers() -> None:
    def noisy(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.dropout(x, 0.5) + torch.rand(x.shape[0], 1)

    module = torchscript.trace(noisy, torch.ones(3, 4))
    with torch.no_grad():
        torch.manual_seed(3)
        expected = noisy(torch.ones(5, 4))
        torch.manual_seed(3)
        assert torch.equal(module(torch.ones(5, 4)), expected)


# -- modules


class Net(torch.nn.Module):
    table: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(4)
        self.layers = torch.nn.Sequential(torch.nn.Linear(4, 4), self.norm)
        self.tied = torch.nn.ModuleList([self.layers[0]])
        self.unused = torch.nn.Linear(1, 1)
        self.register_buffer("table", torch.arange(6.0))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y: torch.Tensor = self.layers(x) + self.tied[0](x)
        return y + self.table[: x.shape[1]] * torch.tensor([1.0, 2.0, 3.0, 4.0])


def test_state_keeps_its_names_and_is_the_module_s_own(tmp_path: Path) -> None:
    net = Net()
    module = torchscript.trace(net, torch.randn(3, 4))
    assert list(module.state_dict()) == list(net.state_dict())
    assert [name for name, _ in module.named_parameters()] == [name for name, _ in net.named_parameters()]
    with torch.no_grad():
        net.get_parameter("layers.0.weight").fill_(0.5)
    x = torch.randn(5, 4)
    assert torch.allclose(module(x), net(x), atol=1e-5)
    assert torch.equal(module.norm.running_mean, net.state_dict()["norm.running_mean"])
    torch.jit.save(module, str(tmp_path / "net.pt"))
    assert list(torch.jit.load(str(tmp_path / "net.pt")).state_dict()) == list(net.state_dict())


def test_gradients_reach_the_parameters() -> None:
    net = Net()
    module = torchscript.trace(net.eval(), torch.randn(3, 4))
    module(torch.randn(6, 4)).sum().backward()
    assert net.get_parameter("layers.0.weight").grad is not None


def test_a_module_with_an_attribute_of_the_artifact_s_is_refused() -> None:
    net = Net()
    net.register_buffer("guards", torch.ones(1))
    with pytest.raises(EmitError, match="the artifact has an attribute 'guards' of its own"):
        torchscript.trace(net, torch.randn(3, 4))


def test_names_that_are_no_identifiers_are_kept(tmp_path: Path) -> None:
    net = torch.nn.Sequential()
    net.add_module("first-layer", torch.nn.Linear(2, 2))
    net.add_module("1", torch.nn.Linear(2, 2, bias=False))
    module = torchscript.trace(net, torch.ones(1, 2))
    assert list(module.state_dict()) == ["first-layer.weight", "first-layer.bias", "1.weight"]
    torch.jit.save(module, str(tmp_path / "net.pt"))
    for each in (module, torch.jit.load(str(tmp_path / "net.pt"))):
        assert torch.allclose(each(torch.ones(3, 2)), net(torch.ones(3, 2)))


def test_buffers_that_are_not_saved_stay_so() -> None:
    class Counting(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("count", torch.zeros(()))
            self.register_buffer("scale", torch.full((1,), 3.0), persistent=False)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.get_buffer("count").add_(1)
            return x * self.get_buffer("scale") + self.get_buffer("count")

    module = torchscript.trace(Counting(), torch.ones(2))
    assert [module(torch.ones(1)).item() for _ in range(3)] == [5.0, 6.0, 7.0]
    assert module.state_dict()["count"].item() == 4.0


def test_a_method_has_the_state_of_its_module() -> None:
    net = Net().eval()
    module = torchscript.trace(net.forward, torch.randn(3, 4))
    assert list(module.state_dict()) == list(net.state_dict())


# -- what is refused


def chunked(rows: torch.Tensor, n: int, mode: str = "sum") -> torch.Tensor:
    if rows.shape[0] * n % 4 == 0 and mode == "sum" and rows.shape[1] == 2:
        return rows.sum(0)
    return rows


def test_an_error_names_the_condition_the_values_and_the_line() -> None:
    module, guards = torchscript.trace(chunked, (torch.ones(4, 2), 3)), guards_of(chunked, torch.ones(4, 2), 3)
    assert module(torch.ones(8, 2), 3).tolist() == [8.0, 8.0]
    for args in ((torch.ones(5, 2), 3), (torch.ones(4, 3), 3), (torch.ones(4), 3), (torch.ones(4, 2).double(), 3)):
        assert raised(module, *args) == str(guards.explain(*args)[0])
    assert "rows.shape[0] * n % 4 == 0, got rows.shape[0] = 5, n = 3, since tests/unit/test_torchscript.py:" in raised(
        module, torch.ones(5, 2), 3
    )
    assert raised(module, torch.ones(4, 2), 3, "max") == "mode: expected 'sum', got something else"
    assert raised(module, torch.ones(4, 2), True).startswith("n: expected an int")


def test_a_number_beyond_64_bits_is_refused_rather_than_wrong() -> None:
    module = torchscript.trace(lambda x, n: x * (n * n // n), (torch.ones(2), 3))
    assert module(torch.ones(2), 7).tolist() == [7.0, 7.0]
    assert "a product is beyond 64 bits" in raised(module, torch.ones(2), 2**40)
    assert "by zero" in raised(torchscript.trace(lambda x, n: x * (5 // n), (torch.ones(2), 3)), torch.ones(2), 0)


def test_an_observation_of_data_is_checked_on_entry() -> None:
    def masked(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return x if mask.all() else x * mask

    module = torchscript.trace(masked, (torch.ones(3), torch.ones(3)))
    assert module(torch.ones(5), torch.ones(5)).shape == (5,)
    assert ": expected True, got False, since tests/unit" in raised(module, torch.ones(3), torch.zeros(3))


def test_an_observation_that_entry_cannot_decide_is_checked_where_it_was_made() -> None:
    linear = torch.nn.Linear(100, 1)

    class Deciding(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = linear

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y: torch.Tensor = self.linear(x)
            return y if y.sum() > 0 else -y

    positive = linear.weight.detach().clone()
    module = torchscript.trace(Deciding(), positive * 10 + 1)
    expected = bool(linear(positive * 20).sum() > 0)
    assert expected
    assert module(positive * 20).shape == (1, 1)
    assert "since tests/unit/test_torchscript.py" in raised(module, -positive * 20)


class Color(enum.Enum):
    RED = 1


@pytest.mark.parametrize(
    ("fn", "args", "why"),
    [
        (lambda x, c: x, (torch.ones(2), Color.RED), "argument c: TorchScript has no type"),
        (lambda x: {"a": x, "b": 1}, (torch.ones(2),), "the result: TorchScript has dicts with str or int keys"),
        (lambda x: [x, 1], (torch.ones(2),), "the result: TorchScript has no type for a list of different types"),
        (lambda x: {Color.RED: x}, (torch.ones(2),), "the result: TorchScript has dicts"),
        (lambda self: self, (torch.ones(2),), "argument self: the module itself has this name"),
    ],
)
def test_what_torchscript_cannot_express_is_named(fn: Callable[..., Any], args: tuple[Any, ...], why: str) -> None:
    with pytest.raises(EmitError, match=why):
        torchscript.trace(fn, args)


def test_a_closed_over_parameter_must_be_the_module_s() -> None:
    weight = torch.nn.Parameter(torch.ones(2))
    with pytest.raises(EmitError, match="a closed-over tensor requires gradients"):
        torchscript.trace(lambda x: x * weight, torch.ones(2))


def test_level_prims_is_python() -> None:
    with pytest.raises(EmitError, match="is written in Python; trace at level 'call' or 'aten'"):
        torchscript.trace(lambda x, y: x + y, (torch.ones(2), torch.ones(2)), level="prims")
    module = torchscript.trace(lambda x, y: x.reshape(-1) + y, (torch.ones(2), torch.ones(2)), level="aten")
    assert module(torch.ones(3), torch.ones(3)).tolist() == [2.0] * 3


# -- off


def test_the_check_is_turned_off_by_argument_attribute_and_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = torchscript.trace(chunked, (torch.ones(4, 2), 3), check=False)
    assert module(torch.ones(5, 2), 3).tolist() == [5.0, 5.0]
    module.guard_enabled = True
    raised(module, torch.ones(5, 2), 3)
    path = str(tmp_path / "chunked.pt")
    torch.jit.save(module, path)
    raised(torchscript.load(path), torch.ones(5, 2), 3)
    monkeypatch.setenv("GUARDGEN_CHECK", "0")
    assert torchscript.load(path)(torch.ones(5, 2), 3).tolist() == [5.0, 5.0]
    raised(torch.jit.load(path), torch.ones(5, 2), 3)


# -- an artifact that is there already


def pooled(x: torch.Tensor) -> torch.Tensor:
    return x[::2] if x.shape[0] % 2 == 0 else x


@pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning")
def test_guards_are_put_before_an_artifact() -> None:
    existing = torch.jit.trace(pooled, torch.randn(4, 3))
    guarded = torchscript.guard(existing, guards_of(pooled, torch.randn(4, 3)))
    x = torch.randn(6, 2)
    assert torch.equal(guarded(x), pooled(x))
    assert raised(guarded, torch.randn(5, 3)).startswith("x.shape[0]: expected x.shape[0] % 2 == 0, got x.shape[0] = 5")
    assert torchscript.guard(existing, guards_of(pooled, x), check=False)(torch.randn(5, 3)).shape == (3, 3)


@pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning")
def test_guards_of_another_signature_are_refused() -> None:
    existing = torch.jit.trace(pooled, torch.randn(4, 3))
    guards = guardgen.derive(guardgen.trace(lambda x, y: x + y, (torch.ones(2), torch.ones(2))))
    with pytest.raises(EmitError, match="the artifact takes 1 arguments, the guards are about x, y"):
        torchscript.guard(existing, guards)


@pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning")
def test_a_guard_before_an_artifact_cannot_see_what_its_maker_fixed() -> None:
    """As the docs say; a trace of our own has no such number."""

    def mean(x: torch.Tensor) -> torch.Tensor:
        return x.sum() / int(x.shape[0])

    guarded = torchscript.guard(torch.jit.trace(mean, torch.ones(4)), guards_of(mean, torch.ones(4)))
    assert guarded(torch.ones(8)).item() == 2.0
    assert torchscript.trace(mean, torch.ones(4))(torch.ones(8)).item() == mean(torch.ones(8)).item() == 1.0
