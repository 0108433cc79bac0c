"""A limit on memory: random sizes make tensors that no machine holds, and being killed is no answer."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOM = 3 << 30  # bytes, beside what the process has already
EXHAUSTED = ("can't allocate memory", "not enough memory", "MemoryError", "bad_alloc")  # how PyTorch and Python say it


@contextmanager
def limited_memory(room: int = ROOM) -> Iterator[None]:
    """In this context, an allocation beyond so many bytes raises."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    statm = Path("/proc/self/statm")
    if not statm.exists():  # nor is the limit kept, where there is no Linux
        yield
        return
    used = int(statm.read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + room, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def exhausted(error: str) -> bool:
    """Whether a run failed for want of memory, which says nothing of its sizes."""
    return any(text in error for text in EXHAUSTED)
