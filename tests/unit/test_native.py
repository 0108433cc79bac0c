"""The native form: what it answers itself, what it leaves to the Python form, and where there is none."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch.overrides import TorchFunctionMode

import guardgen
from guardgen import native
from guardgen.cli import main
from guardgen.emit.native import emit_native, emit_native_tail
from guardgen.errors import EmitError
from guardgen.guards import GuardSet
from tests.unit.emitted import guards_of, load
from tests.unit.natives import NO_COMPILER, Bound, answer, compiled_natives

X, Y = torch.zeros(2, 3), torch.zeros(3, 5)
needs_compiler = pytest.mark.skipif(not native.compiler(), reason=NO_COMPILER)


def options(
    x: Any, /, n: int, mode: str = "sum", *, scale: float = 0.5, training: bool = False, extra: Any = None
) -> Any:
    return x.view(n, -1) * scale if mode == "sum" and not training and extra is None else x


def nest(batch: dict[str, Any], pairs: list[Any]) -> Any:
    return batch["x"] @ batch["y"] + pairs[0][1] - pairs[1][0]


def strided(x: torch.Tensor) -> Any:
    return x.view(-1) if x.stride(0) == 3 and x.storage_offset() == 0 and not x.requires_grad else x


def twice(x: torch.Tensor, y: torch.Tensor) -> Any:
    return x.add_(y) if x is not y else x


NEST = {"x": X, "y": Y}, [(Y, torch.zeros(5)), (torch.zeros(2, 5), Y)]
PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "matmul": (lambda x, y: x @ y, (X, Y)),
    "options": (options, (X, 3)),
    "nest": (nest, NEST),
    "strided": (strided, (X,)),
    "twice": (twice, (X, torch.zeros(2, 3))),
    "native": (lambda native, values, read: native + values + read, (X, X.clone(), X.clone())),
    "read": (lambda: torch.zeros(2), ()),
}
Forms = Callable[[str], tuple[Bound, Callable[..., Any]]]


@pytest.fixture(scope="module")
def forms(tmp_path_factory: pytest.TempPathFactory) -> Forms:
    """The native and the Python form of a program."""
    if not native.compiler():
        pytest.skip(NO_COMPILER)
    guards: dict[str, GuardSet] = {name: guards_of(fn, *args) for name, (fn, args) in PROGRAMS.items()}
    natives = compiled_natives(guards, tmp_path_factory.mktemp("native"))

    def both(name: str) -> tuple[Bound, Callable[..., Any]]:
        python = load(guardgen.emit(guards[name], "python")).check
        return Bound(natives[name], python), python

    return both


def agree(forms: Forms, name: str, *calls: tuple[tuple[Any, ...], dict[str, Any]]) -> list[bool]:
    """That both forms say the same; which calls the native form answered itself."""
    bound, python = forms(name)
    itself = []
    for args, kwargs in calls:
        before = bound.asked
        assert answer(bound.check, args, kwargs) == answer(python, args, kwargs)
        itself.append(bound.asked == before)
    return itself


def test_tensors_are_read_natively_and_all_else_is_asked_of_python(forms: Forms) -> None:
    tensors = [
        X,
        torch.zeros(3, 3),
        torch.zeros(2, 3, 1),
        X.double(),
        X.to("meta"),
        X.to_sparse(),
        torch.nn.Parameter(X),
    ]
    assert agree(forms, "matmul", *(((each, Y), {}) for each in tensors)) == [True] * len(tensors)
    others = [1, None, [X], "x", X.numpy(), X.as_subclass(Subclass)]
    assert agree(forms, "matmul", *(((each, Y), {}) for each in others)) == [False] * len(others)


class Subclass(torch.Tensor):
    pass


SHAPE: Any = torch.Tensor.shape


class Mode(TorchFunctionMode):
    """Answers `x.shape` with something else."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return torch.Size((9, 9)) if func == SHAPE.__get__ else func(*args, **(kwargs or {}))


