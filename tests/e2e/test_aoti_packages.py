"""A package that AOTInductor made with the system's compiler: what it answers bare, and refuses with its guards.

Two packages are compiled for all of these tests.
"""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest
import torch

from examples.artifacts.aoti import halves
from guardgen import aoti, archive, load
from guardgen.cli import main
from guardgen.errors import EmitError, LoadError
from guardgen.runtime import GuardError
from tests.e2e.test_emitted_modules import run
from tests.unit.compiled import GXX, NO_GXX, STRICT
from tests.unit.emitted import guards_of

pytestmark = pytest.mark.skipif(GXX is None, reason=NO_GXX)
EXAMPLE = torch.ones(8, 3), torch.ones(8, 3)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("packages") / "halves.pt2"
    assert aoti.compile(halves, EXAMPLE, package_path=path) == str(path)
    return path


@pytest.fixture(scope="module")
def model(package: Path) -> aoti.Model:
    return aoti.load(package)


def add(total: dict[str, torch.Tensor], x: torch.Tensor, *, times: torch.Tensor, n: int) -> dict[str, Any]:
    """Writes to an argument, and returns a number."""
    total["sum"].add_(x * times * n)
    return {"mean": total["sum"].mean(0), "rows": x.shape[0], "none": None}


@pytest.fixture(scope="module")
def adding(tmp_path_factory: pytest.TempPathFactory) -> aoti.Model:
    path = tmp_path_factory.mktemp("packages") / "add.pt2"
    example = {"sum": torch.ones(4, 3)}, torch.ones(4, 3)
    return aoti.load(aoti.compile(add, example, {"n": 2, "times": torch.ones(3)}, package_path=path))


def refusal(model: aoti.Model, *args: torch.Tensor) -> str:
    with pytest.raises(GuardError) as caught:
        model(*args)
    return str(caught.value)


@pytest.mark.parametrize("rows", [7, 3, 1])
def test_the_bare_package_answers_wrongly_and_the_guarded_one_says_why(
    package: Path, model: aoti.Model, rows: int
) -> None:
    x, y = torch.randn(rows, 3), torch.randn(rows, 3)
    bare = torch._inductor.aoti_load_package(str(package))
    assert not torch.allclose(bare(x, y), halves(x, y))
    assert "since examples/artifacts/aoti.py:19: if x.shape[0] % 2 == 0" in refusal(model, x, y)


@pytest.mark.parametrize("rows", range(12))
@pytest.mark.parametrize("columns", [0, 1, 2, 3, 5000])
def test_what_is_answered_is_right(model: aoti.Model, rows: int, columns: int) -> None:
    x, y = torch.randn(rows, columns), torch.randn(rows, columns)
    if model.violations(x, y):
        assert refusal(model, x, y)
    else:
        assert torch.allclose(model(x, y), halves(x, y), rtol=1e-4, atol=1e-3)  # sums of thousands in another order
    assert bool(model.violations(x, y)) is not (rows in (6, 8, 10) and columns >= 2)


def test_other_strides_are_refused_and_would_be_answered_wrongly(model: aoti.Model) -> None:
    x, y = torch.randn(3, 8).t(), torch.randn(8, 3)
    assert not torch.allclose(model.run(x, y), halves(x, y))
    assert refusal(model, x, y).splitlines() == [
        "x.shape[1]: expected x.shape[1] == x.stride(0), got x.shape[1] = 3, x.stride(0) = 1, "
        "since AOTInductor assumed it",
        "x.stride(1): expected 1, got 8, since AOTInductor assumed it",
    ]
    assert torch.allclose(model(x.contiguous(), y), halves(x, y), atol=1e-5)
    beginning = torch.randn(25)[1:].view(8, 3)  # where a tensor begins in its storage makes no difference
    assert torch.allclose(model(beginning, y), halves(beginning, y), atol=1e-5)


def test_a_call_is_checked_once_for_its_sizes(model: aoti.Model) -> None:
    for rows in 6, 7, 6, 7, 10:
        x = torch.randn(rows, 3)
        if rows == 7:
            assert refusal(model, x, x)
        else:
            assert torch.allclose(model(x, x), halves(x, x), atol=1e-5)
    assert refusal(model, torch.randn(3, 6).t(), torch.randn(6, 3))


def test_views_that_negate_are_refused(model: aoti.Model) -> None:
    x = torch._neg_view(torch.randn(8, 3))
    assert not torch.allclose(model.run(x, x), halves(x, x))
    assert "x: expected no negated or conjugated view, got one, since AOTInductor assumed it" in refusal(model, x, x)


def test_other_dtypes_are_refused(model: aoti.Model) -> None:
    assert "x.dtype: expected torch.float32, got torch.float16" in refusal(model, torch.ones(8, 3).half(), EXAMPLE[1])


def test_arguments_are_given_as_the_program_takes_them(model: aoti.Model) -> None:
    x, y = torch.randn(6, 3), torch.randn(6, 3)
    assert torch.equal(model(y=y, x=x), model(x, y))
    with pytest.raises(TypeError, match="missing a required argument: 'y'"):
        model(x)


def test_what_is_written_to_is_the_callers_and_numbers_are_numbers(adding: aoti.Model) -> None:
    total = {"sum": torch.zeros(5, 3)}
    result = adding(total, torch.ones(5, 3), n=2, times=torch.full((3,), 3.0))
    assert total["sum"].unique().tolist() == [6.0]
    assert (result["mean"].tolist(), result["rows"], result["none"]) == ([6.0, 6.0, 6.0], 5, None)
    assert type(result["rows"]) is int


