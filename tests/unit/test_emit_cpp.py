"""Emitted C++ headers: signatures, facts, data, and text of the program that must not change what the code means."""

from __future__ import annotations

import dataclasses
import enum
import math
import subprocess
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path as File
from typing import Any

import pytest
import torch

import guardgen
from guardgen.arguments import Path
from guardgen.emit.cpp_literals import cpp_comment, cpp_string, folder_of_names
from guardgen.guards import GuardSet
from guardgen.ir import Line
from guardgen.rules.terms import term_rules
from guardgen.terms import Symbol, symbol
from tests.unit.compiled import GXX, NO_GXX, STRICT, Case, Described, answers, compiled, described
from tests.unit.emitted import by_hand, guard, guards_of, tensor

X, Y = torch.zeros(2, 3), torch.zeros(2, 3)
needs_gxx = pytest.mark.skipif(GXX is None, reason=NO_GXX)


def cpp(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> str:
    return guardgen.emit(guards_of(fn, *args, **kwargs), "cpp")


def head(text: str, function: str) -> str:
    """The declaration of a function, on one line."""
    return " ".join(text.partition(f" {function}(")[2].partition(") {")[0].split())


# -- signatures


def test_parameters_are_the_tensors_numbers_and_strings_of_the_arguments_in_order() -> None:
    def program(batch: Any, n: int, mode: str, extra: Any = None, *, scale: float = 0.5, training: bool = False) -> Any:
        x = batch["mask"] + batch["items"][0]
        return x.view(n, -1) * scale if mode == "sum" and not training else x

    text = cpp(program, {"mask": X, "items": [Y]}, 3, "sum", scale=2.0)
    tensors = "const Tensor& batch_mask, const Tensor& batch_items_0, std::int64_t n, std::string_view mode"
    assert head(text, "check") == f"{tensors}, double scale = 0.5, bool training = false"
    sizes = tensors.replace("const Tensor&", "Sizes")
    assert head(text, "check_shapes") == f"{sizes}, double scale = 0.5, bool training = false"


def test_a_dtype_is_a_parameter_and_what_is_not_read_is_not_used() -> None:
    text = cpp(lambda x, unread, dtype: x.to(dtype), X, Y, torch.float64)
    assert head(text, "check") == "const Tensor& x, [[maybe_unused]] const Tensor& unread, DType dtype"
    assert "if (dtype != DType::float64) return false;" in text


class Color(enum.Enum):
    RED = 1


@dataclasses.dataclass
class Config:
    width: Any


@pytest.mark.parametrize(
    "value", [object(), Color.RED, b"x", 2j, torch.device("cpu"), len], ids=lambda value: type(value).__name__
)
def test_what_has_no_type_is_refused_by_name(value: Any) -> None:
    with pytest.raises(guardgen.EmitError, match="argument strange"):
        cpp(lambda x, strange: x + 1, X, value)


def test_numbers_from_data_are_parameters_and_the_header_says_how_to_compute_them() -> None:
    def program(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return x if mask.all() and int(mask.sum()) > 3 else x * 2

    guards = guards_of(program, X, torch.ones(4))
    text = guardgen.emit(guards, "cpp")
    numbers = "bool mask_all, double mask_sum_item"
    assert head(text, "check") == f"[[maybe_unused]] const Tensor& x, const Tensor& mask, {numbers}"
    assert head(text, "check_shapes") == "[[maybe_unused]] Sizes x, Sizes mask"
    assert "// The caller computes mask_all from the arguments' data, as b" in text
    assert "aten.all.default(mask)" in text


@needs_gxx
def test_a_program_that_reads_nothing_accepts_everything(tmp_path: File) -> None:
    case = Case(guards_of(lambda x: 3, X))
    assert case.ask_call((X,))
    assert answers(compiled([case], tmp_path), [case]) == [[(True, True, ())]]


# -- facts


CONSTANTS: list[Any] = [
    True,
    False,
    2.5,
    0.0,
    -0.0,
    math.inf,
    -math.inf,
    math.nan,
    'it\'s "odd" ??/\0\u2028é',
    "",
    "a\\",
]


@needs_gxx
def test_constants_are_themselves_and_nothing_else(tmp_path: File) -> None:
    cases = [Case(guards_of(lambda x, c: x + 1, X, value)) for value in CONSTANTS]
    others: dict[type, list[Any]] = {bool: [True, False], float: [0.0, -0.0, 2.5, math.inf, -math.inf, math.nan]}
    wanted = []
    for case, value in zip(cases, CONSTANTS, strict=True):
        tried = others.get(type(value), ["", "a", *(each for each in CONSTANTS if isinstance(each, str))])
        wanted.append([repr(other) == repr(value) for other in tried])
        for other in tried:
            assert case.ask_call((X, other))
    program = compiled(cases, tmp_path)
    assert [[each.check for each in found] for found in answers(program, cases)] == wanted


@needs_gxx
def test_tensors_are_told_apart_by_all_that_is_guarded(tmp_path: File) -> None:
    def fn(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        assert b.stride(0) == 3
        assert b.storage_offset() < 4
        assert not c.requires_grad
        return a + b + c

    case = Case(guards_of(fn, X, Y, X))
    good = Described((5, 3), strides=(3, 1), identity=7)
    other = good._replace(identity=8)
    grad = good._replace(requires_grad=True)
    calls = {
        (good, other, good): [],
        (good, other, other): ["c: expected the same object as a, got another object than a"],
        (good, other._replace(strides=(9, 1)), good): ["b.stride(0): expected 3, got 9"],
        (good, other._replace(strides=()), good): [],
        (good, other._replace(strides=(), sizes=(5, 1)), good): ["b.stride(0): expected 3, got 1"],
        (good, other._replace(strides=(1,)), good): ["b.stride(): expected 2 strides, got 1"],
        (good, other._replace(offset=4), good): ["b.storage_offset(): expected b.storage_offset() <= 3, got"],
        (grad, other, grad): ["a.requires_grad: expected False, got True"],
        (good, other._replace(dtype="float64"), good): ["b.dtype: expected torch.float32, got torch.float64"],
        (good, other._replace(device=("cuda", 0)), good): ["b.device: expected cpu, got cuda:0"],
        (good, other._replace(layout="sparse_coo"), good): ["b.layout: expected torch.strided, got torch.sparse_coo"],
        (good, other._replace(sizes=(5, 3, 1)), good): ["b.dim(): expected 2, got 3"],
        (good, other._replace(sizes=(5, -3)), good): ["b.shape: expected sizes from 0, got a negative one"],
    }
    for values in calls:
        case.ask(values)
    for found, wanted in zip(answers(compiled([case], tmp_path), [case])[0], calls.values(), strict=True):
        assert found.violations is not None
        assert found.check is not bool(wanted)
        assert len(found.violations) == len(wanted)
        assert all(text.startswith(part) for text, part in zip(found.violations, wanted, strict=True))


# -- text of the program

TEXTS = [
    '"""',
    "\\",
    "??/",
    "\n",
    "\u2028",
    "é漢",
    '"); std::abort(); ("',
    "*/",
    "/*",
    "\0",
    "\ud800",
    'R"(x)"',
    "%s{}",
]
NO_FILE = ("\0", "\ud800")  # are in no name of a file


@needs_gxx
def test_text_of_the_program_cannot_change_the_code(tmp_path: File) -> None:
    cases = []
    for text in TEXTS:
        key = Path("x").into(("index", text))
        size = Symbol(f"x[{text!r}].shape[0]", "int", ("size", key, 0), 0, 0)
        line = Line(f"dir {text}.py {text}", 1) if text not in NO_FILE else Line("file.py", 1)
        condition = guard(term_rules["int_eq"](symbol(size), 3), line)
        cases.append(Case(by_hand(lambda x, text=text: x[text] + 1, ({text: X},), (tensor(key, 2),), condition)))
        for rows in (3, 4):
            assert cases[-1].ask_call(({text: torch.zeros(rows, 3)},))
    for found in answers(compiled(cases, tmp_path), cases):
        assert [each.check for each in found] == [True, False]
        assert found[1].violations is not None
        assert found[1].violations[0].startswith("x[")


NAMES = """
double new this check check_shapes violations detail sizes data GUARDS report std guardgen Int Tensor floordiv
modulo rounded least same x_0 __x _x a__b EOF NULL NAN errno linux I INT64_MAX stdin x_known number_0 naïve 漢 is_a
"""

ASKED = ((4, 3), (5,)), ((4, 4), (5,)), ((5, 4), (7,)), ((4, 3), (6,))


@needs_gxx
def test_a_parameter_may_have_any_name(tmp_path: File) -> None:
    cases = []
    for name in NAMES.split():
        scope: dict[str, Any] = {}
        exec(f"def program({name}, x):\n    return {name}.view(x.shape[0] % 5 + {name}.shape[0] // 2, -1)\n", scope)
        guards = guards_of(scope["program"], torch.zeros(4, 3), torch.zeros(9)[:5])
        cases.append(Case(guards))
        for sizes in ASKED:
            cases[-1].ask([Described(each) for each in sizes])
    for case, found in zip(cases, answers(compiled(cases, tmp_path), cases), strict=True):
        assert [each.check for each in found] == [case.guards.check(*map(torch.zeros, sizes)) for sizes in ASKED]


CALLS = r"""
#include "guard.hpp"

#include <cstdio>

int main() {
  using guardgen::guard::check, guardgen::guard::check_shapes, guardgen::guard::violations;
  const int rows = 4;
  const std::int64_t sizes[] = {2, 3};
  const std::vector<std::int64_t> weight = {3, 5};
  const bool answers[] = {
      check_shapes({2, 3}, {3, 5}),   check_shapes({2, 3}, {2, 3}), check_shapes({rows, 3}, {3, rows}),
      check_shapes(sizes, {3, 5}),    check_shapes(sizes, weight),  check_shapes({sizes, 2}, {weight}),
      check_shapes({2, 3, 1}, {3, 5}), check_shapes({}, {3, 5}),    check({{2, 3}}, {{3, 5}}),
      check({sizes}, {weight}),       check({{2, 3}, guardgen::DType::float64}, {{3, 5}}),
      violations({{2, 3}}, {{4, 5}}).size() == 1,
  };
  for (const bool answer : answers) std::putchar(answer ? '1' : '0');
}
"""


@needs_gxx
def test_sizes_are_written_in_braces_at_the_call(tmp_path: File) -> None:
    text = guardgen.emit(guards_of(lambda x, y: x @ y, X, torch.zeros(3, 5)), "cpp", name="guard")
    (tmp_path / "guard.hpp").write_text(text)
    (tmp_path / "main.cpp").write_text(CALLS)
    build = [str(GXX), *STRICT, "-O2", "-fsanitize=address,undefined", "main.cpp", "-o", "main"]
    built = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr[:4000]
    ran = subprocess.run([str(tmp_path / "main")], capture_output=True, text=True)
    assert (ran.stdout, ran.stderr) == ("101111001101", "")


@pytest.mark.parametrize("name", ["new", "same", "a__b", "_a", "x", "é", "Tensor", "int8"])
def test_a_program_may_have_any_name(name: str) -> None:
    text = guardgen.emit(guards_of(lambda x: x + 1, X), "cpp", name=name)
    spaces = [line.split()[1] for line in text.splitlines() if line.startswith("namespace ")]
    assert (spaces[-1] == name) is (name in ("x", "int8"))
    assert spaces[-1].isascii()
    assert "__" not in spaces[-1]


def test_names_of_programs_stay_different() -> None:
    names = ["a_b", "a__b", "_a_b", "a_b_", "é", "è", "x"]
    assert len({folder_of_names(name) for name in names}) == len(names)


def test_comments_end_with_their_line() -> None:
    assert not cpp_comment("x \\").endswith("\\")
    assert "??/" not in cpp_comment("what??/")
    assert cpp_comment("é") == "\\xe9"
    assert cpp_string('a"?\\é\n') == '"a\\"\\?\\\\\\303\\251\\012"'


def test_the_text_is_the_same_each_time() -> None:
    guards: GuardSet = guards_of(lambda x, y: x @ y, X, torch.zeros(3, 2))
    assert guardgen.emit(guards, "cpp") == guardgen.emit(guards, "cpp")


def test_ordered_dicts_and_dataclasses_are_taken_apart() -> None:
    text = cpp(lambda x, config: x["a"] + config.width, OrderedDict(a=X), Config(Y))
    assert head(text, "check") == "const Tensor& x_a, const Tensor& config_width"


def test_what_a_python_tensor_is_described_as() -> None:
    assert described(torch.zeros(2, 3)).strides == (3, 1)
