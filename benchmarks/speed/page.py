"""`docs/performance.md`: the prose is written there by hand, what stands between markers is written from measurements."""

from __future__ import annotations

import re
from collections.abc import Mapping


class PageError(Exception):
    """The page has no such section."""


def with_sections(page: str, sections: Mapping[str, str]) -> str:
    """The page with new sections; those that are not given stay."""
    for name, text in sections.items():
        begin, end = f"<!-- measured: {name} -->", "<!-- end -->"
        found = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
        if not found.search(page):
            raise PageError(f"the page has no section {begin}")
        page = found.sub(lambda _, text=text: f"{begin}\n{text}\n{end}", page)  # type: ignore[misc]
    return page
