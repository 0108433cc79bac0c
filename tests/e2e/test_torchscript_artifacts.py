"""TorchScript artifacts in a fresh process, in which guardgen cannot be imported."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from examples.chunks import chunks
from guardgen import torchscript
from guardgen.cli import main
from tests.e2e.test_emitted_modules import run


class Pooling(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(4, 2)

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None, *, n: int = 2) -> dict[str, torch.Tensor]:
        if x.shape[0] % n:
            raise ValueError("rows must be a multiple of n")
        pooled = self.linear(x).view(n, -1, 2).sum(0)
        return {"pooled": pooled, "rows": torch.ones(x.shape[0])}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("artifacts")
    torch.jit.save(torchscript.trace(chunks, (torch.randn(10, 8), torch.randn(8, 8))), str(path / "chunks.pt"))
    torch.manual_seed(0)
    torch.jit.save(torchscript.trace(Pooling(), torch.randn(6, 4), {"n": 3}), str(path / "pooling.pt"))
    return path


def test_artifacts_check_where_guardgen_is_not(folder: Path) -> None:
    code = """
    import torch, warnings
    warnings.simplefilter("ignore")
    module = torch.jit.load("chunks.pt")
    print(module(torch.zeros(12, 8), torch.zeros(8, 3)).shape)
    try:
        module(torch.zeros(13, 8), torch.zeros(8, 3))
    except torch.jit.Error as error:
        print(str(error).strip().splitlines()[-1])
    module.guard_enabled = False
    print(module(torch.zeros(13, 8), torch.zeros(8, 3)).shape, "guardgen" in sys.modules)
    """
    assert run(folder, code, "guardgen", "jinja2").splitlines() == [
        "torch.Size([12, 3])",
        "builtins.ValueError: rows.shape[0]: expected (rows.shape[0] + 3) // 4 == 3, got rows.shape[0] = 13, "
        "since examples/chunks.py:18: for start in range(0, rows.shape[0], CHUNK):",
        "torch.Size([12, 3]) False",
    ]


def test_parameters_keywords_and_dicts_survive(folder: Path) -> None:
    code = """
    import torch, warnings
    warnings.simplefilter("ignore")
    module = torch.jit.load("pooling.pt")
    result = module(torch.ones(9, 4), n=3)
    print(list(module.state_dict()), {key: tuple(value.shape) for key, value in result.items()})
    weight, bias = module.linear.weight, module.linear.bias
    print(torch.allclose(result["pooled"], 3 * (torch.ones(3, 4) @ weight.t() + bias)))
    for n in 2, True:
        try:
            module(torch.ones(9, 4), n=n)
        except torch.jit.Error as error:
            print(str(error).strip().splitlines()[-1].partition(", since")[0])
    """
    assert run(folder, code, "guardgen", "jinja2").splitlines() == [
        "['linear.weight', 'linear.bias'] {'pooled': (3, 2), 'rows': (9,)}",
        "True",
        "builtins.ValueError: x.shape[0]: expected x.shape[0] % n == 0, got x.shape[0] = 9, n = 2",
        "builtins.ValueError: n: expected an int (True and False are none), got something else",
    ]


def test_the_command_line_reads_the_guards_of_an_artifact(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(folder / "chunks.pt")
    assert main(["check", path, "--shape", "rows=12x8", "weight=8x8"]) == 0
    assert main(["check", path, "--shape", "rows=13x8", "weight=8x8"]) == 1
    assert "got rows.shape[0] = 13" in capsys.readouterr().out
    assert main(["diff", path, str(Path(__file__).parents[2] / "generated" / "chunks.py")]) == 0


def test_an_artifact_without_guards_is_said_to_have_none(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bare = folder / "bare.pt"
    torch.jit.save(torch.jit.trace(torch.relu, torch.ones(3)), str(bare))
    assert main(["check", str(bare), "--shape", "x=3"]) == 2
    assert capsys.readouterr().err == f"error: {bare}: this artifact carries no guards as data\n"
    bare.write_bytes(b"PK nonsense")
    assert main(["check", str(bare), "--shape", "x=3"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
