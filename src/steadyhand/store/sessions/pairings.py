"""Decides how the codes lie by which an account of a channel is to be bound to a person. It must not know a code, nor judge one.

At most one waits for a person and a channel. It lies in working memory, under a session that nobody can speak in.
"""

from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import delete, select

from steadyhand.core.ids import SessionId, UserId
from steadyhand.store.database.engine import Tx
from steadyhand.store.sessions.remembered import put as hold
from steadyhand.store.sessions.tables import working_memory

NOWHERE = SessionId("channels/pairing")


@dataclass(frozen=True, slots=True)
class Waiting:
    """A code that waits to be said: how it is recognised, what it gives, and how often a wrong one was said meanwhile."""

    user_id: UserId
    channel: str
    salt: str
    hashed: str
    may_decide: bool
    wrong: int
    expires_at: str


def put(tx: Tx, waiting: Waiting) -> None:
    """Let a code wait, in the place of the one that waited for this person and channel."""
    value = {"salt": waiting.salt, "hashed": waiting.hashed, "may_decide": waiting.may_decide, "wrong": waiting.wrong}
    hold(tx, waiting.user_id, NOWHERE, waiting.channel, value, waiting.expires_at)


def drop(tx: Tx, user: UserId, channel: str) -> None:
    """Let no code wait for this person and channel."""
    own = (working_memory.c.user_id == user, working_memory.c.session_id == NOWHERE, working_memory.c.key == channel)
    tx.execute(delete(working_memory).where(*own))


def of_channel(tx: Tx, channel: str, *, hold_them: bool = False) -> list[Waiting]:
    """Return what waits on the channel now, of every person; *hold_them* keeps others from changing it until the transaction ends."""
    query = select(working_memory).where(
        working_memory.c.session_id == NOWHERE, working_memory.c.key == channel, working_memory.c.expires_at > tx.now()
    )
    if hold_them and not tx.on_sqlite:
        query = query.with_for_update()
    return [_waiting(row) for row in tx.execute(query.order_by(working_memory.c.user_id))]


def _waiting(row: Any) -> Waiting:
    value = cast("dict[str, Any]", row.value)
    return Waiting(
        UserId(row.user_id), row.key, value["salt"], value["hashed"], value["may_decide"], value["wrong"], row.expires_at
    )
