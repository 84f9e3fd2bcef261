"""Decides how a chat goes at a terminal: greet, read a line, run it, until the person leaves. It must not read what is meant.

Ctrl-C stops what runs, then leaves.
"""

import asyncio
import contextlib
import signal
from collections.abc import Coroutine, Sequence
from typing import Any, TypeAlias

import click

from steadyhand.cli.chat.host import host_meanwhile
from steadyhand.cli.chat.line import Line, Offer, Offers, typed_ahead
from steadyhand.cli.chat.opening import find_or_make
from steadyhand.cli.chat.room import Ended, Room
from steadyhand.cli.chat.screen import Screen
from steadyhand.cli.terminal.frame import STOPPED, Frame
from steadyhand.cli.terminal.printing import echo
from steadyhand.core.errors import SteadyhandError, ToolRefusal
from steadyhand.core.explain import explain
from steadyhand.core.ids import LOCAL_SESSION, SessionId, change_name
from steadyhand.domains.schedule.draft.drafting import Drafting
from steadyhand.gate.lines import line
from steadyhand.session.commands import RUN
from steadyhand.session.reading import LOWER, VERBS, WIDE
from steadyhand.store.changes import changes
from steadyhand.store.sessions import conversations

OWN = ("/session", "/new", "/quit")
ABOUT_CHANGES = (*VERBS, "/show", "/undo", "/repair", "/correct")
MOST_OFFERED = 40

_Work: TypeAlias = Coroutine[Any, Any, Ended | None]


def sit(frame: Frame, session: SessionId) -> None:
    """Chat until the person leaves."""
    app = frame.app
    room = Room(app, frame.language, Screen(frame.language, app.store.clock))
    with typed_ahead():
        stopped = asyncio.run(_Here(frame, room).until_left(session))
    if stopped:
        raise click.exceptions.Exit(STOPPED)


