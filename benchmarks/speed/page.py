"""`docs/performance.md`: prose is written there by hand, and what stands between markers from measurements."""

from __future__ import annotations

from collections.abc import Mapping


class PageError(Exception):
    """The page has no such section."""


END = "<!-- end -->"


def with_sections(page: str, sections: Mapping[str, str]) -> str:
    """The page with new sections; those that are not given stay."""
    for name, text in sections.items():
        begin = f"<!-- measured: {name} -->"
        before, found, rest = page.partition(begin)
        _, ended, after = rest.partition(END)
        if not found or not ended:
            raise PageError(f"the page has no section between {begin} and {END}")
        page = f"{before}{begin}\n{text}\n{END}{after}"
    return page
