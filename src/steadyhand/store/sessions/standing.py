"""Decides how what a session stands with is read in one statement, when its lane is taken. It must not change anything."""

from dataclasses import dataclass

from sqlalchemy import exists, select

from steadyhand.core.errors import DecisionRefused
from steadyhand.core.ids import SessionId, UserId
from steadyhand.store.database.engine import Tx
from steadyhand.store.database.prepared import USER, of, own
from steadyhand.store.people.people import User, user_of
from steadyhand.store.people.tables import users
from steadyhand.store.sessions.outbox import OPEN
from steadyhand.store.sessions.tables import outbox, turns

_STANDING = select(
    users,
    exists().where(*own(turns), turns.c.state == "running").label("left_running"),
    exists().where(*own(outbox), outbox.c.state.in_(OPEN)).label("owes"),
).where(users.c.id == USER)


@dataclass(frozen=True, slots=True)
class Standing:
    """The session's person, whether a turn was left running, and whether something is owed, or being sent."""

    user: User
    left_running: bool
    owes: bool


def standing(tx: Tx, user: UserId, session: SessionId) -> Standing:
    """Return how the session stands; raises `DecisionRefused` for a person who is not there."""
    row = tx.execute(_STANDING, of(user, session)).first()
    if row is None:
        raise DecisionRefused("user_unknown", user=user)
    return Standing(user_of(row), row.left_running, row.owes)
