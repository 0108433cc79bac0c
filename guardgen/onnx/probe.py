"""onnxruntime held against the trace, at sizes that the guards accept: none and one above all.

Sizes at which the model answers otherwise are kept out: those that are 0 or 1, or all but the traced run's.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch

from guardgen.conditions import Guard
from guardgen.errors import EmitError
from guardgen.guards import GuardSet
from guardgen.rules.text import condition_text
from guardgen.terms import Bool, Symbol, eq, ne, symbol
from guardgen.witness import completed, in_range, right, solved

MEASURED = "onnxruntime answers otherwise there, as measured at export"
TRIED = 2000  # readings that are looked at
LARGER = 4  # times as many elements as in the traced run, and no more
TOLERANCE = {torch.float16: 2e-2, torch.float32: 1e-3, torch.float64: 1e-6}

Sizes = Mapping[Symbol, int]
Run = Callable[[Sequence[torch.Tensor]], list[torch.Tensor]]


def excluded(guards: GuardSet, examples: Sequence[torch.Tensor], model: Run, program: Run, most: int) -> list[Guard]:
    """The guards that keep out the sizes at which `model` answers otherwise than `program`, at `most` readings.

    Raises `EmitError` where it does so at the sizes of the traced run.
    """
    leaves = [leaf for leaf in guards.signature.leaves if leaf.kind == "tensor"]
    inputs = [symbols_of(guards, leaf.path, each) for leaf, each in zip(leaves, examples, strict=True)]
    start = {each: guards.traced[each] for sizes in inputs for each in sizes}
    strides = {each: n for each, n in guards.traced.items() if each.source[0] == "stride"}
    answers = []
    largest = sum(each.numel() for each in examples) * LARGER + 1024
    for i, values in enumerate([{**start, **strides}, *readings(guards, largest, inputs, most)]):
        shapes = [tuple(values[each] for each in sizes) for sizes in inputs]
        tensors = [filled(*each) for each in zip(examples, shapes, itertools.count(), strict=False)] if i else examples
        try:
            expected = program(tensors)
        except Exception:  # what the values of these tensors make the program raise is no matter of sizes
            continue
        answers.append((values, shapes, difference(model, tensors, expected)))
    found: list[Guard] = []
    for values, shapes, why in answers:
        if why and all(holds(each, values) for each in found):
            kept = [each for each in answers if all(holds(guard, each[0]) for guard in found)]
            found.append(exclusion(values, start, kept, f"{shapes}: {why}"))
    return found


def exclusion(values: Sizes, start: Sizes, answers: Sequence[Any], text: str) -> Guard:
    """The guard that keeps out a wrong answer: that a size is not 0, not 1, or what it was in the traced run.

    The one that loses the fewest right answers, and all with such a size only if none of them is right.
    """
    found: list[tuple[int, int, Any]] = []
    for i, each in enumerate(start):
        value = values[each]
        alike = [why for others, _, why in answers if others[each] == value]
        if value in (0, 1) and value != start[each] and all(alike):
            found.append((0, i, ne(symbol(each), value)))
        elif value != start[each]:
            found.append((sum(not why for others, _, why in answers if others[each] != start[each]) + 1, i,
                          eq(symbol(each), start[each])))  # fmt: skip
    condition = min(found, default=(0, 0, None))[2]
    if not isinstance(condition, Bool):
        raise EmitError(f"the ONNX model answers otherwise than the program for sizes {text}")
    return Guard(condition, "artifact", condition_text(condition), (), "", (MEASURED,))


def holds(guard: Guard, values: Mapping[Symbol, int]) -> bool:
    return right([guard.condition], None, values)


# -- which sizes


def symbols_of(guards: GuardSet, path: Any, example: torch.Tensor) -> list[Symbol]:
    at = {each.source: each for each in guards.traced}
    return [at["size", path, i] for i in range(example.dim())]


def readings(
    guards: GuardSet, elements: int, inputs: Sequence[Sequence[Symbol]], most: int
) -> Iterator[dict[Symbol, int]]:
    """Values of all sizes that the guards accept: those of the traced run, then one changed, two, and at random."""
    conditions = [guard.condition for guard in guards.guards if guard.kind != "data"]
    determined = solved(conditions)
    free = dict.fromkeys(each for sizes in inputs for each in sizes if each not in determined)
    choices = {each: near(each, guards.traced[each]) for each in free}
    seen: set[tuple[int, ...]] = set()
    for picked in itertools.islice(changes(choices), TRIED):
        values = completed({**picked, **contiguous(guards, inputs, picked)}, determined)
        if values is None or not right(conditions, None, values):
            continue
        key = tuple(values[each] for sizes in inputs for each in sizes)
        if key not in seen and sum(elements_of(sizes, values) for sizes in inputs) <= elements:
            seen.add(key)
            yield values
        if len(seen) >= most:
            return


def contiguous(guards: GuardSet, inputs: Sequence[Sequence[Symbol]], values: Mapping[Symbol, int]) -> dict[Symbol, int]:
    """The strides of what is tried, where guards ask for them; as they were where a size is determined."""
    sizes = {each.source[1:]: each for row in inputs for each in row}
    rank = {each.source[1]: len(row) for row in inputs for each in row}
    found = {}
    for each, n in guards.traced.items():
        if each.source[0] == "stride":
            _, path, dim = each.source
            after = [sizes[path, i] for i in range(dim + 1, rank[path])]
            found[each] = math.prod(max(values[size], 1) for size in after) if all(s in values for s in after) else n
    return found


def near(each: Symbol, n: int) -> list[int]:
    found = dict.fromkeys([n, 0, 1, n + 1, n - 1, 2, 2 * n, 3, 5, n + 2, n - 2, n + 4, n - 4])
    return [number for number in found if in_range(each, number)]


def changes(choices: Mapping[Symbol, list[int]]) -> Iterator[dict[Symbol, int]]:
    start = {each: values[0] for each, values in choices.items()}
    yield start
    for count in (1, 2):
        for group in itertools.combinations(choices, count):
            several = (choices[each][: 13 if count == 1 else 4] for each in group)
            yield from ({**start, **dict(zip(group, values, strict=True))} for values in itertools.product(*several))
    draw = random.Random(0)
    while choices:
        yield {each: draw.choice(values) for each, values in choices.items()}


def elements_of(sizes: Sequence[Symbol], values: Mapping[Symbol, int]) -> int:
    total = 1
    for each in sizes:
        total *= values[each]
    return total


# -- which values, and what is the same


def filled(example: torch.Tensor, shape: tuple[int, ...], seed: int) -> torch.Tensor:
    """A tensor of that shape: values of the example, and numbers between them where they are floats."""
    generator = torch.Generator().manual_seed(seed)
    flat = example.detach().cpu().reshape(-1)
    if not flat.numel():
        return torch.zeros(shape, dtype=example.dtype)
    made = flat[torch.randint(flat.numel(), shape, generator=generator)]
    if not example.is_floating_point() or not torch.isfinite(flat).all():
        return made.contiguous()
    low, high = flat.double().aminmax()
    spread = (high - low) or torch.ones(())
    return (low + spread * torch.rand(shape, generator=generator, dtype=torch.float64)).to(example.dtype)


def difference(model: Run, tensors: Sequence[torch.Tensor], expected: Sequence[torch.Tensor]) -> str:
    """How the model's answer differs; empty where it does not."""
    try:
        got = model(tensors)
    except Exception as error:  # onnxruntime has several of its own
        return f"it raises {' '.join(str(error).split())[:200]}"
    if len(got) < len(expected):
        return f"it has {len(got)} outputs, the program {len(expected)}"
    # Where an observation of data differs, the numbers read from data are all that is expected; they are the last.
    return next(filter(None, map(unlike, got[len(got) - len(expected) :], expected)), "")


def unlike(got: torch.Tensor, expected: torch.Tensor) -> str:
    expected = expected.detach().cpu()
    if got.shape != expected.shape or got.dtype != expected.dtype:
        return f"{tuple(got.shape)} {got.dtype} in place of {tuple(expected.shape)} {expected.dtype}"
    if not expected.is_floating_point():
        return "" if torch.equal(got, expected) else "other values"
    finite = expected[torch.isfinite(expected)].double()
    scale = max(1.0, float(finite.abs().max())) if finite.numel() else 1.0
    near = TOLERANCE.get(expected.dtype, 2e-2)
    same = torch.allclose(got.double(), expected.double(), rtol=near, atol=near * scale, equal_nan=True)
    return "" if same else "other values"
