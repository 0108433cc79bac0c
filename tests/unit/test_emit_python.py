"""Emitted Python modules: the same answers as the derived guards, for any signature, argument and text."""

from __future__ import annotations

import ast
import builtins
import copy
import dataclasses
import datetime
import enum
import functools
import inspect
import keyword
import math
from collections import OrderedDict, namedtuple
from pathlib import Path as File
from types import ModuleType
from typing import Any

import pytest
import torch

import guardgen
import guardgen.runtime
from guardgen.arguments import Path
from guardgen.emit.literals import comment, string
from guardgen.emit.python import runtime_text
from guardgen.guards import GuardSet
from guardgen.ir import Line
from guardgen.terms import Symbol, eq, symbol
from tests.unit.emitted import GARBAGE, by_hand, garbage, guard, guards_of, load, python_of, tensor

X, Y = torch.zeros(2, 3), torch.zeros(2, 3)
Named = namedtuple("Named", "first second")


class Mode(enum.Enum):
    FAST = 1
    SLOW = 2


@dataclasses.dataclass
class Options:
    mask: Any
    scale: int


def agree(guards: GuardSet, module: ModuleType, *args: Any, **kwargs: Any) -> bool:
    """The answer, which must be that of every form, and explained alike."""
    answer = guards.check(*args, **kwargs)
    assert module.check(*args, **kwargs) is answer
    assert list(map(str, module.violations(*args, **kwargs))) == list(map(str, guards.explain(*args, **kwargs)))
    assert answer is not bool(module.violations(*args, **kwargs))
    if answer:
        module.require(*args, **kwargs)
    else:
        with pytest.raises(module.GuardError) as caught:
            module.require(*args, **kwargs)
        assert caught.value.violations == module.violations(*args, **kwargs)
        assert str(caught.value) == "\n".join(map(str, caught.value.violations))
    return bool(answer)


# -- signatures


def positional_only(a: Any, /, b: Any = None, *, c: int = 3, d: Any = None) -> Any:
    return a + c


def star(a: Any, b: Any = 2, *args: Any, **kwargs: Any) -> Any:
    return a + b + args[0] + kwargs["scale"]


def test_parameters_have_the_names_kinds_and_defaults_of_the_program() -> None:
    guards = guards_of(positional_only, X, c=4)
    module = load(guardgen.emit(guards, "python"))
    found = inspect.signature(module.check).parameters.values()
    expected = inspect.signature(positional_only).parameters.values()
    assert [(p.name, p.kind, p.default) for p in found] == [(p.name, p.kind, p.default) for p in expected]
    for name in ("check_shapes", "violations", "require"):
        assert list(inspect.signature(getattr(module, name)).parameters) == ["a", "b", "c", "d"]
    assert agree(guards, module, X)
    assert agree(guards, module, X, None, c=7)
    assert not agree(guards, module, X, 1)
    assert not agree(guards, module, X, c=True)
    with pytest.raises(TypeError):
        module.check(a=X)
    with pytest.raises(TypeError):
        module.check()


def test_extra_arguments_become_parameters() -> None:
    guards = guards_of(star, X, 3, Y, scale=2)
    module = load(guardgen.emit(guards, "python"))
    assert str(inspect.signature(module.check)).replace("'", "") == (
        "(a: torch.Tensor, b: int, args_0: torch.Tensor, /, *, scale: int) -> bool"
    )
    assert agree(guards, module, X, 5, Y, scale=9)
    assert not agree(guards, module, X, 5, Y, scale=None)


def test_a_default_without_a_literal_may_be_left_out() -> None:
    token = object()

    def program(x: Any, dtype: Any = torch.float32, marker: Any = token) -> Any:
        return x.to(dtype)

    guards = guards_of(program, X)
    module = load(guardgen.emit(guards, "python"))
    assert agree(guards, module, X)
    assert agree(guards, module, X, torch.float32)
    assert not agree(guards, module, X, torch.float64)
    assert module.check_shapes((2, 3)) is True
    assert module.check(X, torch.float32, 3) is False


CLASHES = ["self", "check", "len", "type", "torch", "int", "list", "GUARDS", "report", "Any", "isinstance", "x_0"]
CLASHES += ["violations", "MISSING", "_Tensor", "_load", "sys", "attempt", "GuardError", "value_0", "math", "number_0"]
CLASHES += ["naïve", "Guard", "min", "Exception", "match", "__x", "bool", "TYPE_CHECKING", "Sequence", "_value_0"]


