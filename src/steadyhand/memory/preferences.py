"""Decides what a person's preferences may be and how they stand in a prompt. It must not decide which of them a turn obeys."""

from collections.abc import Mapping
from typing import cast

from steadyhand.core.canonical import legible
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import UserId
from steadyhand.core.language import Language, say
from steadyhand.store import Store, Tx
from steadyhand.store.people import people
from steadyhand.store.sessions import remembered

LONGEST_KEY, LONGEST_VALUE, MOST = 64, 500, 100


class Preferences:
    """What each person prefers, by key, kept until they forget it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def prefer(self, user: UserId, key: str, value: str) -> tuple[str, str]:
        """Store that the person prefers *value*, in the place of what *key* was before; return both as they are kept."""
        key, value = _on_one_line(key), _on_one_line(value)
        if not 0 < len(key) <= LONGEST_KEY:
            raise ToolRefusal("preference_key", most=LONGEST_KEY)
        if not 0 < len(value) <= LONGEST_VALUE:
            raise ToolRefusal("preference_value", most=LONGEST_VALUE)

        def work(tx: Tx) -> None:
            people.hold_user(tx, user)
            there = remembered.preferred(tx, user)
            if key not in there and len(there) >= MOST:
                raise ToolRefusal("preferences_full", most=MOST)
            remembered.prefer(tx, user, key, value)

        await self._store.write(work)
        return key, value

    async def forget(self, user: UserId, key: str) -> bool:
        """Remove a preference; tell whether it was there."""
        key = _on_one_line(key)

        def work(tx: Tx) -> bool:
            people.hold_user(tx, user)
            there = key in remembered.preferred(tx, user)
            remembered.prefer(tx, user, key, None)
            return there

        return await self._store.write(work)

    async def all(self, user: UserId) -> Mapping[str, str]:
        """Return what the person prefers, by key, in the order of the keys."""
        return await self._store.read(lambda tx: read(tx, user))


def read(tx: Tx, user: UserId) -> Mapping[str, str]:
    """Return what the person prefers, within a transaction; see `Preferences.all`."""
    return cast("Mapping[str, str]", remembered.preferred(tx, user))


def _on_one_line(text: str) -> str:
    """Return *text* on one line: a preference must not look like more of the prompt than its own line."""
    return " ".join("".join(mark if mark.isprintable() else " " for mark in legible(text)).split())


def lines(preferences: Mapping[str, str], language: Language) -> list[str]:
    """Return *preferences* as the lines of a prompt."""
    return [say(language, "memory.preference", key=key, value=value) for key, value in preferences.items()]