def test_what_is_written_to_shares_no_memory(adding: aoti.Model) -> None:
    shared, times = torch.ones(6, 3), torch.ones(3)
    for x in shared[:5], shared[1:]:
        found = adding.violations({"sum": shared[:5]}, x, times=times, n=2)
        assert list(map(str, found)) == [
            "total['sum']: expected memory of its own, got that of x, since AOTInductor assumed it"
        ]
    assert not adding.violations({"sum": shared[:3].clone()}, shared[:3], times=times, n=2)


def test_ints_and_structure_are_those_of_the_example(adding: aoti.Model) -> None:
    x, times = torch.ones(4, 3), torch.ones(3)
    assert [str(each) for each in adding.violations({"sum": x.clone()}, x, times=times, n=3)] == [
        "n: expected 2, got 3, since torch.export assumed it"
    ]
    assert adding.violations([x.clone()], x, times=times, n=2)


def test_the_check_can_be_off(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    x = torch.ones(7, 3)
    assert aoti.load(package, check=False)(x, x).tolist() == [9.0] * 7  # wrong, as asked for
    monkeypatch.setenv("GUARDGEN_CHECK", "0")
    model = aoti.load(package)
    assert model(x, x).tolist() == [9.0] * 7
    model.guard_enabled = True
    assert refusal(model, x, x)


def test_the_header_in_the_package_needs_no_python(package: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(package) as opened:
        (tmp_path / "guard.hpp").write_bytes(opened.read("halves/extra/guardgen.hpp"))
    (tmp_path / "main.cpp").write_text(
        '#include "guard.hpp"\n#include <cstdio>\nint main() {\n'
        "  for (std::int64_t rows = 0; rows < 12; ++rows) {\n"
        "    const std::int64_t sizes[] = {rows, 3}, turned[] = {1, 8};\n"
        "    const bool plain = guardgen::halves::check({sizes}, {sizes});\n"
        "    guardgen::Tensor x{sizes};\n    x.strides = turned;\n"
        "    if (guardgen::halves::check(x, {sizes})) return 1;\n"
        "    std::putchar(plain ? '1' : '0');\n  }\n}\n"
    )
    program = tmp_path / "main"
    subprocess.run([str(GXX), *STRICT, str(tmp_path / "main.cpp"), "-o", str(program)], check=True)
    assert subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout == "000000101010"


def test_the_guards_are_read_without_pytorch(package: Path) -> None:
    code = f"""
    sys.path.insert(0, {str(Path(__file__).parents[2])!r})
    from pathlib import Path
    from guardgen import archive, load
    guards = load(archive.guards_in(Path("halves.pt2")))
    print(guards.check_shapes((6, 3), (6, 3)), guards.check_shapes((7, 3), (7, 3)), guards.check_shapes((6, 1), (6, 1)))
    """
    assert run(package.parent, code, "torch", "jinja2", "numpy") == "True False False\n"


def test_the_command_line_reads_packages(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(package), "--shape", "x=6x3", "y=6x3"]) == 0
    assert main(["check", str(package), "--shape", "x=7x3", "y=7x3"]) == 1
    assert main(["explain", str(package)]) == 0
    told = capsys.readouterr().out
    assert "got x.shape[0] = 7, since examples/artifacts/aoti.py:19" in told
    assert "AOTInductor assumed it" in told
    assert main(["diff", str(package), str(package)]) == 0


def test_guards_are_put_into_a_package_that_is_there(package: Path, tmp_path: Path) -> None:
    guards = guards_of(halves, *EXAMPLE)
    copy = tmp_path / "copy.pt2"
    assert aoti.guard(package, guards, target=copy) == str(copy)
    model = aoti.load(copy)
    x, y = torch.randn(6, 3), torch.randn(6, 3)
    assert torch.equal(model(x, y), aoti.load(package)(x, y))
    for others in (torch.ones(7, 3), y), (torch.ones(6, 1), y), (torch.randn(3, 6).t(), y), (x, torch.ones(8, 3)):
        assert refusal(model, *others)
    before = [str(each) for each in load(archive.guards_in(copy)).guards]
    aoti.guard(copy, guards)  # in place, and instead of those that are there
    assert [str(each) for each in aoti.load(copy).guards.guards] == before
    with zipfile.ZipFile(copy) as opened:
        assert len(set(opened.namelist())) == len(opened.namelist())
    with pytest.raises(EmitError, match="takes 2 tensors, the guards are about 1"):
        aoti.guard(copy, guards_of(torch.relu, torch.ones(3)))
    with pytest.raises(EmitError, match=r"argument x is torch\.float64, and torch\.float32 in the package"):
        aoti.guard(copy, guards_of(halves, EXAMPLE[0].double(), EXAMPLE[1].double()))


def test_a_package_without_guards_is_said_to_have_none(package: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.pt2"
    with zipfile.ZipFile(package) as opened, zipfile.ZipFile(bare, "w") as written:
        for name in opened.namelist():
            if "/extra/" not in name:
                written.writestr(name, opened.read(name))
    with pytest.raises(LoadError, match="carries no guards"):
        aoti.load(bare)
    shutil.copyfile(__file__, bare)
    with pytest.raises(LoadError, match="no package of PyTorch"):
        aoti.load(bare)