def test_modes_and_tensors_of_functorch_are_as_python_sees_them(forms: Forms) -> None:
    _, python = forms("matmul")
    with Mode():
        assert python(torch.zeros(9, 9), Y) is True
        assert agree(forms, "matmul", ((X, Y), {}), ((torch.zeros(9, 9), Y), {})) == [False, False]
    found: list[bool] = []

    def program(x: torch.Tensor) -> torch.Tensor:
        found.extend(agree(forms, "matmul", ((x, Y), {}), ((x, x), {})))
        return x

    torch.vmap(program)(torch.zeros(4, 2, 3))
    torch.func.grad(lambda x: program(x).sum())(X)
    assert len(found) == 4


def test_calls_are_bound_as_python_binds_them(forms: Forms) -> None:
    calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        ((X, 3), {}),
        ((X,), {"n": 3}),
        ((X,), {"n": 4, "mode": "sum"}),
        ((X, 3, "sum"), {"scale": 0.5, "extra": None}),
        ((X, 3), {"scale": -0.5}),
        ((X, 3), {"training": True}),
        ((X, 3, "mean"), {}),
    ]
    assert agree(forms, "options", *calls) == [True] * len(calls)
    left: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        ((), {}),
        ((), {"x": X, "n": 3}),
        ((X, 3), {"n": 3}),
        ((X, 3, "sum", 0.5), {}),
        ((X, 3), {"sclae": 0.5}),
        ((X, True), {}),
        ((X, 2**70), {}),
        ((X, 3, "\ud800"), {}),
        ((X, 3), {"scale": 1}),
        ((X, 3), {"training": 0}),
        ((X, 3), {"extra": 0}),
    ]
    assert agree(forms, "options", *left) == [False] * len(left)


def test_containers_have_the_type_length_and_order_of_the_traced_call(forms: Forms) -> None:
    batch, pairs = NEST
    assert agree(forms, "nest", (NEST, {}), (({"x": X, "y": X}, pairs), {})) == [True, True]
    batches = [{"y": Y, "x": X}, {"x": X}, {**batch, "z": X}, OrderedDict(batch), [X, Y], {"x": X, 1: Y}]
    assert agree(forms, "nest", *(((each, pairs), {}) for each in batches)) == [False] * len(batches)
    lists = [pairs[:1], [*pairs, pairs[0]], tuple(pairs), [list(pairs[0]), pairs[1]], [pairs[0], None]]
    assert agree(forms, "nest", *(((batch, each), {}) for each in lists)) == [False] * len(lists)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors is in prototype stage")
def test_strides_offsets_and_gradients_are_read_where_a_guard_asks(forms: Forms) -> None:
    longer = torch.zeros(10)
    tensors = [X, X.t(), longer[4:].view(2, 3), longer[:9].view(3, 3), torch.zeros(2, 3, requires_grad=True)]
    assert agree(forms, "strided", *(((each,), {}) for each in tensors)) == [True] * len(tensors)
    agree(forms, "strided", ((X.to_sparse(),), {}), ((torch.nested.nested_tensor([X[0], X[1]]),), {}))


def test_the_same_object_is_another_thing_than_an_equal_one(forms: Forms) -> None:
    assert agree(forms, "twice", ((X, X), {}), ((X, X.clone()), {})) == [True, True]


def test_names_of_programs_and_parameters_hide_nothing(forms: Forms) -> None:
    tensors = [torch.zeros(2, 3) for _ in range(3)]
    assert agree(forms, "native", (tuple(tensors), {}), ((*tensors[:2], Y), {})) == [True, True]
    assert agree(forms, "read", ((), {}), ((1,), {})) == [True, False]


# -- what has no native form


@pytest.mark.parametrize(
    ("fn", "args", "why"),
    [
        (lambda x: x + 1 if x.all() else x, (torch.ones(2),), "its guard runs operators on the data of tensors"),
        (lambda x: x["a"] + 1, (OrderedDict(a=X),), "argument x: the native form reads lists, tuples and dicts"),
        (lambda x: x[1] + 1, ({1: X},), "argument x: the native form reads no dict with keys that are no strings"),
        (lambda x, dtype: x.to(dtype), (X, torch.float64), "argument dtype: the native form reads no dtypes"),
    ],
)
def test_what_has_no_native_form_is_said(fn: Callable[..., Any], args: tuple[Any, ...], why: str) -> None:
    with pytest.raises(EmitError, match=why):
        emit_native(guards_of(fn, *args))


