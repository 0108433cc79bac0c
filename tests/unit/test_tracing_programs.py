"""Whole programs: arguments and results of every structure, modules with state, levels, threads."""

from __future__ import annotations

import collections
import dataclasses
import enum
import threading
from typing import Any, NamedTuple

import pytest
import torch
from torch.utils import _pytree as pytree

from guardgen.errors import BailoutError, TraceError
from guardgen.ops import is_torch_op
from guardgen.tracing import Trace, trace
from tests.unit.tracing_checks import BAILOUT, RAISES, RIGHT, outcome, outcomes, trace_of


class Pair(NamedTuple):
    left: Any
    right: Any


@dataclasses.dataclass
class Batch:
    x: Any
    mask: Any = None
    n: int = 2


@dataclasses.dataclass(frozen=True)
class Frozen:
    x: Any


class Mode(enum.Enum):
    A = 1
    B = 2


class Keyed(dict[str, Any]):
    """A dict of one's own."""


class Box:
    """Registered with PyTorch's pytree below, without keys."""

    def __init__(self, value: Any, label: str) -> None:
        self.value, self.label = value, label


pytree.register_pytree_node(
    Box, lambda box: ([box.value], box.label), lambda items, label: Box(next(iter(items)), label)
)


def ones(*size: int) -> torch.Tensor:
    return torch.arange(float(torch.Size(size).numel())).reshape(size)


@pytest.mark.parametrize(
    ("f", "make"),
    [
        (lambda a: a["x"] + a["y"], lambda n: {"x": ones(n), "y": ones(n)}),
        (lambda a: a["x"] * a["n"], lambda n: collections.OrderedDict(x=ones(n), n=n)),
        (lambda a: a["x"] * 2, lambda n: collections.defaultdict(list, x=ones(n))),  # type: ignore[arg-type]
        (lambda a: a["x"] * len(a), lambda n: Keyed(x=ones(n), y=ones(n))),
        (lambda a: a.left + a.right[0], lambda n: Pair(ones(n), [ones(n)])),
        (lambda a: a.x * a.n, lambda n: Batch(ones(n), n=n)),
        (lambda a: a.x * 3, lambda n: Frozen(ones(n))),
        (lambda a: a.value * 3, lambda n: Box(ones(n), "a")),
        (lambda a: a[0][0][0] + a[1], lambda n: [[(ones(n),)], n]),
        (lambda a: torch.zeros(a), lambda n: torch.Size([n, 2])),
        (lambda a: sum(x.sum() for x in a), lambda n: [ones(n)] * 1 + [ones(n + 1)]),
        (lambda a: a[0] if a[1] else a[0] * 2, lambda n: (ones(n), True)),
        (lambda a: a[0] * (2 if a[1] is Mode.A else 3), lambda n: (ones(n), Mode.A)),
        (lambda a: a["dtype"], lambda n: {"x": ones(n), "dtype": torch.float16, "s": "text", "none": None}),
    ],
)  # fmt: skip
def test_arguments_of_every_structure(f: Any, make: Any) -> None:
    assert outcomes(f, (make(3),), (make(4),), (make(1),)) == [RIGHT, RIGHT]


@pytest.mark.parametrize(
    ("traced", "asked"),
    [
        ([ones(2)], [ones(2), ones(2)]),
        ([ones(2)], (ones(2),)),
        ({"x": ones(2)}, {"x": ones(2), "y": ones(2)}),
        ({"x": ones(2)}, {"y": ones(2)}),
        ({"x": ones(2), "n": 1}, {"n": 1, "x": ones(2)}),
        (Pair(ones(2), 1.0), Pair(ones(2), 1)),
        (Pair(ones(2), 1.5), Pair(ones(2), 2.5)),
        (Pair(ones(2), "a"), Pair(ones(2), "b")),
        (Pair(ones(2), None), Pair(ones(2), ones(2))),
        (Pair(ones(2), Mode.A), Pair(ones(2), Mode.B)),
        (Pair(ones(2), 1), (ones(2), 1)),
        (Pair(ones(2), ones(2)), Pair(ones(2), 1)),
        (Batch(ones(2)), Batch(ones(2), mask=ones(2))),
    ],
)
def test_other_structures_and_constants_bail_out(traced: Any, asked: Any) -> None:
    def f(a: Any) -> Any:
        return [leaf * 2 for leaf in pytree.tree_leaves(a) if isinstance(leaf, torch.Tensor)]

    made = trace(f, (traced,))
    assert outcome(made, f, (traced,)) == RIGHT
    with pytest.raises(BailoutError):
        made.replay(asked)


