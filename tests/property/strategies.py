"""Random tensor programs as Python source, with calls to make of them.

A program is written a block at a time, and each block is run as it is written, in plain PyTorch, so that the whole
program runs on its first call. Every decision has a line of its own: the lines that run tell how it was decided.
"""

from __future__ import annotations

import string
import textwrap
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from tests.property import strategies_numbers as numbers
from tests.property import strategies_text as text
from tests.property.strategies_scope import Names

MOST_BLOCKS = 7
Draw = Callable[[st.SearchStrategy[Any]], Any]


class Writer:
    """Writes one program. `names` is what the first call has computed so far."""

    def __init__(self, draw: Draw, values: dict[str, Any]) -> None:
        self.draw, self.names = draw, Names(values)
        self.made = 0

    def pick(self, choices: Any) -> Any:
        return self.draw(st.sampled_from(choices))

    def new(self, prefix: str) -> str:
        self.made += 1
        return f"{prefix}{self.made}"

    # -- holes

    def fill(self, template: str, depth: int = 0) -> str:
        """The template with its holes filled by what is in scope."""
        parts: list[str] = []
        chosen: dict[str, str] = {}
        for literal, hole, _, _ in string.Formatter().parse(template):
            parts.append(literal)
            if hole is None:
                continue
            if hole in ("x", "y"):
                chosen.setdefault(hole, self.pick(self.names.tensors))
            parts.append(chosen[hole] if hole in chosen else self.hole(hole, chosen.get("x", ""), depth))
        return "".join(parts)

    def hole(self, hole: str, x: str, depth: int) -> str:
        if hole in "de":
            rank = max(self.names.values[x].dim(), 1) if x else 1
            return str(self.draw(st.integers(-rank, rank - 1)))
        if hole == "k":
            return str(self.draw(st.integers(1, 4)))
        if hole == "s":
            return self.slice_text(depth)
        if hole == "i" and self.draw(st.booleans()):
            return str(self.draw(st.integers(-3, 3)))
        return self.number(depth + 1)

    def slice_text(self, depth: int) -> str:
        form = self.pick((":{i}", "{i}:", "{i}:{i}", "{i}:{i}:{k}", ":", "::{k}", "-{n}:", ":-{n}", "{n}:", ":{n}"))
        return self.fill(form, depth)

    def number(self, depth: int) -> str:
        """A size, or an expression of sizes."""
        if self.names.numbers and self.draw(st.booleans()):
            return str(self.pick(self.names.numbers))
        if depth > 2 or self.draw(st.integers(0, 2)):
            return self.fill("{x}.shape[{d}]", depth) if self.shaped() else str(self.draw(st.integers(0, 4)))
        filled = self.fill(self.pick(numbers.NUMBERS), depth)
        return filled if filled.endswith((")", "]")) and filled[0].isalpha() else f"({filled})"

    def shaped(self) -> bool:
        return bool(self.draw(st.integers(0, 4)))

    def condition(self) -> str:
        if self.draw(st.booleans()):
            return f"{self.number(1)} {self.pick(numbers.COMPARISONS)} {self.number(1)}"
        return self.fill(self.pick(numbers.CONDITIONS))

    # -- blocks: each gives lines, not yet run

    def tensor(self) -> list[str]:
        target = self.pick((self.new("v"), *self.names.tensors[-2:]))
        return [f"{target} = {self.fill(self.pick(text.TENSORS))}"]

    def number_named(self) -> list[str]:
        return [f"{self.new('n')} = {self.fill(self.pick(numbers.NUMBERS), 1)}"]

    def write(self) -> list[str]:
        return [self.fill(self.pick(text.WRITES))]

    def unpack(self) -> list[str]:
        x = self.pick(self.names.tensors)
        rank = self.names.values[x].dim()
        if rank and self.draw(st.booleans()):
            return [f"{', '.join(self.new('n') for _ in range(rank))}, = {x}.shape"]
        pieces = self.fill(self.pick(numbers.PIECES[:-1]))
        count = self.draw(st.integers(1, 3))
        names = ", ".join(self.new("v") for _ in range(count))
        return [f"{names}, = {pieces}"]

    def refuse(self) -> list[str]:
        condition = self.condition()
        if self.names.holds(condition):
            return [f"assert {condition}"]
        return [f"if {condition}:", "    raise ValueError('refused')"]

    def branch(self) -> list[str]:
        lines = [f"if {self.condition()}:", *indented(self.blocks(2))]
        if self.draw(st.booleans()):
            lines += [f"elif {self.condition()}:", *indented(self.blocks(1))]
        if self.draw(st.booleans()):
            lines += ["else:", *indented(self.blocks(1))]
        return lines

    def loop(self) -> list[str]:
        i = self.new("i")
        bounds = self.pick(("{n}", "{k}", "1, {n}", "{n} // {k}", "0, {n}, {k}", "{n}, 0, -1"))
        head = f"for {i} in range({self.fill(bounds)}):"
        return [head, *indented(self.body({i: 1}))]

    def while_loop(self) -> list[str]:
        n = self.new("n")
        lines = [f"{n} = {self.number(1)}", f"while {n} > {self.draw(st.integers(1, 3))}:"]
        step = self.pick((f"{n} = {n} // 2", f"{n} = {n} - 2", f"{n} -= 1"))
        return [*lines, f"    {step}", *indented(self.body({n: 2}))]

    def pieces_loop(self) -> list[str]:
        p, gathered = self.new("p"), self.new("ps")
        pieces = self.fill(self.pick(numbers.PIECES))
        x = self.pick(self.names.tensors)
        if pieces.startswith("zip"):
            return [f"{gathered} = []", f"for {p}, {p}b in {pieces}:", f"    {gathered}.append({p} * {p}b)",
                    f"{self.new('v')} = torch.stack({gathered})"]  # fmt: skip
        made = self.pick(("{p}", "{p}.sum(-1)", "{p} * 2", "{p}[:1]", "{p} + {x}", "{p}.shape[0] * {x}"))
        joined = self.pick(("torch.cat({ps})", "torch.stack({ps})", "{ps}[-1]", "sum({ps})", "torch.cat({ps}, -1)"))
        return [
            f"{gathered} = []",
            f"for {p} in {pieces}:",
            f"    {gathered}.append({made.format(p=p, x=x)})",
            f"{self.new('v')} = {joined.format(ps=gathered)}",
        ]

    def body(self, extra: dict[str, Any]) -> list[str]:
        outer = self.names
        self.names = Names({**outer.values, **extra})
        lines = self.blocks(2)
        self.names = outer
        return lines

    def blocks(self, most: int) -> list[str]:
        """A few simple blocks, each of which runs with what is in scope; what they compute is forgotten."""
        before = self.names
        lines: list[str] = []
        for _ in range(self.draw(st.integers(1, most))):
            block = self.pick(SIMPLE)(self)
            after = self.names.after(block)
            if after is not None:
                lines += block
                self.names = after
        self.names = before
        return lines or ["pass"]

    def program(self, most: int = MOST_BLOCKS) -> list[str]:
        lines: list[str] = []
        for _ in range(self.draw(st.integers(1, most))):
            block = self.pick(BLOCKS)(self)
            after = self.names.after(block)
            if after is not None:
                lines += block
                self.names = after
        return [*lines, f"return {self.result()}"]

    def result(self) -> str:
        tensors, numbers = self.names.tensors[::-1], self.names.numbers[::-1]
        form = self.pick(("{a}", "{a}, {b}", "[{a}, {b}]", "{{'a': {a}, 'n': {n}}}", "({a}, [{b}, {n}])", "{a}, {n}"))
        a, b = tensors[0], tensors[min(1, len(tensors) - 1)]
        return str(form.format(a=a, b=b, n=numbers[0] if numbers else "0"))


SIMPLE = (Writer.tensor, Writer.tensor, Writer.tensor, Writer.number_named, Writer.write)
BLOCKS = (
    *(Writer.tensor,) * 8,
    Writer.number_named,
    Writer.number_named,
    Writer.write,
    Writer.unpack,
    Writer.refuse,
    Writer.branch,
    Writer.branch,
    Writer.loop,
    Writer.while_loop,
    Writer.pieces_loop,
)


def indented(lines: list[str]) -> list[str]:
    return textwrap.indent("\n".join(lines), "    ").split("\n")