def test_the_text_is_the_same_each_time_and_has_no_path_of_this_machine() -> None:
    guards = dataclasses.replace(guards_of(nest, *NEST), name="program")
    assert emit_native(guards) == emit_native(guards)
    assert str(Path(torch.__file__).parent) not in emit_native(guards)


# -- guardgen build --native

SPEC = """
import torch
from guardgen import spec

@spec.program(args=lambda: (torch.zeros(2, 3), torch.zeros(3, 5)), targets=("python",))
def product(x, y):
    return x @ y

@spec.program(args=lambda: (torch.ones(2),), targets=("python",))
def on_data(x):
    return x + 1 if x.all() else x
"""
ASKED = """
import product
import torch
x, y = torch.zeros(2, 3), torch.zeros(3, 5)
assert product.check(x, y) and product.check(y=y, x=x) and not product.check(x, x) and not product.check(1, 2)
product.require(x, y)
print(type(product.check).__name__, product.violations(x, x)[0])
"""


def asked(folder: Path) -> str:
    """What the modules in the folder answer in a process of its own."""
    ran = subprocess.run([sys.executable, "-c", ASKED], cwd=folder, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.split()[0] + ran.stderr


@needs_compiler
def test_build_writes_modules_that_are_used_like_the_python_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "programs.py").write_text(SPEC)
    out, natives = tmp_path / "out", tmp_path / "native"
    build = ["build", str(tmp_path / "programs.py"), "--out", str(out), "--native", str(natives)]
    assert main(build) == 0
    said = capsys.readouterr()
    assert said.out.splitlines()[-1] == f"{natives}: 2 modules, 1 with a compiled check"
    why = "its guard runs operators on the data of tensors, which the Python form does"
    assert said.err.splitlines()[-1] == f"not compiled, the Python form serves: on_data: {why}"
    assert (natives / "on_data.py").read_text() == (out / "on_data.py").read_text()
    assert asked(natives) == "builtin_function_or_method"
    (old,) = natives.glob("*.so")
    with monkeypatch.context() as patched:
        patched.setattr(native, "compile_module", None)  # what is compiled already is not compiled again
        assert main(build) == 0
    (tmp_path / "programs.py").write_text(SPEC.replace("x @ y", "x @ y if x.shape[0] == 2 else y"))
    assert main(build) == 0
    (new,) = natives.glob("*.so")
    assert new != old
    assert new.name in (natives / "product.py").read_text()
    capsys.readouterr()
    (tmp_path / "programs.py").write_text(SPEC)
    monkeypatch.setenv("CXX", str(tmp_path / "no compiler"))
    assert main(build) == 0
    said = capsys.readouterr()
    assert f"not compiled, the Python form serves: product: {native.NO_COMPILER}" in said.err.splitlines()
    assert said.out.splitlines()[-1] == f"{natives}: 2 modules, 0 with a compiled check"
    assert sorted(path.name for path in natives.glob("*.*")) == ["on_data.py", "product.py"]
    assert (natives / "product.py").read_text() == (out / "product.py").read_text()


def module_with(text: str, path: Path) -> ModuleType:
    """The module, with what it warns of turned into errors by pytest."""
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    sys.modules[path.stem] = module
    exec(compile(text, str(path), "exec"), module.__dict__)
    return module


def test_where_the_compiled_form_cannot_be_loaded_the_python_form_serves(tmp_path: Path) -> None:
    python = guardgen.emit(guards_of(lambda x, y: x @ y, X, Y), "python")
    text = emit_native_tail(python, "product", "product_native.so")
    with pytest.warns(RuntimeWarning, match="check is the Python form"):
        module = module_with(text, tmp_path / "product.py")
    assert module.check(X, Y) is True


@needs_compiler
def test_a_module_for_another_release_is_not_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guards = dataclasses.replace(guards_of(lambda x, y: x @ y, X, Y), name="product")
    with monkeypatch.context() as patched:
        patched.setattr(torch, "__version__", "0.0.1")
        assert native.save(guards, guardgen.emit(guards, "python"), tmp_path) == ""
    path = tmp_path / "product.py"
    with pytest.warns(RuntimeWarning, match=r"compiled for PyTorch 0\.0\.1, and this is .*: build it again"):
        module = module_with(path.read_text(), path)
    assert module.check(X, Y) is True
