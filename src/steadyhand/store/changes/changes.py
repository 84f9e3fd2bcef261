"""Decides how changes lie in the database and how one is moved on, by compare-and-swap; it must not know a legal move from an illegal one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, cast

from sqlalchemy import Integer, Select, bindparam, insert, select, update

from steadyhand.core.canonical import Json
from steadyhand.core.ids import ChangeId, SessionId, UserId
from steadyhand.core.language import Language
from steadyhand.core.owners import Claim
from steadyhand.store.changes.tables import changes, decisions, displays
from steadyhand.store.database.engine import Tx
from steadyhand.store.database.prepared import USER, of, own


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """A change as stored; each field is a column of ``changes``."""

    id: ChangeId
    user_id: UserId
    number: int
    session_id: SessionId
    domain: str
    target_name: str
    target_shared: bool
    target_key: str
    state: str
    source_kind: str
    request: str
    language: Language
    policy: str
    expires_at: str
    created_at: str
    updated_at: str
    source: Json = None
    scope: Json = None
    observation: Json = None
    spec: str | None = None
    spec_digest: str | None = None
    route: Json = None
    calls: Json = ()
    provider_round: int = 0
    call_failures: int = 0
    operations: Json = None
    program: Json = None
    program_digest: str | None = None
    rehearsal: Json = None
    seal: str | None = None
    seal_digest: str | None = None
    approved_at: str | None = None
    reason: Json = None
    submission_id: str | None = None
    owner: Json = None
    owner_token: str | None = None
    lease_until: str | None = None
    receipt: Json = None
    evidence: Json = None
    superseded_by: int | None = None
    repair_of: int | None = None
    undo_of: int | None = None
    stop_noted: bool = False
    direct: bool = False
    version: int = 1

    @property
    def claim(self) -> Claim:
        """Who has the change's present work."""
        return Claim(self.owner, self.owner_token, self.lease_until)


COLUMNS = tuple(field.name for field in fields(ChangeRow))


_OF_USER = (
    select(changes).where(changes.c.user_id == USER).order_by(changes.c.number.desc()).limit(bindparam("most", type_=Integer))
)
_OF_USER_IN = _OF_USER.where(changes.c.state.in_(bindparam("states", expanding=True)))
_IS_LAST = select(displays.c.change_id).where(displays.c.user_id == USER, displays.c.at_message >= 0).limit(1)
_SHOWN = select(displays).where(*own(displays), displays.c.change_id == bindparam("change"))


def _rows(tx: Tx, statement: Select[Any], values: Mapping[str, object] | None = None) -> list[ChangeRow]:
    return [ChangeRow(**cast("dict[str, Any]", dict(row))) for row in tx.execute(statement, values).mappings()]


def insert_change(tx: Tx, row: ChangeRow) -> None:
    """Store a new change."""
    tx.execute(insert(changes).values({name: getattr(row, name) for name in COLUMNS}))


def by_number(tx: Tx, user: UserId, number: int) -> ChangeRow | None:
    """Return the person's change of that number."""
    found = _rows(tx, select(changes).where(changes.c.user_id == user, changes.c.number == number))
    return found[0] if found else None


def by_id(tx: Tx, user: UserId, change: ChangeId, *, lock: bool = False) -> ChangeRow | None:
    """Return the person's change of that id; with *lock* nobody else moves it until the transaction ends."""
    statement = select(changes).where(changes.c.user_id == user, changes.c.id == change)
    found = _rows(tx, statement.with_for_update() if lock and not tx.on_sqlite else statement)
    return found[0] if found else None


def of_user(tx: Tx, user: UserId, *, states: Iterable[str] | None = None, limit: int = 200) -> list[ChangeRow]:
    """Return the person's changes, newest first."""
    if states is None:
        return _rows(tx, _OF_USER, of(user, most=limit))
    return _rows(tx, _OF_USER_IN, of(user, most=limit, states=list(states)))


def versions(tx: Tx, user: UserId, limit: int = 200) -> dict[int, int]:
    """Return the versions of the person's newest changes by number: cheap enough to be asked for every second."""
    statement = select(changes.c.number, changes.c.version).where(changes.c.user_id == user)
    return {row.number: row.version for row in tx.execute(statement.order_by(changes.c.number.desc()).limit(limit))}


def of_session(tx: Tx, user: UserId, session: SessionId, states: Iterable[str]) -> list[ChangeRow]:
    """Return the changes in *states* that the person's session proposed, oldest first."""
    theirs = (changes.c.user_id == user, changes.c.session_id == session, changes.c.state.in_(list(states)))
    return _rows(tx, select(changes).where(*theirs).order_by(changes.c.number))


def on_target(tx: Tx, target_key: str, states: Iterable[str], *, lock: Literal["wait", "skip"] | None = None) -> list[ChangeRow]:
    """Return the changes of one target in *states*, whoever made them (a shared target has several persons).

    With *lock* nobody else moves them until the transaction ends; those that somebody is moving right now are waited for or skipped.
    """
    statement = select(changes).where(changes.c.target_key == target_key, changes.c.state.in_(list(states)))
    if lock is not None and not tx.on_sqlite:
        statement = statement.with_for_update(skip_locked=lock == "skip")
    return _rows(tx, statement)


