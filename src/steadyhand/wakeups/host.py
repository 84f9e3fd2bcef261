"""Decides when a host looks for what is to be done, and how it ends: it waits for the database, for the clock, for a signal. It must not do the work.

Other processes are noticed by looking twice a second whether anybody has committed something; nothing depends on a timer alone.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta

from steadyhand.core.clock import from_text
from steadyhand.core.errors import StoreUnavailable
from steadyhand.core.logs import get_logger
from steadyhand.wakeups.running import Running
from steadyhand.wakeups.ticking import Duties, Ticked, Ticking

LOOK_SECONDS = 0.5
"""How often is asked whether somebody has committed something."""

LONGEST_SECONDS = 5.0
"""So long at most nothing is looked for, whatever seems to be the case."""

GRACE_SECONDS = 10.0
FIRST_WAIT, LONGEST_WAIT = 1.0, 30.0

Closing = Callable[[float], Awaitable[None]]
"""Ends a kind of work within so many seconds."""

log = get_logger(__name__)


class Host:
    """Sees to all that happens later, until it is told to stop or *holds* its place no more. *closing* ends what the takers have started."""

    def __init__(
        self,
        duties: Duties,
        closing: Sequence[Closing] = (),
        *,
        grace: float = GRACE_SECONDS,
        holds: Callable[[], bool] = lambda: True,
    ) -> None:
        self.running = Running(duties.talk.parts.store.clock)
        self._store = duties.talk.parts.store
        self._ticking = Ticking(duties, self.running)
        self._closing = closing
        self._grace = grace
        self._holds = holds

    async def tick(self) -> Ticked:
        """Take up all that is to be taken up now; see `Ticking`."""
        return await self._ticking.tick()

    async def serve(self, stop: asyncio.Event) -> None:
        """Look, and wait, until *stop* is set; then let what runs come to its end. Cancelled, it breaks off what runs."""
        try:
            await self._look_until(stop)
            await self._close(self._grace)
        except asyncio.CancelledError:
            await self._close(0.0)
            raise

    async def _look_until(self, stop: asyncio.Event) -> None:
        wait = FIRST_WAIT
        while not stop.is_set() and self._holds():
            try:
                ticked = await self.tick()
                if wait > FIRST_WAIT:
                    log.warning("host_database_back")
                wait = FIRST_WAIT
                if not ticked.more:
                    await self._until_needed(ticked, stop)
            except StoreUnavailable as error:
                log.warning("host_database_failed", code=error.code, reason=str(error.params.get("reason", "")), again_in=wait)
                await _sleep(wait, stop)
                wait = min(wait * 2, LONGEST_WAIT)

    async def _until_needed(self, ticked: Ticked, stop: asyncio.Event) -> None:
        """Wait until somebody commits something, a wake-up is due, a while is over, or *stop* is set."""
        clock = self._store.clock
        until = clock.monotonic() + LONGEST_SECONDS
        due = None if ticked.next_due is None else from_text(ticked.next_due)
        if due is not None and due <= clock.now():  # it has just come due, or cannot be taken up
            await _sleep(LOOK_SECONDS, stop)
            return
        while not stop.is_set() and self._holds():
            left = until - clock.monotonic()
            if due is not None:
                left = min(left, (due - clock.now()) / timedelta(seconds=1))
            if left <= 0:
                return
            await _sleep(min(left, LOOK_SECONDS), stop)
            if await asyncio.to_thread(self._store.changed):
                return

    async def _close(self, grace: float) -> None:
        ends = [self.running.close(grace), *(close(grace) for close in self._closing)]
        for failed in await asyncio.gather(*ends, return_exceptions=True):
            if isinstance(failed, Exception):
                log.warning("host_not_closed", exc_info=failed)


async def _sleep(seconds: float, stop: asyncio.Event) -> None:
    """Wait so long, or until *stop* is set."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds)
