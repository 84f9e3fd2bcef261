"""Decides who alone may migrate, recover or be the host; the lock goes when its process dies. It must not wait without a limit."""

import contextlib
import fcntl
import functools
import hashlib
import os
import time
from collections.abc import Callable, Generator
from pathlib import Path

from sqlalchemy import text

from steadyhand.core.errors import StoreUnavailable
from steadyhand.store.database.engine import Store

POLL_SECONDS = 0.05


@contextlib.contextmanager
def exclusive(store: Store, name: str, *, wait_seconds: float = 0.0) -> Generator[bool]:
    """Hold the lock *name* for this database; yield whether it was got within *wait_seconds*.

    On SQLite it is an OS lock on a file beside the database, on PostgreSQL an advisory lock of one connection.
    """
    file = store.file
    if file is not None:
        with _file_lock(file.parent / f"{name}.lock", wait_seconds) as stands:
            yield stands is not None
        return
    key = _key(name)
    with store.raw() as connection:
        got = False
        deadline = time.monotonic() + wait_seconds
        while not (got := bool(connection.execute(text("SELECT pg_try_advisory_lock(:key)"), {"key": key}).scalar())):
            if time.monotonic() >= deadline:
                break
            time.sleep(POLL_SECONDS)
        connection.commit()
        try:
            yield got
        finally:
            if got:
                connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": key})
                connection.commit()


@contextlib.contextmanager
def among(store: Store, name: str) -> Generator[None]:
    """Be one of several that hold the lock *name* together, on a server; see `is_held`."""
    with store.raw() as connection:
        connection.execute(text("SELECT pg_advisory_lock_shared(:key)"), {"key": _key(name)})
        connection.commit()
        try:
            yield
        finally:
            connection.invalidate()  # the lock ends with its session, also when the server cannot be asked any more


def is_held(store: Store, name: str) -> bool:
    """Tell whether some process holds the lock *name* now, alone or with others; it is not taken by looking."""
    file = store.file
    if file is None:
        with store.raw() as connection:
            found = connection.execute(text(_HELD), {"high": _key(name) >> 32 & _LOW, "low": _key(name) & _LOW}).scalar()
            connection.rollback()
            return bool(found)
    try:
        descriptor = os.open(file.parent / f"{name}.lock", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


_LOW = 0xFFFFFFFF
_HELD = """
SELECT EXISTS (
    SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND CAST(CAST(classid AS text) AS bigint) = :high AND CAST(CAST(objid AS text) AS bigint) = :low
)
"""


def _key(name: str) -> int:
    return int.from_bytes(hashlib.sha256(f"steadyhand:{name}".encode()).digest()[:8], "big", signed=True)


Stands = Callable[[], bool]
"""Tells whether a lock is still the one that counts."""


@contextlib.contextmanager
def standing(file: Path, name: str, *, wait_seconds: float = 0.0) -> Generator[Stands | None]:
    """Hold the lock *name* beside a database file; yield what tells whether nobody has displaced it, None when it was not got."""
    with _file_lock(file.parent / f"{name}.lock", wait_seconds) as stands:
        yield stands


def displace(file: Path, name: str) -> None:
    """Let the lock *name* of whoever holds it count no more: who takes it next takes another, and the holder can see that."""
    (file.parent / f"{name}.lock").unlink(missing_ok=True)


@contextlib.contextmanager
def _file_lock(path: Path, wait_seconds: float) -> Generator[Stands | None]:
    deadline = time.monotonic() + wait_seconds
    while True:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StoreUnavailable("store_cannot_open", reason=f"{path.name}: {error.strerror}") from error
        try:
            got = _flock(descriptor, deadline)
            if got and not _is(descriptor, path):
                continue  # it was displaced while this waited for it
            yield functools.partial(_is, descriptor, path) if got else None
            return
        finally:
            os.close(descriptor)


def _is(descriptor: int, path: Path) -> bool:
    """Tell whether the file that is open is still the one of that name."""
    try:
        there, own = path.stat(), os.fstat(descriptor)
    except OSError:
        return False
    return (there.st_dev, there.st_ino) == (own.st_dev, own.st_ino)


def _flock(descriptor: int, deadline: float) -> bool:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(POLL_SECONDS)
        else:
            return True
