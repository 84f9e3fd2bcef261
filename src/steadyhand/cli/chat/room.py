"""Decides how a terminal sits in a session: what it hands in, waits for and is owed. It must not print by itself, or decide what a message means.

Whatever speaks to the person here is a `Face`: words at a terminal, plain lines, or JSON.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, cast

from steadyhand.agent.events import TurnEvent
from steadyhand.core.canonical import legible
from steadyhand.core.errors import SteadyhandError
from steadyhand.core.explain import explain
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.language import Language, say
from steadyhand.core.logs import get_logger
from steadyhand.core.owners import is_gone
from steadyhand.gate import machine
from steadyhand.gate.lines import line
from steadyhand.llm.provider import Provider
from steadyhand.session.outbox import Channel
from steadyhand.store import Tx
from steadyhand.store.changes import changes
from steadyhand.store.people import people
from steadyhand.store.sessions import inbox, outbox, turns
from steadyhand.store.sessions.inbox import Inbound
from steadyhand.store.sessions.outbox import Owed
from steadyhand.tools.ports import Delivered, Queued, Sent
from steadyhand.wiring.app import App

CHANNEL = "terminal"
POLL_SECONDS = 0.5
ANSWERED = ("answered", "asked")

log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Ended:
    """What became of a message: *state* of its turn (``settled`` where code answered, ``refused`` where it refused), its *end*, what failed."""

    ok: bool
    state: str
    end: str = ""
    error: str = ""
    turn: str = ""


class Face(Protocol):
    """What a session shows of itself here."""

    def event(self, event: TurnEvent) -> None:
        """Show what a running turn tells; provisional."""
        ...

    def message(self, owed: Owed) -> None:
        """Show a message that is owed to the person: what counts."""
        ...

    def note(self, text: str) -> None:
        """Show what the chat itself has to say to a person."""
        ...

    def settled(self) -> None:
        """Take back what was shown and did not come to count."""
        ...

    def ended(self, ended: Ended) -> None:
        """Show what became of a message."""
        ...


class Terminal:
    """The channel to whoever sits here. Showing a message twice does no harm. See `session.outbox.Channel`."""

    name = CHANNEL
    shows_again = True

    def __init__(self, face: Face) -> None:
        self._face = face
        self.shown: set[str] = set()
        self.closed = False
        self.above: Callable[[Callable[[], None]], Awaitable[None]] = _at_once

    async def send(self, owed: Owed) -> Delivered:
        """Print one message; one that cannot be printed stays owed."""
        try:
            await self.above(lambda: self._face.message(owed))
        except OSError:  # nobody reads any more
            self.closed = True
            return Queued()
        self.shown.add(owed.id)
        return Sent(owed.id)


async def _at_once(show: Callable[[], None]) -> None:
    show()


class Room:
    """A session and the terminal that sits in it."""

    def __init__(self, app: App, language: Language, face: Face, provider: Provider | None = None) -> None:
        self.app = app
        self.language: Language = language
        self.face = face
        self.user: UserId = app.user.id
        self.session = SessionId("")
        self.terminal = Terminal(face)
        self.talk = app.conversations(self._attached, provider)
        self._busy = asyncio.Lock()

    def _attached(self, user: UserId, session: SessionId) -> Channel | None:
        return self.terminal if (user, session) == (self.user, self.session) else None

    def say(self, message: str, **params: object) -> str:
        """Return one of the chat's own texts."""
        return say(self.language, f"cli.chat.{message}", **params)

    # --- coming and going ----------------------------------------------------------------------------------------------

    async def enter(self, session: SessionId) -> None:
        """Sit down in *session*: settle what a process that is gone has left there, and show what is owed."""
        self.session = session
        await self.app.toolbox.connect()
        for told in self.app.toolbox.silent_servers(self.language):
            self.face.note(told)
        left = await self.app.store.write(self._enter)
        if left:
            self.face.note(self.say("taking_up"))
        async with self._busy:
            await self._run()

    def _enter(self, tx: Tx) -> bool:
        """Make the session be there; tell whether something waits in it that nobody is at."""
        user, session = self.user, self.session
        people.ensure_session(tx, user, session, CHANNEL)
        lane = turns.lane(tx, user, session)
        if lane is not None and not is_gone(lane.claim, tx.clock.now()):
            return False
        for row in outbox.unsent(tx, user, session):  # somebody sits here again: what waited for another try need not
            outbox.move(tx, row, "queued", next_at=tx.now())
        return bool(turns.running(tx, user, session) or inbox.waiting(tx, user, session))

    async def open_changes(self) -> list[str]:
        """Return the lines of the changes that wait for somebody in this session."""
        states = [state.value for state in machine.OPEN]
        rows = await self.app.store.read(lambda tx: changes.of_user(tx, self.user, states=states))
        return [line(row, self.language) for row in rows if row.session_id == self.session]

    async def leave(self) -> None:
        """Let go of what the turns held open."""
        await self.app.toolbox.close()
        close = getattr(self.talk.parts.provider, "aclose", None)
        if close is not None:
            await close()

    # --- one message ---------------------------------------------------------------------------------------------------

    async def take(self, text: str, begun: datetime | None = None) -> Ended:
        """Hand in a message, *begun* at a moment where that is known, and see it to its end; what became of it is shown."""
        ended = await self._take(legible(text), begun)
        self.face.ended(ended)
        return ended

    async def put_in(self, text: str) -> None:
        """Hand in a message while a turn runs, which sees it at its next boundary; whoever runs it answers it then, or stops."""
        try:
            await self.talk.accept(self.user, self.session, legible(text), channel=CHANNEL)
        except SteadyhandError as error:
            self.face.note(explain(error, self.language).text())

    async def _take(self, text: str, begun: datetime | None) -> Ended:
        try:
            inbound = await self.talk.accept(self.user, self.session, text, channel=CHANNEL, begun=begun)
            async with self._busy:
                others = await self._run()
            if inbound is None:  # it stopped a turn that ran elsewhere
                return Ended(ok=True, state="settled")
            if others:
                await self._shown_elsewhere(inbound)
            return await self._ended(inbound)
        except Exception as error:  # noqa: BLE001  # what broke is told, and the chat goes on
            return await self._broke_off(error)

    async def _run(self) -> bool:
        """Take up all that waits; where another process is at it, wait until it is done. Tell whether one was."""
        others = False
        while not await self._run_once():
            if not others:
                self.face.note(self.say("other_process"))
            others = True
            await asyncio.sleep(POLL_SECONDS)
        return others

    async def _run_once(self) -> bool:
        await self.app.toolbox.connect()
        try:
            return await self.talk.run(self.user, self.session, self.language, self.face.event)
        finally:
            self.face.settled()

    async def _broke_off(self, error: Exception) -> Ended:
        """Say that the turn broke off, after what it still owes."""
        if not isinstance(error, SteadyhandError):
            log.error("unexpected", exc_info=error)
        with contextlib.suppress(SteadyhandError):
            await self.talk.parts.outbox.deliver(self.user, self.session)
        told = explain(error, self.language)
        self.face.note(told.text())
        return Ended(ok=False, state="failed", error=told.code)

    async def _shown_elsewhere(self, inbound: Inbound) -> None:
        """Show what the process that has taken the message up has shown at its own place."""
        found = await self.app.store.read(lambda tx: inbox.find(tx, self.user, inbound.id))
        turn = None if found is None else found.turn_id
        if turn is None:
            return
        for row in await self.app.store.read(lambda tx: outbox.of_turn(tx, self.user, turn)):
            if row.state == "sent" and row.id not in self.terminal.shown:
                await self.terminal.send(row)

    async def _ended(self, inbound: Inbound) -> Ended:
        return await self.app.store.read(lambda tx: self._found(tx, inbound))

    def _found(self, tx: Tx, inbound: Inbound) -> Ended:
        found = inbox.find(tx, self.user, inbound.id)
        if found is None or found.turn_id is None or found.state != "settled":
            return Ended(ok=False, state="waiting")
        turn = turns.find(tx, self.user, found.turn_id)
        if turn is None:
            refused = any(
                isinstance(row.data, Mapping) and row.data.get("refused") for row in outbox.of_turn(tx, self.user, found.turn_id)
            )
            return Ended(ok=not refused, state="refused" if refused else "settled", turn=found.turn_id)
        detail = cast("Mapping[str, Any]", turn.detail or {})
        end, error = str(detail.get("end") or ""), str(detail.get("error") or "")
        return Ended(turn.state == "done" and end in ANSWERED, turn.state, end, error, turn.id)

    async def stop(self) -> None:
        """Ask the running turn to stop."""
        await self.talk.stop(self.user, self.session)

    # --- while nobody types ----------------------------------------------------------------------------------------------

    async def watch(self, typed: asyncio.Event) -> None:
        """Show what comes to be owed, and take up what comes in, until the person has *typed*."""
        waiting = asyncio.ensure_future(typed.wait())
        try:
            while not (await asyncio.wait({waiting}, timeout=POLL_SECONDS))[0]:
                if not self._busy.locked() and await self.app.store.read(self._something):
                    async with self._busy:
                        await self._quietly()
        finally:
            waiting.cancel()

    async def _quietly(self) -> None:
        try:
            await self.talk.run(self.user, self.session, self.language)
        except Exception:  # the person goes on typing; the turn, if it was one, has told of itself
            log.exception("watch_broke_off")

    def _something(self, tx: Tx) -> bool:
        return bool(outbox.unsent(tx, self.user, self.session) or inbox.waiting(tx, self.user, self.session))
