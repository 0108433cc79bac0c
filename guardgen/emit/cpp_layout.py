"""Where lines of emitted C++ are broken."""

from __future__ import annotations

from guardgen.emit.literals import WIDTH


def call_lines(head: str, arguments: list[str], tail: str = "", indent: int = 0) -> list[str]:
    """`head(arguments)tail` in one line, else with the arguments in lines of their own, as few as hold them."""
    one = f"{head}({', '.join(arguments)}){tail}"
    if indent + len(one) <= WIDTH or not arguments:
        return [one]
    lines = [f"{head}("]
    line = ""
    for argument in [*(f"{each}, " for each in arguments[:-1]), f"{arguments[-1]}){tail}"]:
        if line and indent + 4 + len(line) + len(argument.rstrip()) > WIDTH:
            lines.append(f"    {line.rstrip()}")
            line = ""
        line += argument
    return [*lines, f"    {line}"]


def if_lines(parts: list[str], indent: int) -> list[str]:
    """Refuse where one of the parts holds; in one line or one part a line."""
    one = f"if ({' || '.join(parts)}) return false;"
    if indent + len(one) <= WIDTH or len(parts) == 1:
        return [one]
    first, *rest = parts
    lines = [f"if ({first}", *(f"    || {part}" for part in rest)]
    return [*lines[:-1], f"{lines[-1]}) {{", "  return false;", "}"]
