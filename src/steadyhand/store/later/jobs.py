"""Decides how background work lies and who may start a piece of it: by one compare-and-swap, under a lease. It must not run any."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, fields
from typing import Any, Literal

from sqlalchemy import Row, func, insert, select, update

from steadyhand.core.canonical import Json
from steadyhand.core.ids import JobId, SessionId, UserId
from steadyhand.core.owners import Claim
from steadyhand.store.database import copies
from steadyhand.store.database.engine import Tx
from steadyhand.store.later.counting import next_number
from steadyhand.store.later.tables import jobs

State = Literal["queued", "running", "done", "failed", "cancelled", "timed_out", "unknown"]
ENDED: tuple[State, ...] = ("done", "failed", "cancelled", "timed_out", "unknown")


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of work; each field is a column. *kind* is ``body`` (a function in a child process) or ``agent`` (a sub-agent's turn).

    *reply_to* is data, so that it survives a restart: session, turn, call, delivery. *repeatable* work may be run again when
    its process died. *told_at* is when its end was handed to its session.
    """

    id: JobId
    user_id: UserId
    number: int
    session_id: SessionId
    kind: Literal["body", "agent"]
    body: str
    title: str
    arguments: Json
    reply_to: Json
    repeatable: bool
    parent_id: JobId | None
    depth: int
    seconds: float
    state: State
    progress: Json
    cancel_asked: bool
    result: Json
    reason: str
    owner: Json
    owner_token: str | None
    lease_until: str | None
    started_at: str | None
    ended_at: str | None
    told_at: str | None
    attempt: int
    created_at: str
    updated_at: str
    version: int

    @property
    def claim(self) -> Claim:
        """Who runs it."""
        return Claim(self.owner, self.owner_token, self.lease_until)


COLUMNS = tuple(field.name for field in fields(Job))


def _job(row: Row[Any]) -> Job:
    return Job(**{name: getattr(row, name) for name in COLUMNS})


def take_number(tx: Tx, user: UserId) -> int:
    """Take the next number that this person's jobs are called by."""
    return next_number(tx, user, "job")


def insert_job(tx: Tx, row: Job) -> None:
    """Store a new job."""
    tx.execute(insert(jobs).values({name: getattr(row, name) for name in COLUMNS}))


def by_number(tx: Tx, user: UserId, number: int) -> Job | None:
    """Return the person's job of that number."""
    row = tx.execute(select(jobs).where(jobs.c.user_id == user, jobs.c.number == number)).first()
    return None if row is None else _job(row)


def by_id(tx: Tx, user: UserId, job: str) -> Job | None:
    """Return the person's job of that id."""
    row = tx.execute(select(jobs).where(jobs.c.user_id == user, jobs.c.id == job)).first()
    return None if row is None else _job(row)


def of_user(
    tx: Tx, user: UserId, *, session: SessionId | None = None, states: Iterable[State] | None = None, limit: int = 100
) -> list[Job]:
    """Return the person's jobs, the newest first."""
    query = select(jobs).where(jobs.c.user_id == user)
    if session is not None:
        query = query.where(jobs.c.session_id == session)
    if states is not None:
        query = query.where(jobs.c.state.in_(list(states)))
    return [_job(row) for row in tx.execute(query.order_by(jobs.c.number.desc()).limit(limit))]


def children(tx: Tx, user: UserId, parent: JobId) -> list[Job]:
    """Return the jobs that a job has started."""
    query = select(jobs).where(jobs.c.user_id == user, jobs.c.parent_id == parent).order_by(jobs.c.number)
    return [_job(row) for row in tx.execute(query)]


def count_open(tx: Tx, user: UserId, kind: str) -> int:
    """Count the person's jobs of a kind that have not ended."""
    own = (jobs.c.user_id == user, jobs.c.kind == kind, jobs.c.state.in_(["queued", "running"]))
    return int(tx.execute(select(func.count()).select_from(jobs).where(*own)).scalar() or 0)


