"""Text from the program as literals and comments that can mean nothing else, whatever it contains."""

from __future__ import annotations

import keyword
import math
import re
import unicodedata
from collections.abc import Iterable
from typing import Any

from guardgen.rules.python import number

WIDTH = 120
TYPE_COMMENT = re.compile(r"#(?=[\t ]*type[\t ]*:)")  # TorchScript reads types wherever it finds one in a function
HASH_ESCAPE = r"\\x23"


def string(text: str) -> str:
    """A string literal, printable in one line, in double quotes unless single ones need fewer escapes."""
    quote = "'" if text.count('"') > text.count("'") else '"'
    escaped = "".join(f"\\{char}" if char in ("\\", quote) else printable(char) for char in text)
    return f"{quote}{TYPE_COMMENT.sub(HASH_ESCAPE, escaped)}{quote}"


def printable(char: str) -> str:
    """The character, or an escape where it would break, hide or reorder text."""
    return char if char.isprintable() else repr(char)[1:-1]


def literal(value: Any) -> str | None:
    """The literal of a constant, or None where Python has none."""
    if type(value) is str:
        return string(value)
    if value is None or type(value) in (bool, int, bytes):
        return repr(value)
    if type(value) is float and math.isfinite(value):
        return number(value)
    if type(value) is tuple:
        items = [literal(item) for item in value]
        return None if None in items else items_text("(", items, ",)" if len(items) == 1 else ")")
    return None


def items_text(left: str, items: Iterable[str | None], right: str) -> str:
    return f"{left}{', '.join(map(str, items))}{right}"


def comment(text: str, indent: int = 0) -> str:
    """One line that is a comment in any target, cut where it is too long."""
    line = "".join(map(printable, text.strip())).replace("\\n", " ")
    line = TYPE_COMMENT.sub("#:", line)
    room = WIDTH - indent - len("# ")
    return line if len(line) <= room else f"{line[: room - 3]}..."


def identifier(text: str) -> str:
    """A name made of the ASCII letters, digits and underscores of `text`."""
    name = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")
    return name if name and not name[0].isdigit() else f"x{name}"


def is_identifier(name: str) -> bool:
    """Whether Python takes `name` as a parameter and keeps it as it is."""
    plain = name.isidentifier() and not keyword.iskeyword(name) and name != "__debug__"
    return plain and unicodedata.normalize("NFKC", name) == name


def call_lines(head: str, arguments: list[str], tail: str = "", indent: int = 0) -> list[str]:
    """`head(arguments)tail` in one line, else with the arguments in a line of their own, else one a line."""
    one = f"{head}({', '.join(arguments)}){tail}"
    if indent + len(one) <= WIDTH or not arguments:
        return [one]
    inner = f"    {', '.join(arguments)}"
    if indent + len(inner) <= WIDTH:
        return [f"{head}(", inner, f"){tail}"]
    return [f"{head}(", *(f"    {argument}," for argument in arguments), f"){tail}"]


def if_lines(parts: list[str], indent: int) -> list[str]:
    """`if` with a condition in parts, in one line or one part a line."""
    one = f"if {' '.join(parts)}:"
    if indent + len(one) <= WIDTH or len(parts) == 1:
        return [one]
    return ["if (", *(f"    {part}" for part in parts), "):"]
