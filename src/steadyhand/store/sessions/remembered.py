"""Decides how what a session holds for a while, and what a person wants for good, lie. It must not decide what is worth keeping."""

from collections.abc import Mapping

from sqlalchemy import bindparam, delete, or_, select, tuple_

from steadyhand.core.canonical import Json
from steadyhand.core.ids import SessionId, UserId
from steadyhand.store.database.engine import Tx
from steadyhand.store.database.engine import put as write
from steadyhand.store.database.prepared import USER, of, own
from steadyhand.store.people.tables import preferences
from steadyhand.store.sessions.tables import working_memory

_HELD = select(working_memory.c.key, working_memory.c.value).where(
    *own(working_memory), or_(working_memory.c.expires_at.is_(None), working_memory.c.expires_at > bindparam("now"))
)
_DROP = delete(working_memory).where(*own(working_memory), working_memory.c.key == bindparam("named"))
_PREFERRED = select(preferences.c.key, preferences.c.value).where(preferences.c.user_id == USER).order_by(preferences.c.key)


def put(tx: Tx, user: UserId, session: SessionId, key: str, value: Json, expires_at: str | None) -> None:
    """Hold *value* for the session under *key* until *expires_at* (None: as long as the session)."""
    row = {"user_id": user, "session_id": session, "key": key, "value": value, "set_at": tx.now(), "expires_at": expires_at}
    write(tx, working_memory, row)


def held(tx: Tx, user: UserId, session: SessionId) -> Mapping[str, Json]:
    """Return all that the session holds now, by key."""
    return {row.key: row.value for row in tx.execute(_HELD, of(user, session, now=tx.now()))}


def drop(tx: Tx, user: UserId, session: SessionId, key: str) -> None:
    """Hold nothing for the session under *key* any more."""
    tx.execute(_DROP, of(user, session, named=key))


def forget_expired(tx: Tx, limit: int) -> int:
    """Remove, of every person, what no session holds any more, at most *limit*; return how much that was."""
    key = tuple_(*working_memory.primary_key)
    found = select(*working_memory.primary_key).where(working_memory.c.expires_at <= tx.now()).limit(limit)
    return tx.execute(delete(working_memory).where(key.in_(found))).rowcount


def prefer(tx: Tx, user: UserId, key: str, value: Json) -> None:
    """Store what the person prefers; None forgets it."""
    if value is None:
        tx.execute(delete(preferences).where(preferences.c.user_id == user, preferences.c.key == key))
    else:
        write(tx, preferences, {"user_id": user, "key": key, "value": value, "set_at": tx.now()})


def preferred(tx: Tx, user: UserId) -> Mapping[str, Json]:
    """Return what the person prefers, by key, in the order of the keys."""
    return {row.key: row.value for row in tx.execute(_PREFERRED, of(user))}
