"""Decides which process is the host of a database: one alone where it is a file, any number on a server. It must not do a host's work.

The lock is the kernel's, so that it ends with its process. Who has it stands in ``host.json`` beside it, for people to read.

A chat hands its place over when `steady serve` asks for it, by a lock of its own. A host that is suspended, or a chat that does not answer,
is displaced: its lock counts no more, which it sees before its next look. Nothing that both have begun happens twice, since each row is
claimed in the database by one of them, as by several hosts on a server.
"""

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, cast

from steadyhand.core.clock import to_text
from steadyhand.core.owners import is_suspended
from steadyhand.store import Store
from steadyhand.store.database.locks import Stands, among, displace, exclusive, is_held, standing

LOCK = "host"
WANTED = "host.wanted"
HAND_OVER_SECONDS = 15.0
"""So long a chat has for letting go of its place."""
LOOK_SECONDS = 1.0
"""So long the lock is tried for: whoever only looks who has it holds it for a moment too."""

What = Literal["serve", "worker", "chat"]


def _always() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Seated:
    """A process that hosts: what it was started as, its id, since when. Where only the lock says so, the id is 0.

    *holds* tells the process itself whether the place is still its own.
    """

    what: str
    pid: int
    since: str
    holds: Callable[[], bool] = field(default=_always, compare=False)

    @property
    def suspended(self) -> bool:
        """Whether it is stopped, and sees to nothing."""
        return bool(self.pid) and is_suspended(self.pid)


@contextlib.asynccontextmanager
async def seat(store: Store, what: What, *, wait_seconds: float = LOOK_SECONDS) -> AsyncGenerator[Seated | None]:
    """Be the host until the block ends; None when another process is. On a server there may be several."""
    own = Seated(what, os.getpid(), to_text(store.clock.now()))
    with contextlib.ExitStack() as kept:
        if store.file is not None:
            stands = await asyncio.to_thread(_sit, kept, store, store.file, what, wait_seconds)
            if stands is None:
                yield None
                return
            own = replace(own, holds=_held_by(store, what, stands))
            kept.enter_context(_named(_card(store), own))
        else:
            await asyncio.to_thread(kept.enter_context, among(store, LOCK))
        yield own


def _sit(kept: contextlib.ExitStack, store: Store, file: Path, what: What, wait_seconds: float) -> Stands | None:
    """Take the place: where nobody has it, where a chat lets go of it, where its host is suspended."""
    got = kept.enter_context(standing(file, LOCK, wait_seconds=wait_seconds))
    there = None if got is not None else seated(store)
    if there is None or not (there.suspended or (there.what == "chat" and what == "serve")):
        return got
    with exclusive(store, WANTED, wait_seconds=LOOK_SECONDS) as asked:
        if not asked:
            return None
        if not there.suspended:
            got = kept.enter_context(standing(file, LOCK, wait_seconds=HAND_OVER_SECONDS))
        if got is None and _read(_card(store)) == there:
            displace(file, LOCK)
            got = kept.enter_context(standing(file, LOCK))
        return got


def _held_by(store: Store, what: What, stands: Stands) -> Callable[[], bool]:
    return stands if what != "chat" else lambda: stands() and not is_held(store, WANTED)


def seated(store: Store) -> Seated | None:
    """Return who hosts now; None when nobody does."""
    if not is_held(store, LOCK):
        return None
    unknown = Seated("serve", 0, "")
    return unknown if not store.on_sqlite else _read(_card(store)) or unknown


def _card(store: Store) -> Path | None:
    return None if store.file is None else store.file.parent / f"{LOCK}.json"


@contextlib.contextmanager
def _named(card: Path | None, own: Seated) -> Generator[None]:
    """Let the card say who hosts; without one that is only not said."""
    if card is None:
        yield
        return
    entry = {"what": own.what, "pid": own.pid, "since": own.since}
    beside = card.with_name(f"{card.name}.{own.pid}")
    with contextlib.suppress(OSError):
        beside.write_text(json.dumps(entry), encoding="utf-8")
        beside.replace(card)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            if own == _read(card):
                card.unlink()


def _read(card: Path | None) -> Seated | None:
    if card is None:
        return None
    try:
        entry = cast("Mapping[str, Any]", json.loads(card.read_text(encoding="utf-8")))
        return Seated(str(entry["what"]), int(entry["pid"]), str(entry["since"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
