"""Decides how people and their sessions are stored; it must not decide who may do what."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import Row, bindparam, insert, select, tuple_, update

from steadyhand.core.errors import DecisionRefused
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.language import Language
from steadyhand.store.database.engine import Tx, put
from steadyhand.store.database.prepared import SESSION, USER, of
from steadyhand.store.people.tables import sessions, users

_OWN = (sessions.c.user_id == USER, sessions.c.id == SESSION)
_USER = select(users).where(users.c.id == USER)
_MESSAGES = select(sessions.c.messages).where(*_OWN)
_TAKE_SEQ = update(sessions).where(*_OWN).values(next_seq=sessions.c.next_seq + bindparam("count")).returning(sessions.c.next_seq)
_COUNT_MESSAGES = (
    update(sessions).where(*_OWN).values(messages=sessions.c.messages + bindparam("count")).returning(sessions.c.messages)
)


@dataclass(frozen=True, slots=True)
class User:
    """A person of this installation. *rights* are the domains whose targets they may change; ``*`` is all."""

    id: UserId
    name: str
    zone: str
    language: Language
    rights: tuple[str, ...]


def find_user(tx: Tx, user: UserId) -> User | None:
    """Return the person, or None."""
    row = tx.execute(_USER, of(user)).first()
    return None if row is None else user_of(row)


def user_of(row: Row[Any]) -> User:
    """Return the person whose columns a row has."""
    return User(UserId(row.id), row.name, row.zone, cast("Language", row.language), tuple(cast("list[str]", row.rights)))


def require_user(tx: Tx, user: UserId) -> User:
    """Return the person, or raise `DecisionRefused`."""
    found = find_user(tx, user)
    if found is None:
        raise DecisionRefused("user_unknown", user=user)
    return found


def add_user(tx: Tx, user: User) -> None:
    """Store a new person."""
    tx.execute(
        insert(users).values(
            id=user.id,
            name=user.name,
            zone=user.zone,
            language=user.language,
            rights=list(user.rights),
            next_change=1,
            created_at=tx.now(),
        )
    )


def change_user(tx: Tx, user: UserId, **columns: object) -> None:
    """Change *columns* (zone, language, name, rights) of the person."""
    tx.execute(update(users).where(users.c.id == user).values(**columns))


def next_change_number(tx: Tx, user: UserId) -> int:
    """Take the next number that this person's changes are called by."""
    taken = tx.execute(
        update(users).where(users.c.id == user).values(next_change=users.c.next_change + 1).returning(users.c.next_change)
    ).scalar_one()
    return int(taken) - 1


def ensure_session(tx: Tx, user: UserId, session: SessionId, channel: str) -> None:
    """Make sure that the session's row is there; one that belongs to the same id of another person is another row."""
    now = tx.now()
    row = {"user_id": user, "id": session, "channel": channel, "messages": 0, "created_at": now, "updated_at": now}
    put(tx, sessions, row, unless_there=True)


def hold_session(tx: Tx, user: UserId, session: SessionId) -> None:
    """Let nobody else who asks for the same work on the session until the transaction ends."""
    if not tx.on_sqlite:
        own = (sessions.c.user_id == user, sessions.c.id == session)
        tx.execute(select(sessions.c.id).where(*own).with_for_update(key_share=True))


def hold_sessions(tx: Tx, keys: Collection[tuple[UserId, SessionId]]) -> None:
    """Hold several sessions, in the one order that everybody does who holds several."""
    if not tx.on_sqlite and keys:
        key = (sessions.c.user_id, sessions.c.id)
        query = select(sessions.c.id).where(tuple_(*key).in_(sorted(keys))).order_by(*key)
        tx.execute(query.with_for_update(key_share=True))


def hold_user(tx: Tx, user: UserId) -> None:
    """Let nobody else who asks for the same work on what is the person's until the transaction ends."""
    if not tx.on_sqlite:
        tx.execute(select(users.c.id).where(users.c.id == user).with_for_update(key_share=True))


def take_seq(tx: Tx, user: UserId, session: SessionId, count: int = 1) -> int:
    """Take the next *count* numbers of the session, in which all that comes in, is said and is owed has its order; return the first."""
    after = tx.execute(_TAKE_SEQ, of(user, session, count=count)).scalar_one_or_none()
    if after is None:
        raise DecisionRefused("session_unknown", session=session)
    return int(after) - count


def count_messages(tx: Tx, user: UserId, session: SessionId, count: int = 1) -> int:
    """Count *count* more messages of the person in the session; return the ordinal of the last, from 1."""
    counted = tx.execute(_COUNT_MESSAGES, of(user, session, count=count)).scalar_one_or_none()
    if counted is None:
        raise DecisionRefused("session_unknown", session=session)
    return int(counted)


def messages(tx: Tx, user: UserId, session: SessionId) -> int:
    """Return how many messages of the person the session has had."""
    found = tx.execute(_MESSAGES, of(user, session)).scalar_one_or_none()
    return int(found or 0)
