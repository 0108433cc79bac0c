"""Options and fixtures of all tests."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="rewrite the golden files with what the code gives now")


@pytest.fixture
def accept(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are rewritten rather than compared."""
    return bool(request.config.getoption("--accept"))
