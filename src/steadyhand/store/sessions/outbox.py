"""Decides how messages owed to people lie, and who may send one now. It must not send, or owe the same twice for one turn."""

from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Row, delete, func, or_, select

from steadyhand.core.canonical import Json, digest
from steadyhand.core.ids import SessionId, UserId, new_id
from steadyhand.store.database import copies
from steadyhand.store.database.engine import Tx, put
from steadyhand.store.database.prepared import changing, new, of, own, where
from steadyhand.store.people.people import take_seq
from steadyhand.store.people.tables import sessions
from steadyhand.store.sessions.tables import outbox

UNASKED = ("proactive_send", "heartbeat", "job", "reply", "notice")
"""Sources of what comes without anybody waiting for it just then; a timed task's own words are a reply."""
SHOWN_WHEN_OPENED = ("terminal", "cli")
"""Channels that show nothing by themselves."""

State = Literal["queued", "sending", "sent", "failed", "unknown"]
OPEN: tuple[State, ...] = ("queued", "sending")
"""States of what has no end yet."""

_UNSENT = select(outbox).where(*own(outbox), outbox.c.state == "queued").order_by(outbox.c.seq)
_OPEN = select(outbox).where(*own(outbox), outbox.c.state.in_(OPEN)).order_by(outbox.c.seq)
_LAST_SHOWN = (
    select(outbox).where(*own(outbox), outbox.c.state.in_(("sent", "sending", "unknown"))).order_by(outbox.c.seq.desc()).limit(1)
)


@dataclass(frozen=True, slots=True)
class Owed:
    """One message owed to the person of a session. *shows* is the number of the change whose review it is."""

    id: str
    user_id: UserId
    session_id: SessionId
    seq: int
    turn_id: str
    source: str
    content: str
    reply_to: str | None
    data: Json
    shows: int | None
    state: State
    attempts: int
    next_at: str
    sent_message_id: str | None
    reason: str
    created_at: str
    updated_at: str


def _owed(row: Row[Any]) -> Owed:
    return Owed(**{name: getattr(row, name) for name in Owed.__slots__})


def owe(
    tx: Tx,
    user: UserId,
    session: SessionId,
    turn: str,
    content: str,
    *,
    source: str,
    reply_to: str | None = None,
    data: Json = None,
    shows: int | None = None,
) -> Owed | None:
    """Store a message owed to the person; None when this turn owes them the very same already."""
    same = digest({"content": content, "reply_to": reply_to, "shows": shows})
    now = tx.now()
    row = Owed(
        new_id("out"),
        user,
        session,
        take_seq(tx, user, session),
        turn,
        source,
        content,
        reply_to,
        data,
        shows,
        "queued",
        0,
        now,
        None,
        "",
        now,
        now,
    )
    columns = {name: getattr(row, name) for name in Owed.__slots__} | {"digest": same}
    return row if put(tx, outbox, columns, unless_there=True, by=("user_id", "turn_id", "digest")) else None


def find(tx: Tx, user: UserId, owed: str) -> Owed | None:
    """Return one message owed to the person."""
    row = tx.execute(select(outbox).where(outbox.c.user_id == user, outbox.c.id == owed)).first()
    return None if row is None else _owed(row)


def unsent(tx: Tx, user: UserId, session: SessionId) -> list[Owed]:
    """Return what is queued for the session, in order, due or not."""
    return [_owed(row) for row in tx.execute(_UNSENT, of(user, session))]


def open_in(tx: Tx, user: UserId, session: SessionId) -> list[Owed]:
    """Return what is queued for the session, due or not, or being sent now, in order."""
    return [_owed(row) for row in tx.execute(_OPEN, of(user, session))]


def after(tx: Tx, user: UserId, session: SessionId, seq: int, limit: int) -> list[Owed]:
    """Return what the session's person was, or is, owed behind the number *seq*, in order, at most *limit*."""
    query = select(outbox).where(outbox.c.user_id == user, outbox.c.session_id == session, outbox.c.seq > seq)
    return [_owed(row) for row in tx.execute(query.order_by(outbox.c.seq).limit(limit))]


def last_shown(tx: Tx, user: UserId, session: SessionId) -> Owed | None:
    """Return what the session's person was shown last, or may have been; None when that was nothing."""
    row = tx.execute(_LAST_SHOWN, of(user, session)).first()
    return None if row is None else _owed(row)


