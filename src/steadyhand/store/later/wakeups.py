"""Decides how wake-ups lie and who may take one up now: by one compare-and-swap, under a lease. It must not decide what is due by a rule."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from sqlalchemy import ColumnElement, Row, String, cast, exists, func, insert, literal, or_, select, tuple_, update

from steadyhand.core.canonical import Json
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.owners import Claim
from steadyhand.store.database import copies
from steadyhand.store.database.engine import Tx
from steadyhand.store.database.prepared import changing, new, where
from steadyhand.store.later.counting import next_number
from steadyhand.store.later.tables import wakeup_runs, wakeups
from steadyhand.store.sessions.tables import inbox, outbox, turns

Family = Literal["followup", "cron", "heartbeat"]
Kind = Literal["wake", "text"]
Status = Literal["pending", "running", "completed", "cancelled", "failed"]
Action = Literal["sent_private_message", "rescheduled", "skipped", "unknown"]
Key = tuple[UserId, SessionId]


@dataclass(frozen=True, slots=True)
class Wakeup:
    """One wake-up; each field is a column. *due_at* is when it is looked at next, *meant_at* the moment that was asked for.

    *rhythm* is None for one that comes once. *exact* says that the person named the time. *chain* counts the wake-ups that
    were made by one another without a word of the person. *started_at* is written before anything of it runs.
    """

    id: str
    user_id: UserId
    number: int
    session_id: SessionId | None
    family: Family
    kind: Kind
    name: str
    status: Status
    enabled: bool
    due_at: str
    meant_at: str
    zone: str
    rhythm: Json
    missed_rule: Json
    exact: bool
    followup_reason: str
    assistant_commitment_text: str
    text: str
    delivery: str
    chain: int
    replace_existing: bool
    created_at: str
    updated_at: str
    created_by_tool_call_id: str | None = None
    cancelled_by_tool_call_id: str | None = None
    triggered_at: str | None = None
    started_at: str | None = None
    completed_at: str | None = None
    completion_action: Action | None = None
    actions: Json = None
    sent_message_id: str | None = None
    last_error: str = ""
    turn_id: str | None = None
    owner: Json = None
    owner_token: str | None = None
    lease_until: str | None = None
    attempt: int = 0
    version: int = 1

    @property
    def claim(self) -> Claim:
        """Who has taken it up."""
        return Claim(self.owner, self.owner_token, self.lease_until)


@dataclass(frozen=True, slots=True)
class WakeupRun:
    """What came of one occurrence."""

    id: str
    user_id: UserId
    wakeup_id: str
    meant_at: str
    started_at: str | None
    ended_at: str
    outcome: str
    action: str
    note: str
    turn_id: str | None


COLUMNS = tuple(field.name for field in fields(Wakeup))
RUN_COLUMNS = tuple(field.name for field in fields(WakeupRun))


def _wakeup(row: Row[Any]) -> Wakeup:
    return Wakeup(**{name: getattr(row, name) for name in COLUMNS})


def take_number(tx: Tx, user: UserId) -> int:
    """Take the next number that this person's wake-ups are called by."""
    return next_number(tx, user, "wakeup")


def insert_wakeup(tx: Tx, row: Wakeup) -> None:
    """Store a new wake-up."""
    tx.execute(insert(wakeups).values({name: getattr(row, name) for name in COLUMNS}))


def by_number(tx: Tx, user: UserId, number: int) -> Wakeup | None:
    """Return the person's wake-up of that number."""
    row = tx.execute(select(wakeups).where(wakeups.c.user_id == user, wakeups.c.number == number)).first()
    return None if row is None else _wakeup(row)


def by_id(tx: Tx, user: UserId, wakeup: str) -> Wakeup | None:
    """Return the person's wake-up of that id."""
    row = tx.execute(select(wakeups).where(wakeups.c.user_id == user, wakeups.c.id == wakeup)).first()
    return None if row is None else _wakeup(row)


def of_user(
    tx: Tx,
    user: UserId,
    *,
    session: SessionId | None = None,
    families: Iterable[Family] | None = None,
    statuses: Iterable[Status] | None = None,
    limit: int = 200,
) -> list[Wakeup]:
    """Return the person's wake-ups, the next due first; of one session, of some families and statuses where they are named."""
    query = select(wakeups).where(wakeups.c.user_id == user)
    if session is not None:
        query = query.where(wakeups.c.session_id == session)
    if families is not None:
        query = query.where(wakeups.c.family.in_(list(families)))
    if statuses is not None:
        query = query.where(wakeups.c.status.in_(list(statuses)))
    return [_wakeup(row) for row in tx.execute(query.order_by(wakeups.c.due_at, wakeups.c.number).limit(limit))]


