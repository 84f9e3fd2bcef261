"""Decides that one turn at a time runs in a session, whichever process runs it; it must not run one itself.

The lane is a lease on the session. Whoever holds it renews it while working, and hears there that the person asked to stop.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta

from steadyhand.core import owners
from steadyhand.core.clock import to_text
from steadyhand.core.errors import StoreUnavailable
from steadyhand.core.ids import SessionId, UserId, new_id
from steadyhand.core.logs import get_logger
from steadyhand.core.owners import Claim
from steadyhand.session.unbroken import stored, unbroken
from steadyhand.store import Store, Tx
from steadyhand.store.sessions import inbox, turns

LOOK_SECONDS = 1.0
"""How often the holder looks whether it was asked to stop."""

log = get_logger(__name__)


class LaneLost(Exception):
    """The lease ran out and another process took the lane: nothing more may be written for the session here."""


@dataclass
class Held:
    """A lane that this process holds: under *token*, and *stop* is called when the person asks to stop.

    *cancelled* tells that somebody wanted what runs here to end while the lane was being taken. *more* tells, once it was let
    go (*left*), whether something had come in that nobody has taken up.
    """

    user: UserId
    session: SessionId
    token: str
    stop: Callable[[], object] | None = None
    lost: bool = False
    cancelled: bool = False
    left: bool = False
    more: bool = False

    def halt(self) -> None:
        """Stop what runs, once."""
        stop, self.stop = self.stop, None
        if stop is not None:
            stop()


First = Callable[[Tx, Held], object]
"""What is done in the transaction that takes a lane."""


class Lanes:
    """The lanes of all sessions."""

    def __init__(self, store: Store, lease_seconds: float, pause: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._store = store
        self._lease = timedelta(seconds=lease_seconds)
        self._pause = pause
        self._here: dict[tuple[UserId, SessionId], Held] = {}

    @contextlib.asynccontextmanager
    async def hold(self, user: UserId, session: SessionId, first: First | None = None) -> AsyncGenerator[Held | None]:
        """Hold the lane until the block ends; None when another turn runs there now.

        What is to be done *first* belongs to the transaction that takes it. Whoever gives that has to heed a cancellation that
        came meanwhile, since something may have begun.
        """
        claim = Claim(owners.myself(), new_id("lane"), self._until())
        held = Held(user, session, str(claim.token))
        with owners.at_work(held.token):
            taken, held.cancelled = await unbroken(self._store.write(lambda tx: _take(tx, held, claim, first)))
            if not taken:
                if held.cancelled:
                    raise asyncio.CancelledError
                yield None
                return
            self._here[user, session] = held
            renewal = asyncio.create_task(self._keep(held))
            try:
                if held.cancelled and first is None:
                    raise asyncio.CancelledError
                yield held
            finally:
                renewal.cancel()
                self._here.pop((user, session), None)
                await stored(self._leave(renewal, held))

    async def _leave(self, renewal: "asyncio.Task[None]", held: Held) -> None:
        await asyncio.gather(renewal, return_exceptions=True)
        if not held.left:
            held.more = await self._store.write(lambda tx: leave(tx, held))

    async def ask_stop(self, user: UserId, session: SessionId) -> bool:
        """Ask whoever runs the session's turn to stop; False when none runs."""
        asked = await self._store.write(lambda tx: _ask_stop(tx, user, session))
        held = self._here.get((user, session))
        if asked and held is not None:
            held.halt()
        return asked

    def _until(self) -> str:
        return to_text(self._store.clock.now() + self._lease)

    async def _keep(self, held: Held) -> None:
        """Renew the lease, and look for a wish to stop, until cancelled."""
        waited = 0.0
        while True:
            await self._pause(LOOK_SECONDS)
            waited += LOOK_SECONDS
            try:
                if waited >= self._lease.total_seconds() / 3:
                    waited = 0.0
                    until = self._until()
                    await self._store.write(
                        lambda tx, until=until: turns.renew_lane(tx, held.user, held.session, held.token, until)
                    )
                row = await self._store.read(lambda tx: turns.lane(tx, held.user, held.session))
            except StoreUnavailable as error:
                log.warning("lane_not_renewed", session=held.session, code=error.code)
                continue
            held.lost = row is None or row.token != held.token
            if held.lost or (row is not None and row.stop_asked):
                held.halt()


def _take(tx: Tx, held: Held, claim: Claim, first: First | None) -> bool:
    taken = turns.take_lane(tx, held.user, held.session, claim, None) or _take_over(tx, held, claim)
    if taken and first is not None:
        first(tx, held)
    return taken


def _take_over(tx: Tx, held: Held, claim: Claim) -> bool:
    """Take the lane of a process that is gone."""
    there = turns.lane(tx, held.user, held.session)
    if there is not None and not owners.is_gone(there.claim, tx.clock.now()):
        return False
    return turns.take_lane(tx, held.user, held.session, claim, None if there is None else there.token)


def leave(tx: Tx, held: Held) -> bool:
    """Let go of the lane; tell whether something has come in that nobody has taken up."""
    turns.leave_lane(tx, held.user, held.session, held.token)
    return inbox.foremost(tx, held.user, held.session) is not None


def _ask_stop(tx: Tx, user: UserId, session: SessionId) -> bool:
    there = turns.lane(tx, user, session)
    if there is None or owners.is_gone(there.claim, tx.clock.now()) or not turns.running(tx, user, session):
        return False
    return turns.ask_stop(tx, user, session)
