"""Every form of a guard says the same, C++ too: of the examples, and of the exactness harness's own programs."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

import guardgen
from benchmarks.exactness.arguments import build
from benchmarks.exactness.forms import Guardgen
from benchmarks.exactness.programs import PROGRAMS
from guardgen import spec
from guardgen.containers import map_leaves
from tests.unit.compiled import GXX, NO_GXX, Case, answers, compiled, shapes_of
from tests.unit.emitted import load

EXAMPLES = sorted(Path(__file__).parents[2].glob("examples/*.py"))
SIZES = (0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 16, 64)
Call = tuple[tuple[Any, ...], dict[str, Any]]


def programs() -> list[tuple[str, Callable[..., Any], str, Call, list[Call]]]:
    """Every program: its name, the level of its trace, the traced call, and other calls."""
    found: list[tuple[str, Callable[..., Any], str, Call, list[Call]]] = []
    for example in spec.load_all(EXAMPLES):
        if not example.missing and example.name != "bert":  # whose trace takes as long as all others
            fn, args, kwargs = example.example()
            found.append((example.name, fn, example.level, (args, kwargs), []))
    for i, each in enumerate(PROGRAMS):
        others: list[Call] = [(build(call), {}) for call in (*each.valid, *each.invalid)]
        found.append((f"{i} {each.name}", each.fn, "call", (build(each.traced), {}), others))
    return found


def changed(call: Call, numbers: random.Random, mode: str) -> Call:
    """The call with some other sizes and ints, or with one tensor of another rank or dtype."""
    tensors = [0]

    def leaf(value: Any) -> Any:
        if isinstance(value, torch.Tensor) and value.layout is torch.strided and not value.is_meta:
            tensors[0] += 1
            return other_tensor(value, numbers, mode)
        if type(value) is int and numbers.random() < 0.5:
            return numbers.choice([*SIZES, -1, 2**62, -(2**63)])
        return value

    return map_leaves(call[0], leaf), map_leaves(call[1], leaf)


def other_tensor(tensor: torch.Tensor, numbers: random.Random, mode: str) -> torch.Tensor:
    if mode == "attributes" and numbers.random() < 0.5:
        return numbers.choice([tensor[None], tensor.double(), tensor.long(), tensor.detach().clone()])
    sizes = [numbers.choice(SIZES) if numbers.random() < 0.4 else size for size in tensor.shape]
    ones = torch.ones((), dtype=tensor.dtype) if numbers.random() < 0.7 else torch.zeros((), dtype=tensor.dtype)
    return ones.expand(sizes) if mode == "expanded" else torch.ones(sizes, dtype=tensor.dtype) * ones


def calls(traced: Call, others: Sequence[Call], count: int) -> list[Call]:
    numbers = random.Random(0)
    modes = ("sizes", "attributes", "expanded")
    return [traced, *others, *(changed(traced, numbers, modes[i % 3]) for i in range(count))]


@pytest.mark.skipif(GXX is None, reason=NO_GXX)
def test_all_forms_of_all_programs_agree(tmp_path: Path) -> None:
    cases: list[Case] = []
    expected: list[list[tuple[str, bool, bool, tuple[str, ...]]]] = []
    for name, fn, level, traced, others in programs():
        try:
            forms = Guardgen(fn, *traced, level=level)
            guards = guardgen.derive(forms.trace)
            guardgen.emit(guards, "cpp")
        except guardgen.GuardgenError:
            continue  # counted below
        python = load(guardgen.emit(guards, "python"))
        cases.append(Case(guards))
        expected.append([])
        for args, kwargs in calls(traced, others, 30):
            accepted, faults = forms.accepts(args, kwargs)
            assert faults == [], (name, args, kwargs)
            if not cases[-1].ask_call(args, kwargs):
                continue
            sizes = python.check_shapes(*shapes_of(args), **shapes_of(kwargs))
            texts = tuple(map(str, python.violations(*args, **kwargs)))
            expected[-1].append((f"{name} {shapes_of(args)} {shapes_of(kwargs)}", accepted, sizes, texts))
    assert len(cases) > 60
    program = compiled(cases, tmp_path)
    differences = [
        (found, wanted)
        for founds, wanteds in zip(answers(program, cases), expected, strict=True)
        for found, wanted in zip(founds, wanteds, strict=True)
        if (found.check, found.check_shapes, sorted(found.violations or ())) != (*wanted[1:3], sorted(wanted[3]))
    ]
    assert differences == []
