"""Files are written whole or not at all, and only if they change."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from guardgen import files


def test_a_file_that_has_the_text_already_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "out.py"
    assert files.write(path, "a\n") is True
    before = path.stat()
    assert files.write(path, "a\n") is False
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


def test_a_changed_text_replaces_the_file(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "out.py"
    files.write(path, "a\n")
    assert files.write(path, "ü\n") is True
    assert path.read_bytes() == "ü\n".encode()


def test_line_ends_are_those_of_the_text(tmp_path: Path) -> None:
    files.write(tmp_path / "out.py", "a\nb\r\n")
    assert (tmp_path / "out.py").read_bytes() == b"a\nb\r\n"


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out.py"
    files.write(path, "old")

    def fail(file: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="no space"):
        files.write(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


WRITE_FOREVER = """
import itertools, sys
from pathlib import Path
from guardgen import files
for letter in itertools.cycle("ab"):
    files.write(Path(sys.argv[1]), letter * 3_000_000)
"""


def test_a_process_killed_while_it_writes_leaves_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "out.py"
    writer = subprocess.Popen([sys.executable, "-c", WRITE_FOREVER, str(path)], env=environment())
    deadline = time.monotonic() + 60
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.05)
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    text = path.read_text()
    assert len(text) == 3_000_000
    assert len(set(text)) == 1


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}


def test_stale_are_generated_files_that_were_not_made(tmp_path: Path) -> None:
    made, gone, foreign = tmp_path / "made.py", tmp_path / "gone.py", tmp_path / "foreign.py"
    for path in (made, gone):
        path.write_text("# Made by guardgen 0.1.0; do not edit\n")
    foreign.write_text("# written by hand\n")
    assert files.stale(tmp_path, [made]) == [gone]


def test_a_folder_that_is_not_there_has_no_stale_files(tmp_path: Path) -> None:
    assert files.stale(tmp_path / "none", []) == []