class _Here:
    """A person at a terminal, in a room."""

    def __init__(self, frame: Frame, room: Room) -> None:
        self._room = room
        self._line = Line(frame.settings.data_dir, _offers(room), room.app.store.clock)
        self._running: asyncio.Task[Ended | None] | None = None
        self._stopping: asyncio.Task[None] | None = None
        self._watch: asyncio.Task[None] | None = None
        self._putting: asyncio.Task[None] | None = None
        self._later: list[str] = []
        self._once_more = False
        self._left = asyncio.Event()
        self._frame = frame
        self._name = ""
        room.terminal.above = self._line.above

    async def until_left(self, session: SessionId) -> bool:
        """Chat; tell whether the person left while a turn was running."""
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, self._interrupted)
        hosting = asyncio.create_task(host_meanwhile(self._frame, self._room, self._left))
        try:
            await self._run(self._enter(session), contextlib.nullcontext())
            while (text := await self._next()) is not None:
                await self._run(self._take(text), self._line.overhears(self._heard))
        except asyncio.CancelledError:
            if not self._once_more:
                raise
            return True
        finally:
            self._left.set()
            if self._watch is not None:
                await self._watch
            await hosting
            await self._room.leave()
        return False

    async def _next(self) -> str | None:
        """Return what was typed for the place itself while a turn ran, else what is typed now; None when they leave."""
        if not self._later:
            return await self._read()
        text = self._later.pop(0)
        return None if _leaves(text) else text

    def _heard(self, text: str) -> None:
        """Take a line that was typed while a turn runs: the turn sees it at its next boundary, as at any door.

        What moves this place waits for the turn's end, and so does what was typed behind it.
        """
        if not text.strip():
            return
        if self._later or _word(text) in (*OWN, "/help"):
            self._later.append(text)
            return
        self._room.face.note(self._room.say("heard", text=text))
        self._putting = asyncio.create_task(self._put_in(self._putting, text))

    async def _put_in(self, before: "asyncio.Task[None] | None", text: str) -> None:
        if before is not None:
            await before
        await self._room.put_in(text)

    async def _read(self) -> str | None:
        """Return what the person typed; None when they leave."""
        typed = asyncio.Event()
        self._watch = asyncio.create_task(self._room.watch(typed))
        try:
            while True:
                text = await self._one_line()
                if text is None or _leaves(text):
                    return None
                if text.strip():
                    self._once_more = False
                    return text
        finally:
            typed.set()

    async def _one_line(self) -> str | None:
        try:
            return await self._line.read(f"{self._name}> ")
        except EOFError:
            return None
        except KeyboardInterrupt:
            if self._line.typed:
                return ""
            if self._once_more:
                return None
            self._once_more = True
            self._room.face.note(self._room.say("once_more"))
            return ""

    def _interrupted(self) -> None:
        """Stop what runs; the second time, leave it."""
        if self._line.reads:
            self._line.interrupt()
        elif self._running is None or self._running.done():
            return
        elif self._once_more:
            self._running.cancel()
        else:
            self._once_more = True
            self._room.face.note(self._room.say("stopping"))
            self._stopping = asyncio.create_task(self._room.stop())

    async def _run(self, work: _Work, meanwhile: contextlib.AbstractContextManager[None]) -> None:
        self._running = asyncio.ensure_future(work)
        with meanwhile:
            await self._running
            if self._putting is not None:
                await self._putting
                self._putting = None
        if self._stopping is not None:
            await self._stopping
            self._stopping = None

    # --- what is typed ---------------------------------------------------------------------------------------------------

    async def _take(self, text: str) -> Ended | None:
        command, rest = _word(text), text.translate(WIDE).strip().partition(" ")[2]
        if command in ("/session", "/new"):
            await self._go(rest.strip() or None, new=command == "/new")
            return None
        ended = await self._room.take(text, self._line.begun)
        if command == "/help":
            self._room.face.note(self._room.say("local_help"))
        return ended

    async def _go(self, wanted: str | None, *, new: bool) -> None:
        """Go to another session; without a word, to the terminal's own."""
        app = self._room.app
        try:
            session = await app.store.write(lambda tx: find_or_make(tx, app, wanted, new=new))
        except ToolRefusal as error:
            self._room.face.note(explain(error, self._room.language).text())
            return
        await self._enter(session)

    async def _enter(self, session: SessionId) -> Ended | None:
        room = self._room
        found = await room.app.store.read(lambda tx: conversations.find_session(tx, room.user, session))
        self._name = (found.name or found.id) if found is not None and session != LOCAL_SESSION else ""
        room.face.note(room.say("greeting", session=self._name or session))
        try:
            await room.enter(session)
        except SteadyhandError as error:
            room.face.note(explain(error, room.language).text())
        for told in await room.open_changes():
            echo(told)
        await room.app.decisions.something_else(room.user)  # whoever sits down anew has not just been shown a review
        room.face.note(room.say("where_help"))
        return None


def _word(text: str) -> str:
    """Return the word that a line begins with, as commands are written."""
    return text.translate(WIDE).strip().partition(" ")[0].translate(LOWER)


def _leaves(text: str) -> bool:
    return text.translate(WIDE).translate(LOWER).strip() == "/quit"


def _offers(room: Room) -> Offers:
    async def words(command: str) -> Sequence[Offer]:
        if command == "/session":
            rows = await room.app.store.read(lambda tx: conversations.sessions_of(tx, room.user))
            return [Offer(row.name or row.id, row.id if row.name else row.channel) for row in rows[:MOST_OFFERED]]
        return await _changes(room) if command in ABOUT_CHANGES else ()

    async def names() -> Sequence[Offer]:
        return [*await _changes(room), *await _tasks(room)]

    return Offers(sorted({*(f"/{name}" for name in RUN), *VERBS, *OWN}), words, names)


async def _changes(room: Room) -> list[Offer]:
    rows = await room.app.store.read(lambda tx: changes.of_user(tx, room.user, limit=MOST_OFFERED))
    return [Offer(change_name(row.number), line(row, room.language)) for row in rows]


async def _tasks(room: Room) -> list[Offer]:
    """Return the tasks and courses of the draft by their names and by their ids; none before there is a term."""
    try:
        draft = await Drafting(room.app.store).look(room.user)
    except ToolRefusal:
        return []
    found = [(task.name, f"[{task.state_id}]") for task in draft.timetable.tasks.values()]
    return [Offer(*one) for pair in found for one in (pair, pair[::-1])]
