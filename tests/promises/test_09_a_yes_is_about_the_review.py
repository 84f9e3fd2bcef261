"""Promise 9 in a conversation: whatever is shown or typed between a review and its answer, nothing runs but on an answer to that review."""

import asyncio
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from session.conftest import room
from session.ground import DESK, ME, Room, Shown, call, said
from steadyhand.core.ids import SessionId
from steadyhand.llm.scripted import Scripted
from steadyhand.store.people import people
from steadyhand.store.sessions import outbox
from steadyhand.store.sessions.outbox import Owed
from trial_domains.ground import folder

__all__ = ["folder", "room"]

PHONE = SessionId("phone")
LIMIT = timedelta(minutes=30)
run = asyncio.run


# --- any order, any speed ---------------------------------------------------------------------------------------------

STEPS = st.one_of(
    st.sampled_from(["reminder", "elsewhere", "talk", "again", "second", "half_an_hour", "later"]),
    st.tuples(
        st.sampled_from(["yes", "好的", "fine", "👍", "/approve", "yes, C-{n}", "批准 C-{n}"]),
        st.sampled_from(["now", "now", "now", "ahead"]),
        st.sampled_from(["nothing", "nothing", "nothing", "review", "another"]),
    ),
)


@dataclass
class Table:
    """A person at two doors, all that they were shown with its moment, and what an honest reader makes of their words."""

    room: Room
    number: int = 0
    told: list[tuple[Owed, datetime]] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    spoke: bool = False

    @property
    def now(self) -> datetime:
        return self.room.store.clock.now()

    def look(self) -> None:
        """See what has come to be shown at either door."""
        doors = (self.room.channel, self.room.channels[(ME, PHONE)])
        rows = [row for door in doors for row in door.rows if row.id not in self.seen]
        self.seen |= {row.id for row in rows}
        self.told += [(row, self.now) for row in rows]
        self.spoke = self.spoke and not rows

    async def owe(self, session: SessionId) -> None:
        text, turn = f"Did you take your pills? {len(self.told)}", f"turn_{self.number}_{len(self.told)}"

        def work(tx):
            people.ensure_session(tx, ME, session, "terminal")
            outbox.owe(tx, ME, session, turn, text, source="proactive_send")

        await self.room.store.write(work)
        await self.room.parts.outbox.deliver(ME, session)
        self.look()

    async def say(self, text: str, begun: datetime | None = None, quotes: str | None = None) -> None:
        self.spoke = True
        await self.room.hear(text, begun=begun, quotes=quotes)
        self.look()

    async def step(self, step: "str | tuple[str, str, str]") -> bool:
        """Do one thing; tell whether it answered the review."""
        match step:
            case "reminder":
                await self.owe(DESK)
            case "elsewhere":
                await self.owe(PHONE)
            case "talk":
                await self.say("what is it about?")
            case "again":
                await self.say(f"review C-{self.number}")
            case "second" | "half_an_hour" | "later":
                self.room.store.clock.advance({"second": timedelta(seconds=1), "half_an_hour": LIMIT}.get(step, LIMIT * 2))
            case (words, speed, quote):
                return await self.answer(words, speed, quote)
        return False

    async def answer(self, words: str, speed: str, quote: str) -> bool:
        row, at = self.told[-1]
        review = next(one for one, _ in reversed(self.told) if one.shows == self.number)
        begun = at - timedelta(milliseconds=1) if speed == "ahead" else self.now
        quoted = {"nothing": None, "review": review.id, "another": self.told[0][0].id}[quote]
        fits = row.shows == self.number and not self.spoke and begun >= at and quote != "another" and self.now - at <= LIMIT
        await self.say(words.format(n=self.number), begun, quoted)
        return fits


def test_whatever_comes_between_nothing_runs_but_on_an_answer_to_the_review(room):
    here, phone = room(), Shown()

    @settings(max_examples=25, deadline=None)
    @given(steps=st.lists(STEPS, min_size=1, max_size=6))
    def holds(steps):
        script = [said("hello"), call("note", text="monday"), said("Shall I?"), *(said(f"so {n}?") for n in range(20))]
        table = Table(here.again(Scripted(script)))
        table.room.channels[(ME, PHONE)] = phone
        table.look()
        table.told.clear()

        async def scene() -> bool:
            await table.say("hi")
            await table.say("put a note")
            table.number = next(row.shows for row, _ in table.told if row.shows is not None)
            for step in steps:
                if await table.step(step):
                    return True
            return False

        answered = run(scene())
        assert here.change(table.number).state == ("verified" if answered else "sealed"), steps
        run(table.room.hear(f"/deny C-{table.number}"))

    holds()
