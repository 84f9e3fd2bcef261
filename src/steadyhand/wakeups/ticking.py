"""Decides what a host takes up now: what is due, what waits, what a process that is gone has left. It must not wait, or do any of it itself."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Protocol

from steadyhand.agent.events import Listener, nobody
from steadyhand.core import owners
from steadyhand.core.clock import to_text
from steadyhand.core.errors import StoreUnavailable
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.logs import get_logger
from steadyhand.gate import machine, recovery
from steadyhand.memory import keeping
from steadyhand.session.conversation import Conversations
from steadyhand.session.outbox import Attached, in_nobodys_hands
from steadyhand.store import Tx
from steadyhand.store.database.locks import exclusive
from steadyhand.store.later import wakeups
from steadyhand.store.sessions import inbox, outbox, turns
from steadyhand.wakeups.running import Key, Running

BATCH = 500
"""So much of a kind is taken up in one look; when it was that much, the next look follows at once."""

OWN_SECONDS = 2.0
"""So long what a person said is left to the process that they said it to."""

EXPIRE_EVERY = 30.0
SWEEP_FIRST = 60.0
SWEEP_EVERY = 3600.0
SWEEP_LOCK = "sweep"
TELL_EVERY = 60.0
"""How often the log says that a part fails, while it does."""

log = get_logger(__name__)


class Taker(Protocol):
    """Takes up what is due of its kind: wake-ups, queued jobs, heartbeats."""

    async def tick(self, limit: int) -> int:
        """Take up at most *limit*, and return how many that were; what they lead to goes on by itself."""
        ...


def _nowhere(_user: UserId, _session: SessionId) -> bool:
    return False


def _to_nobody(_user: UserId, _session: SessionId) -> Listener:
    return nobody


def _not_told(_user: UserId, _session: SessionId) -> None:
    """Be told of nothing."""


@dataclass(frozen=True)
class Duties:
    """What a host has to see to. *takers* are asked in their order; *attached* tells where a person can be reached from here.

    Sessions that are *elsewhere* have somebody in this very process who works in them. *listener* and *settled* are for those
    who look on while a session's turn runs.
    """

    talk: Conversations
    takers: Sequence[Taker] = ()
    attached: Attached = field(default=lambda _user, _session: None)
    elsewhere: Callable[[UserId, SessionId], bool] = _nowhere
    listener: Callable[[UserId, SessionId], Listener] = _to_nobody
    settled: Callable[[UserId, SessionId], object] = _not_told


@dataclass(frozen=True, slots=True)
class Ticked:
    """What one look came to: whether there is *more* of it at once, and when the next wake-up is due."""

    more: bool
    next_due: str | None


@dataclass(frozen=True, slots=True)
class _Seen:
    """Sessions in which there is something to run, and such in which something is to be sent."""

    run: Sequence[Key]
    deliver: Sequence[Key]
    next_due: str | None


class Ticking:
    """One look after the other. A failing database ends a look; any other failure ends one part of it."""

    def __init__(self, duties: Duties, running: Running) -> None:
        self._duties = duties
        self._running = running
        self._store = duties.talk.parts.store
        now = self._store.clock.monotonic()
        self._told: dict[str, float] = {}
        self._expire_at = now
        self._sweep_at = now + SWEEP_FIRST

    async def tick(self) -> Ticked:
        """Take up all that is to be taken up now; what goes on in sessions goes on by itself."""
        controller = self._duties.talk.parts.controller
        await self._part("recover", recovery.recover(controller))
        now = self._store.clock.monotonic()
        if now >= self._expire_at:
            self._expire_at = now + EXPIRE_EVERY
            await self._part("expire", recovery.expire(controller))
        more = False
        for taker in self._duties.takers:
            taken = await self._part(type(taker).__name__, taker.tick(BATCH))
            more = more or (isinstance(taken, int) and taken >= BATCH)
        seen = await self._store.read(self._look)
        for key in seen.run:
            if not self._duties.elsewhere(*key):
                self._running.start("run", key, self._run)
        for key in seen.deliver:
            if self._duties.attached(*key) is not None:
                self._running.start("deliver", key, self._deliver)
        if now >= self._sweep_at:
            self._sweep_at = now + SWEEP_EVERY
            await self._part("sweep", self._sweep())
        return Ticked(more, seen.next_due)

    async def _part(self, name: str, work: Awaitable[object]) -> object:
        try:
            return await work
        except StoreUnavailable:
            raise
        except Exception:  # one part that breaks must not keep the others from being done
            now = self._store.clock.monotonic()
            if now - self._told.get(name, -TELL_EVERY) >= TELL_EVERY:
                self._told[name] = now
                log.exception("host_part_failed", part=name)
            return None

    def _look(self, tx: Tx) -> _Seen:
        now = tx.clock.now()
        left = [(row.user_id, row.session_id) for row in turns.all_running(tx) if _is_left(tx, row)]
        said_before = to_text(now - timedelta(seconds=OWN_SECONDS))
        waiting = inbox.sessions_waiting(tx, BATCH, said_before)
        broken = [row for row in outbox.in_flight(tx) if in_nobodys_hands(row, now)]
        owed = [(row.user_id, row.session_id) for row in (*broken, *outbox.due(tx, BATCH))]
        return _Seen(list(dict.fromkeys((*left, *waiting))), list(dict.fromkeys(owed)), wakeups.next_due(tx))

    async def _run(self, user: UserId, session: SessionId) -> bool:
        try:
            return await self._duties.talk.run(user, session, listener=self._duties.listener(user, session))
        finally:
            self._duties.settled(user, session)

    async def _deliver(self, user: UserId, session: SessionId) -> bool:
        await self._duties.talk.parts.outbox.deliver(user, session)
        return True

    async def _sweep(self) -> None:
        """Remove what is old, once for all who share the database."""
        parts = self._duties.talk.parts
        with exclusive(self._store, SWEEP_LOCK) as got:
            if got:
                busy = await self._store.read(wakeups.sessions_with_pending)
                open_states = [state.value for state in machine.OPEN]
                swept = await keeping.sweep(self._store, parts.tiers, busy=busy, open_states=open_states)
                log.info("swept", said=swept.said, working=swept.working, owed=swept.owed, turns=swept.turns)


def _is_left(tx: Tx, row: turns.TurnRow) -> bool:
    """Tell whether the process that ran a turn is gone."""
    lane = turns.lane(tx, row.user_id, row.session_id)
    return lane is None or owners.is_gone(lane.claim, tx.clock.now())
