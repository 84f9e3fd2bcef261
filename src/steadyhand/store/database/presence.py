"""Decides whether a database file may be replaced: only while no process has it open. It must not replace anything itself.

Every process that opens the file holds a shared OS lock on ``NAME.lock`` beside it; whoever replaces the file holds it alone.
The kernel lets go of both when a process dies.
"""

import contextlib
import fcntl
import os
import threading
import time
from collections.abc import Generator
from pathlib import Path

from steadyhand.core.errors import StoreUnavailable

POLL_SECONDS = 0.05


def lock_file(file: Path) -> Path:
    """Return the file that the lock of a database file lies on."""
    return file.with_name(f"{file.name}.lock")


class Presence:
    """That this process has *file* open: taken with the first connection, kept until `leave`."""

    def __init__(self, file: Path, wait_seconds: float) -> None:
        self._file = file
        self._wait = wait_seconds
        self._descriptor: int | None = None
        self._one = threading.Lock()

    def take(self) -> None:
        """Be here; while another process replaces the file this waits, then refuses."""
        with self._one:
            if self._descriptor is not None:
                return
            descriptor = _open(self._file)
            deadline = time.monotonic() + self._wait
            while not _try(descriptor, fcntl.LOCK_SH):
                if time.monotonic() >= deadline:
                    os.close(descriptor)
                    raise StoreUnavailable("store_busy", reason=lock_file(self._file).name)
                time.sleep(POLL_SECONDS)
            self._descriptor = descriptor

    def leave(self) -> None:
        """Be gone."""
        with self._one:
            if self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None

    def __del__(self) -> None:
        self.leave()


@contextlib.contextmanager
def alone(file: Path) -> Generator[bool]:
    """Keep everybody from opening *file*; yield False when some process, this one included, has it open now."""
    descriptor = _open(file)
    try:
        yield _try(descriptor, fcntl.LOCK_EX)
    finally:
        os.close(descriptor)


def _open(file: Path) -> int:
    path = lock_file(file)
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StoreUnavailable("store_cannot_open", reason=f"{path}: {error.strerror}") from error


def _try(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
