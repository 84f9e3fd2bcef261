"""Decides how the numbers that people say (reminder 3, job 7) are given out: ascending, each once. It must not know what they name."""

from sqlalchemy import insert, update

from steadyhand.core.ids import UserId
from steadyhand.store.database.engine import Tx
from steadyhand.store.later.tables import counters
from steadyhand.store.people.people import hold_user


def next_number(tx: Tx, user: UserId, name: str) -> int:
    """Take the person's next number of the count *name*, from 1."""
    hold_user(tx, user)
    own = (counters.c.user_id == user, counters.c.name == name)
    query = update(counters).where(*own).values(next=counters.c.next + 1).returning(counters.c.next)
    after = tx.execute(query).scalar()
    if after is None:
        tx.execute(insert(counters).values(user_id=user, name=name, next=2))
        return 1
    return int(after) - 1
