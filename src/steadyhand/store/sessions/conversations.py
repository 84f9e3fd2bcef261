"""Decides how a session and what was said in it lie, in order; it must not decide what a turn reads of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from sqlalchemy import Integer, Row, Select, bindparam, case, delete, func, insert, select, update

from steadyhand.core.canonical import Json
from steadyhand.core.ids import SessionId, UserId
from steadyhand.store.changes.tables import displays
from steadyhand.store.database.engine import Tx
from steadyhand.store.database.prepared import SESSION, USER, of, own
from steadyhand.store.people.people import take_seq
from steadyhand.store.people.tables import sessions
from steadyhand.store.sessions.tables import inbox, lanes, messages, outbox, turns, working_memory

_INSERT = insert(messages)
_USED_NOW = update(sessions).where(sessions.c.user_id == USER, sessions.c.id == SESSION).values(updated_at=bindparam("now"))
_NAME = (
    update(messages)
    .where(messages.c.user_id == USER, messages.c.id == bindparam("entry"))
    .values(channel_message_id=bindparam("name"))
)


@dataclass(frozen=True, slots=True)
class Said:
    """One entry of a session's history. *source* tells what it is: ``person``, ``reply``, ``call``, ``result``, ``proactive_send`` …

    *calls* are the calls that an assistant's entry made; *call_id* is set on a tool's result; *data* is for code alone.
    """

    id: str
    role: Literal["user", "assistant", "tool"]
    content: str
    source: str
    turn_id: str = ""
    calls: Json = ()
    call_id: str | None = None
    data: Json = None
    channel_message_id: str | None = None
    seq: int = 0
    at: str = ""


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session as it is listed."""

    id: SessionId
    channel: str
    name: str
    address: Json
    said: int
    created_at: str
    updated_at: str


def _said(row: Row[Any]) -> Said:
    return Said(**{name: getattr(row, name) for name in Said.__slots__})


def add(tx: Tx, user: UserId, session: SessionId, entries: Sequence[Said]) -> None:
    """Append *entries* to the session's history, in their order."""
    if not entries:
        return
    first = take_seq(tx, user, session, len(entries))
    now = tx.now()
    rows = [
        {
            **{name: getattr(entry, name) for name in Said.__slots__},
            "user_id": user,
            "session_id": session,
            "seq": first + index,
            "at": entry.at or now,
        }
        for index, entry in enumerate(entries)
    ]
    tx.execute(_INSERT, rows)
    tx.execute(_USED_NOW, of(user, session, now=now))


def history(tx: Tx, user: UserId, session: SessionId, limit: int | None = None, since: str | None = None) -> list[Said]:
    """Return the session's history, oldest first: the last *limit* entries, none from before *since*."""
    given = {name: value for name, value in (("since", since), ("most", limit)) if value is not None}
    rows = tx.execute(_history(*given), of(user, session, **given)).all()
    return [_said(row) for row in reversed(rows)]


@cache
def _history(*given: str) -> Select[Any]:
    query = select(messages).where(*own(messages)).order_by(messages.c.seq.desc())
    query = query.where(messages.c.at >= bindparam("since")) if "since" in given else query
    return query.limit(bindparam("most", type_=Integer)) if "most" in given else query


def by_channel_id(tx: Tx, user: UserId, session: SessionId, channel_message_id: str) -> Said | None:
    """Return the entry that the channel calls so."""
    row = tx.execute(
        select(messages).where(
            messages.c.user_id == user,
            messages.c.session_id == session,
            messages.c.channel_message_id == channel_message_id,
        )
    ).first()
    return None if row is None else _said(row)


def find(tx: Tx, user: UserId, session: SessionId, entry: str) -> Said | None:
    """Return one entry of the session by its own id."""
    theirs = (messages.c.user_id == user, messages.c.session_id == session, messages.c.id == entry)
    row = tx.execute(select(messages).where(*theirs)).first()
    return None if row is None else _said(row)