def test_a_bool_is_no_int() -> None:
    made = trace(lambda x, n: x * n, (ones(2), 1))
    with pytest.raises(BailoutError):
        made.replay(ones(2), True)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: {"a": x + 1, "n": x.shape[0], "none": None, "text": "t", "list": [x, (x * 2,)]},
        lambda x: x.shape,
        lambda x: Pair(x.shape[0], x),
        lambda x: Batch(x + 1, n=x.shape[0] * 2),
        lambda x: Frozen(x.shape),
        lambda x: Box(x + 1, "label"),
        lambda x: collections.OrderedDict(a=x, b=x.shape[0] > 2),
        lambda x: Keyed(a=x * 2),
        lambda x: torch.topk(x, 2),
        lambda x: x.max(0),
        lambda x: (x.shape[0], x.shape[0] / 2, x.shape[0] > 2, 1.5, True, None, "s", torch.float32),
        lambda x: torch.Size([x.shape[0], 1]),
        lambda x: None,
        lambda x: [],
        lambda x: x,
    ],
)
def test_results_of_every_structure(f: Any) -> None:
    assert outcomes(f, (ones(3),), (ones(5),)) == [RIGHT]


def test_results_that_share_a_tensor_share_it_on_replay() -> None:
    def f(x: torch.Tensor) -> Any:
        y = x + 1
        return y, y, x

    first, second, argument = trace(f, (ones(3),)).replay(given := ones(4))
    assert first is second
    assert argument is given


def test_signatures_of_every_kind() -> None:
    def f(a: Any, /, b: Any, *args: Any, c: Any = 3, d: Any = None, **kwargs: Any) -> Any:
        return a * b + sum(args) * c + kwargs["extra"] * (2 if d is None else 5)

    made = trace(f, (ones(2), 3, 4, ones(2)), {"extra": ones(2), "c": 5})
    names = [(p.name, p.kind, p.given) for p in made.signature.parameters]
    assert names == [
        ("a", "positional_only", True),
        ("b", "positional_or_keyword", True),
        ("args_0", "positional_only", True),
        ("args_1", "positional_only", True),
        ("c", "keyword_only", True),
        ("d", "keyword_only", False),
        ("extra", "keyword_only", True),
    ]
    args, kwargs = (ones(3), 5, 6, ones(3)), {"extra": ones(3), "c": 7}
    assert torch.equal(made.replay(*args, **kwargs), f(*args, **kwargs))
    with pytest.raises(BailoutError):
        made.replay(*args, d=1, **kwargs)
    with pytest.raises(TypeError):
        made.replay(*args, 1, **kwargs)


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = torch.nn.Conv1d(2, 3, 3, padding=1)
        self.norm = torch.nn.BatchNorm1d(3)
        self.drop = torch.nn.Dropout(0.5)
        self.register_buffer("calls", torch.zeros(()))

    calls: torch.Tensor

    def forward(self, x: torch.Tensor, scale: int = 2) -> torch.Tensor:
        self.calls += 1
        return self.drop(self.norm(self.conv(x))).flatten(1) * scale + self.calls


