"""Options and fixtures of all tests."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="rewrite the golden files with what the code gives now")
    parser.addoption("--points", type=int, default=0, help="how many points the C++ form is compared on, at least")


@pytest.fixture
def accept(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are rewritten rather than compared."""
    return bool(request.config.getoption("--accept"))


@pytest.fixture
def points(request: pytest.FixtureRequest) -> int:
    """On how many points two forms are compared; 0 for a quick sample."""
    return int(request.config.getoption("--points"))