def change(tx: Tx, row: Job, **columns: object) -> bool:
    """Change *columns* of a job that is still as *row* has it; tell whether it was."""
    changed = tx.execute(
        update(jobs)
        .where(jobs.c.user_id == row.user_id, jobs.c.id == row.id, jobs.c.version == row.version)
        .values(**columns, version=row.version + 1, updated_at=tx.now())
    )
    return changed.rowcount == 1


def report(tx: Tx, user: UserId, job: JobId, token: str, progress: Json) -> bool:
    """Store how far a running job is, if *token* still runs it; tell whether its person wants it to stop."""
    own = (jobs.c.user_id == user, jobs.c.id == job, jobs.c.owner_token == token, jobs.c.state == "running")
    tx.execute(update(jobs).where(*own).values(progress=progress, updated_at=tx.now()))
    asked = tx.execute(select(jobs.c.cancel_asked).where(jobs.c.user_id == user, jobs.c.id == job)).scalar()
    return bool(asked)


def kinds_queued(tx: Tx) -> set[str]:
    """Return the kinds of which anything is queued, for any person."""
    queued = (jobs.c.state == "queued", copies.free(tx, jobs.c.created_at))
    return {str(row.kind) for row in tx.execute(select(jobs.c.kind).where(*queued).distinct())}


def claim_queued(tx: Tx, claim: Claim, limit: int, kinds: Iterable[str] = ("body", "agent")) -> list[Job]:
    """Take up queued jobs of *kinds*, of every person, the oldest first: each is *running* under *claim* and nobody else takes it."""
    now = tx.now()
    wanted = (jobs.c.state == "queued", jobs.c.kind.in_(list(kinds)), copies.free(tx, jobs.c.created_at))
    ids = select(jobs.c.id).where(*wanted).order_by(jobs.c.created_at).limit(limit)
    if not tx.on_sqlite:  # as a table of its own, since the server may run a plain subquery again and then lock, and take, more
        ids = select(ids.with_for_update(skip_locked=True).cte("oldest"))
    taken = tx.execute(
        update(jobs)
        .where(jobs.c.id.in_(ids))  # no word of the state: SQLite would look among all that are queued, and the ids are held
        .values(
            state="running",
            owner=claim.owner,
            owner_token=claim.token,
            lease_until=claim.lease_until,
            started_at=None,
            attempt=jobs.c.attempt + 1,
            version=jobs.c.version + 1,
            updated_at=now,
        )
        .returning(*jobs.c)
    )
    return sorted((_job(row) for row in taken), key=lambda row: (row.created_at, row.number))


def renew(tx: Tx, token: str, ids: Collection[JobId], until: str) -> None:
    """Let the lease of jobs that are worked on under *token* run until *until*."""
    own = (jobs.c.id.in_(ids), jobs.c.owner_token == token, jobs.c.state == "running")
    tx.execute(update(jobs).where(*own).values(lease_until=until))


def running(tx: Tx) -> list[Job]:
    """Return, of every person, what runs now: for the host, which looks for those whose process is gone."""
    return [_job(row) for row in tx.execute(select(jobs).where(jobs.c.state == "running"))]


def queued_before(tx: Tx, moment: str) -> int:
    """Count, of every person, what has been queued since before a moment and is not taken up: for the doctor."""
    own = (jobs.c.state == "queued", jobs.c.updated_at < moment)
    return int(tx.execute(select(func.count()).select_from(jobs).where(*own)).scalar() or 0)


def taken_up_before(tx: Tx, moment: str) -> int:
    """Count, of every person, what was taken up before a moment and has not begun: for the doctor."""
    own = (jobs.c.state == "running", jobs.c.started_at.is_(None), jobs.c.updated_at < moment)
    return int(tx.execute(select(func.count()).select_from(jobs).where(*own)).scalar() or 0)


def untold(tx: Tx, limit: int = 100) -> list[Job]:
    """Return, of every person, the jobs that have ended and whose session has not been told."""
    query = select(jobs).where(jobs.c.state.in_(ENDED), jobs.c.told_at.is_(None)).order_by(jobs.c.ended_at).limit(limit)
    return [_job(row) for row in tx.execute(query)]
