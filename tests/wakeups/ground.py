"""The ground of the tests of wake-ups: a room with their tools, whose model follows a script, and a clock that is turned by hand."""

import asyncio
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast

from session.ground import DESK, ME, Room, build, over, scripted
from steadyhand.core import owners
from steadyhand.core.clock import FakeClock, from_text, to_text
from steadyhand.core.owners import Claim
from steadyhand.gate.proposal import Decider
from steadyhand.store import Tx
from steadyhand.store.later import wakeups
from steadyhand.store.later.wakeups import Wakeup
from steadyhand.store.people import people
from steadyhand.wakeups.booking import Book, Booked, By, FollowUp, Timed, new_row
from steadyhand.wakeups.judging import Rules
from steadyhand.wakeups.times import Moment
from steadyhand.wakeups.tools import wakeup_tools
from steadyhand.wakeups.waking import Waking


@dataclass
class Bedside:
    """A room whose sessions are woken. It begins on Monday, 2026-09-07, at 09:00 in Shanghai."""

    room: Room
    clock: FakeClock
    rules: Rules = field(default_factory=Rules)

    def __post_init__(self) -> None:
        self.store = self.room.store
        self.book = Book(self.store)
        for tool in wakeup_tools(self.store):
            if self.room.registry.find(tool.name) is None:
                self.room.registry.register(tool)
        self.given: list[tuple[Any, Any]] = []
        ran = self.room.parts.runner.run

        async def noted(context: Any, call: Any) -> Any:
            result = await ran(context, call)
            self.given.append((call, result))
            return result

        self.room.parts.runner.run = noted  # type: ignore[method-assign]  # what tools gave is looked at by tests
        self.waking = Waking(self.room.talk, self.rules)
        self.store.write_now(lambda tx: people.ensure_session(tx, ME, DESK, "terminal"))

    # --- booking -----------------------------------------------------------------------------------------------------

    def by(self, **more: Any) -> By:
        return By(**{"user": ME, "session": DESK, "call_id": "call"} | more)

    def follow_up(
        self, minutes: float = 2, commitment: str = "I will ask how it went", by: By | None = None, **more: Any
    ) -> Booked:
        at = to_text(self.clock.now() + timedelta(minutes=minutes))
        wanted = FollowUp(at, more.pop("reason", "the secret reason"), commitment, **more)
        return asyncio.run(self.book.follow_up(by or self.by(), wanted))

    def timed(self, by: str, when: str, text: str = "look at the results", **more: Any) -> Wakeup:
        who = self.by(exact=more.pop("exact", True))
        return asyncio.run(self.book.timed(who, Timed(by, when, text, **more))).row  # type: ignore[arg-type]  # one of three words

    def wanted(self, by: str, when: str, text: str = "x") -> Timed:
        return Timed(by, when, text)  # type: ignore[arg-type]  # one of three words

    def plain(self, tx: Tx) -> Wakeup:
        """A follow-up that waits for a day."""
        return new_row(tx, ME, DESK, Moment(self.clock.now() + timedelta(days=1), "UTC"), "followup", "wake")

    def gone(self) -> Claim:
        """The claim of a process that is not there any more."""
        owner = {**cast("dict[str, Any]", owners.myself()), "started": 1}
        return Claim(owner, "a token", None)

    def again(self, *lines: Any, **more: Any) -> "Bedside":
        """Another process's view of the same room, with a script of its own."""
        room = self.room.again(scripted(*lines), **more)
        return Bedside(room, self.clock, self.rules)

    def decider(self) -> Decider:
        return Decider(ME, DESK, "test")

    # --- time ----------------------------------------------------------------------------------------------------------

    def pass_time(self, **span: float) -> None:
        self.clock.advance(timedelta(**span))

    def tick(self, limit: int = 100) -> int:
        return asyncio.run(self.waking.tick(limit))

    def run(self) -> list[str]:
        """Let the session take up what waits; return what the person is shown then."""
        before = len(self.room.channel.rows)
        asyncio.run(self.room.talk.run(ME, DESK, "en"))
        return self.room.channel.texts[before:]

    def wake(self) -> list[str]:
        """Take up what is due and let it run; return what the person is shown then."""
        self.tick()
        return self.run()

    # --- the record ----------------------------------------------------------------------------------------------------

    def row(self, booked: Booked | Wakeup) -> Wakeup:
        wanted = booked.row.id if isinstance(booked, Booked) else booked.id
        found = self.store.read_now(lambda tx: wakeups.by_id(tx, ME, wanted))
        assert found is not None
        return found

    def runs(self, booked: Booked | Wakeup) -> list[wakeups.WakeupRun]:
        wanted = booked.row.id if isinstance(booked, Booked) else booked.id
        found = self.store.read_now(lambda tx: wakeups.runs_of(tx, ME, wanted, 1_000))
        return sorted(found, key=lambda run: run.meant_at)

    def results(self) -> list[tuple[Any, Any]]:
        """Every call that tools were run for, with what they gave."""
        return self.given

    def meant(self, booked: Booked | Wakeup) -> datetime:
        return from_text(self.row(booked).meant_at)


def bedside(url: str, folder: Path, clock: FakeClock, *lines: Any, **more: Any) -> Bedside:
    """Lay the database, and stand a room with the tools of wake-ups on it."""
    build(url, folder, clock).store.close()
    return beside(url, folder, clock, *lines, **more)


def beside(url: str, folder: Path, clock: Any, *lines: Any, **more: Any) -> Bedside:
    """Stand another process's room on a database that is there."""
    rules = more.pop("rules", Rules())
    made = over(url, folder, clock, *lines, **more)
    return Bedside(made, clock, rules)
