"""What two sets of guards differ in: those that came and went, and shapes that only one of them accepts.

Works on the `GUARDS` of emitted modules, which are texts, and on their `check_shapes`. The search is bounded: it climbs
to shapes that one module accepts, walks on from there, and asks the other one. That it finds nothing proves nothing.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any, Protocol, TypeAlias

MOST_STARTS = 60
MOST_STEPS = 200  # from each start
MOST_SUMS = 12  # numbers of the conditions whose sums are tried too
SMALL = (0, 1, 2, 3, 4, 5, 7, 8, 16)
TENSOR = re.compile(r"a tensor of rank (\d+),")

Shapes: TypeAlias = "dict[str, Any]"  # by argument: the sizes of a tensor, or an int
Accepts: TypeAlias = Callable[[Shapes], bool]


class Guard(Protocol):
    """An entry of an emitted module's `GUARDS`."""

    @property
    def condition(self) -> str: ...
    @property
    def kind(self) -> str: ...


@dataclass(frozen=True)
class Difference:
    """What came and went between two modules, and shapes that only the old, or only the new one accepts."""

    came: tuple[Guard, ...]
    went: tuple[Guard, ...]
    only_old: Shapes | None
    only_new: Shapes | None

    @property
    def same(self) -> bool:
        """Whether no difference was found."""
        return not self.came and not self.went and self.only_old is None and self.only_new is None


def diff(old: Sequence[Guard], new: Sequence[Guard], old_accepts: Accepts, new_accepts: Accepts) -> Difference:
    """The difference between two sets of guards; `accepts` is whether the module's `check_shapes` says True."""
    texts = [{(guard.kind, guard.condition) for guard in guards} for guards in (old, new)]
    came = tuple(guard for guard in new if (guard.kind, guard.condition) not in texts[0])
    went = tuple(guard for guard in old if (guard.kind, guard.condition) not in texts[1])
    if not came and not went:
        return Difference((), (), None, None)
    numbers = numbers_in([*old, *new])
    only_old = Search(old, numbers, old_accepts, new_accepts).find()
    only_new = Search(new, numbers, new_accepts, old_accepts).find()
    return Difference(came, went, only_old, only_new)


def numbers_in(guards: Sequence[Guard]) -> list[int]:
    """What sizes are tried: small ones, and those near the numbers of the conditions."""
    texts = (guard.condition for guard in guards if guard.kind != "fact")
    found = sorted({int(number) for text in texts for number in re.findall(r"(?<![\w.\[])\d+(?![\w.\]])", text)})
    near = [number + offset for number in found for offset in (0, 1, -1)]
    sums = [one + other for one in found[:MOST_SUMS] for other in found[:MOST_SUMS]]
    return [number for number in dict.fromkeys([*SMALL, *near, *sums]) if 0 <= number < 2**62]


def arguments(guards: Sequence[Guard]) -> dict[str, int | None]:
    """The arguments that have shapes: the rank of each tensor, None for an int."""
    found: dict[str, int | None] = {}
    for guard in guards:
        path, _, what = guard.condition.partition(": ")
        if guard.kind == "fact" and (tensor := TENSOR.match(what)):
            found[path] = int(tensor[1])
        elif guard.kind == "fact" and what == "an int":
            found[path] = None
    return found


class Search:
    """Looks for shapes that `accepts` says True of, and `refuses` does not."""

    def __init__(self, guards: Sequence[Guard], numbers: list[int], accepts: Accepts, refuses: Accepts) -> None:
        self.arguments = arguments(guards)
        self.numbers, self.accepts, self.refuses = numbers, accepts, refuses
        self.places: dict[str, int] = {}  # of every size and int, as the conditions have it
        for path, rank in self.arguments.items():
            for text in [path] if rank is None else [f"{path}.shape[{i}]" for i in range(rank)]:
                self.places[text] = len(self.places)
        conditions = (compiled(guard.condition, self.places) for guard in guards if guard.kind != "fact")
        self.conditions = [code for code in conditions if code is not None]
        self.draw = random.Random(0)

    def find(self) -> Shapes | None:
        for _ in range(MOST_STARTS):
            pool = [self.draw.choice(self.numbers) for _ in range(3)]
            values = [self.draw.choice(pool) for _ in self.places]
            if (found := self.walk(values)) is not None:
                return found
        return None

    def walk(self, values: list[int]) -> Shapes | None:
        """From `values` to fewer conditions that fail, and among values for which none does."""
        failing = self.failing(values)
        for _ in range(MOST_STEPS if self.places else 1):
            if failing == 0 and self.decides(shapes := self.shapes(values)):
                return shapes
            changed = self.changed(values)
            count = self.failing(changed)
            if count <= failing:
                values, failing = changed, count
        return None

    def decides(self, shapes: Shapes) -> bool:
        return self.accepts(shapes) and not self.refuses(shapes)

    def changed(self, values: list[int]) -> list[int]:
        """One or two of the values changed: to any number, to another of the values, or to one near."""
        changed = list(values)
        for _ in range(self.draw.choice((1, 1, 2)) if changed else 0):
            i = self.draw.randrange(len(changed))
            near = changed[i] + self.draw.choice((-1, 1))
            changed[i] = max(0, self.draw.choice((self.draw.choice(self.numbers), self.draw.choice(values), near)))
        return changed

    def failing(self, values: list[int]) -> int:
        return sum(not holds(code, values) for code in self.conditions)

    def shapes(self, values: list[int]) -> Shapes:
        at = iter(values)
        return {
            path: next(at) if rank is None else tuple(next(at) for _ in range(rank))
            for path, rank in self.arguments.items()
        }


def compiled(condition: str, places: Mapping[str, int]) -> CodeType | None:
    """The condition over a list of values; None where it is about something else too."""
    for text, place in sorted(places.items(), key=lambda item: -len(item[0])):
        condition = re.sub(rf"(?<![\w.\]'\"]){re.escape(text)}(?![\w.\[(])", f"values[{place}]", condition)
    try:
        code = compile(condition, "<guard>", "eval")
    except SyntaxError:
        return None
    return code if set(code.co_names) <= {"values", "min", "max", "abs", "int", "float"} else None


def holds(code: CodeType, values: list[int]) -> bool:
    try:
        return bool(eval(code, {"values": values}))
    except (ArithmeticError, ValueError):
        return False