@pytest.mark.parametrize("name", CLASHES)
def test_a_parameter_may_have_any_name(name: str) -> None:
    scope: dict[str, Any] = {}
    code = f"def program({name}, x, mode):\n    assert ({name} > -1).all() and {name}.shape[0] == 2 * x.shape[0] + 2\n"
    exec(f"{code}    return {name}.sum() + x + ({name}.shape[1] ** 2 if {name}.shape[1] > 2 else 0)\n", scope)
    guards = guards_of(scope["program"], torch.zeros(6, 3), torch.zeros(2), "m")
    module = load(guardgen.emit(guards, "python"))
    assert next(iter(inspect.signature(module.check).parameters)) == name
    assert agree(guards, module, torch.zeros(8, 4), torch.zeros(3), "m")
    assert agree(guards, module, **{name: torch.zeros(8, 4), "x": torch.zeros(3), "mode": "m"})
    assert not agree(guards, module, torch.zeros(8, 2), torch.zeros(3), "m")
    assert not agree(guards, module, torch.zeros(8, 4) - 5, torch.zeros(3), "m")
    assert module.check_shapes((8, 4), (3,), "m") is True
    assert module.check_shapes((8, 4), (4,), "m") is False


def test_names_that_are_no_identifiers_are_refused() -> None:
    def program(x: Any, **kwargs: Any) -> Any:
        return x + kwargs[forbidden]

    forbidden = "__debug__"
    with pytest.raises(guardgen.EmitError, match="__debug__"):
        guardgen.emit(guards_of(program, X, **{forbidden: 3}), "python")


# -- facts

CONSTANTS: list[Any] = [
    None,
    True,
    False,
    3.5,
    0.0,
    -0.0,
    math.inf,
    -math.inf,
    math.nan,
    "sum",
    'it\'s "odd"\n',
    b"x",
    2j,
]
CONSTANTS += [Mode.FAST, torch.float32, torch.strided, torch.device("cpu"), torch.channels_last, frozenset({1, "a"})]


@pytest.mark.parametrize("value", CONSTANTS, ids=[str(i) for i in range(len(CONSTANTS))])
def test_constants_are_told_apart(value: Any) -> None:
    guards = guards_of(lambda x, c: x + 1, X, value)
    module = load(guardgen.emit(guards, "python"))
    for other in CONSTANTS:
        same = type(other) is type(value) and repr(other) == repr(value)
        assert agree(guards, module, X, other) is same
        assert module.check_shapes((2, 3), other) is same


class Settings:
    def __init__(self, count: float, name: str = "a") -> None:
        self.count, self.name = count, name

    def shown(self) -> str:
        return self.name


class Empty:
    """Instances are told apart by identity alone."""


OBJECTS: list[Any] = [Settings(3), Settings(4), Settings(math.nan), Settings(3, "b"), Settings, print, torch.relu, ...]
OBJECTS += [torch.nn.functional.relu, torch.nn.PairwiseDistance(), torch.nn.PairwiseDistance(p=3), torch.nn.ReLU()]
OBJECTS += [functools.partial(max, 2), functools.partial(max, 3), functools.partial(min, 2), Settings(3).shown]
OBJECTS += [slice(1, None), slice(1, 2), range(3), range(4), {1, 2}, {1, 3}, datetime.date(2020, 1, 2)]


@pytest.mark.parametrize("value", OBJECTS, ids=[str(i) for i in range(len(OBJECTS))])
def test_objects_are_told_apart_by_type_and_state(value: Any) -> None:
    guards = guards_of(lambda x, c: x + 1, X, value)
    module, data = load(guardgen.emit(guards, "python")), guardgen.load(guards.to_json())
    for other in (*OBJECTS, *CONSTANTS):
        assert agree(guards, module, X, other) is (other is value)
        assert data.check(X, other) is (other is value)
    if not isinstance(value, type) and type(value).__module__ != "builtins":
        assert agree(guards, module, X, copy.deepcopy(value))


