"""Decides whether two processes that write one SQLite file in a folder keep out of each other's way; it must leave nothing there.

Run as ``python lock_probe.py FILE`` it is the other process: it says whether the file is free, busy, or cannot be told.
"""

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with locks, and what was seen of it."""

    code: Literal["locks_not_tried", "locks_no_wal", "locks_let_in", "locks_blind"]
    detail: str


def probe(folder: Path) -> Problem | None:
    """Return what is wrong with locks in *folder*, None when they hold: busy while written, free and readable after."""
    try:
        work = Path(tempfile.mkdtemp(prefix=".probe-", dir=folder))
    except OSError as error:
        return Problem("locks_not_tried", error.strerror or type(error).__name__)
    try:
        return _two_writers(work / "probe.db")
    except (OSError, sqlite3.Error, subprocess.SubprocessError) as error:
        return Problem("locks_not_tried", str(error).splitlines()[0])
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _two_writers(file: Path) -> Problem | None:
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as connection:
        if (mode := connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]) != "wal":
            return Problem("locks_no_wal", str(mode))
        connection.execute("CREATE TABLE marks (number INTEGER)")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO marks VALUES (1)")
        if (said := _other(file)) != "busy":
            return Problem("locks_let_in", said)
        connection.execute("COMMIT")
        if (said := _other(file)) != "free 1":
            return Problem("locks_blind", said)
    return None


def _other(file: Path) -> str:
    done = subprocess.run(  # noqa: S603  # this very file, run by this very Python
        [sys.executable, "-I", __file__, os.fspath(file)], capture_output=True, text=True, timeout=SECONDS, check=False
    )
    return done.stdout.strip() or done.stderr.strip().rpartition("\n")[2]


def answer(file: str) -> str:
    """Try to write *file*: ``busy``, or ``free`` and how many marks are in it."""
    with contextlib.closing(sqlite3.connect(file, isolation_level=None, timeout=0)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            return "busy" if error.sqlite_errorname.startswith("SQLITE_BUSY") else str(error)
        marks = connection.execute("SELECT count(*) FROM marks").fetchone()[0]
        return f"free {marks}"


if __name__ == "__main__":
    sys.stdout.write(answer(sys.argv[1]))
