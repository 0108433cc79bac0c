"""JSON from anywhere as Python's own values, bounded before it is built."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from guardgen.errors import LoadError

MOST_BYTES = 4 << 20
MOST_DEPTH = 40  # brackets in each other
MOST_DIGITS = 1233  # of an int: 4096 bits
STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


def parse(text: str | bytes) -> Any:
    """The document. Raises `LoadError` where it is no JSON, too large, too deep, or names a key twice."""
    if len(text) > MOST_BYTES:
        raise LoadError(f"a guard set has at most {MOST_BYTES} bytes, this has {len(text)}")
    try:
        text = text.decode() if isinstance(text, bytes) else text
        if depth(text) > MOST_DEPTH:
            raise LoadError(f"its brackets are nested deeper than {MOST_DEPTH}")
        return json.loads(
            text, object_pairs_hook=pairs, parse_int=integer, parse_float=refuse_number, parse_constant=refuse_number
        )
    except (ValueError, RecursionError) as error:
        raise LoadError(f"this is no JSON: {error}") from error


def depth(text: str) -> int:
    """How deep brackets are nested; what is in strings does not count."""
    deepest = level = 0
    for char in STRING.sub("", text):
        level += (char in "[{") - (char in "]}")
        deepest = max(deepest, level)
    return deepest


def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(items)
    if len(found) != len(items):
        raise LoadError(f"an object has a key twice: {sorted(key for key, _ in items)}"[:200])
    return found


def integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise LoadError(f"a number of {len(digits)} digits is more than {MOST_DIGITS}")
    return int(digits)


def refuse_number(text: str) -> NoReturn:
    """Floats are stored as strings, which keep every bit, -0.0 and infinities."""
    raise LoadError(f"{text[:40]}: a float is stored as an object with the key 'float'")
