"""Decides which person an account of a channel is, and whether it may decide for them. It must not bind one by itself."""

from dataclasses import dataclass

from sqlalchemy import delete, insert, select

from steadyhand.core.ids import UserId
from steadyhand.store.database.engine import Tx
from steadyhand.store.people.tables import accounts


@dataclass(frozen=True, slots=True)
class Account:
    """An account of a channel that is bound to a person."""

    channel: str
    account: str
    user_id: UserId
    may_decide: bool
    bound_at: str


def find(tx: Tx, channel: str, account: str) -> Account | None:
    """Return who an account is bound to; None when it is a stranger's."""
    row = tx.execute(select(accounts).where(accounts.c.channel == channel, accounts.c.account == account)).first()
    return None if row is None else Account(row.channel, row.account, UserId(row.user_id), row.may_decide, row.bound_at)


def bind(tx: Tx, channel: str, account: str, user: UserId, *, may_decide: bool) -> None:
    """Bind an account to a person, whoever it was bound to before."""
    tx.execute(delete(accounts).where(accounts.c.channel == channel, accounts.c.account == account))
    tx.execute(insert(accounts).values(channel=channel, account=account, user_id=user, may_decide=may_decide, bound_at=tx.now()))


def unbind(tx: Tx, user: UserId, channel: str, account: str) -> bool:
    """Let go of one of the person's accounts; tell whether it was bound to them."""
    own = (accounts.c.user_id == user, accounts.c.channel == channel, accounts.c.account == account)
    return tx.execute(delete(accounts).where(*own)).rowcount == 1


def of_user(tx: Tx, user: UserId) -> list[Account]:
    """Return the person's accounts."""
    query = select(accounts).where(accounts.c.user_id == user).order_by(accounts.c.channel, accounts.c.account)
    return [Account(row.channel, row.account, UserId(row.user_id), row.may_decide, row.bound_at) for row in tx.execute(query)]
