"""Decides how long what a session works with is held. It must not know what is held, and nothing may depend on it for good."""

from collections.abc import Mapping
from datetime import timedelta

from steadyhand.core.canonical import Json
from steadyhand.core.clock import to_text
from steadyhand.core.ids import SessionId, UserId
from steadyhand.memory.tiers import Tiers
from steadyhand.store import Store, Tx
from steadyhand.store.sessions import remembered


class Working:
    """What the sessions work with: parked questions, the list last shown, an intermediate state of a task."""

    def __init__(self, store: Store, tiers: Tiers) -> None:
        self._store = store
        self._tiers = tiers

    async def hold(self, user: UserId, session: SessionId, key: str, value: Json, *, keep: bool = False) -> None:
        """Hold *value* for the session under *key*, in the place of what was there; with *keep* as long as the session."""
        until = None if keep else to_text(self._store.clock.now() + timedelta(hours=self._tiers.working_hours))
        await self._store.write(lambda tx: remembered.put(tx, user, session, key, value, until))

    async def held(self, user: UserId, session: SessionId) -> Mapping[str, Json]:
        """Return all that the session holds now, by key."""
        return await self._store.read(lambda tx: remembered.held(tx, user, session))

    async def drop(self, user: UserId, session: SessionId, *keys: str) -> None:
        """Hold nothing for the session under *keys* any more."""

        def work(tx: Tx) -> None:
            for key in keys:
                remembered.drop(tx, user, session, key)

        await self._store.write(work)
