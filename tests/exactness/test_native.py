"""The native form says what the Python form says: of the examples and the harness's programs, of any arguments."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

import guardgen
from guardgen import native
from guardgen.containers import leaves, map_leaves
from guardgen.emit.native import emit_native
from guardgen.guards import GuardSet
from tests.exactness.test_cpp import Call, calls, programs
from tests.unit.emitted import garbage, load
from tests.unit.natives import NO_COMPILER, Bound, answer, compiled_natives

GARBAGE = list(garbage().values())


class Subclass(torch.Tensor):
    pass


def other(value: Any, numbers: random.Random) -> Any:
    """Something else in the place of a leaf."""
    if isinstance(value, torch.Tensor) and numbers.random() < 0.3:
        detached = value.detach()
        return numbers.choice([detached.as_subclass(Subclass), torch.nn.Parameter(detached, requires_grad=False)])
    return numbers.choice(GARBAGE)


def odd(traced: Call, numbers: random.Random) -> Iterator[Call]:
    """Calls with something else in them, with arguments too few, too many, and by name."""
    args, kwargs = traced
    count = sum(1 for _ in leaves([args, kwargs]))
    for at in range(min(count, 8)):
        place = [0]

        def leaf(value: Any, at: int = at, place: list[int] = place) -> Any:
            place[0] += 1
            return other(value, numbers) if place[0] == at + 1 else value

        yield map_leaves(args, leaf), map_leaves(kwargs, leaf)
    yield args[:-1], kwargs
    yield (*args, 1), kwargs
    yield args, {**kwargs, "no_such_argument": 1}


def by_name(guards: GuardSet, traced: Call) -> Call:
    names = [each.name for each in guards.signature.parameters if each.kind == "positional_or_keyword"]
    return (), {**dict(zip(names, traced[0], strict=False)), **traced[1]}


@pytest.mark.skipif(not native.compiler(), reason=NO_COMPILER)
def test_the_native_form_agrees_with_the_python_form(tmp_path: Path) -> None:
    guards: dict[str, GuardSet] = {}
    asked: dict[str, list[Call]] = {}
    for i, (_, fn, level, traced, others) in enumerate(programs()):
        try:
            found = guardgen.derive(guardgen.trace(fn, *traced, level=level))
            emit_native(found)
        except guardgen.GuardgenError:
            continue  # counted below
        guards[f"case_{i}"] = found
        numbers = random.Random(i)
        asked[f"case_{i}"] = [*calls(traced, others, 30), *odd(traced, numbers), by_name(found, traced)]
    assert len(guards) > 50
    natively = 0
    for name, module in compiled_natives(guards, tmp_path).items():
        python = load(guardgen.emit(guards[name], "python")).check
        bound = Bound(module, python)
        for args, kwargs in asked[name]:
            found, wanted = answer(bound.check, args, kwargs), answer(python, args, kwargs)
            assert found == wanted, (name, [type(each) for each in leaves([args, kwargs])], found, wanted)
        natively += len(asked[name]) - bound.asked
    assert natively > 1000
