"""Decides when MCP clients are told that a resource has changed, whoever changed it; it must not say what changed in it.

The rows are looked at every second while somebody listens, since a person decides in another process.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass

import anyio
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus
from mcp.shared.subscriptions import ResourcesListChanged, ResourceUpdated, ServerEvent

from steadyhand.core.errors import SteadyhandError
from steadyhand.core.ids import change_name
from steadyhand.core.logs import get_logger
from steadyhand.domains.schedule.module import NAME
from steadyhand.server.mcp_parts import Context, Parts, connection_of
from steadyhand.server.mcp_resources import CHANGE, CHANGES, DRAFT, TERM, WEEK
from steadyhand.store import Tx
from steadyhand.store.changes import changes, drafts
from steadyhand.store.timetable import timetable

LOOK_SECONDS = 1.0
SEND_SECONDS = 5.0
MOST_FOLLOWED = 2_000

log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the rows were: the timetable's revision, the term, the draft, and the version of each change."""

    timetable: int
    term: tuple[int, int] | None
    draft: tuple[str, int] | None
    changes: dict[int, int]


class Watch(InMemorySubscriptionBus):
    """Who listens for what; a client of the older protocol follows single resources, one of the newer opens a stream."""

    def __init__(self, parts: Parts) -> None:
        super().__init__()
        self._parts = parts
        self._followed: dict[tuple[str, str], ServerSession] = {}
        self._streams = 0
        self._somebody = asyncio.Event()

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        leave = super().subscribe(listener)
        self._streams += 1
        self._somebody.set()

        def left() -> None:
            leave()
            self._streams -= 1

        return left

    def follow(self, context: Context, uri: str) -> None:
        """Tell this connection when *uri* has changed; beyond a bound the one that began first is let go of."""
        while len(self._followed) >= MOST_FOLLOWED:
            del self._followed[next(iter(self._followed))]
        self._followed[connection_of(context), uri] = context.session
        self._somebody.set()

    def leave(self, context: Context, uri: str) -> None:
        """Tell this connection of *uri* no more."""
        self._followed.pop((connection_of(context), uri), None)

    @contextlib.asynccontextmanager
    async def looking(self) -> AsyncGenerator[None]:
        """Look at the rows while the server runs."""
        task = asyncio.create_task(self._look())
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _look(self) -> None:
        before: _Seen | None = None
        while True:
            if not self._streams and not self._followed:
                before = None
                self._somebody.clear()
                await self._somebody.wait()
            try:
                now = await self._parts.store.read(self._rows)
            except SteadyhandError as error:  # the next look may find it again
                log.warning("watch_failed", code=error.code)
            else:
                for event in () if before is None else self._between(before, now):
                    await self._tell(event)
                before = now
            await asyncio.sleep(LOOK_SECONDS)

    def _rows(self, tx: Tx) -> _Seen:
        user = self._parts.user.id
        term, draft = timetable.current_term(tx, user), drafts.find_open(tx, user, NAME, "timetable")
        return _Seen(
            timetable.revision(tx, user),
            None if term is None else (term["id"], term["weeks"]),
            None if draft is None else (draft.id, draft.revision),
            changes.versions(tx, user),
        )

    def _between(self, before: _Seen, now: _Seen) -> list[ServerEvent]:
        moved = [number for number, version in now.changes.items() if before.changes.get(number) != version]
        found: list[ServerEvent] = [ResourceUpdated(f"{CHANGE}{change_name(number)}") for number in moved]
        if moved:
            found.append(ResourceUpdated(CHANGES))
        if before.timetable != now.timetable:
            weeks = range(1, 1 + (0 if now.term is None else now.term[1]))
            found += [ResourceUpdated(TERM), *(ResourceUpdated(f"{WEEK}{week}") for week in weeks)]
        if (before.timetable, before.draft) != (now.timetable, now.draft):
            found.append(ResourceUpdated(DRAFT))
        if before.term != now.term:
            found.append(ResourcesListChanged())
        return found

    async def _tell(self, event: ServerEvent) -> None:
        await self.publish(event)
        if not isinstance(event, ResourceUpdated):
            return
        for key, session in [*self._followed.items()]:
            if key[1] == event.uri:
                with anyio.move_on_after(SEND_SECONDS) as limit:
                    await session.send_resource_updated(event.uri)
                if limit.cancelled_caught:  # nobody reads there any more
                    self._followed.pop(key, None)
