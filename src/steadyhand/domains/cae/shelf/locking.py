"""Decides who may write to a part: one at a time, on this machine, for as long as a whole execution; it must not write itself."""

import asyncio
import contextlib
import fcntl
import os
from collections.abc import AsyncGenerator
from typing import Final

from steadyhand.core.errors import PersonDecides
from steadyhand.domains.cae.shelf.places import PartFolder, read_plain

TICK_SECONDS: Final = 0.05
TICKS: Final = 60
"""A second writer waits about three seconds: longer than a switch takes, shorter than a person likes to wait."""
MOST_BYTES: Final = 4096


@contextlib.asynccontextmanager
async def writing(folder: PartFolder, who: str = "", ticks: int = TICKS) -> AsyncGenerator[None]:
    """Hold the writer lock of a part; the kernel lets go of it when this process ends, however it ends.

    *who* is the submission that writes; it stands in the lock for those who ask meanwhile. Raises `PersonDecides` ``part_busy``
    when another writer keeps it.
    """
    folder.make()
    handle = os.open(folder.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        await _take(handle, folder, ticks)
        os.ftruncate(handle, 0)
        os.write(handle, who.encode())
        yield
    finally:
        os.close(handle)


def holder(folder: PartFolder) -> str:
    """Return the submission that the last writer named."""
    return read_plain(folder.path / "lock", MOST_BYTES).decode("utf-8", "replace")


async def _take(handle: int, folder: PartFolder, ticks: int) -> None:
    for _ in range(ticks):
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        await asyncio.sleep(TICK_SECONDS)
    raise PersonDecides("part_busy", name=str(folder.name))
