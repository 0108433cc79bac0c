"""The wheel, installed into a clean virtual environment outside the repository, builds a spec there."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "tests" / "golden" / "textbook_prims" / "program.py"


def run(command: list[str | Path], folder: Path) -> str:
    env = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, ROOT], out)
    (path,) = out.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel alone; torch, jinja2 and rich are those of this environment."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    run([sys.executable, "-m", "venv", "--without-pip", folder], folder.parent)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    run([*pip, "install", "--quiet", "--no-deps", "--no-index", wheel], folder.parent)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return folder


def test_the_wheel_has_the_templates_and_the_marker_of_types_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "guardgen/_templates/python/module.py.jinja" in names
    assert "guardgen/_templates/cpp/integer.hpp" in names
    assert "guardgen/py.typed" in names
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == {"guardgen"}


def test_what_is_installed_builds_a_spec_and_answers(environment: Path, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM.read_text())
    guardgen = environment / "bin" / "guardgen"
    where = run([environment / "bin" / "python", "-c", "import guardgen; print(guardgen.__file__)"], tmp_path)
    assert Path(where.strip()).is_relative_to(environment)
    out = run([guardgen, "build", "program.py", "--out", "generated", "--torchscript", "scripted"], tmp_path)
    assert "generated: 3 modules, 3 changed" in out
    assert (tmp_path / "scripted" / "textbook_prims.pt").is_file()
    assert "valid for a=8, b=8" in run(
        [guardgen, "check", "generated/textbook_prims.py", "--shape", "a=8", "b=8"], tmp_path
    )
    assert run([guardgen, "--version"], tmp_path) == "guardgen 0.1.0\n"
