"""Decides where the program's own log goes while a person reads the terminal: into a file of theirs, not between the lines. It must not write one."""

import contextlib
import os
import sys
from collections.abc import Generator
from pathlib import Path

LOG = "chat.log"
OWNER_ALONE = 0o600
LONGEST = 1_000_000
"""A log that has grown beyond so many bytes is begun anew."""


@contextlib.contextmanager
def log_aside(folder: Path) -> Generator[None]:
    """Send what is logged until the block ends to a file in *folder*, where standard error is the very terminal that is read."""
    if not (sys.stdout.isatty() and sys.stderr.isatty()):
        yield
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, OWNER_ALONE)
        os.fchmod(descriptor, OWNER_ALONE)
        if os.fstat(descriptor).st_size > LONGEST:
            os.ftruncate(descriptor, 0)
    except OSError:  # nowhere to keep it: it is better between the lines than lost
        yield
        return
    with (
        os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace", buffering=1) as file,
        contextlib.redirect_stderr(file),
    ):
        yield
