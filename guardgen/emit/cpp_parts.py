"""What all C++ headers share: the files beside the template, included as they are where a header needs them."""

from __future__ import annotations

import functools
import hashlib
import re

from guardgen.emit.cpp_parameters import LITERAL
from guardgen.emit.model import Part
from guardgen.emit.templates import source

PARTS = ("tensor", "report", "arithmetic", "integer", "powers", "floats")  # in this order
OWN = frozenset({"check", "check_shapes", "violations", "detail", "sizes", "strides", "data", "report", "GUARDS"})
NAMESPACES = frozenset({"guardgen", "native", "std"})


@functools.cache
def part(name: str) -> Part:
    return Part(f"GUARDGEN_{name.upper()}", source(f"cpp/{name}.hpp").rstrip("\n"))


def used_parts(code: str) -> list[str]:
    """The parts that the code calls, and what these call."""
    called = set(re.findall(r"\b\w+\b", LITERAL.sub("", code)))
    long = any(called & (defined(name) - defined("arithmetic")) for name in ("integer", "powers", "floats"))
    short = long or called & defined("arithmetic")
    return ["tensor", "report", *(["arithmetic"] if short else []), *(["integer", "powers", "floats"] if long else [])]


@functools.cache
def defined(name: str) -> frozenset[str]:
    """What a part defines outside of classes, friends included."""
    text = part(name).text
    functions = re.findall(r"^ *(?:inline|friend|constexpr) [\w:<> ]*?\b(\w+)(?:\(| =)", text, re.MULTILINE)
    return frozenset([*functions, *re.findall(r"^(?:class|struct|enum class) (\w+)", text, re.MULTILINE)])


@functools.cache
def reserved() -> frozenset[str]:
    return OWN.union(NAMESPACES, *map(defined, PARTS))


@functools.cache
def digest() -> str:
    """What tells the shared text of one version from that of another."""
    return hashlib.sha256("".join(part(name).text for name in PARTS).encode()).hexdigest()[:8]
