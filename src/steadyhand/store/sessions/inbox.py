"""Decides how what comes in for a session lies: accepted, started, settled, each once. It must not decide what becomes of it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Row, bindparam, case, delete, func, insert, or_, select, update

from steadyhand.core.canonical import Json
from steadyhand.core.ids import SessionId, UserId, new_id
from steadyhand.store.database.engine import Tx
from steadyhand.store.database.prepared import USER, of, own
from steadyhand.store.people.people import count_messages, hold_session, take_seq
from steadyhand.store.sessions.tables import inbox

Source = Literal["person", "decision", "wake", "cron", "heartbeat", "job", "subagent"]


_BY_ITSELF = case((inbox.c.source.in_(("person", "decision")), 0), else_=1)
_ACCEPTED = select(inbox).where(*own(inbox), inbox.c.state == "accepted")
_WAITING = _ACCEPTED.order_by(inbox.c.seq)
_WAITING_OF = _ACCEPTED.where(inbox.c.source == bindparam("source")).order_by(inbox.c.seq)
_FOREMOST = _ACCEPTED.order_by(_BY_ITSELF, inbox.c.seq).limit(1)
_BY_ORIGIN = select(inbox).where(*own(inbox), inbox.c.origin_id == bindparam("origin"))
_ACCEPT = insert(inbox)
_START = (
    update(inbox)
    .where(inbox.c.user_id == USER, inbox.c.id.in_(bindparam("ids", expanding=True)), inbox.c.state == "accepted")
    .values(state="started", turn_id=bindparam("turn"), started_at=bindparam("now"))
    .returning(inbox.c.session_id, inbox.c.source)
)
_SETTLE = (
    update(inbox)
    .where(inbox.c.user_id == USER, inbox.c.turn_id == bindparam("turn"), inbox.c.state == "started")
    .values(state="settled", settled_at=bindparam("now"))
)


@dataclass(frozen=True, slots=True)
class Inbound:
    """One thing that came in: a person's message, a due wake-up, a finished job. *body* depends on its *source*."""

    id: str
    user_id: UserId
    session_id: SessionId
    seq: int
    source: Source
    body: Json
    state: Literal["accepted", "started", "settled"]
    turn_id: str | None
    accepted_at: str


def _inbound(row: Row[Any]) -> Inbound:
    return Inbound(
        row.id,
        UserId(row.user_id),
        SessionId(row.session_id),
        row.seq,
        row.source,
        row.body,
        row.state,
        row.turn_id,
        row.accepted_at,
    )


def accept(
    tx: Tx, user: UserId, session: SessionId, source: Source, body: Json, origin_id: str | None = None
) -> tuple[Inbound, bool]:
    """Store what came in and return it, with True; what was accepted before under the same *origin_id* is returned with False."""
    if origin_id is not None:
        hold_session(tx, user, session)
        found = tx.execute(_BY_ORIGIN, of(user, session, origin=origin_id)).first()
        if found is not None:
            return _inbound(found), False
    made = Inbound(new_id("in"), user, session, take_seq(tx, user, session), source, body, "accepted", None, tx.now())
    row = {
        "id": made.id,
        "user_id": user,
        "session_id": session,
        "seq": made.seq,
        "source": source,
        "origin_id": origin_id,
        "body": body,
        "state": made.state,
        "accepted_at": made.accepted_at,
    }
    tx.execute(_ACCEPT, row)
    return made, True


def waiting(tx: Tx, user: UserId, session: SessionId, source: Source | None = None) -> list[Inbound]:
    """Return what was accepted and not started, oldest first; of one *source* when it is named."""
    rows = (
        tx.execute(_WAITING, of(user, session)) if source is None else tx.execute(_WAITING_OF, of(user, session, source=source))
    )
    return [_inbound(row) for row in rows]


def foremost(tx: Tx, user: UserId, session: SessionId) -> Inbound | None:
    """Return what is to be taken up next: what a person said before all that comes by itself, each in its order."""
    row = tx.execute(_FOREMOST, of(user, session)).first()
    return None if row is None else _inbound(row)


def unsettled(tx: Tx, user: UserId, session: SessionId, source: Source) -> list[Inbound]:
    """Return what came from *source* and is not settled: what waits, and what a turn has taken up, oldest first."""
    query = select(inbox).where(
        inbox.c.user_id == user, inbox.c.session_id == session, inbox.c.source == source, inbox.c.state != "settled"
    )
    return [_inbound(row) for row in tx.execute(query.order_by(inbox.c.seq))]


def find(tx: Tx, user: UserId, inbound: str) -> Inbound | None:
    """Return one of the person's, by its id."""
    row = tx.execute(select(inbox).where(inbox.c.user_id == user, inbox.c.id == inbound)).first()
    return None if row is None else _inbound(row)


def of_turn(tx: Tx, user: UserId, turn: str) -> list[Inbound]:
    """Return what a turn took up, oldest first."""
    query = select(inbox).where(inbox.c.user_id == user, inbox.c.turn_id == turn).order_by(inbox.c.seq)
    return [_inbound(row) for row in tx.execute(query)]


def start(tx: Tx, user: UserId, ids: Sequence[str], turn: str) -> None:
    """Let *turn* take up what was accepted; from here on what the person said counts as theirs in its session."""
    moved = tx.execute(_START, of(user, ids=list(ids), turn=turn, now=tx.now())).all()
    said = Counter(row.session_id for row in moved if row.source == "person")
    for session, count in said.items():
        count_messages(tx, user, session, count)


def settle(tx: Tx, user: UserId, turn: str) -> None:
    """Mark what *turn* had taken up as settled."""
    tx.execute(_SETTLE, of(user, turn=turn, now=tx.now()))


def hand_over(tx: Tx, user: UserId, turn: str, successor: str) -> None:
    """Let another turn go on with what *turn* had taken up and did not settle."""
    tx.execute(
        update(inbox)
        .where(inbox.c.user_id == user, inbox.c.turn_id == turn, inbox.c.state == "started")
        .values(turn_id=successor)
    )


def sessions_waiting(tx: Tx, limit: int = 200, said_before: str | None = None) -> list[tuple[UserId, SessionId]]:
    """Return the sessions, of every person, for which something was accepted and not started, longest waiting first.

    What a person said counts only from before the moment *said_before*, where that is given.
    """
    counts = [inbox.c.state == "accepted"]
    if said_before is not None:
        counts.append(or_(inbox.c.source != "person", inbox.c.accepted_at < said_before))
    query = (
        select(inbox.c.user_id, inbox.c.session_id)
        .where(*counts)
        .group_by(inbox.c.user_id, inbox.c.session_id)
        .order_by(func.min(inbox.c.accepted_at), inbox.c.user_id, inbox.c.session_id)
        .limit(limit)
    )
    return [(UserId(row.user_id), SessionId(row.session_id)) for row in tx.execute(query)]


def forget_settled(tx: Tx, before: str, limit: int) -> int:
    """Remove, of every person, what was settled before the moment *before*, at most *limit*; return how much that was."""
    found = select(inbox.c.id).where(inbox.c.state == "settled", inbox.c.settled_at < before).limit(limit)
    return tx.execute(delete(inbox).where(inbox.c.id.in_(found))).rowcount
