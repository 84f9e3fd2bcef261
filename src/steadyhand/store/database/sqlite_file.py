"""Decides how a SQLite file is looked at without the program around it: version, wholeness, one file or several. It must not write data."""

import contextlib
import os
import sqlite3
from collections.abc import Generator
from pathlib import Path

from steadyhand.store.database.engine import unavailable

BESIDE = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside a file, by the ending of its name."""


@contextlib.contextmanager
def told() -> Generator[None]:
    """Turn SQLite's errors into ours."""
    try:
        yield
    except sqlite3.Error as error:
        raise unavailable(error) from error


@contextlib.contextmanager
def reading(file: Path) -> Generator[sqlite3.Connection]:
    """Open a *file* at rest, which nobody writes to now; nothing is left beside it."""
    options = "mode=ro" if beside(file) else "mode=ro&immutable=1"
    with told(), contextlib.closing(_connect(file, options, 0.0)) as connection:
        yield connection


@contextlib.contextmanager
def looking(file: Path, *, wait_seconds: float = 1.0) -> Generator[sqlite3.Connection]:
    """Open a *file* that others may be writing to, without writing; where the folder may not be written, as it lies."""
    with told(), contextlib.closing(_connect(file, "mode=rw", wait_seconds)) as connection:
        try:
            connection.execute("PRAGMA query_only = ON")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.Error as error:
            if not error.sqlite_errorname.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN")):
                raise
        else:
            yield connection
            return
    with told(), contextlib.closing(_connect(file, "mode=ro&immutable=1", 0.0)) as connection:
        yield connection


def _connect(file: Path, options: str, wait_seconds: float) -> sqlite3.Connection:
    return sqlite3.connect(f"{file.absolute().as_uri()}?{options}", uri=True, isolation_level=None, timeout=wait_seconds)


def beside(file: Path) -> list[Path]:
    """Return the files that SQLite has left beside *file*."""
    return [path for ending in BESIDE if (path := file.with_name(file.name + ending)).exists()]


def version_in(connection: sqlite3.Connection) -> str | None:
    """Return the version of the tables in the file, None when they are not ours."""
    there = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('alembic_version', 'changes')"
    if connection.execute(there).fetchone()[0] != 2:
        return None
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return None if row is None else str(row[0])


def damage_in(connection: sqlite3.Connection) -> str:
    """Return the first thing that is wrong in the file, empty when it is whole."""
    check = str(connection.execute("PRAGMA integrity_check(1)").fetchone()[0])
    orphan = connection.execute("PRAGMA foreign_key_check").fetchone()
    return ("" if check == "ok" else check.splitlines()[0]) or (f"foreign key {orphan}" if orphan else "")


def journal_mode_of(connection: sqlite3.Connection) -> str:
    """Return how the file is written: ``wal`` or another mode."""
    return str(connection.execute("PRAGMA journal_mode").fetchone()[0])


def fold(file: Path) -> None:
    """Bring what lies beside *file* into it, so that it is one file; refused with ``store_busy`` while anybody has it open."""
    with told(), contextlib.closing(_connect(file, "mode=rw", 0.0)) as connection:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA journal_mode = DELETE").fetchone()


def first_page(file: Path) -> None:
    """Make the empty *file* a database without a table, in one file."""
    with told(), contextlib.closing(_connect(file, "mode=rw", 0.0)) as connection:
        connection.execute("VACUUM")
    sync(file)


def copy_into(connection: sqlite3.Connection, copy: Path) -> None:
    """Write the whole database into the empty file *copy*, in one reading transaction, and see it on the disk."""
    with told():
        connection.execute("VACUUM INTO ?", (str(copy),))
    sync(copy)


def sync(path: Path) -> None:
    """Wait until a file's content, or a folder's names, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
