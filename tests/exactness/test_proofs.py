"""Every small program of the exactness harness is proved: its guards are what was observed, and none is redundant."""

from __future__ import annotations

import pytest

from benchmarks.exactness.arguments import build
from benchmarks.exactness.programs import PROGRAMS, Program
from guardgen import derive, trace

pytest.importorskip("z3")

SECONDS = 5.0  # for one program; all of them take four

# What z3 does not decide: it knows nothing of roots, and of conversions only that equal ints become equal floats.
UNDECIDED = {
    "square": {"x.shape[0] <= 16 is needed"},
    "enlarge": {
        "x.shape[2] != 0 is needed",
        "x.shape[3] != 0 is needed",
        "math.trunc(float(x.shape[2]) * 1.5) >= 1 is needed",
        "math.trunc(float(x.shape[3]) * 1.5) >= 1 is needed",
    },
}


@pytest.mark.parametrize("program", PROGRAMS, ids=[f"{i} {program.name}" for i, program in enumerate(PROGRAMS)])
def test_every_program_is_proved(program: Program) -> None:
    proof = derive(trace(program.fn, build(program.traced))).prove(seconds=SECONDS)
    assert proof.refuted == (), str(proof)
    assert {claim.text for claim in proof.undecided} == UNDECIDED.get(program.fn.__name__, set())
