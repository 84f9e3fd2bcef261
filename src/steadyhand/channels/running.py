"""Decides how sessions that something came in for are worked through: each by one, a few at a time. It must not decide what a session does.

Nothing here is owed to anybody: what is stored and not taken up is taken up by whoever looks at the database next.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from steadyhand.agent.events import Listener
from steadyhand.core.errors import SteadyhandError
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.logs import get_logger
from steadyhand.session.conversation import Conversations
from steadyhand.store.sessions import outbox

AT_ONCE = 8
SECONDS_TO_CLOSE = 5.0

log = get_logger(__name__)

Key = tuple[UserId, SessionId]


class Running:
    """What goes on behind the channels. *listener* is told what a session's turns do, *settled* when no more goes on there."""

    def __init__(
        self, talk: Conversations, listener: Callable[[UserId, SessionId], Listener], settled: Callable[[UserId, SessionId], None]
    ) -> None:
        self._talk = talk
        self._listener = listener
        self._settled = settled
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._busy: set[Key] = set()
        self._again: set[Key] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Let a piece of work go on by itself, until `close`."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def wake(self, user: UserId, session: SessionId) -> None:
        """Let what waits in a session be taken up; returns at once."""
        key = (user, session)
        if key in self._busy:
            self._again.add(key)
            return
        self._busy.add(key)
        self.start(self._run(key))

    async def _run(self, key: Key) -> None:
        user, session = key
        try:
            more = True
            while more:
                self._again.discard(key)
                async with self._slots:
                    await self._talk.run(user, session, listener=self._listener(user, session))
                more = key in self._again
        except SteadyhandError as error:
            log.warning("session_not_run", session=session, code=error.code)
        except Exception:  # the session stays as it is stored; the others go on
            log.exception("session_not_run", session=session)
        finally:
            self._busy.discard(key)
            self._again.discard(key)
            self._settled(user, session)

    def deliver(self, user: UserId, session: SessionId) -> None:
        """Send what a session's person is owed; returns at once."""
        self.start(self._deliver(user, session))

    async def _deliver(self, user: UserId, session: SessionId) -> None:
        try:
            await self._talk.parts.outbox.deliver(user, session)
        except SteadyhandError as error:
            log.warning("not_delivered", session=session, code=error.code)

    async def deliver_where(self, wanted: Callable[[SessionId], bool]) -> None:
        """Send what is owed in the sessions that are *wanted*: their channel has just come."""
        try:
            sessions = await self._talk.parts.store.read(outbox.sessions_owed)
        except SteadyhandError as error:
            log.warning("not_delivered", code=error.code)
            return
        for user, session in sessions:
            if wanted(session):
                self.deliver(user, session)

    async def close(self) -> None:
        """Let what goes on come to its end for a moment, then break it off; what it had not stored is done again later."""
        tasks = [task for task in self._tasks if task is not asyncio.current_task()]
        if tasks:
            _, left = await asyncio.wait(tasks, timeout=SECONDS_TO_CLOSE)
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)
