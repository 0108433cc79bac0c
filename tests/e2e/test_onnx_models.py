"""ONNX models in a fresh process, in which PyTorch cannot be imported, nor the package onnx."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from examples.chunks import chunks
from guardgen import onnx
from guardgen.cli import main
from tests.e2e.test_emitted_modules import run

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models")
    onnx.export(chunks, (torch.randn(10, 8), torch.randn(8, 8)), path / "chunks.onnx")
    return path


def test_a_session_checks_where_pytorch_is_not(folder: Path) -> None:
    code = """
    import guardgen, numpy
    session = guardgen.onnx.Session("chunks.onnx")
    ones = lambda *shape: numpy.ones(shape, numpy.float32)
    print(session.run(None, {"rows": ones(12, 8), "weight": ones(8, 3)})[0].shape)
    try:
        session.run(["cat"], {"rows": ones(13, 8), "weight": ones(8, 3)})
    except guardgen.onnx.GuardError as error:
        print(error)
    print([str(each).partition(", since")[0] for each in
           session.violations({"rows": ones(12, 8).astype("f8"), "weight": ones(7, 3)})])
    session.guard_enabled = False
    print(session.run(None, {"rows": ones(13, 8), "weight": ones(8, 3)})[0].shape)
    print(guardgen.load(guardgen.onnx.embedded("chunks.onnx")).check_shapes((9, 0), (0, 5)), "torch" in sys.modules)
    """
    assert run(folder, code, "torch", "onnx", "onnxscript").splitlines() == [
        "(12, 3)",
        "rows.shape[0]: expected (rows.shape[0] + 3) // 4 == 3, got rows.shape[0] = 13, "
        "since examples/chunks.py:18: for start in range(0, rows.shape[0], CHUNK):",
        "['rows.dtype: expected float32, got float64', "
        "'rows.shape[1]: expected rows.shape[1] == weight.shape[0], got rows.shape[1] = 8, weight.shape[0] = 7']",
        "(12, 3)",
        "True False",
    ]


def test_what_is_missing_is_named(folder: Path) -> None:
    code = """
    import guardgen
    try:
        guardgen.onnx.Session("chunks.onnx")
    except guardgen.LoadError as error:
        print(error)
    """
    told = 'ONNX models run in onnxruntime, which is not installed; pip install "guardgen[onnx]"\n'
    assert run(folder, code, "torch", "onnxruntime") == told


def test_the_model_has_the_guards_of_the_emitted_module(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(folder / "chunks.onnx")
    assert main(["diff", path, str(ROOT / "generated" / "chunks.py")]) == 0
    assert main(["check", path, "--shape", "rows=13x8", "weight=8x8"]) == 1
    assert "got rows.shape[0] = 13" in capsys.readouterr().out
