"""Decides which process is the host of a database: one alone where it is a file, any number on a server. It must not do a host's work.

The lock is the kernel's, so that it ends with its process. Who has it stands in ``host.json`` beside it, for people to read.
"""

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncGenerator, Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from steadyhand.core.clock import to_text
from steadyhand.store import Store
from steadyhand.store.locks import among, exclusive, is_held

LOCK = "host"
LOOK_SECONDS = 1.0
"""So long the lock is tried for: whoever only looks who has it holds it for a moment too."""

What = Literal["serve", "worker", "chat"]


@dataclass(frozen=True, slots=True)
class Seated:
    """A process that hosts: what it was started as, its id, since when. Where only the lock says so, the id is 0."""

    what: str
    pid: int
    since: str


@contextlib.asynccontextmanager
async def seat(store: Store, what: What, *, wait_seconds: float = LOOK_SECONDS) -> AsyncGenerator[Seated | None]:
    """Be the host until the block ends; None when another process is. On a server there may be several."""
    own = Seated(what, os.getpid(), to_text(store.clock.now()))
    with contextlib.ExitStack() as kept:
        if store.on_sqlite:
            got = await asyncio.to_thread(kept.enter_context, exclusive(store, LOCK, wait_seconds=wait_seconds))
            if not got:
                yield None
                return
            kept.enter_context(_named(_card(store), own))
        else:
            await asyncio.to_thread(kept.enter_context, among(store, LOCK))
        yield own


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
            card.unlink()


def _read(card: Path | None) -> Seated | None:
    if card is None:
        return None
    try:
        entry = cast("Mapping[str, Any]", json.loads(card.read_text(encoding="utf-8")))
        return Seated(str(entry["what"]), int(entry["pid"]), str(entry["since"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