def test_an_object_that_changes_after_the_trace_is_another() -> None:
    settings = Settings(3)
    guards = guards_of(lambda x, c: x + 1, X, settings)
    settings.count = 4
    assert not guards.check(X, settings)
    assert guards.check(X, Settings(3))


def local() -> Any:
    return lambda x: x


STRANGE: list[Any] = [object(), Empty(), [].append, local(), functools.lru_cache(local), torch.nn.Linear(1, 1)]
STRANGE += [torch.Generator(), (each for each in "abc")]


@pytest.mark.parametrize("value", STRANGE, ids=lambda value: type(value).__name__)
def test_a_constant_that_cannot_be_written_down_is_refused_by_name(value: Any) -> None:
    with pytest.raises(guardgen.EmitError, match="argument strange"):
        guardgen.emit(guards_of(lambda x, strange: x + 1, X, value), "python")


CONTAINERS = [
    [X, 2],
    [X],
    [],
    (X, 2),
    (),
    {"a": X, "b": 2},
    {"b": 2, "a": X},
    {1: X, 2: 2},
    OrderedDict(a=X, b=2),
    Named(X, 2),
    Options(X, 2),
    {"odd 'key\"\n{{ }}": X},
    [[X], {"k": (X, Y)}],
    torch.Size([2, 3]),
]


@pytest.mark.parametrize("value", CONTAINERS, ids=lambda value: type(value).__name__)
def test_containers_are_told_apart(value: Any) -> None:
    def program(x: Any, nest: Any) -> Any:
        total = x
        inside = vars(nest) if isinstance(nest, Options) else list(nest) if isinstance(nest, torch.Size) else nest
        for leaf in torch.utils._pytree.tree_leaves(inside):
            total = total + leaf
        return total

    guards = guards_of(program, X, value)
    module = load(guardgen.emit(guards, "python"))
    answers = [agree(guards, module, X, other) for other in CONTAINERS]
    assert [other for other, answer in zip(CONTAINERS, answers, strict=True) if answer] == [value]


@pytest.mark.parametrize("name", GARBAGE)
def test_any_argument_gets_the_same_answer(name: str) -> None:
    def program(a: Any, b: Any, c: Any, flag: bool) -> Any:
        return a[0] + b["k"].view(c, -1)

    guards = guards_of(program, [torch.zeros(2, 3)], {"k": torch.zeros(3, 2)}, 2, True)
    module = load(guardgen.emit(guards, "python"))
    good: list[Any] = [[torch.zeros(2, 3)], {"k": torch.zeros(3, 2)}, 2, True]
    assert agree(guards, module, *good)
    value = garbage()[name]
    for at, bad in (0, value), (0, [value]), (1, value), (1, {"k": value}), (2, value), (3, value):
        args = [*good[:at], bad, *good[at + 1 :]]
        agree(guards, module, *args)
        assert type(module.check_shapes(*args)) is bool


def test_identity_strides_offset_and_gradients() -> None:
    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        assert b.stride(0) == 3
        assert b.storage_offset() < 4
        assert not c.requires_grad
        return a + b + c

    guards = guards_of(program, X, Y, X)
    module = load(guardgen.emit(guards, "python"))
    a, wide = torch.zeros(5, 3), torch.zeros(5, 9)
    assert agree(guards, module, a, torch.zeros(5, 3), a)
    assert not agree(guards, module, a, torch.zeros(5, 3), a.clone())
    assert not agree(guards, module, a, wide[:, :3], a)
    assert not agree(guards, module, a, torch.zeros(9, 3)[4:], a)
    grad = torch.zeros(5, 3, requires_grad=True)
    assert not agree(guards, module, grad, torch.zeros(5, 3), grad)


def test_shapes_answer_without_tensors() -> None:
    module = python_of(lambda a, b, n: (a + b).view(n, -1), torch.zeros(4, 1), torch.zeros(4, 6), 3)
    assert module.check_shapes((8, 1), [8, 6], 3) is True
    assert module.check_shapes((8, 1), torch.zeros(8, 6).shape, 4) is True
    assert module.check_shapes((8, 1), (8, 6), 5) is False
    assert module.check_shapes((8, 1), (8, 6), 0) is False
    assert module.check_shapes((8, 1, 1), (8, 6), 3) is False
    assert module.check_shapes(None, 3, "text") is False


# -- data


