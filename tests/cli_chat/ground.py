"""Decides how tests sit in a chat: a room with a scripted provider, a face that notes what it is told, and a small terminal that obeys."""

import asyncio
import re
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.cells import cell_len

from steadyhand.agent.events import TurnEvent
from steadyhand.cli.chat.room import Ended, Room
from steadyhand.core.ids import LOCAL_SESSION, SessionId
from steadyhand.core.wire import Completion, Delta, ToolCall
from steadyhand.llm.provider import Provider
from steadyhand.llm.scripted import Line, Scripted
from steadyhand.store.sessions import outbox
from steadyhand.store.sessions.outbox import Owed
from steadyhand.wiring.app import App


@dataclass
class Noting:
    """A face that keeps what it was shown."""

    events: list[TurnEvent] = field(default_factory=list)
    messages: list[Owed] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    ends: list[Ended] = field(default_factory=list)
    closed: bool = False

    @property
    def texts(self) -> list[str]:
        return [owed.content for owed in self.messages]

    def event(self, event: TurnEvent) -> None:
        self.events.append(event)

    def message(self, owed: Owed) -> None:
        if self.closed:
            raise BrokenPipeError
        self.messages.append(owed)

    def note(self, text: str) -> None:
        self.notes.append(text)

    def settled(self) -> None:
        return

    def ended(self, ended: Ended) -> None:
        self.ends.append(ended)


class Sitting:
    """Somebody in a room, whose model follows a script."""

    def __init__(self, app: App, script: Sequence[Line] = (), provider: Provider | None = None) -> None:
        self.app = app
        self.face = Noting()
        self.provider = provider or Scripted(script)
        self.room = Room(app, "en", self.face, self.provider)

    def says(self, *texts: str, session: SessionId = LOCAL_SESSION) -> list[Ended]:
        """Enter, say *texts* one after the other, and leave."""

        async def work(room: Room) -> list[Ended]:
            return [await room.take(text) for text in texts]

        return self.does(work, session)

    def does(self, work: Callable[[Room], Coroutine[Any, Any, Any]], session: SessionId = LOCAL_SESSION) -> Any:
        """Enter, do *work*, and leave."""

        async def whole() -> Any:
            await self.room.enter(session)
            try:
                return await work(self.room)
            finally:
                await self.room.leave()

        return asyncio.run(whole())

    def owed(self) -> list[Owed]:
        return self.app.store.read_now(lambda tx: outbox.unsent(tx, self.app.user.id, LOCAL_SESSION))


def streamed(text: str) -> tuple[Delta | Completion, ...]:
    """Return a line of a script that streams *text* in two pieces."""
    half = len(text) // 2
    return Delta(text[:half]), Delta(text[half:]), Completion(text)


def calls(name: str, arguments: str = "{}", call_id: str = "call_1") -> Completion:
    return Completion(tool_calls=(ToolCall(call_id, name, arguments),), finish="tool_calls")


class Waits:
    """A provider that streams a beginning and then never ends."""

    def __init__(self, text: str = "I am just") -> None:
        self._text = text
        self.begun = asyncio.Event()

    async def stream(self, request: Any) -> Any:
        yield Delta(self._text)
        self.begun.set()
        await asyncio.Event().wait()


_KEYS = re.compile(r"\x1b\[(\d*)([A-Za-z])")


class Display:
    """A terminal of *columns* and as many rows as it takes: it wraps late, goes up, clears downwards, and knows no other key."""

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self.rows: list[list[str]] = [[]]
        self.row = self.used = 0

    def write(self, text: str) -> None:
        place = 0
        while place < len(text):
            keys = _KEYS.match(text, place)
            if keys is None:
                self._mark(text[place])
                place += 1
                continue
            place = keys.end()
            if keys[2] == "A":
                self.row -= int(keys[1] or 1)
                assert self.row >= 0, "it went above its beginning"
            elif keys[2] == "J":
                assert self.used == 0, "it clears from the beginning of a line"
                del self.rows[self.row :]
                self.rows.append([])
            else:
                assert keys[2] == "m", keys[0]

    def _mark(self, mark: str) -> None:
        if mark == "\r":
            self.used = 0
        elif mark == "\n":
            self._next_row()
        else:
            assert mark.isprintable() or mark == "\u3000", f"{mark!r} reached the terminal"
            if self.used + cell_len(mark) > self.columns:
                self._next_row()
            self.rows[self.row].append(mark)
            self.used += cell_len(mark)

    def _next_row(self) -> None:
        self.row, self.used = self.row + 1, 0
        if self.row == len(self.rows):
            self.rows.append([])

    @property
    def lines(self) -> list[str]:
        return ["".join(row) for row in self.rows]