def is_review(tx: Tx, user: UserId, session: SessionId, number: int, named: str) -> bool:
    """Tell whether *named*, by our id or by the channel's, is the last review of that change which the session was shown."""
    query = select(outbox.c.id, outbox.c.sent_message_id).where(
        outbox.c.user_id == user, outbox.c.session_id == session, outbox.c.shows == number, outbox.c.state == "sent"
    )
    row = tx.execute(query.order_by(outbox.c.seq.desc()).limit(1)).first()
    return row is not None and named in (row.id, row.sent_message_id)


def of_turn(tx: Tx, user: UserId, turn: str) -> list[Owed]:
    """Return what a turn owes the person, in order."""
    query = select(outbox).where(outbox.c.user_id == user, outbox.c.turn_id == turn)
    return [_owed(row) for row in tx.execute(query.order_by(outbox.c.seq))]


def due(tx: Tx, limit: int = 100) -> list[Owed]:
    """Return what is to be sent now, of every person, the oldest first, and of each session only the first in order.

    While a session's message is being sent, or waits for another try, those behind it wait too; one that is for later holds up none.
    """
    first = (
        select(outbox.c.user_id, outbox.c.session_id, func.min(outbox.c.seq).label("seq"))
        .where(outbox.c.state.in_(("queued", "sending")), copies.free(tx, outbox.c.created_at))
        .where(or_(outbox.c.attempts > 0, outbox.c.next_at <= tx.now()))
        .group_by(outbox.c.user_id, outbox.c.session_id)
        .subquery()
    )
    query = (
        select(outbox)
        .join(
            first,
            (first.c.user_id == outbox.c.user_id) & (first.c.session_id == outbox.c.session_id) & (first.c.seq == outbox.c.seq),
        )
        .where(outbox.c.state == "queued", outbox.c.next_at <= tx.now())
        .order_by(outbox.c.next_at, outbox.c.created_at, outbox.c.seq)
        .limit(limit)
    )
    return [_owed(row) for row in tx.execute(query)]


def unseen(tx: Tx, user: UserId | None = None, session: SessionId | None = None) -> list[Owed]:
    """Return what was said unasked, is to be seen and waits for somebody to open its session at a terminal; of every person where none is named."""
    query = (
        select(outbox)
        .join(sessions, (sessions.c.user_id == outbox.c.user_id) & (sessions.c.id == outbox.c.session_id))
        .where(outbox.c.state == "queued", outbox.c.next_at <= tx.now(), outbox.c.source.in_(UNASKED))
        .where(copies.free(tx, outbox.c.created_at))
        .where(sessions.c.channel.in_(SHOWN_WHEN_OPENED))
    )
    if user is not None:
        query = query.where(outbox.c.user_id == user)
    if session is not None:
        query = query.where(outbox.c.session_id == session)
    return [_owed(row) for row in tx.execute(query.order_by(outbox.c.created_at, outbox.c.seq))]


def move(tx: Tx, row: Owed, state: State, **columns: object) -> bool:
    """Bring a message from the state that *row* has to another; tell whether nobody else did so meanwhile."""
    values = {"state": state, "updated_at": tx.now(), **columns}
    key = where(user_id=row.user_id, id=row.id, state=row.state, attempts=row.attempts)
    statement = changing(outbox, ("user_id", "id", "state", "attempts"), tuple(values))
    return tx.execute(statement, {**key, **new(values)}).rowcount == 1


def sessions_owed(tx: Tx) -> list[tuple[UserId, SessionId]]:
    """Return the sessions, of every person, for which something is queued, whenever it is due."""
    query = select(outbox.c.user_id, outbox.c.session_id).where(outbox.c.state == "queued").distinct()
    found = tx.execute(query.order_by(outbox.c.user_id, outbox.c.session_id))
    return [(UserId(row.user_id), SessionId(row.session_id)) for row in found]


def in_flight(tx: Tx) -> list[Owed]:
    """Return every person's messages whose sending began and has no end on record."""
    return [_owed(row) for row in tx.execute(select(outbox).where(outbox.c.state == "sending").order_by(outbox.c.seq))]


def forget_ended(tx: Tx, before: str, limit: int) -> int:
    """Remove, of every person, what was sent, or given up, before the moment *before*, at most *limit*; return how much that was."""
    ended = (outbox.c.state.in_(("sent", "failed", "unknown")), outbox.c.updated_at < before)
    return tx.execute(delete(outbox).where(outbox.c.id.in_(select(outbox.c.id).where(*ended).limit(limit)))).rowcount
