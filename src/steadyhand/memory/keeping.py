"""Decides what of a conversation is removed because it is old. It must not touch a change, a preference, or a session that still waits."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import timedelta

from steadyhand.core.clock import to_text
from steadyhand.core.ids import SessionId, UserId
from steadyhand.memory.tiers import Tiers
from steadyhand.store import Store, Tx
from steadyhand.store.changes import changes
from steadyhand.store.sessions import conversations, inbox, outbox, remembered, turns

BATCH = 500
"""So much is removed in one transaction, so that nobody waits long for the database."""


@dataclass(frozen=True, slots=True)
class Swept:
    """How much a sweep removed of each kind."""

    said: int
    working: int
    accepted: int
    owed: int
    turns: int


async def sweep(
    store: Store,
    tiers: Tiers,
    *,
    busy: Collection[tuple[UserId, SessionId]],
    open_states: Collection[str],
    batch: int = BATCH,
) -> Swept:
    """Remove expired working memory and, where history is not kept for good, what is older than the limit.

    What was said stays in *busy* sessions (wake-ups are due in them) and in those that have a change in one of *open_states*.
    """
    working = await _all(store, lambda tx: remembered.forget_expired(tx, batch), batch)
    if tiers.history_days is None:
        return Swept(0, working, 0, 0, 0)
    limit = to_text(store.clock.now() - timedelta(days=tiers.history_days))
    said = 0
    for user, session in await store.read(lambda tx: conversations.with_history_before(tx, limit)):
        if (user, session) not in busy:
            said += await _all(store, _forgetting(user, session, limit, open_states, batch), batch)
    return Swept(
        said,
        working,
        await _all(store, lambda tx: inbox.forget_settled(tx, limit, batch), batch),
        await _all(store, lambda tx: outbox.forget_ended(tx, limit, batch), batch),
        await _all(store, lambda tx: turns.forget_ended(tx, limit, batch), batch),
    )


async def _all(store: Store, forget: Callable[[Tx], int], batch: int) -> int:
    """Remove batch by batch until one is not full; return how much that was."""
    total = 0
    while True:
        gone = await store.write(forget)
        total += gone
        if gone < batch:
            return total


def _forgetting(user: UserId, session: SessionId, limit: str, open_states: Collection[str], batch: int) -> Callable[[Tx], int]:
    def work(tx: Tx) -> int:
        if changes.of_session(tx, user, session, open_states) or turns.running(tx, user, session):
            return 0
        return conversations.forget_before(tx, user, session, limit, batch)

    return work
