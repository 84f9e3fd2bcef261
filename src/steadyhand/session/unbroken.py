"""Decides that what has begun to be stored is stored to its end, also when somebody cancels meanwhile. It must not swallow the wish."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


async def unbroken(work: Awaitable[T]) -> tuple[T, bool]:
    """Await *work* to its end; return what it gave, and whether a cancellation came meanwhile, which the caller has to heed."""
    task = asyncio.ensure_future(work)
    cancelled = False
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                raise
            cancelled = True
        except Exception:  # noqa: BLE001  # it is raised below, from the task itself
            break
    return task.result(), cancelled


async def stored(work: Awaitable[T]) -> T:
    """Await *work* to its end; a cancellation that came meanwhile is raised after it."""
    found, cancelled = await unbroken(work)
    if cancelled:
        raise asyncio.CancelledError
    return found
