"""Decides how messages owed to a person reach their channel: in order, tried again with a back-off, never twice. It must not write one's text.

A message is *sent* only when the channel says so. One whose sending began and has no answer on record is *unknown*: it may
have arrived, so it is not sent again, except on a channel that says that showing twice does no harm.
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Protocol

from steadyhand.core import owners
from steadyhand.core.canonical import canonical
from steadyhand.core.clock import from_text, to_text
from steadyhand.core.faults import reach
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.logs import get_logger
from steadyhand.core.owners import Claim
from steadyhand.session.decisions import Decisions, shown_in
from steadyhand.session.unbroken import unbroken
from steadyhand.store import Store, Tx
from steadyhand.store.changes import changes
from steadyhand.store.later import wakeups
from steadyhand.store.people import people
from steadyhand.store.sessions import conversations, outbox
from steadyhand.store.sessions.outbox import Owed
from steadyhand.tools.ports import Delivered, NotSent, Queued, Sent, UnknownSent

FIRST_WAIT = 2.0
LONGEST_WAIT = 600.0
MOST_ATTEMPTS = 8
WAIT_FOR_CHANNEL = 10.0
GONE_AFTER = 60.0
"""So long after its sending began a message that this process does not send any more, or another machine has, is in nobody's hands."""

log = get_logger(__name__)


class Channel(Protocol):
    """A way to a person. *shows_again* says that showing a message twice does no harm there."""

    @property
    def name(self) -> str: ...

    @property
    def shows_again(self) -> bool: ...

    async def send(self, owed: Owed) -> Delivered:
        """Send one message; `Queued` means that the channel cannot be reached now. It must not raise."""
        ...


Attached = Callable[[UserId, SessionId], "Channel | None"]
"""Which channel of this process leads to the person of a session now; None while there is none."""


Last = Callable[[Tx], object]
"""What is done in the transaction that stores the fate of the last message of a delivery."""


class Outbox:
    """Sends what is owed."""

    def __init__(self, store: Store, decisions: Decisions, attached: Attached) -> None:
        self._store = store
        self._decisions = decisions
        self._attached = attached
        self._delivering: dict[tuple[UserId, SessionId], bool] = {}

    async def deliver(self, user: UserId, session: SessionId, last: Last | None = None) -> list[Owed]:
        """Send what is queued for the session, in order, as far as its channel takes it; return what was sent.

        What is to be tried again later is not tried now, and what is behind it waits. While somebody here delivers to the session
        already, they look once more when they are through: nothing overtakes what is just being sent. What is to be done *last*
        belongs to the transaction that stores the fate of the last message, where there is one, and is done once in any case.
        """
        key, closing = (user, session), _Closing(last)
        if key in self._delivering:
            self._delivering[key] = True
            await self._close(closing)
            return []
        sent: list[Owed] = []
        try:
            self._delivering[key] = True
            while self._delivering[key]:
                self._delivering[key] = False
                sent += await self._deliver(user, session, closing)
        finally:
            del self._delivering[key]
        await self._close(closing)
        return sent

    async def _close(self, closing: "_Closing") -> None:
        if closing.waits:
            await self._store.write(closing)
            closing.waits = False

    async def _deliver(self, user: UserId, session: SessionId, closing: "_Closing") -> list[Owed]:
        sent: list[Owed] = []
        channel = self._attached(user, session)
        if channel is None:
            return sent
        rows, reviewed = await self._store.read(lambda tx: (outbox.open_in(tx, user, session), changes.is_last(tx, user)))
        if any(row.state == "sending" for row in rows):
            await self._settle(rows, shows_again=channel.shows_again)
            rows = await self._store.read(lambda tx: outbox.open_in(tx, user, session))
        queued = [row for row in rows if row.state == "queued"]
        for row in queued:
            if row.next_at > to_text(self._store.clock.now()):
                if not row.attempts:  # it is for later, and holds up nothing behind it
                    continue
                break
            if reviewed:  # before it goes out: a yes that comes from here on may be about this message
                await self._decisions.something_else(user)
            answer = await self.send_one(channel, row, closing if row is queued[-1] else None)
            reviewed = row.shows is not None
            if isinstance(answer, Sent):
                sent.append(row)
            elif isinstance(answer, Queued):
                break
        return sent

    async def send_one(self, channel: Channel, row: Owed, closing: "_Closing | None" = None) -> Delivered:
        """Try one message now and store what came of it, in one transaction with the *closing* of a delivery."""
        if row.state != "queued":
            return Queued()
        if channel.shows_again:  # whether it was shown needs no record of its beginning
            return await self._sent(channel, row, closing)
        owner = canonical(owners.myself()).decode()
        claimed = replace(row, state="sending", attempts=row.attempts + 1, reason=owner)
        claiming = self._store.write(lambda tx: outbox.move(tx, row, "sending", attempts=claimed.attempts, reason=owner))
        mine, cancelled = await unbroken(claiming)
        if not mine:
            answer: Delivered = Queued()  # somebody else is sending it
        else:
            answer = await self._sent(channel, claimed, closing, cancelled=cancelled)
            cancelled = False
        if cancelled:
            raise asyncio.CancelledError
        return answer

    async def _sent(
        self, channel: Channel, row: Owed, closing: "_Closing | None" = None, *, cancelled: bool = False
    ) -> Delivered:
        reach("outbox.sending")
        answer, stopped = await self._handed_over(channel, row, cancelled=cancelled)
        _, late = await unbroken(self._record(channel, row, answer, closing))
        if cancelled or stopped or late:
            raise asyncio.CancelledError
        return answer

    async def _handed_over(self, channel: Channel, row: Owed, *, cancelled: bool) -> tuple[Delivered, bool]:
        """Let the channel send; return its answer, and whether somebody broke in, after which nobody can tell."""
        if cancelled:
            return Queued(), True
        try:
            async with asyncio.timeout(WAIT_FOR_CHANNEL):
                return await channel.send(row), False
        except TimeoutError:
            return UnknownSent(), False
        except asyncio.CancelledError:
            return UnknownSent(), True
        except Exception as error:  # whatever a channel raises, the message's fate is on record
            log.exception("channel_raised", channel=channel.name, kind=type(error).__name__)
            return UnknownSent(), False

    async def _record(self, channel: Channel, row: Owed, answer: Delivered, closing: "_Closing | None") -> None:
        at = to_text(self._store.clock.now())
        if isinstance(answer, NotSent):
            log.warning("message_refused", channel=channel.name, session=row.session_id, source=row.source)

        def work(tx: Tx) -> None:
            _fate(tx, row, answer, at)
            if closing is not None and closing.waits:
                closing(tx)

        await self._store.write(work)
        if closing is not None:
            closing.waits = False

    async def arrived(self, user: UserId, owed: str, message_id: str) -> bool:
        """Store that a message whose fate was not known has arrived after all; tell whether that is news.

        It does not become the review that a yes is about: something else may have been shown since.
        """
        return await self._store.write(lambda tx: _arrived(tx, user, owed, message_id))

    async def _settle(self, rows: Sequence[Owed], *, shows_again: bool) -> None:
        now = self._store.clock.now()
        for row in rows:
            if row.state == "sending" and in_nobodys_hands(row, now):
                state = "queued" if shows_again else "unknown"
                reason = "" if shows_again else "process_gone"
                await self._store.write(
                    lambda tx, row=row, state=state, reason=reason: outbox.move(tx, row, state, reason=reason)
                )