def change(tx: Tx, row: Wakeup, **columns: object) -> bool:
    """Change *columns* of a wake-up that is still as *row* has it; tell whether it was."""
    changed = tx.execute(
        update(wakeups)
        .where(wakeups.c.user_id == row.user_id, wakeups.c.id == row.id, wakeups.c.version == row.version)
        .values(**columns, version=row.version + 1, updated_at=tx.now())
    )
    return changed.rowcount == 1


def acknowledged(tx: Tx, user: UserId, turn: str, message_id: str) -> None:
    """Store what the channel calls the message that a wake-up's turn has sent."""
    statement = changing(wakeups, ("user_id", "turn_id"), ("sent_message_id",))
    tx.execute(statement, {**where(user_id=user, turn_id=turn), **new({"sent_message_id": message_id})})


def made_unasked(tx: Tx, user: UserId, session: SessionId, since: str) -> list[Wakeup]:
    """Return the session's wake-ups that woken turns have made since a moment, the oldest first."""
    own = (wakeups.c.user_id == user, wakeups.c.session_id == session, wakeups.c.chain > 0, wakeups.c.created_at > since)
    return [_wakeup(row) for row in tx.execute(select(wakeups).where(*own).order_by(wakeups.c.created_at))]


def _are_due(tx: Tx) -> tuple[ColumnElement[bool], ...]:
    """Say what is due and waits, without what a restored copy holds back. A heartbeat is not: a beat goes on to its next moment in one step, and is never *running*."""
    due = (wakeups.c.status == "pending", wakeups.c.enabled, wakeups.c.due_at <= tx.now(), wakeups.c.family != "heartbeat")
    return *due, copies.free(tx, wakeups.c.created_at)


def sessions_due(tx: Tx, limit: int) -> set[Key]:
    """Return the sessions of those *limit* that have been due the longest, of every person."""
    due = select(wakeups.c.user_id, wakeups.c.session_id).where(*_are_due(tx)).order_by(wakeups.c.due_at).limit(limit)
    return {(UserId(row.user_id), SessionId(row.session_id)) for row in tx.execute(due)}


def claim_due(tx: Tx, claim: Claim, limit: int, sessions: Collection[Key]) -> list[Wakeup]:
    """Take up what is due in *sessions*, the longest due first: each is *running* under *claim* and nobody else takes it.

    The sessions are held by whoever claims (see `people.hold_sessions`), and what is claimed is handed to them in the same
    transaction: nothing is ever *running* that waits nowhere.
    """
    if not sessions:
        return []
    now = tx.now()
    ids = (
        select(wakeups.c.id)
        .where(*_are_due(tx), tuple_(wakeups.c.user_id, wakeups.c.session_id).in_(sorted(sessions)))
        .order_by(wakeups.c.due_at)
        .limit(limit)
    )
    if not tx.on_sqlite:  # as a table of its own, since the server may run a plain subquery again and then lock, and take, more
        ids = select(ids.with_for_update(skip_locked=True).cte("due"))
    taken = tx.execute(
        update(wakeups)
        .where(wakeups.c.id.in_(ids))  # no word of the status: SQLite would look among all that wait, and the ids are held
        .values(
            status="running",
            owner=claim.owner,
            owner_token=claim.token,
            lease_until=claim.lease_until,
            triggered_at=now,
            started_at=None,
            attempt=wakeups.c.attempt + 1,
            version=wakeups.c.version + 1,
            updated_at=now,
        )
        .returning(*wakeups.c)
    )
    return sorted((_wakeup(row) for row in taken), key=lambda row: (row.due_at, row.number))


def handed_over_as(row: Wakeup) -> str:
    """Return the origin under which the inbox has what was claimed: one for each time that it is claimed."""
    return f"wake:{row.id}:{row.attempt}"


def begun(tx: Tx) -> list[Wakeup]:
    """Return, of every person, what has begun and has not ended: for the host, which looks for those whose process is gone."""
    own = (wakeups.c.status == "running", wakeups.c.started_at.is_not(None))
    return [_wakeup(row) for row in tx.execute(select(wakeups).where(*own))]


