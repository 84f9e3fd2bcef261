"""Decides which answer belongs to which action on one connection, and what becomes of those that wait when it is lost. It must not send twice."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, TypeAlias

from steadyhand.channels.onebot.events import Answer
from steadyhand.core.canonical import Json
from steadyhand.core.ids import new_id

Silence: TypeAlias = Literal["not_written", "no_answer"]
"""Nothing went out; or it did, and nobody can tell what came of it."""


class Asked:
    """One action on its way: *echo* is what its answer is found by."""

    def __init__(self) -> None:
        self.echo = new_id("echo")
        self.answer: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()


class Link:
    """The connection of one account's implementation. *write* raises `ConnectionError` where nothing went out."""

    def __init__(
        self, self_id: str, write: Callable[[str], Awaitable[None]], hang_up: Callable[[], Coroutine[Any, Any, None]]
    ) -> None:
        self.self_id = self_id
        self.lost = asyncio.Event()
        self._slow: float | None = None
        self._write = write
        self.hang_up = hang_up
        self._pending: dict[str, Asked] = {}

    async def ask(self, action: str, params: Json, seconds: float) -> tuple[str, Answer | Silence]:
        """Ask for one action and wait at most *seconds* for its answer; return its echo too, since it may still come.

        What is lost while it waits for its answer has none.
        """
        asked = Asked()
        if self.lost.is_set():
            return asked.echo, "not_written"
        self._pending[asked.echo] = asked
        try:
            async with asyncio.timeout(seconds):
                await self._write(json.dumps({"action": action, "params": params, "echo": asked.echo}, ensure_ascii=False))
                return asked.echo, await asked.answer or "no_answer"
        except ConnectionError:
            return asked.echo, "not_written"
        except TimeoutError:
            return asked.echo, "no_answer"
        finally:
            self._pending.pop(asked.echo, None)

    def answered(self, answer: Answer) -> bool:
        """Hand an answer to whoever waits for it; False when nobody does."""
        asked = self._pending.get(answer.echo)
        if asked is None or asked.answer.done():
            return False
        asked.answer.set_result(answer)
        return True

    def told_at(self, at: int | None, now: datetime) -> None:
        """Take note of what the implementation's clock says: a sign of life is told as soon as it is made."""
        if at is not None:
            behind = now.timestamp() - at
            self._slow = behind if self._slow is None else min(self._slow, behind)

    def written_at(self, at: int | None, now: datetime) -> datetime:
        """Return when a message that came *now* was written, by our clock; a moment to come is none."""
        if at is None:
            return now
        return min(now, datetime.fromtimestamp(at, UTC) + timedelta(seconds=self._slow or 0.0))

    def lose(self) -> None:
        """Take the connection for lost: what waits for an answer has none."""
        self.lost.set()
        for asked in self._pending.values():
            if not asked.answer.done():
                asked.answer.set_result(None)


class Links:
    """The connections by our own account: the newest of each is the one that counts."""

    def __init__(self) -> None:
        self._links: dict[str, Link] = {}

    def of(self, self_id: str) -> Link | None:
        """Return the connection of an account; None while there is none."""
        return self._links.get(self_id)

    def join(self, link: Link) -> Link | None:
        """Let *link* be its account's connection; return the one that it replaces, which is lost now."""
        old = self._links.get(link.self_id)
        self._links[link.self_id] = link
        if old is not None:
            old.lose()
        return old

    def leave(self, link: Link) -> None:
        """Take a connection out, unless another has taken its place."""
        link.lose()
        if self._links.get(link.self_id) is link:
            del self._links[link.self_id]

    def all(self) -> list[Link]:
        """Return every connection."""
        return list(self._links.values())
