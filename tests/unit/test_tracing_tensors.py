"""What Python can ask of a tensor, and what it can do with one, beside calling operators."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from guardgen.errors import TraceError
from guardgen.tracing import trace
from tests.unit.tracing_checks import BAILOUT, RIGHT, outcome, outcomes, trace_of


def numbered(*size: int) -> torch.Tensor:
    return torch.arange(float(torch.Size(size).numel())).reshape(size) + 1


COUNTED: dict[str, Callable[[torch.Tensor], Any]] = {
    "len": lambda x: [x * k for k in range(len(x))],
    "iteration": lambda x: [row.sum() for row in x],
    "enumerate": lambda x: [row * k for k, row in enumerate(x)],
    "list": lambda x: torch.stack(list(x)[::-1]) if len(list(x)) else x,
    "star": lambda x: [*x],
    "zip": lambda x: [a + b for a, b in zip(x, x.flip(0), strict=True)],
    "reversed": lambda x: torch.cat([*reversed(x)]) if x.shape[0] > 0 else x,
    "sum": lambda x: sum(x),
    "unbind": lambda x: list(x.unbind(0)),
    "split": lambda x: [p.sum() for p in x.split(2)],
    "split sizes": lambda x: [p.sum() for p in x.split([1, x.shape[0] - 1])],
    "chunk": lambda x: [p.sum() for p in x.chunk(3)],
    "tensor_split": lambda x: [p.sum() for p in x.tensor_split(3)],
    "tensor_split at": lambda x: [p.sum() for p in torch.tensor_split(x, (1, 2))],
    "hsplit": lambda x: [p.sum() for p in torch.hsplit(x, 2)],
    "vsplit": lambda x: [p.sum() for p in torch.vsplit(x, 2)],
    "split_with_sizes": lambda x: [p.sum() for p in x.split_with_sizes([2, x.size(0) - 2])],
    "where": lambda x: [w.sum() for w in torch.where(x > 2)],
    "nonzero": lambda x: (x > 2).nonzero().shape[0],
    "nonzero tuple": lambda x: [w.shape[0] for w in (x > 2).nonzero(as_tuple=True)],
    "masked_select": lambda x: x[x > 2].shape[0],
    "unique": lambda x: [len(u) for u in torch.unique(x, return_counts=True)],
    "meshgrid": lambda x: list(torch.meshgrid(x[0], x[0], indexing="ij")) if x.shape[0] else x,
    "broadcast_tensors": lambda x: list(torch.broadcast_tensors(x, x[:1])),
    "atleast_3d": lambda x: torch.atleast_3d(x),
    "contains": lambda x: 3.0 in x,
}


@pytest.mark.parametrize("name", COUNTED)
def test_numbers_of_results_are_observed(name: str) -> None:
    inputs = [(numbered(size, 4),) for size in (4, 5, 3, 6, 2, 1, 0, 4)]
    assert RIGHT in outcomes(COUNTED[name], *inputs)


def test_unpacking_pins_the_number_of_rows() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        a, b, c = x
        return a + b * c

    sizes = [(3, 2), (3, 5), (2, 2), (4, 2)]
    assert outcomes(f, *((numbered(*size),) for size in sizes)) == [RIGHT, BAILOUT, BAILOUT]


def test_the_same_tensor_twice_is_one_variable() -> None:
    def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x * 4 if x is y else x + y

    x, y = numbered(3), numbered(3)
    twice = trace(f, (x, x))
    assert len(twice.graph.placeholders) == 1
    assert outcome(twice, f, (y, y)) == RIGHT
    assert outcome(twice, f, (x, y)) == BAILOUT
    apart = trace(f, (x, y))
    assert outcome(apart, f, (y, numbered(3))) == RIGHT
    assert outcome(apart, f, (x, x)) == BAILOUT


READS: dict[str, Callable[[torch.Tensor], Any]] = {
    "rank": lambda x: x[None] if x.ndim == 1 else x,
    "dim": lambda x: x * x.dim(),
    "dtype": lambda x: x * 2 if x.dtype == torch.float32 else x,
    "is_floating_point": lambda x: x * 2 if x.is_floating_point() else x + 1,
    "torch.is_floating_point": lambda x: x * 2 if torch.is_floating_point(x) else x + 1,
    "is_complex": lambda x: x.abs() if torch.is_complex(x) else x + 1,
    "device": lambda x: x + torch.zeros(1, device=x.device),
    "layout": lambda x: x.layout == torch.strided,
    "element_size": lambda x: x * x.element_size() * x.itemsize,
    "type": lambda x: x.type(),
    "result_type": lambda x: torch.result_type(x, 1.5) == torch.float32,
    "can_cast": lambda x: torch.can_cast(x.dtype, torch.int32),
    "finfo": lambda x: torch.finfo(x.dtype).max if x.is_floating_point() else 0.0,
    "dtype of created": lambda x: x + torch.zeros(x.shape, dtype=x.dtype, device=x.device),
    "get_device": lambda x: x.get_device(),
}


@pytest.mark.parametrize("name", READS)
def test_facts_of_a_read_tensor_are_guarded(name: str) -> None:
    x = numbered(3)
    others = [numbered(4), x.double(), x.long(), x[None], x.to(torch.complex64), x.to("meta")]
    outcomes(READS[name], (x,), *((other,) for other in others[:5]))
    assert outcome(trace_of(READS[name], x), READS[name], (others[5],)) == BAILOUT


def test_a_tensor_that_is_not_read_is_not_guarded() -> None:
    assert outcomes(lambda x, y: x + 1, (numbered(3), numbered(3)), (numbered(3), numbered(3, 4).long())) == [RIGHT]


def test_requires_grad_is_observed_where_it_is_read() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        return (x * 2).detach() if (x + 1).requires_grad else x * 3

    plain, grad = numbered(3), numbered(3).requires_grad_()
    made = trace(f, (plain,))
    assert outcome(made, f, (numbered(4),)) == RIGHT
    with pytest.raises(Exception, match=r"requires|expected False, got True"):
        made.replay(grad)


@pytest.mark.parametrize("switch", [torch.no_grad, lambda: torch.set_grad_enabled(False)])
def test_gradients_switched_off_inside_the_program_stay_off(switch: Callable[[], Any]) -> None:
    def f(x: torch.Tensor) -> Any:
        with switch():
            y = x * 2
        return y, x * 3

    made = trace(f, (numbered(3).requires_grad_(),))
    off, on = made.replay(numbered(4).requires_grad_())
    assert (off.requires_grad, on.requires_grad) == (False, True)


def test_gradients_flow_through_a_replay() -> None:
    weight = torch.nn.Parameter(torch.ones(3))
    made = trace(lambda x: (x * weight).sum(), (numbered(3),))
    made.replay(numbered(3)).backward()
    assert weight.grad is not None
    assert weight.grad.tolist() == [1, 2, 3]


def test_autocast_inside_the_program_is_recorded() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return x @ x.t() + 1

    assert outcomes(f, (numbered(3, 4),), (numbered(5, 4),)) == [RIGHT]


@pytest.mark.parametrize("level", ["call", "aten"])
def test_a_rank_that_depends_on_sizes_is_observed(level: str) -> None:
    def f(x: torch.Tensor) -> Any:
        y = x.squeeze() + 1
        return y[None] if y.dim() == 1 else y

    def g(x: torch.Tensor) -> Any:
        return [n * 2 for n in x.squeeze(0).shape]

    sizes = [(1, 3), (1, 4), (2, 3), (1, 1)]
    inputs = [(numbered(*size),) for size in sizes]
    assert outcomes(f, *inputs, level=level) == [RIGHT, BAILOUT, BAILOUT]
    assert outcomes(g, *inputs, level=level)[:2] == [RIGHT, BAILOUT]


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x.tolist(),
        lambda x: x.numpy().tolist(),
        lambda x: np.asarray(x).sum().item(),
        lambda x: np.sum(x.numpy() * 2).item(),
        lambda x: str(x),
        lambda x: f"{x}",
        lambda x: repr(x[0]),
        lambda x: f"{x[0]:.2f}",
        lambda x: bool(x[0] > 1),
        lambda x: 1 if x.sum() > 6 else 2,
        lambda x: int(x[0]) + 1,
        lambda x: float(x[0]),
        lambda x: complex(x[0]),
        lambda x: x[0].item(),
        lambda x: [0] * int(x[1]),
        lambda x: list(range(x.long()[1])),
        lambda x: torch.equal(x, torch.tensor([1.0, 2, 3])),
        lambda x: torch.allclose(x, torch.tensor([1.0, 2, 3])),
        lambda x: torch.is_nonzero(x[0]),
        lambda x: x.any().item() and not x.isnan().any(),
        lambda x: max(x),
        lambda x: sorted(x.tolist()),
        lambda x: x.long()[0] in {1, 2},
        lambda x: x[x.long()[0]],
        lambda x: torch.zeros(int(x[2])),
        lambda x: x.isnan().all().tolist(),
    ],
)
def test_values_that_leave_a_tensor_are_observed(f: Callable[..., Any]) -> None:
    x = torch.tensor([1.0, 2, 3])
    outcomes(f, (x,), (x + 1,), (x.flip(0),), (-x,), (torch.tensor([1.0, 2, 3, 4]),), (x * float("nan"),))


def test_many_values_are_observed_at_once() -> None:
    x = torch.randn(1000)
    made = trace(lambda x: x.tolist()[:3] + x.numpy().tolist()[:2], (x,))
    assert made.observations == 3  # the two looks, and that numpy() was not refused for requires_grad
    assert made.replay(x.clone()) == x.tolist()[:3] + x.tolist()[:2]
    assert outcome(made, lambda x: x.tolist()[:3] + x.numpy().tolist()[:2], (x + 1,)) == BAILOUT


def test_nan_and_negative_zero_are_observed_as_they_are() -> None:
    f = lambda x: str(x)  # noqa: E731 - a program
    nan, zero = torch.tensor([float("nan")]), torch.tensor([0.0])
    assert outcomes(f, (nan,), (nan.clone(),), (zero,)) == [RIGHT, BAILOUT]
    assert outcomes(f, (zero,), (zero.clone(),), (-zero,)) == [RIGHT, BAILOUT]


def test_a_view_of_a_variable_in_numpy_cannot_be_written_to() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        x.numpy()[0] = 5
        return x

    with pytest.raises(ValueError, match="read-only"):
        trace(f, (numbered(3),))


MUTATIONS: dict[str, Callable[[torch.Tensor], Any]] = {
    "add_": lambda x: x.add_(1) * 2,
    "augmented": lambda x: _augmented(x),
    "set item": lambda x: _set(x, 0, 5.0),
    "set item to tensor": lambda x: _set(x, 0, x[1] * 2),
    "set slice": lambda x: _set(x, slice(1, None), x[:-1] * 2),
    "set with size": lambda x: _set(x, x.shape[0] - 1, 0.0),
    "set by mask": lambda x: _set(x, x > 3, 0.0),
    "set by mask to tensor": lambda x: _set(x, x > 3, torch.tensor(2.0)),
    "set by index": lambda x: _set(x, torch.tensor([0, 1]), x[1:2] * 7),
    "set broadcast": lambda x: _set(x, slice(None), x[:1] + 1),
    "set ellipsis": lambda x: _set(x, (..., 0), x[..., 1]),
    "set larger rank": lambda x: _set(x, slice(None), x[None] + 1),
    "view": lambda x: _through(x, x.view(-1)),
    "slice": lambda x: _through(x, x[1:]),
    "transpose": lambda x: _through(x, x.t()),
    "data": lambda x: _through(x, x.data),
    "detach": lambda x: _through(x, x.detach()),
    "shallow copy": lambda x: _through(x, copy.copy(x)),
    "deep copy": lambda x: _through(x, copy.deepcopy(x)),
    "contiguous": lambda x: _through(x, x.contiguous()),
    "reshape": lambda x: _through(x, x.reshape(-1)),
    "expand": lambda x: x.expand(2, *x.shape).sum(0),
    "unsqueeze_": lambda x: (x.clone().unsqueeze_(0), x.clone().unsqueeze_(0).shape),
    "squeeze_": lambda x: x.clone().squeeze_().shape,
    "t_": lambda x: (x.clone().t_().shape, x.clone().t_() + 1),
    "transpose_": lambda x: x.clone().transpose_(0, 1).shape[0] * x,
    "resize_": lambda x: x.clone().resize_(x.shape[0], 1).shape,
    "out": lambda x: torch.add(x, 1, out=torch.empty_like(x)) * 2,
    "out resized": lambda x: _out(x),
    "fill_": lambda x: x.clone().fill_(x.shape[0]),
    "zero_": lambda x: x.zero_(),
    "copy_": lambda x: torch.empty(x.shape).copy_(x),
    "index_add_": lambda x: x.index_add_(0, torch.tensor([0]), x[1:2] + 1),
    "masked_fill_": lambda x: x.masked_fill_(x > 2, 0),
    "scatter_": lambda x: torch.zeros(x.shape).scatter_(0, torch.zeros(x.shape, dtype=torch.long), x),
    "foreach": lambda x: _foreach(x),
    "relu inplace": lambda x: torch.nn.functional.relu(x, inplace=True) + x,
}


def _augmented(x: torch.Tensor) -> torch.Tensor:
    y = x
    x += 1
    x *= x.shape[0]
    return y + x


def _set(x: torch.Tensor, index: Any, value: Any) -> torch.Tensor:
    x[index] = value
    return x + 1


def _through(x: torch.Tensor, view: torch.Tensor) -> Any:
    view.mul_(3)
    x.add_(1)
    return x * 1, view * 1


def _out(x: torch.Tensor) -> Any:
    out = torch.empty(0)
    torch.mul(x, 2, out=out)
    return out, out.shape


def _foreach(x: torch.Tensor) -> torch.Tensor:
    torch._foreach_add_([x, x[0]], 1.0)
    return x + 1


@pytest.mark.filterwarnings("ignore:An output with one or more elements was resized")
@pytest.mark.parametrize("name", MUTATIONS)
def test_writes_and_aliases_keep_their_meaning(name: str) -> None:
    def f(x: torch.Tensor) -> Any:
        result = MUTATIONS[name](x)
        return result, x

    inputs = [(numbered(3, 4),), (numbered(3, 4),), (numbered(5, 2),), (numbered(4, 3).t(),), (numbered(1, 4),)]
    assert outcomes(f, *inputs)[0] == RIGHT


def test_a_copy_that_is_none_is_told_from_one_that_is() -> None:
    def f(x: torch.Tensor) -> Any:
        y = x.contiguous()
        x.add_(1)
        return y

    assert outcomes(f, (numbered(3, 4),), (numbered(4, 3).t(),)) == [RIGHT]
    assert outcomes(f, (numbered(4, 3).t(),), (numbered(3, 4),)) == [RIGHT]


FACTORIES: dict[str, Callable[[int, int], Any]] = {
    "zeros": lambda n, m: torch.zeros(n, m),
    "zeros of list": lambda n, m: torch.zeros([n, m + 1]),
    "ones": lambda n, m: torch.ones((n,), dtype=torch.int32),
    "arange": lambda n, m: torch.arange(n),
    "arange from": lambda n, m: torch.arange(n, n + m * 2, 2),
    "arange float": lambda n, m: torch.arange(n / 2),
    "full": lambda n, m: torch.full((n, m), n / m),
    "full of int": lambda n, m: torch.full((2,), n),
    "eye": lambda n, m: torch.eye(n, m),
    "linspace": lambda n, m: torch.linspace(0, m, n),
    "randn": lambda n, m: torch.randn(n, m),
    "rand": lambda n, m: torch.rand((n, m)),
    "randint": lambda n, m: torch.randint(0, m + 1, (n,)),
    "randperm": lambda n, m: torch.randperm(n),
    "empty": lambda n, m: torch.empty(n, m).fill_(m),
    "tril_indices": lambda n, m: torch.tril_indices(n, m),
    "scalar_tensor": lambda n, m: torch.scalar_tensor(n),
    "tensor": lambda n, m: torch.tensor([n, m]),
    "tensor of float": lambda n, m: torch.tensor(n / m),
    "tensor of bool": lambda n, m: torch.tensor(n > m),
    "tensor nested": lambda n, m: torch.tensor([[n, 1], [2, m]], dtype=torch.float32),
    "as_tensor": lambda n, m: torch.as_tensor([n * 2]),
    "from numpy": lambda n, m: torch.from_numpy(np.full(3, n)),
    "legacy": lambda n, m: torch.Tensor([n, m]),
    "new_zeros": lambda n, m: torch.ones(1).new_zeros(n, m),
    "new_full": lambda n, m: torch.ones(1).new_full((n,), m),
    "new_tensor": lambda n, m: torch.ones(1).new_tensor([n]),
    "one_hot": lambda n, m: torch.nn.functional.one_hot(torch.arange(n), n + m),
    "hann_window": lambda n, m: torch.hann_window(n),
    "stack": lambda n, m: torch.stack([torch.zeros(n)] * 2),
}


BY_INT = ("linspace", "tril_indices", "one_hot", "hann_window")  # their operators take no symbolic ints


@pytest.mark.parametrize("name", FACTORIES)
def test_factories_take_guarded_numbers(name: str) -> None:
    def f(x: torch.Tensor) -> Any:
        return FACTORIES[name](x.shape[0], x.shape[1])

    sizes = [(5, 2), (7, 3), (1, 1), (2, 4)]
    for each in (f, FACTORIES[name]):
        inputs = [size if each is not f else (torch.zeros(size),) for size in sizes]
        found = outcomes(each, *inputs)
        observed = name.startswith(("tensor", "as_tensor", "from numpy", "legacy", "new_tensor", *BY_INT))
        assert set(found) <= ({RIGHT, BAILOUT} if observed else {RIGHT})


def test_random_numbers_are_the_same_under_the_same_seed() -> None:
    def f(x: torch.Tensor) -> Any:
        y = torch.randn(x.shape) + torch.nn.functional.dropout(x, 0.5)
        return y, torch.bernoulli(torch.full_like(x, 0.5)), torch.rand_like(x), torch.randperm(x.shape[0])

    assert outcomes(f, (numbered(5, 2),), (numbered(7, 3),)) == [RIGHT]


def test_a_generator_must_be_an_argument() -> None:
    f = lambda x, g: x + torch.randn(3, generator=g)  # noqa: E731 - a program
    generator = torch.Generator().manual_seed(3)
    made = trace(f, (numbered(3), generator))
    generator.manual_seed(4)
    expected = f(numbered(3), generator)
    generator.manual_seed(4)
    assert torch.equal(made.replay(numbered(3), generator), expected)
    with pytest.raises(TraceError, match="generator"):
        trace(lambda x: f(x, torch.Generator().manual_seed(3)), (numbered(3),))


def test_constants_are_lifted_once() -> None:
    table = torch.arange(8.0)
    graph = trace(lambda x: x + table[:3] + table[3:6] * torch.tensor(2.0) + torch.tensor(2.0), (numbered(3),)).graph
    assert sum(node.op == "var_const" for node in graph) == 2


def complex_row(n: int) -> torch.Tensor:
    return torch.complex(torch.ones(n), torch.arange(float(n)))


def sparse_eye(n: int) -> torch.Tensor:
    return torch.eye(n).to_sparse()


def quantized_row(n: int) -> torch.Tensor:
    return torch.quantize_per_tensor(torch.arange(float(n)), 0.5, 1, torch.quint8)


@pytest.mark.parametrize(
    ("make", "f"),
    [
        (sparse_eye, lambda x: (x @ torch.ones(x.shape[1], 2), x.is_sparse, x.layout == torch.sparse_coo)),
        (sparse_eye, lambda x: x.to_dense() + 1),
        (sparse_eye, lambda x: (x * 2).coalesce().values()),
        (sparse_eye, lambda x: torch.sparse.sum(x, dim=0).to_dense()),
        (complex_row, lambda x: (x.conj() * x, x.real + x.imag, x.abs(), x[None].mH)),
        (lambda n: complex_row(n).conj(), lambda x: (x.is_conj(), torch.view_as_real(x.resolve_conj()))),
        (lambda n: torch.tensor(float(n)), lambda x: (x + 1, x.shape, x.dim(), x.reshape(-1), x[None], x[...])),
        (lambda n: torch.zeros(0, n), lambda x: (x.sum(0), x + 1, x.t().shape, x.new_ones(x.shape[1]))),
        (quantized_row, lambda x: (x.dequantize() + 1, x.is_quantized)),
        (quantized_row, lambda x: x.int_repr() * x.q_scale()),
        (lambda n: torch.arange(n) > 1, lambda x: (x & ~x, x.sum(), x.any())),
        (lambda n: torch.arange(n, dtype=torch.uint8), lambda x: (x << 1, x // 2, x.float())),
        (lambda n: torch.ones(n, dtype=torch.bfloat16), lambda x: (x * 2, x.to(torch.float16))),
        (lambda n: torch.ones(n, device="meta"), lambda x: (x * 2).shape),
    ],
)
@pytest.mark.filterwarnings("ignore:Sparse invariant checks")
@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor")
@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")  # by copy.deepcopy of a quantized tensor
def test_tensors_of_every_kind(make: Callable[[int], torch.Tensor], f: Callable[..., Any]) -> None:
    assert outcomes(f, (make(3),), (make(5),)) == [RIGHT]


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda x: x.data_ptr(), "data_ptr"),
        (lambda x: x.untyped_storage(), "storage"),
        (lambda x: x.requires_grad_(), "requires_grad_"),
        (lambda x: setattr(x, "data", x + 1), "assigning to .data"),
        (lambda x: setattr(x, "requires_grad", True), "requires_grad"),
        (lambda x: x.sum().backward(), "backward"),
        (lambda x: copy.copy([x])[0].__reduce_ex__(2), "pickling"),
        (lambda x: torch.complex(x, x)[0].item(), "complex"),
        (lambda x: repr(x.to_sparse()), "sparse"),
        (lambda x: trace(lambda y: y + 1, (x,)), "inside another trace"),
        (lambda x: x.requires_grad_().grad, "requires_grad_"),
    ],
)
def test_what_cannot_be_recorded_names_the_users_line(f: Callable[..., Any], message: str) -> None:
    with pytest.raises(TraceError, match=message) as caught:
        trace(f, (numbered(3),))
    assert caught.value.line is not None
    assert caught.value.line.file == "tests/unit/test_tracing_tensors.py"
    assert message.split()[-1].strip("_") in caught.value.line.text or "trace" in message


def test_an_object_around_a_tensor_cannot_be_a_result() -> None:
    class Box:
        def __init__(self, value: torch.Tensor) -> None:
            self.value = value

    with pytest.raises(TraceError, match="contains a Box"):
        trace(lambda x: Box(x + 1), (numbered(3),))


def test_attributes_that_users_hang_on_tensors_are_seen() -> None:
    x = numbered(3)
    x.mark = 3  # type: ignore[attr-defined]  # any attribute can be set on a tensor
    assert torch.equal(trace(lambda x: x * x.mark, (x,)).replay(numbered(3)), numbered(3) * 3)
    with pytest.raises(AttributeError, match="other"):
        trace(lambda x: x.other, (x,))


def test_a_parameter_is_seen_as_one() -> None:
    f = lambda w: w * 2 if isinstance(w, torch.nn.Parameter) else w  # noqa: E731 - a program
    assert outcomes(f, (torch.nn.Parameter(numbered(3)),)) == []