def _waits_nowhere() -> tuple[ColumnElement[bool], ...]:
    origin = literal("wake:") + wakeups.c.id + literal(":") + cast(wakeups.c.attempt, String)
    there = (
        inbox.c.user_id == wakeups.c.user_id,
        inbox.c.session_id == wakeups.c.session_id,
        inbox.c.origin_id == origin,
        inbox.c.state == "accepted",
    )
    return wakeups.c.status == "running", wakeups.c.started_at.is_(None), ~exists().where(*there)


def waiting_nowhere(tx: Tx, limit: int) -> list[Wakeup]:
    """Return, of every person, what is taken up, has not begun and waits in no inbox: it would never come by itself."""
    return [_wakeup(row) for row in tx.execute(select(wakeups).where(*_waits_nowhere()).order_by(wakeups.c.due_at).limit(limit))]


def taken_up_before(tx: Tx, moment: str) -> int:
    """Count, of every person, what was taken up before a moment and has not begun: for the doctor."""
    own = (wakeups.c.status == "running", wakeups.c.started_at.is_(None), wakeups.c.triggered_at < moment)
    return int(tx.execute(select(func.count()).select_from(wakeups).where(*own)).scalar() or 0)


def next_due(tx: Tx) -> str | None:
    """Return the moment at which the next wake-up of any person is due."""
    free = copies.free(tx, wakeups.c.created_at)
    query = select(func.min(wakeups.c.due_at)).where(wakeups.c.status == "pending", wakeups.c.enabled, free)
    found = tx.execute(query).scalar()
    return None if found is None else str(found)


def overdue(tx: Tx, since: str) -> int:
    """Count, of every person, what has been due since before *since* and is not taken up; heartbeats nobody waits for."""
    own = (wakeups.c.status == "pending", wakeups.c.enabled, wakeups.c.due_at < since, wakeups.c.family != "heartbeat")
    free = copies.free(tx, wakeups.c.created_at)
    return int(tx.execute(select(func.count()).select_from(wakeups).where(*own, free)).scalar() or 0)


def booked_since(tx: Tx, moment: str) -> bool:
    """Tell whether something that waits, of any person, was booked at *moment* or later; heartbeats nobody waits for."""
    own = (wakeups.c.status == "pending", wakeups.c.enabled, wakeups.c.created_at >= moment, wakeups.c.family != "heartbeat")
    return tx.execute(select(wakeups.c.id).where(*own).limit(1)).first() is not None


def sessions_with_pending(tx: Tx) -> set[tuple[UserId, SessionId]]:
    """Return the sessions, of every person, that a wake-up will come to: their history is kept."""
    query = select(wakeups.c.user_id, wakeups.c.session_id).where(
        wakeups.c.session_id.is_not(None), or_(wakeups.c.status == "pending", wakeups.c.status == "running")
    )
    return {(UserId(row.user_id), SessionId(row.session_id)) for row in tx.execute(query.distinct())}


def add_run(tx: Tx, run: WakeupRun) -> None:
    """Store what came of an occurrence."""
    tx.execute(insert(wakeup_runs).values({name: getattr(run, name) for name in RUN_COLUMNS}))


def runs_of(tx: Tx, user: UserId, wakeup: str, limit: int = 50) -> Sequence[WakeupRun]:
    """Return what came of a wake-up's last occurrences, the last first."""
    query = select(wakeup_runs).where(wakeup_runs.c.user_id == user, wakeup_runs.c.wakeup_id == wakeup)
    rows = tx.execute(query.order_by(wakeup_runs.c.ended_at.desc(), wakeup_runs.c.meant_at.desc()).limit(limit))
    return [WakeupRun(**{name: getattr(row, name) for name in RUN_COLUMNS}) for row in rows]


def proactive_since(tx: Tx, user: UserId, session: SessionId, since: str) -> list[str]:
    """Return when, since a moment, the session was spoken to by wake-ups that the person did not time, and by the heartbeat."""
    query = (
        select(wakeup_runs.c.started_at)
        .join(wakeups, wakeups.c.id == wakeup_runs.c.wakeup_id)
        .where(
            wakeup_runs.c.user_id == user,
            wakeups.c.session_id == session,
            wakeups.c.exact.is_(False),
            wakeup_runs.c.action == "sent_private_message",
            wakeup_runs.c.started_at >= since,
        )
    )
    of_heartbeat = (
        select(outbox.c.created_at)
        .join(turns, turns.c.id == outbox.c.turn_id)
        .where(outbox.c.user_id == user, outbox.c.session_id == session, outbox.c.created_at >= since)
        .where(turns.c.origin == "heartbeat")
    )
    return sorted([*map(str, tx.execute(query).scalars()), *map(str, tx.execute(of_heartbeat).scalars())])
