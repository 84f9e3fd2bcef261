"""Decides how the record of a change lies: journal, artifacts, the target's own proof, the step log. It must not compute a hash or a state."""

from dataclasses import dataclass
from typing import cast

from sqlalchemy import insert, select, update
from sqlalchemy.exc import NoResultFound

from steadyhand.core.canonical import Json
from steadyhand.core.ids import ChangeId, UserId
from steadyhand.store.changes.tables import applied, artifacts, call_results, changes, journal, steps
from steadyhand.store.database.engine import Tx


class Fenced(Exception):
    """This process no longer owns the submission: another has taken it over, so it must not write."""


@dataclass(frozen=True, slots=True)
class JournalRow:
    """One entry of a change's journal: its canonical text and the hash that chains it."""

    seq: int
    entry: str
    hash: str


def last_entry(tx: Tx, user: UserId, change: ChangeId) -> JournalRow | None:
    """Return the newest entry of the change's journal."""
    row = tx.execute(
        select(journal).where(journal.c.user_id == user, journal.c.change_id == change).order_by(journal.c.seq.desc()).limit(1)
    ).first()
    return JournalRow(row.seq, row.entry, row.hash) if row else None


def append_entry(tx: Tx, user: UserId, change: ChangeId, row: JournalRow) -> None:
    """Append an entry; one of the same sequence number is refused by the database."""
    tx.execute(insert(journal).values(change_id=change, user_id=user, seq=row.seq, entry=row.entry, hash=row.hash))


def entries(tx: Tx, user: UserId, change: ChangeId) -> list[JournalRow]:
    """Return the whole journal of a change, oldest first."""
    rows = tx.execute(select(journal).where(journal.c.user_id == user, journal.c.change_id == change).order_by(journal.c.seq))
    return [JournalRow(row.seq, row.entry, row.hash) for row in rows]


def put_artifact(tx: Tx, user: UserId, change: ChangeId, name: str, content: bytes) -> None:
    """Store a file of the dossier; the same name again replaces it."""
    key = (artifacts.c.user_id == user, artifacts.c.change_id == change, artifacts.c.name == name)
    if tx.execute(update(artifacts).where(*key).values(content=content)).rowcount == 0:
        tx.execute(insert(artifacts).values(user_id=user, change_id=change, name=name, content=content))


def artifacts_of(tx: Tx, user: UserId, change: ChangeId) -> dict[str, bytes]:
    """Return the files of a change's dossier by name."""
    rows = tx.execute(
        select(artifacts).where(artifacts.c.user_id == user, artifacts.c.change_id == change).order_by(artifacts.c.name)
    )
    return {row.name: bytes(row.content) for row in rows}


def fence(tx: Tx, user: UserId, change: ChangeId, token: str) -> None:
    """Hold the change's row until the transaction ends; raise `Fenced` unless *token* still owns its submission.

    An effect in our own database takes this first: a process that was given up cannot write after all, and whoever
    takes over waits for a transaction that is still under way.
    """
    statement = select(changes.c.owner_token, changes.c.state).where(changes.c.user_id == user, changes.c.id == change)
    try:
        row = tx.execute(statement if tx.on_sqlite else statement.with_for_update()).one()
    except NoResultFound:
        raise Fenced(change) from None
    if row.owner_token != token or row.state != "submitting":
        raise Fenced(change)


@dataclass(frozen=True, slots=True)
class AppliedRow:
    """The proof, written with the effect itself, that a program took place."""

    program_digest: str
    footprint_after: dict[str, str]
    result: Json


def record_applied(tx: Tx, user: UserId, change: ChangeId, row: AppliedRow) -> None:
    """Store the proof; a second one for the same change is refused by the database."""
    tx.execute(
        insert(applied).values(
            change_id=change,
            user_id=user,
            program_digest=row.program_digest,
            footprint_after=row.footprint_after,
            result=row.result,
            at=tx.now(),
        )
    )


def find_applied(tx: Tx, user: UserId, change: ChangeId) -> AppliedRow | None:
    """Return the proof for a change, or None when its effect is not in the database."""
    row = tx.execute(select(applied).where(applied.c.user_id == user, applied.c.change_id == change)).first()
    return AppliedRow(row.program_digest, cast("dict[str, str]", row.footprint_after), row.result) if row else None


@dataclass(frozen=True, slots=True)
class StepRow:
    """One effect on a foreign target, as logged."""

    idx: int
    name: str
    state: str
    detail: Json


def begin_step(tx: Tx, user: UserId, change: ChangeId, name: str, detail: Json) -> int:
    """Store that an effect begins; return its index from 0."""
    idx = len(steps_of(tx, user, change))
    tx.execute(
        insert(steps).values(change_id=change, user_id=user, idx=idx, name=name, state="begun", detail=detail, begun_at=tx.now())
    )
    return idx


def end_step(tx: Tx, user: UserId, change: ChangeId, idx: int, detail: Json) -> None:
    """Store that an effect has ended; without a *detail* the one of its beginning stays."""
    key = (steps.c.user_id == user, steps.c.change_id == change, steps.c.idx == idx)
    told = {} if detail is None else {"detail": detail}
    tx.execute(update(steps).where(*key).values(state="ended", ended_at=tx.now(), **told))


def steps_of(tx: Tx, user: UserId, change: ChangeId) -> list[StepRow]:
    """Return the step log of a change, ascending."""
    rows = tx.execute(select(steps).where(steps.c.user_id == user, steps.c.change_id == change).order_by(steps.c.idx))
    return [StepRow(row.idx, row.name, row.state, row.detail) for row in rows]


def put_call_result(tx: Tx, user: UserId, change: ChangeId, result: Json) -> None:
    """Store what an approved tool call returned."""
    tx.execute(insert(call_results).values(change_id=change, user_id=user, result=result, at=tx.now()))


def call_result(tx: Tx, user: UserId, change: ChangeId) -> Json:
    """Return what the approved tool call returned, or None."""
    return tx.execute(
        select(call_results.c.result).where(call_results.c.user_id == user, call_results.c.change_id == change)
    ).scalar_one_or_none()
