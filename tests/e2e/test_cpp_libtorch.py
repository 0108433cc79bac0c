"""A C++ program with both forms of one guard: the header, and the TorchScript module that libtorch loads."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import torch
from torch.utils import cpp_extension

import guardgen
from guardgen import script
from tests.unit.compiled import GXX, NO_GXX, STRICT
from tests.unit.emitted import guards_of

PROGRAM = r"""
#include "guard.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <cstdio>

guardgen::Tensor described(const at::Tensor& tensor) {
  guardgen::Tensor result;
  result.sizes = guardgen::Sizes(tensor.sizes().data(), tensor.sizes().size());
  result.dtype = tensor.scalar_type() == at::kFloat ? guardgen::DType::float32 : guardgen::DType::other;
  return result;
}

int main() {
  torch::jit::Module loaded = torch::jit::load("guard.pt");
  for (std::int64_t rows = 0; rows < 16; ++rows) {
    for (std::int64_t inner = 1; inner < 3; ++inner) {
      for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
        const at::Tensor a = at::zeros({rows, inner}, dtype), b = at::zeros({2, 8});
        const bool answer = guardgen::chunks::check(described(a), described(b));
        if (answer != loaded.forward({a, b}).toBool()) return 1;
        std::putchar(answer ? '1' : '0');
      }
    }
  }
  return 0;
}
"""


def chunks(rows: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return torch.cat([rows[i : i + 4] @ weight for i in range(0, rows.shape[0], 4)])


@pytest.mark.skipif(GXX is None, reason=NO_GXX)
def test_the_header_and_the_loaded_torchscript_agree(tmp_path: Path) -> None:
    guards = guards_of(chunks, torch.zeros(10, 2), torch.zeros(2, 8))
    (tmp_path / "guard.hpp").write_text(guardgen.emit(guards, "cpp", name="chunks"))
    (tmp_path / "main.cpp").write_text(PROGRAM)
    script.save(script.compile_check(guardgen.emit(guards, "torchscript"), "chunks"), tmp_path / "guard.pt")
    folders = [f"-isystem{path}" for path in cpp_extension.include_paths()]
    (library,) = [path for path in cpp_extension.library_paths() if Path(path, "libtorch_cpu.so").is_file()]
    linked = [f"-L{library}", f"-Wl,-rpath,{library}", "-ltorch", "-ltorch_cpu", "-lc10"]
    flags = [
        "-DAT_PER_OPERATOR_HEADERS",
        f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}",
        *STRICT[1:],
        "-std=c++20",
    ]
    command = [str(GXX), *flags, *folders, "main.cpp", "-o", "program", *linked]
    built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr[-4000:]
    ran = subprocess.run([str(tmp_path / "program")], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    accepted = [rows for rows in range(16) if ran.stdout[4 * rows + 2] == "1"]
    assert accepted == [9, 10, 11, 12]
    assert ran.stdout.count("1") == len(accepted)