def superseded_by(tx: Tx, user: UserId, number: int) -> list[int]:
    """Return the numbers of the person's changes that the change *number* withdrew by taking their place."""
    found = (
        select(changes.c.number).where(changes.c.user_id == user, changes.c.superseded_by == number).order_by(changes.c.number)
    )
    return [row.number for row in tx.execute(found)]


def in_states(tx: Tx, states: Iterable[str]) -> list[ChangeRow]:
    """Return every change in *states*, of every person: for recovery and the doctor alone."""
    return _rows(tx, select(changes).where(changes.c.state.in_(list(states))).order_by(changes.c.created_at))


def compare_and_swap(tx: Tx, row: ChangeRow, columns: Mapping[str, Any]) -> bool:
    """Write *columns* when the stored row is still *row*'s version and state; tell whether it was."""
    done = tx.execute(
        update(changes)
        .where(
            changes.c.user_id == row.user_id,
            changes.c.id == row.id,
            changes.c.version == row.version,
            changes.c.state == row.state,
        )
        .values(**columns, version=row.version + 1, updated_at=tx.now())
    )
    return done.rowcount == 1


def renew_lease(tx: Tx, user: UserId, change: ChangeId, token: str, until: str) -> bool:
    """Push the lease of the owner that holds *token*; tell whether it still is the owner."""
    done = tx.execute(
        update(changes)
        .where(changes.c.user_id == user, changes.c.id == change, changes.c.owner_token == token)
        .values(lease_until=until)
    )
    return done.rowcount == 1


def note_stop(tx: Tx, user: UserId, change: ChangeId) -> None:
    """Mark that a stop was asked for; this moves nothing, so whoever works on the change goes on undisturbed."""
    tx.execute(update(changes).where(changes.c.user_id == user, changes.c.id == change).values(stop_noted=True))


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """A decision as stored: what was decided, on which digest, through which door, by a person, a policy or a direct act."""

    id: str
    user_id: UserId
    change_id: ChangeId
    session_id: SessionId
    kind: str
    digest: str | None
    door: str
    decided_by: str
    words: str
    at: str


def add_decision(tx: Tx, row: DecisionRow) -> None:
    """Store a decision; decisions are never changed."""
    tx.execute(insert(decisions).values({field.name: getattr(row, field.name) for field in fields(DecisionRow)}))


def find_decision(tx: Tx, user: UserId, decision: str) -> DecisionRow | None:
    """Return one of the person's decisions, by its id."""
    row = tx.execute(select(decisions).where(decisions.c.user_id == user, decisions.c.id == decision)).mappings().first()
    return None if row is None else DecisionRow(**cast("dict[str, Any]", dict(row)))


def decisions_of(tx: Tx, user: UserId, change: ChangeId) -> list[DecisionRow]:
    """Return the decisions on a change, oldest first."""
    statement = select(decisions).where(decisions.c.user_id == user, decisions.c.change_id == change).order_by(decisions.c.at)
    return [DecisionRow(**cast("dict[str, Any]", dict(row))) for row in tx.execute(statement).mappings()]


@dataclass(frozen=True, slots=True)
class Display:
    """What was last shown of a change in a session: which digest, after how many messages of the person."""

    change_id: ChangeId
    kind: str
    digest: str
    at_message: int
    shown_at: str


def show(tx: Tx, user: UserId, session: SessionId, display: Display) -> None:
    """Store that the session has now seen this digest of the change."""
    key = (displays.c.user_id == user, displays.c.session_id == session, displays.c.change_id == display.change_id)
    values = {"kind": display.kind, "digest": display.digest, "at_message": display.at_message, "shown_at": display.shown_at}
    if tx.execute(update(displays).where(*key).values(**values)).rowcount == 0:
        tx.execute(insert(displays).values(user_id=user, session_id=session, change_id=display.change_id, **values))


def shown(tx: Tx, user: UserId, session: SessionId, change: ChangeId) -> Display | None:
    """Return what the session last saw of the change."""
    row = tx.execute(_SHOWN, of(user, session, change=change)).mappings().first()
    if row is None:
        return None
    return Display(change, row["kind"], row["digest"], row["at_message"], row["shown_at"])


def is_last(tx: Tx, user: UserId) -> bool:
    """Tell whether a review is, in some session, the last thing that the person was shown."""
    return tx.execute(_IS_LAST, of(user)).first() is not None


def no_longer_last(tx: Tx, user: UserId) -> None:
    """Store that something else is put before the person: no review, in any session, is the last thing that they were shown."""
    key = (displays.c.user_id == user, displays.c.at_message >= 0)
    tx.execute(update(displays).where(*key).values(at_message=-1))
