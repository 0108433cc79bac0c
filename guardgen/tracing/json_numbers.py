"""Let `json` encode guarded numbers while a trace is recorded: its encoders take nothing but Python's own numbers."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from guardgen.tracing.guarded import Guarded, plain

_lock = threading.Lock()
_traces = 0
_originals = json.JSONEncoder.iterencode, json.JSONEncoder.default


def observed(value: Any) -> Any:
    """The value with every guarded number in its dicts, lists and tuples observed, as text is made from it."""
    if isinstance(value, Guarded):
        return plain(value)
    if type(value) is dict:
        return {observed(key): observed(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [observed(item) for item in value]
    return value


def _iterencode(self: json.JSONEncoder, value: Any, _one_shot: bool = False) -> Iterator[str]:
    return _originals[0](self, observed(value), _one_shot)


def _default(self: json.JSONEncoder, value: Any) -> Any:
    return plain(value) if isinstance(value, Guarded) else _originals[1](self, value)


def _install(iterencode: Callable[..., Iterator[str]], default: Callable[..., Any]) -> None:
    encoder: Any = json.JSONEncoder
    encoder.iterencode, encoder.default = iterencode, default


@contextmanager
def guarded_numbers_in_json() -> Iterator[None]:
    """The encoders observe guarded numbers, on any thread; the originals are put back when the last trace ends."""
    global _traces, _originals
    with _lock:
        if not _traces:
            _originals = json.JSONEncoder.iterencode, json.JSONEncoder.default
            _install(_iterencode, _default)
        _traces += 1
    try:
        yield
    finally:
        with _lock:
            _traces -= 1
            if not _traces:
                _install(*_originals)
