"""Where observations say they were made."""

from __future__ import annotations

import dataclasses
import linecache
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from guardgen.ir import Line
from guardgen.ops import BAILOUTS
from guardgen.tracing import Trace, trace
from guardgen.tracing.provenance import is_user_file, relative

HERE = "tests/unit/test_provenance.py"


def observed(made: Trace) -> list[Line]:
    return [node.line for node in made.graph if node.op in BAILOUTS and node.line is not None]


def looks(x: torch.Tensor) -> torch.Tensor:
    if x.shape[0] > 2:
        x = x + 1
    rows = torch.nn.functional.softmax(x, -1).unbind(0)
    return rows[0]


def test_lines_are_those_of_the_program_relative_to_the_project() -> None:
    lines = observed(trace(looks, (torch.zeros(3, 2),)))
    assert {line.file for line in lines} == {HERE}
    assert [line.text for line in lines] == [
        "if x.shape[0] > 2:",
        "rows = torch.nn.functional.softmax(x, -1).unbind(0)",
    ]
    assert lines[0].number == looks.__code__.co_firstlineno + 1
    assert str(lines[0]) == f"{HERE}:{lines[0].number}: if x.shape[0] > 2:"


def test_lambdas_and_torch_code_between_name_the_users_line() -> None:
    f = lambda x: torch.nn.Sequential(torch.nn.Identity())(x).sum() if len(x) else x  # noqa: E731 - a program
    (line,) = observed(trace(f, (torch.zeros(3),)))
    assert line.text.startswith("f = lambda x")


def test_a_module_of_torch_by_itself_names_the_line_of_its_forward() -> None:
    class Branches(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x if x.shape[0] > 2 else -x

    (line,) = observed(trace(torch.nn.Sequential(Branches()), (torch.zeros(3),)))
    assert line.text == "return x if x.shape[0] > 2 else -x"
    attention = torch.nn.MultiheadAttention(4, 2).eval()
    made = trace(attention, (torch.zeros(3, 1, 4),) * 3)
    assert {line.file for line in observed(made)} == {"torch/nn/modules/activation.py"}


def test_the_caller_of_trace_is_not_part_of_the_program() -> None:
    made = trace(torch.nn.Linear(3, 2), (torch.zeros(1, 3),))
    assert all(node.line is None or node.line.file == "torch/nn/modules/linear.py" for node in made.graph)


def test_generated_methods_name_the_line_that_calls_them() -> None:
    @dataclasses.dataclass(order=True)
    class Key:
        n: Any

    def f(x: torch.Tensor) -> torch.Tensor:
        return x if Key(x.shape[0]) == Key(3) else x + 1

    (line,) = observed(trace(f, (torch.zeros(3),)))
    assert line.text == "return x if Key(x.shape[0]) == Key(3) else x + 1"


def run_source(source: str, filename: str) -> Callable[..., Any]:
    names: dict[str, Any] = {}
    exec(compile(source, filename, "exec"), names)
    return names["f"]  # whatever the source defines


@pytest.mark.parametrize("filename", ["<string>", "<stdin>", "<ipython-input-3-abc>", "made/up.py"])
def test_code_without_a_file_has_its_name_and_line(filename: str) -> None:
    f = run_source("def f(x):\n    return x if x.shape[0] > 2 else -x\n", filename)
    (line,) = observed(trace(f, (torch.zeros(3),)))
    assert (line.file, line.number) == (filename, 2)
    assert line.text in ("", "return x if x.shape[0] > 2 else -x")


def test_source_kept_in_linecache_is_shown() -> None:
    source = "def f(x):\n    return x if x.shape[0] > 2 else -x\n"
    linecache.cache["<kept>"] = (len(source), None, source.splitlines(keepends=True), "<kept>")
    (line,) = observed(trace(run_source(source, "<kept>"), (torch.zeros(3),)))
    assert line.text == "return x if x.shape[0] > 2 else -x"


def test_a_file_run_by_runpy_is_relative_to_its_project(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "net.py").write_text("def f(x):\n    return x if x.shape[0] > 2 else -x\n")
    f = runpy.run_path(str(tmp_path / "models" / "net.py"))["f"]
    (line,) = observed(trace(f, (torch.zeros(3),)))
    assert line.place == "models/net.py:2"


def test_stdin_is_a_place(tmp_path: Path) -> None:
    source = (
        "import torch\nfrom guardgen.tracing import trace\n"
        "t = trace(lambda x: x if len(x) else -x, (torch.zeros(3),))\n"
        "print([n.line.place for n in t.graph if n.op.endswith('_bailout')])\n"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable], input=source, capture_output=True, text=True, cwd=root, check=True)
    assert done.stdout.strip() == "['<stdin>:3']"


@pytest.mark.parametrize(
    ("path", "users"),
    [
        (torch.nn.__file__, False),
        (torch.__file__.replace("torch/__init__", "torchvision/__init__"), True),
        ("/home/me/model.py", True),
        (dataclasses.__file__, False),
        ("<frozen importlib._bootstrap>", False),
        ("<stdin>", True),
    ],
)
def test_whose_code_it_is(path: str, users: bool) -> None:
    assert is_user_file(path) is users


def test_packages_are_named_from_site_packages() -> None:
    assert (
        relative("/usr/lib/python3.11/site-packages/transformers/masking_utils.py") == "transformers/masking_utils.py"
    )
    assert relative("<stdin>") == "<stdin>"
    assert relative("/nowhere/at/all.py") == "all.py"
