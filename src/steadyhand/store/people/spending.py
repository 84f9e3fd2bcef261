"""Decides how what a person's requests to models cost lies, by day and model. It must not decide what is too much."""

from dataclasses import dataclass

from sqlalchemy import select, update

from steadyhand.core.ids import UserId
from steadyhand.store.database.engine import Tx, put
from steadyhand.store.people.tables import spending

MODEL_LENGTH = 128
"""So much of a model's name is kept: some are called by the path of a file."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What requests of one day came to; *cost* is in the currency of the prices that the settings give."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0


def add(tx: Tx, user: UserId, day: str, model: str, spent: Spent) -> None:
    """Add what a request has cost to its day (``YYYY-MM-DD``). Two who do so at once both count."""
    key = {"user_id": user, "day": day, "model": model[:MODEL_LENGTH]}
    put(tx, spending, {**key, "requests": 0, "input_tokens": 0, "output_tokens": 0, "cost": 0.0}, unless_there=True)
    tx.execute(
        update(spending)
        .where(*(spending.c[name] == value for name, value in key.items()))
        .values(
            requests=spending.c.requests + spent.requests,
            input_tokens=spending.c.input_tokens + spent.input_tokens,
            output_tokens=spending.c.output_tokens + spent.output_tokens,
            cost=spending.c.cost + spent.cost,
        )
    )


def on_day(tx: Tx, user: UserId, day: str) -> Spent:
    """Return what all of a day's requests of the person came to."""
    own = (spending.c.user_id == user, spending.c.day == day)
    rows = tx.execute(select(spending).where(*own)).all()  # one for each model: few
    return Spent(
        sum(row.requests for row in rows),
        sum(row.input_tokens for row in rows),
        sum(row.output_tokens for row in rows),
        sum(row.cost for row in rows),
    )