@pytest.mark.parametrize("training", [True, False])
def test_modules_with_state(training: bool) -> None:
    torch.manual_seed(0)
    mine, other = Net().train(training), Net().train(training)
    other.load_state_dict(mine.state_dict())
    x = torch.randn(4, 2, 5)
    torch.manual_seed(1)
    made = trace(mine, (x,))
    torch.manual_seed(1)
    other(x)
    for size in (3, 6):
        x = torch.randn(size, 2, 7)
        torch.manual_seed(2)
        actual = made.replay(x)
        torch.manual_seed(2)
        expected = other(x)
        assert torch.equal(actual, expected)
    for name, value in mine.state_dict().items():
        assert torch.equal(value, other.state_dict()[name]), name


def test_a_replaced_buffer_is_refused() -> None:
    class Counter(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("count", torch.zeros(()))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.count = self.count + 1
            return x + self.count

    with pytest.raises(TraceError, match="count"):
        trace(Counter(), (ones(2),))


def test_a_table_made_by_the_program_starts_anew_at_every_replay() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        table = torch.tensor([1.0, 2.0, 3.0])
        table[0] += x.sum()
        table.mul_(2)
        return table * 1

    assert outcomes(f, (ones(3),), (ones(4),), (ones(5),)) == [RIGHT, RIGHT]


def test_recurrent_and_attention_modules() -> None:
    torch.manual_seed(0)
    lstm = torch.nn.LSTM(4, 5, batch_first=True).eval()
    attention = torch.nn.MultiheadAttention(4, 2, batch_first=True).eval()

    def f(x: torch.Tensor) -> Any:
        return lstm(x), attention(x, x, x, need_weights=False)[0]

    with torch.no_grad():
        assert outcomes(f, (torch.randn(2, 3, 4),), (torch.randn(2, 3, 4),))[0] in (RIGHT, BAILOUT)


LEVELLED = {
    "add": lambda a, b: a + b,
    "matmul": lambda a, b: a @ b.transpose(-1, -2),
    "reshape": lambda a, b: (a * b).reshape(-1) + 1,
    "linear": lambda a, b: torch.nn.functional.linear(a, b),
    "softmax": lambda a, b: (a * 2).softmax(-1) + torch.nn.functional.gelu(b),
    "layer_norm": lambda a, b: torch.nn.functional.layer_norm(a + b, (a.shape[-1],)),
    "in place": lambda a, b: a.clone().add_(b).mul_(2),
    "in place broadcast": lambda a, b: (a * 1).add_(b[:1]),
    "attention": lambda a, b: torch.nn.functional.scaled_dot_product_attention(a[None], b[None], b[None]),
    "where": lambda a, b: torch.where(a > 2, a, b) + a.mean(0, keepdim=True),
    "cat": lambda a, b: torch.cat([a, b])[1:].cumsum(0),
    "conv": lambda a, b: torch.nn.functional.conv1d(a.t()[None], b[:, :, None]),
    "dropout": lambda a, b: torch.nn.functional.dropout(a, 0.5, training=True) + b,
    "einsum": lambda a, b: torch.einsum("ij,kj->ik", a, b),
    "chunk": lambda a, b: sum(a.chunk(2, -1)) + sum(b.split(2, -1)),
    "batch_norm": lambda a, b: torch.nn.functional.batch_norm(a, None, None, training=True) + b,
    "factory": lambda a, b: a + torch.ones(a.shape) + torch.arange(a.shape[1]) + b,
    "expand": lambda a, b: a[:, None].expand(-1, b.shape[0], -1) + b,
    "set item": lambda a, b: _set(a.clone(), b),
}


def _set(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    a[0] = b[0]
    a[:, 1:] = b[:, 1:] * 2
    return a


@pytest.mark.parametrize("level", ["call", "aten", "prims"])
@pytest.mark.parametrize("name", LEVELLED)
def test_every_level_computes_what_the_program_does(name: str, level: str) -> None:
    sizes = [(3, 4), (5, 4), (3, 8), (1, 4), (6, 2), (2, 1)]
    inputs = [(torch.randn(*size), torch.randn(*size)) for size in sizes]
    assert RAISES not in outcomes(LEVELLED[name], *inputs, level=level)[:1]


BROADCASTS = {"add", "sub", "mul", "div", "where", "maximum", "eq", "gt", "add_", "mul_", "addmm", "copy_"}


@pytest.mark.parametrize("name", LEVELLED)
def test_nothing_broadcasts_at_prims(name: str) -> None:
    torch.manual_seed(0)
    made = trace(LEVELLED[name], (torch.randn(3, 4), torch.randn(3, 4)), level="prims")
    for node in made.graph:
        if is_torch_op(node.op):
            assert node.op.startswith("prims.") or node.op.split(".")[1] not in BROADCASTS, node.op


def test_the_textbook_example_at_prims() -> None:
    made = trace_of(lambda a, b: a + b, ones(4), ones(4), level="prims")
    f = LEVELLED["add"]
    asked = [(8, 8), (0, 0), (1, 1), (4, 8), (4, 1)]
    found = [outcome(made, f, (ones(n), ones(m))) for n, m in asked]
    assert found == [RIGHT, RIGHT, BAILOUT, BAILOUT, BAILOUT]


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(TraceError, match="there is no level 'hlo'"):
        trace(lambda x: x, (ones(2),), level="hlo")


def test_threads_trace_at_once() -> None:
    def work(k: int, out: dict[int, Any]) -> None:
        def f(x: torch.Tensor) -> torch.Tensor:
            for i in range(x.shape[0]):
                x = x * i + x.shape[1] / (k + 1)
                if x.shape[1] % 2:
                    x = x.reshape(x.shape[0], -1) + torch.zeros(x.shape[1])
            return x

        try:
            for _ in range(10):
                made = trace(f, (ones(k % 5 + 1, k + 2),))
                other = ones(k % 5 + 1, k + 4)
                assert torch.equal(made.replay(other), f(other))
                texts.setdefault(k, set()).add(str(made.graph))
            out[k] = True
        except Exception as error:
            out[k] = error

    texts: dict[int, set[str]] = {}
    out: dict[int, Any] = {}
    threads = [threading.Thread(target=work, args=(k, out)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert out == dict.fromkeys(range(8), True)
    assert all(len(each) == 1 for each in texts.values())  # the same program gives the same graph


def test_an_operator_on_another_thread_is_refused() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        errors: list[BaseException] = []

        def work() -> None:
            try:
                x + 1
            except TraceError as error:
                errors.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        raise errors[0]

    with pytest.raises(TraceError, match="thread"):
        trace(f, (ones(2),))


def test_a_failed_trace_leaves_nothing_behind() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        trace(f, (ones(2),))
    assert type(ones(2) + 1) is torch.Tensor
    assert isinstance(trace(lambda x: x + 1, (ones(2),)), Trace)


def test_a_leaked_tensor_is_a_constant_of_the_next_trace() -> None:
    kept: list[torch.Tensor] = []

    def keep(x: torch.Tensor) -> torch.Tensor:
        kept.append(x * 2)
        return kept[0] + 1

    trace(keep, (ones(3),))
    assert outcomes(lambda x: x + kept[0], (ones(3),), (ones(1),)) == [RIGHT]
    assert outcomes(lambda x, y: x + y, (ones(3), kept[0]), (ones(4), ones(4))) == [RIGHT]


def test_a_bailout_says_what_was_expected_and_where() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        if x.shape[0] > 2:
            return x * 2
        return x

    made = trace(f, (ones(3),))
    with pytest.raises(BailoutError) as caught:
        made.replay(ones(2))
    error = caught.value
    assert (error.expected, error.actual) == (True, False)
    assert error.node in {name for node in made.graph for name in node.names}
    assert error.line.text == "if x.shape[0] > 2:"
    assert "test_tracing_programs.py" in str(error)
