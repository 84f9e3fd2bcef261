"""Decides how the sessions that a host takes up are worked through: each by one, a few at a time, later again when it failed. It must not choose them."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Literal

from steadyhand.core.clock import Clock
from steadyhand.core.errors import SteadyhandError
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.logs import get_logger

AT_ONCE = 8
FIRST_WAIT = 1.0
LONGEST_WAIT = 60.0

Key = tuple[UserId, SessionId]
Work = Callable[[UserId, SessionId], Awaitable[bool]]
"""Works in a session; False when another process does so now."""

Kind = Literal["run", "deliver"]

log = get_logger(__name__)


class Running:
    """What goes on in the sessions that this host has taken up."""

    def __init__(self, clock: Clock, at_once: int = AT_ONCE) -> None:
        self._clock = clock
        self._slots = asyncio.Semaphore(at_once)
        self._tasks: dict[tuple[Kind, Key], asyncio.Task[None]] = {}
        self._failed: dict[tuple[Kind, Key], tuple[int, float]] = {}

    @property
    def busy(self) -> int:
        """How many pieces of work go on, or wait for their turn."""
        return len(self._tasks)

    def start(self, kind: Kind, key: Key, work: Work) -> bool:
        """Let *work* go on in a session, unless that goes on already or has failed a moment ago; tell whether it was started."""
        name = (kind, key)
        if name in self._tasks or self._failed.get(name, (0, 0.0))[1] > self._clock.monotonic():
            return False
        task = asyncio.create_task(self._one(name, work(*key)) if kind == "deliver" else self._in_turn(name, work, key))
        self._tasks[name] = task
        task.add_done_callback(lambda _: self._tasks.pop(name, None))
        return True

    async def _in_turn(self, name: tuple[Kind, Key], work: Work, key: Key) -> None:
        async with self._slots:
            await self._one(name, work(*key))

    async def _one(self, name: tuple[Kind, Key], work: Awaitable[bool]) -> None:
        session = name[1][1]
        try:
            done = await work
        except SteadyhandError as error:
            log.warning("session_not_run", kind=name[0], session=session, code=error.code)
        except Exception:  # the session stays as it is stored; the others go on
            log.exception("session_not_run", kind=name[0], session=session)
        else:
            self._failed.pop(name, None)
            if not done:
                self._failed[name] = (0, self._clock.monotonic() + FIRST_WAIT)
            return
        times = self._failed.get(name, (0, 0.0))[0] + 1
        wait = min(FIRST_WAIT * 2 ** (times - 1), LONGEST_WAIT)
        self._failed[name] = (times, self._clock.monotonic() + wait)

    async def settled(self) -> None:
        """Wait until nothing goes on."""
        while self._tasks:
            await asyncio.wait(set(self._tasks.values()))

    async def close(self, grace: float) -> None:
        """Let what goes on come to its end for *grace* seconds, then break it off; what it had not stored is done again later."""
        tasks = set(self._tasks.values())
        if not tasks:
            return
        _, left = await asyncio.wait(tasks, timeout=grace)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
