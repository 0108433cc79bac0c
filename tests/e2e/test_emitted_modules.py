"""Emitted modules where they are used: without guardgen, without torch, type-checked, compiled, saved and loaded."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import guardgen
from tests.unit.emitted import script

BLOCK = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Block())
"""


def attention(q: Any, k: Any, v: Any, mask: Any = None, *, scale: float = 0.5, dropout: Any = torch.float32) -> Any:
    b, _, s, _ = q.shape
    if mask is not None and not (mask == 1).all():
        q = q * mask
    weights = torch.softmax((q @ k.transpose(2, 3)) * scale, -1)
    return (weights @ v).transpose(1, 2).reshape(b, s, -1)


def nest(batch: Any, sizes: Any, cache: Any, mode: str, eps: float) -> Any:
    x = batch["x"].view(sizes[0], -1)
    return x + cache[0][0] if mode == "sum" else x * eps


def padded(x: Any, n: int, len: int) -> Any:
    if x.shape[0] * x.shape[1] % n == 0 and x.stride(0) > len:
        return x
    return torch.nn.functional.pad(x, (0, -x.shape[1] % 64))


def optional(x: Any = None, n: Any = None, items: Any = None, table: Any = None, pair: Any = None) -> Any:
    return x.view(n, -1) + items[0] + table["k"] + pair[0]


CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = {
    "attention": (attention, (torch.zeros(2, 3, 4, 8), torch.zeros(2, 3, 4, 8), torch.zeros(2, 3, 4, 8)), {}),
    "masked": (attention, (*[torch.zeros(2, 3, 4, 8)] * 3, torch.ones(8)), {"scale": 2.0}),
    "nest": (nest, ({"x": torch.zeros(4, 3), "y": None}, [2, 3], ([torch.zeros(6)], 7), "sum", 1e-5), {}),
    "optional": (optional, (torch.zeros(4), 2, [torch.zeros(2)], {"k": torch.zeros(2)}, (torch.zeros(2), 3)), {}),
    "padded": (padded, (torch.zeros(6, 3), 9, 2), {}),
    "add": (lambda a, b: a + b, (torch.zeros(4), torch.zeros(4)), {}),
    "nothing": (lambda x: 3, (torch.zeros(4),), {}),
}
SCRIPTED = ["nest", "padded", "add", "nothing"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of emitted modules, far from the project."""
    path = tmp_path_factory.mktemp("emitted")
    for name, (fn, args, kwargs) in CASES.items():
        guards = guardgen.derive(guardgen.trace(fn, args, kwargs))
        (path / f"{name}.py").write_text(guardgen.emit(guards, "python"), encoding="utf-8")
        if name in SCRIPTED:
            (path / f"{name}_script.py").write_text(guardgen.emit(guards, "torchscript"), encoding="utf-8")
    return path


def run(folder: Path, code: str, *blocked: str) -> str:
    """What Python prints for `code` in the folder, where the `blocked` packages cannot be imported."""
    program = BLOCK.format(blocked=set(blocked)) + textwrap.dedent(code)
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_modules_need_neither_guardgen_nor_jinja2(folder: Path) -> None:
    code = """
    import nest, padded, add, torch
    batch, cache = {"x": torch.zeros(6, 2), "y": None}, ([torch.zeros(4)], 7)
    print(nest.check(batch, [3, 3], cache, "sum", 1e-5), nest.check(batch, [3, 3], cache, "max", 1e-5))
    print(padded.check(torch.zeros(6, 3), 18, 2), padded.check(torch.zeros(6, 3), 0, 2))
    print([str(each) for each in add.violations(torch.zeros(4), 3)])
    try:
        add.require(torch.zeros(4), 3)
    except add.GuardError as error:
        print(error)
    """
    text = "b: expected a tensor of rank 1, got 3"
    expected = f"True False\nTrue False\n{[text]}\n{text}\n"
    assert run(folder, code, "guardgen", "jinja2") == expected


def test_shapes_are_checked_without_torch(folder: Path) -> None:
    code = """
    import attention, nest, add, sys
    print(add.check_shapes((8,), (8,)), add.check_shapes((8,), (7,)), add.check_shapes((8, 1), (8,)))
    print(nest.check_shapes({"x": (6, 2), "y": None}, [3, 3], ([(4,)], 7), "sum", 1e-5))
    print(add.check(1, 2), [str(each) for each in add.violations(1, 2)])
    print(attention.check_shapes((1, 2, 3, 4), (1, 2, 3, 4), (1, 2, 3, 4)), "torch" in sys.modules)
    """
    told = ["a: expected a tensor of rank 1, got 1", "b: expected a tensor of rank 1, got 2"]
    expected = f"True False False\nTrue\nFalse {told}\nTrue False\n"
    assert run(folder, code, "guardgen", "jinja2", "torch", "numpy") == expected


def test_importing_a_module_loads_no_torch_and_it_may_come_later(folder: Path) -> None:
    code = """
    import sys, add
    print("torch" in sys.modules, add.check(1, 2))
    import torch
    print(add.check(torch.zeros(3), torch.zeros(3)))
    """
    assert run(folder, code, "guardgen") == "False False\nTrue\n"


def test_modules_pass_mypy_strict_on_their_own(folder: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(folder / ".cache"), "."],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize("name", SCRIPTED)
def test_torchscript_is_saved_loaded_and_run(folder: Path, name: str) -> None:
    sys.path.insert(0, str(folder))
    try:
        python, module = __import__(name), __import__(f"{name}_script")
    finally:
        sys.path.remove(str(folder))
    saved = folder / f"{name}.pt"
    torch.jit.save(script(module.check), str(saved))
    code = f"""
    import torch, warnings
    warnings.simplefilter("ignore")
    check = torch.jit.load({str(saved)!r})
    x = torch.zeros(6, 2)
    calls = {{
        "nest": [({{"x": x, "y": None}}, [3, 3], ([torch.zeros(4)], 7), m, 1e-5) for m in ("sum", "max")],
        "padded": [(torch.zeros(*s), n, 2) for s in ((6, 3), (7, 3)) for n in (9, 0, True)],
        "add": [(torch.zeros(m), torch.zeros(n)) for m in (0, 1, 4) for n in (1, 4)],
        "nothing": [(x,)],
    }}
    import {name}
    for args in calls[{name!r}]:
        assert check(*args) is {name}.check(*args), args
        print(check(*args))
    """
    answers = run(folder, code, "guardgen", "jinja2").split()
    assert "True" in answers
    assert python.GUARDS is not None
