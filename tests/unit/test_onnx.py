"""ONNX models that carry their guards: what is exported, held against eager, and what is refused."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from examples.chunks import chunks
from guardgen import onnx, torchscript
from guardgen.cli import main
from guardgen.errors import EmitError, LoadError
from guardgen.guards import GuardSet
from guardgen.onnx import makers, session
from guardgen.runtime import GuardError


def broadcast(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a + b


def flattened(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return x.reshape(-1, 4) @ weight


def halves(x: torch.Tensor) -> torch.Tensor:
    if x.shape[0] % 2 == 0 and x.shape[0] > 4:
        return x.view(2, -1, x.shape[1]).sum(0)
    return x


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).softmax(-1) @ v


def fused(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.scaled_dot_product_attention(q, k, v)


def first(x: torch.Tensor) -> torch.Tensor:
    return x[: int(x.shape[0] * 0.7)]


def padded(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.pad(x, (0, -x.shape[1] % 8)).reshape(x.shape[0], -1, 8)


def rounded_up(x: torch.Tensor) -> torch.Tensor:
    return x.new_zeros(-(-x.shape[0] // 4), 2) + x.sum()


def mean(x: torch.Tensor) -> torch.Tensor:
    return x.sum() / int(x.shape[0])


def joined(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.cat([x, y], 1).softmax(-1).cumsum(0)


SIZES = 0, 1, 2, 3, 4, 5, 8, 10
PROGRAMS: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]], int]] = {  # and how many readings are accepted
    "broadcast": (broadcast, [(3, 4), (3, 4)], 60),
    "chunks": (chunks, [(10, 3), (3, 2)], 40),
    "flattened": (flattened, [(6, 8), (4, 5)], 60),
    "halves": (halves, [(8, 3)], 10),
    "attention": (attention, [(2, 3, 4), (2, 5, 4), (2, 5, 3)], 30),
    "fused": (fused, [(1, 2, 3, 4), (1, 2, 5, 4), (1, 2, 5, 4)], 5),
    "first": (first, [(10, 3)], 10),
    "padded": (padded, [(3, 13)], 50),
    "rounded_up": (rounded_up, [(10, 3)], 50),
    "mean": (mean, [(4,)], 8),
    "joined": (joined, [(2, 4), (2, 5)], 60),
}


def readings(shapes: list[tuple[int, ...]]) -> list[list[tuple[int, ...]]]:
    """Shapes in which equal sizes were changed together, or each alone; some of them at random."""
    numbers = sorted({n for shape in shapes for n in shape})
    found = []
    for values in itertools.product(SIZES, repeat=min(len(numbers), 3)):
        known = dict(zip(numbers, values, strict=False))
        found.append([tuple(known.get(n, n) for n in shape) for shape in shapes])
    for i, shape in enumerate(shapes):
        for j, n in itertools.product(range(len(shape)), SIZES):
            found.append([*shapes[:i], (*shape[:j], n, *shape[j + 1 :]), *shapes[i + 1 :]])
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_input_that_is_accepted_is_answered_wrongly(name: str, tmp_path: Path) -> None:
    fn, shapes, least = PROGRAMS[name]
    guards = onnx.export(fn, tuple(map(torch.randn, shapes)), tmp_path / "model.onnx")
    model = onnx.Session(tmp_path / "model.onnx")
    measured = "onnxruntime answers otherwise there, as measured at export" in conditions(guards, "artifact").values()
    assert measured is (name == "fused")  # onnxruntime has no attention without keys
    inputs = [each.name for each in model.get_inputs()]
    accepted = 0
    for given in readings(shapes):
        tensors = [torch.randn(shape) for shape in given]
        feed = {each: tensor.numpy() for each, tensor in zip(inputs, tensors, strict=True)}
        if model.violations(feed):
            continue
        accepted += 1
        (answer,) = model.run(None, feed)
        torch.testing.assert_close(torch.from_numpy(answer), fn(*tensors), rtol=1e-4, atol=1e-4, equal_nan=True)
    assert accepted >= least


def conditions(guards: GuardSet, kind: str) -> dict[str, str]:
    return {each.text: each.since[0].partition(":")[0] for each in guards.guards if each.kind == kind}


def test_what_the_exporters_assumed_is_told_as_theirs(tmp_path: Path) -> None:
    guards = onnx.export(broadcast, (torch.ones(3, 4), torch.ones(3, 4)), tmp_path / "model.onnx")
    assert conditions(guards, "artifact") == {
        "a.shape[0] == b.shape[0]": "torch.export assumed it",
        "a.shape[1] == b.shape[1]": "torch.export assumed it",
    }
    with pytest.raises(GuardError, match=r"got a.shape\[0\] = 3, b.shape\[0\] = 1, since torch.export assumed it"):
        onnx.Session(tmp_path / "model.onnx").run(
            None, {"a": np.ones((3, 4), np.float32), "b": np.ones((1, 4), np.float32)}
        )


def test_numbers_that_onnx_computes_otherwise_are_fixed(tmp_path: Path) -> None:
    guards = onnx.export(first, torch.ones(10, 3), tmp_path / "model.onnx")
    assert conditions(guards, "artifact") == {
        "math.trunc(float(x.shape[0]) * 0.7) == 7": "the ONNX exporter keeps this number as it was"
    }


def test_numbers_that_python_computes_without_a_limit_are_refused_beyond_64_bits(tmp_path: Path) -> None:
    def fifth(x: torch.Tensor) -> torch.Tensor:
        n = x.shape[0]
        return x * (n * n * n * n * n)

    guards = onnx.export(fifth, torch.ones(3), tmp_path / "model.onnx")
    assert "the ONNX exporter computes it in 64 bits" in conditions(guards, "artifact").values()
    model = onnx.Session(tmp_path / "model.onnx")
    for n, right in (0, True), (6000, True), (6300, False), (10000, False):
        feed = {"x": np.ones(n, np.float32)}
        assert (model.violations(feed) == []) is right
        if right:
            torch.testing.assert_close(torch.from_numpy(model.run(None, feed)[0]), fifth(torch.ones(n)))


def test_a_model_that_answers_otherwise_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(EmitError, match="answers otherwise than the program for sizes"):
        onnx.export(torch.nn.Dropout(), torch.ones(3, 4), tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


def test_nested_arguments_are_inputs_by_name_and_others_are_constants(tmp_path: Path) -> None:
    def program(batch: dict[str, Any], n: int = 2, *, mask: Any = None, mode: str = "a") -> Any:
        rows = batch["x"][0]
        assert rows.shape[0] % n == 0
        return {"scaled": rows * n + batch["x"][1].sum(), "rows": rows.shape[0], "mode": mode}

    guards = onnx.export(
        program,
        ({"x": [torch.ones(6), torch.ones(4)]}, 3),
        tmp_path / "m.onnx",
        {"mode": "b"},
        output_names=["scaled", "rows"],
    )
    assert [each.text for each in guards.guards] == ["batch_x_0.shape[0] % 3 == 0"]
    model = onnx.Session(tmp_path / "m.onnx")
    scaled, rows = model.run(
        ["scaled", "rows"], {"batch_x_0": np.ones(9, np.float32), "batch_x_1": np.ones(2, np.float32)}
    )
    assert scaled.tolist() == [5.0] * 9
    assert rows == 9
    with pytest.raises(GuardError, match=r"batch_x_0.shape\[0\]: expected batch_x_0.shape\[0\] % 3 == 0, got"):
        model.run(None, {"batch_x_0": np.ones(8, np.float32), "batch_x_1": np.ones(2, np.float32)})


def test_a_modules_parameters_keep_their_names_and_an_input_may_have_one_of_them(tmp_path: Path) -> None:
    class Scaled(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.tensor([2.0, 3.0]))

        def forward(self, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
            return x * self.weight + weight

    example = torch.ones(3, 2), torch.ones(2)
    onnx.export(Scaled(), example, tmp_path / "m.onnx")
    model = onnx.Session(tmp_path / "m.onnx")
    (answer,) = model.run(None, {"x": np.ones((1, 2), np.float32), "weight": np.ones(2, np.float32)})
    assert answer.tolist() == [[3.0, 4.0]]
    onnx.export(torch.nn.Linear(4, 3), torch.ones(2, 4), tmp_path / "m.onnx")
    assert b"weight" in (tmp_path / "m.onnx").read_bytes()


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (np.ones(3, np.float64), "x.dtype: expected float32, got float64"),
        (np.ones(3, ">f4"), "x.dtype: expected float32, got float32, not in this machine's byte order"),
        (np.ones((3, 1), np.float32), "x.ndim: expected 1, got 2"),
        (np.float32(1), "x.ndim: expected 1, got 0"),
        ([1.0], "x: expected an array of rank 1, float32, got a list"),
        (None, "x: expected an array of rank 1, float32, got None"),
        (np.ones(0, np.float32), "x.shape[0]: expected x.shape[0] != 0, got x.shape[0] = 0, since tests/unit/"),
    ],
)
def test_what_is_no_fitting_array_is_refused(model: onnx.Session, value: Any, told: str) -> None:
    with pytest.raises(GuardError) as caught:
        model.run(None, {"x": value})
    assert str(caught.value).startswith(told)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def largest(x: torch.Tensor) -> torch.Tensor:
        return x.amax(0)

    found = tmp_path_factory.mktemp("onnx") / "model.onnx"
    onnx.export(largest, torch.randn(4), found)
    return found


@pytest.fixture
def model(path: Path) -> onnx.Session:
    return onnx.Session(path)


def test_the_session_is_onnxruntimes_in_all_else(model: onnx.Session) -> None:
    assert model.get_outputs()[0].name == "amax"
    assert model.get_providers() == ["CPUExecutionProvider"]
    with pytest.raises(ValueError, match="Required inputs"):
        model.run(None, {})
    with pytest.raises(AttributeError, match="would run without the check"):
        _ = model.run_with_iobinding
    model.guard_enabled = False
    assert callable(model.run_with_iobinding)


def test_the_check_can_be_off(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert onnx.Session(path, check=False).guard_enabled is False
    monkeypatch.setenv(session.SWITCH, "0")
    assert onnx.Session(path).guard_enabled is False
    assert session.SWITCH == torchscript.SWITCH


def test_a_model_from_memory_carries_its_guards_too(path: Path) -> None:
    assert onnx.Session(path.read_bytes()).guards.name == "largest"


def test_the_command_line_reads_models(path: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["check", str(path), "--shape", "x=3"]) == 0
    assert main(["check", str(path), "--shape", "x=0"]) == 1
    assert main(["explain", str(path)]) == 0
    assert "x.shape[0] != 0" in capsys.readouterr().out
    copy = tmp_path / "guards.json"
    copy.write_text(onnx.embedded(path))
    assert main(["diff", str(path), str(copy)]) == 0


def test_broken_models_are_one_error(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = path.read_bytes()
    broken = tmp_path / "broken.onnx"
    for text in (b"", b"\x00", b"\xff" * 30, b"PK nonsense", whole[: len(whole) // 2], whole[:-1], whole[::-1]):
        broken.write_bytes(text)
        with pytest.raises(LoadError):
            onnx.embedded(broken)
    assert main(["check", str(broken), "--shape", "x=3"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    broken.write_bytes(whole.replace(b'"guardgen":1', b'"guardgen":9'))
    with pytest.raises(LoadError, match="version"):
        onnx.Session(broken)


def test_a_model_without_guards_is_said_to_have_none(path: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.onnx"
    bare.write_bytes(path.read_bytes().replace(b"\x0a\x08guardgen", b"\x0a\x08notguard"))
    with pytest.raises(LoadError, match="carries no guards"):
        onnx.Session(bare)
    with pytest.raises(LoadError, match="carries no guards"):
        onnx.embedded(bare)


def masked(x: torch.Tensor, mask: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    if mask.all():
        return x * 2
    if int(lengths.max()) > x.shape[1]:
        raise ValueError("too long")
    return x.masked_fill(~mask, 0)


def test_guards_on_data_are_computed_by_onnxruntime(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole, some, lengths = torch.ones(2, 3, dtype=torch.bool), torch.ones(2, 3, dtype=torch.bool), torch.tensor([1, 3])
    some[0, 1] = False
    onnx.export(masked, (torch.randn(2, 3), some, lengths), tmp_path / "some.onnx")
    onnx.export(masked, (torch.randn(2, 3), whole, lengths), tmp_path / "all.onnx")
    for rows, n, mask in itertools.product((1, 2, 3), (1, 3, 5), (True, False)):
        x, full = torch.randn(rows, n), torch.ones(rows, n, dtype=torch.bool)
        full[0, 0] = mask
        feed = {"x": x.numpy(), "mask": full.numpy(), "lengths": lengths.numpy()}
        names = [each for each in ("some", "all") if not onnx.Session(tmp_path / f"{each}.onnx").violations(feed)]
        assert names == (["all"] if mask else [] if n < 3 else ["some"])
        for each in names:
            (answer,) = onnx.Session(tmp_path / f"{each}.onnx").run(None, feed)
            assert torch.equal(torch.from_numpy(answer), masked(x, full, lengths))
    feed["mask"] = np.ones((3, 5), bool)
    with pytest.raises(
        GuardError, match=r"^mask.all\(\) \(data_0\): expected 0, got 1, since tests/unit/test_onnx.py:\d+: if"
    ):
        onnx.Session(tmp_path / "some.onnx").run(None, feed)
    path = str(tmp_path / "some.onnx")
    assert main(["check", path, "--shape", "x=2x3", "mask=2x3", "lengths=2"]) == 0
    assert main(["check", path, "--shape", "x=2x3", "mask=2x3", "lengths=2", "--int", "data_0=1"]) == 1
    assert "data_0" in capsys.readouterr().out


def writes(x: torch.Tensor) -> torch.Tensor:
    return x.add_(1)


def looks(x: torch.Tensor) -> torch.Tensor:
    return x if float(x.sum()) > 0 else -x


def reads(x: torch.Tensor) -> torch.Tensor:
    return x * float(x.sum())


def of_gradients(x: torch.Tensor) -> torch.Tensor:
    return x * 2 if x.requires_grad else x


def strided(x: torch.Tensor) -> torch.Tensor:
    return x * 2 if x.stride(0) == 1 else x


def test_strides_are_those_of_the_array(tmp_path: Path) -> None:
    onnx.export(strided, torch.ones(3, 2).t(), tmp_path / "transposed.onnx")
    onnx.export(strided, torch.ones(3, 2), tmp_path / "plain.onnx")
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    for feed in x, x.T, x[::2], np.asfortranarray(x):
        wanted = "transposed" if feed.strides[0] == 4 else "plain"
        for each in "transposed", "plain":
            model = onnx.Session(tmp_path / f"{each}.onnx")
            assert (model.violations({"x": feed}) == []) is (each == wanted)
        (answer,) = onnx.Session(tmp_path / f"{wanted}.onnx").run(None, {"x": feed})
        assert torch.equal(torch.from_numpy(answer), strided(torch.from_numpy(feed)))


REFUSED: dict[str, tuple[Callable[..., Any], torch.Tensor, str]] = {
    "writes": (writes, torch.ones(3), "writes to x, which"),
    "looks": (looks, torch.ones(3), "reads a float from data"),
    "reads": (reads, torch.ones(3), "a number is read from the data of a tensor here"),
    "of_gradients": (of_gradients, torch.ones(3, requires_grad=True), "requires_grad has no array"),
    "complex": (broadcast, torch.ones(3, dtype=torch.complex64), "complex64, torch.strided has no array"),
    "no tensor": (torch.Tensor.is_contiguous, torch.ones(3), "a model must have an output"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_model_cannot_carry_is_said_at_export(name: str, tmp_path: Path) -> None:
    fn, example, told = REFUSED[name]
    with pytest.raises(EmitError, match=told):
        onnx.export(fn, (example,) if fn is not broadcast else (example, example), tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


def test_missing_packages_are_named(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "onnxruntime", None)
    with pytest.raises(LoadError, match=r'not installed; pip install "guardgen\[onnx\]"'):
        onnx.Session(path)
    with pytest.raises(EmitError, match=r'needs onnxruntime; pip install "guardgen\[onnx\]"'):
        onnx.export(torch.relu, torch.ones(3), tmp_path / "model.onnx")


def test_weights_may_be_in_a_file_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(makers, "LARGE", 1)
    onnx.export(torch.nn.Linear(30, 40), torch.randn(2, 30), tmp_path / "model.onnx")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["model.onnx", "model.onnx.data"]
    model = onnx.Session(tmp_path / "model.onnx")
    assert model.run(None, {"input": np.ones((7, 30), np.float32)})[0].shape == (7, 40)
    assert json.loads(onnx.embedded(tmp_path / "model.onnx"))["name"] == "Linear"
