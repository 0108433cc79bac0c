"""Where templates are, and how they are filled in."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import jinja2

PACKAGE = Path(__file__).parents[1]


@functools.cache
def environment() -> jinja2.Environment:
    """In the wheel templates are inside the package, in a checkout beside it. No escaping: they write code."""
    folder = PACKAGE / "_templates"
    if not folder.is_dir():
        folder = PACKAGE.parent / "templates"
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        undefined=jinja2.StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def fill(template: str, module: Any) -> str:
    """The text of a render model."""
    text: str = environment().get_template(template).render(module=module)
    return text


def source(template: str) -> str:
    """The text of a file beside the templates, as it is."""
    loader = environment().loader
    assert loader is not None
    return loader.get_source(environment(), template)[0]