def name_on_channel(tx: Tx, user: UserId, entry: str, channel_message_id: str) -> None:
    """Store what the channel calls an entry that it has taken."""
    tx.execute(_NAME, of(user, entry=entry, name=channel_message_id))


def person_spoke_at(tx: Tx, user: UserId, session: SessionId) -> str:
    """Return when the person last said something in the session; empty when they never did, or it is forgotten."""
    own = (messages.c.user_id == user, messages.c.session_id == session, messages.c.source == "person")
    return str(tx.execute(select(func.max(messages.c.at)).where(*own)).scalar() or "")


def forget_before(tx: Tx, user: UserId, session: SessionId, moment: str, limit: int) -> int:
    """Remove what was said before *moment*, the oldest first, at most *limit* entries; return how many that were."""
    own = (messages.c.user_id == user, messages.c.session_id == session, messages.c.at < moment)
    oldest = select(messages.c.id).where(*own).order_by(messages.c.seq).limit(limit)
    return tx.execute(delete(messages).where(messages.c.user_id == user, messages.c.id.in_(oldest))).rowcount


def with_history_before(tx: Tx, moment: str) -> list[tuple[UserId, SessionId]]:
    """Return the sessions, of every person, in which something was said before *moment*: for the sweep alone."""
    query = select(messages.c.user_id, messages.c.session_id).where(messages.c.at < moment).distinct()
    found = tx.execute(query.order_by(messages.c.user_id, messages.c.session_id))
    return [(UserId(row.user_id), SessionId(row.session_id)) for row in found]


SUB_AGENTS = "subagent"
"""The channel of sessions that no person talks in: what a sub-agent did stands there."""


def sessions_of(tx: Tx, user: UserId, *, of_agents: bool = False) -> list[SessionRow]:
    """Return the person's sessions, the last used first; those of sub-agents only where they are asked for."""
    order = (_USED.desc(), sessions.c.created_at.desc(), sessions.c.id)
    query = _listed(user) if of_agents else _listed(user).where(sessions.c.channel != SUB_AGENTS)
    return [_session(row) for row in tx.execute(query.order_by(*order))]


def find_session(tx: Tx, user: UserId, session: SessionId) -> SessionRow | None:
    """Return one session of the person."""
    row = tx.execute(_listed(user).where(sessions.c.id == session)).first()
    return None if row is None else _session(row)


_USED = case((sessions.c.updated_at == "", sessions.c.created_at), else_=sessions.c.updated_at)
"""Sessions of the first version have no moment of last use."""


def _listed(user: UserId) -> Select[Any]:
    own = (messages.c.user_id == sessions.c.user_id, messages.c.session_id == sessions.c.id)
    said = select(func.count()).select_from(messages).where(*own).correlate(sessions).scalar_subquery()
    return select(sessions, said.label("said"), _USED.label("used_at")).where(sessions.c.user_id == user)


def _session(row: Row[Any]) -> SessionRow:
    return SessionRow(SessionId(row.id), row.channel, row.name, row.address, int(row.said), row.created_at, row.used_at)


def change_session(tx: Tx, user: UserId, session: SessionId, **columns: object) -> bool:
    """Change *columns* (name, address) of a session; tell whether it is there."""
    own = (sessions.c.user_id == user, sessions.c.id == session)
    return tx.execute(update(sessions).where(*own).values(**columns)).rowcount == 1


def delete_session(tx: Tx, user: UserId, session: SessionId) -> bool:
    """Remove a session with all that was said, remembered and owed in it; its changes and their records stay."""
    for table in (messages, inbox, turns, outbox, working_memory, lanes, displays):
        tx.execute(delete(table).where(table.c.user_id == user, table.c.session_id == session))
    return tx.execute(delete(sessions).where(sessions.c.user_id == user, sessions.c.id == session)).rowcount == 1