def test_data_is_computed_in_the_module() -> None:
    def program(x: torch.Tensor, mask: torch.Tensor, n: int) -> torch.Tensor:
        table = torch.tensor([1.0, -math.inf])
        if (mask * table[0] > 0).all() and int(mask.sum().item()) > n:
            return x * 2
        return x

    guards = guards_of(program, X, torch.ones(4), 2)
    module = load(guardgen.emit(guards, "python"))
    assert agree(guards, module, X, torch.ones(4), 3)
    assert not agree(guards, module, X, torch.ones(4), 4)
    assert not agree(guards, module, X, torch.zeros(4), 2)
    assert not agree(guards, module, X, torch.ones(4, dtype=torch.int64), 2)
    assert "Data" not in inspect.getsource(module.check_shapes) or module.check_shapes((2, 3), (4,), 9) is True


# -- text from the program

NASTY = [
    '"""', "'''", "\\", "\\N{DASH}", "{{ 7 * 7 }}", "{% raw %}", "{# #}", "\n", "\r", "\u2028", "\u2029", "\x85", "\0",
    "# type: ignore", "%s {0}", "é漢\U0001f600", "\u202eabc", "a\n    import os", '");import os;("', "coding: latin-1",
]  # fmt: skip


@pytest.mark.parametrize("text", NASTY, ids=ascii)
def test_text_of_the_program_cannot_change_the_code(text: str, tmp_path: File) -> None:
    file = tmp_path / "program.py"
    file.write_text(f"x = 1  # {text.splitlines()[0] if text.strip() else text.strip()}\n", encoding="utf-8")
    symbols = [
        Symbol(f"x[{text!r}].shape[{i}]", "int", ("size", Path("x").into(("index", text)), i), i, 0) for i in (0, 1)
    ]
    lines = Line(f"dir {text}/program.py", 1, str(file)), Line(text, 1, str(file))
    a, b = map(symbol, symbols)
    fact = tensor(Path("x").into(("index", text)), 2)
    guards = by_hand(lambda x: x[text] + 1, ({text: X},), (fact,), guard(eq(a, b), *lines), guard(eq(b, 3), *lines))
    module = load(guardgen.emit(guards, "python", name=text))
    assert agree(guards, module, {text: torch.zeros(3, 3)})
    assert not agree(guards, module, {text: torch.zeros(3, 4)})
    assert module.GUARDS[1].lines == tuple(map(str, lines))
    text = guardgen.emit(guards, "python", name=text)
    assert functions(text) == FUNCTIONS | functions(runtime_text(""))
    assert all(line.isprintable() for line in text.split("\n"))


FUNCTIONS = {"check", "check_shapes", "violations", "require", "check_environment", "environment_violations", "_load"}


def functions(text: str) -> set[str]:
    return {node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("text", NASTY, ids=ascii)
def test_literals_say_what_they_are_made_of(text: str) -> None:
    assert ast.literal_eval(string(text)) == text
    assert string(text).isprintable()
    assert comment(f"a{text}b").isprintable()


def test_long_comments_are_cut() -> None:
    assert len(comment("x" * 500, 8)) == 120 - 8 - 2


# -- the module as a whole


def test_emission_is_deterministic_and_names_no_machine() -> None:
    for target in "python", "torchscript":
        first, second = (guardgen.emit(guards_of(star, X, 3, Y, scale=2), target) for _ in range(2))
        assert first == second
        assert str(File.cwd()) not in first


def test_guards_are_data() -> None:
    module = python_of(star, X, 3, Y, scale=2)
    assert [each.kind for each in module.GUARDS[:2]] == ["fact", "fact"]
    assert ("a.shape[1] == args_0.shape[1]" in {each.condition for each in module.GUARDS}) or len(module.GUARDS) > 3
    assert all(isinstance(line, str) for each in module.GUARDS for line in each.lines)


def test_an_unknown_target_is_refused() -> None:
    with pytest.raises(guardgen.EmitError, match="python, torchscript"):
        guardgen.emit(guards_of(star, X, 3, Y, scale=2), "fortran")


def test_no_name_of_the_module_is_a_builtin() -> None:
    module = python_of(star, X, 3, Y, scale=2)
    public = {name for name in vars(module) if not name.startswith("_")}
    assert not public & set(dir(builtins)) | public & set(keyword.kwlist)