@dataclass(slots=True)
class _Closing:
    """What is done last in a delivery, and whether that is still to be done."""

    last: Last | None
    waits: bool = field(init=False)

    def __post_init__(self) -> None:
        self.waits = self.last is not None

    def __call__(self, tx: Tx) -> None:
        if self.last is not None:
            self.last(tx)


def in_nobodys_hands(row: Owed, now: datetime) -> bool:
    """Tell whether the process that was sending a message is gone."""
    return owners.is_gone(_claim(row), now)


def _claim(row: Owed) -> Claim:
    """Return who is sending a message: while it is being sent, that stands where later the reason of its end does."""
    until = from_text(row.updated_at) + timedelta(seconds=GONE_AFTER)
    return Claim(json.loads(row.reason) if row.reason else None, None, to_text(until))


def _fate(tx: Tx, row: Owed, answer: Delivered, at: str) -> None:
    match answer:
        case Sent(message_id):
            _shown(tx, row, message_id, at)
        case Queued():
            _later(tx, row)
        case NotSent(reason):
            outbox.move(tx, row, "failed", reason=reason)
        case UnknownSent():
            outbox.move(tx, row, "unknown", reason="no_answer")


def _shown(tx: Tx, row: Owed, message_id: str, at: str) -> None:
    """Store that a message was sent; a review that has just reached the person becomes the one that a yes is about."""
    change = None if row.shows is None else changes.by_number(tx, row.user_id, row.shows)
    if _sent(tx, row, message_id, at) and change is not None:
        shown_in(tx, row.user_id, row.session_id, change, at, text=row.content)


def _sent(tx: Tx, row: Owed, message_id: str, at: str) -> bool:
    people.hold_session(tx, row.user_id, row.session_id)
    moved = outbox.move(tx, row, "sent", sent_message_id=message_id, reason="", updated_at=at, attempts=_tried(row))
    if moved:
        conversations.name_on_channel(tx, row.user_id, row.id, message_id)
        wakeups.acknowledged(tx, row.user_id, row.turn_id, message_id)
    return moved


def _arrived(tx: Tx, user: UserId, owed: str, message_id: str) -> bool:
    while (row := outbox.find(tx, user, owed)) is not None and row.state != "sent":
        if _sent(tx, row, message_id, tx.now()):
            return True  # else somebody has moved it meanwhile: look again
    return False


def _tried(row: Owed) -> int:
    """Return how often a message was tried by now: one that was not claimed first has not counted this try."""
    return row.attempts + (row.state == "queued")


def _later(tx: Tx, row: Owed) -> None:
    """Queue a message again, later each time; after too many times it is failed."""
    attempts = _tried(row)
    if attempts >= MOST_ATTEMPTS:
        outbox.move(tx, row, "failed", reason="unreachable", attempts=attempts)
        return
    wait = min(FIRST_WAIT * 2 ** (attempts - 1), LONGEST_WAIT)
    next_at = to_text(tx.clock.now() + timedelta(seconds=wait))
    outbox.move(tx, row, "queued", reason="", next_at=next_at, attempts=attempts)
