"""A gate whose one domain is the timetable, over a small term, and short words for what a person does to it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.engine import make_url

from steadyhand.core.canonical import canonical
from steadyhand.core.clock import Clock, FakeClock
from steadyhand.core.ids import SessionId, UserId
from steadyhand.domains.schedule.acts import courses as acts
from steadyhand.domains.schedule.draft.drafting import Drafting, OpenDraft
from steadyhand.domains.schedule.draft.offering import offer
from steadyhand.domains.schedule.imports.incoming import IncomingCategory, IncomingTask
from steadyhand.domains.schedule.module import ScheduleDomain, given, target
from steadyhand.domains.schedule.replies.reply import Reply
from steadyhand.domains.schedule.rows.writes import RowWrite
from steadyhand.domains.schedule.term.records import Event, Particulars, Records, Row, Term
from steadyhand.domains.schedule.term.window import Window
from steadyhand.domains.schedule.tools.arguments import run as call_tool
from steadyhand.gate.contract import Refusal
from steadyhand.gate.controller import Controller, Decider, Proposal
from steadyhand.gate.machine import State
from steadyhand.gate.policy import Policy
from steadyhand.store import Store
from steadyhand.store.changes import changes
from steadyhand.store.changes.changes import ChangeRow
from steadyhand.store.timetable import timetable
from trial_domains.stand import ME, OTHER, build

__all__ = ["ME", "OTHER", "TERM", "Desk", "furnish", "furnish_again", "open_desk", "over", "run"]

run = asyncio.run
DESK = SessionId("desk")
TERM = Term(20260907, "2026 秋", "Asia/Shanghai", date(2026, 9, 7), 4)
MATH, SZ = 101, 103
"""A course that takes no guests, Mondays 1-2, and one that does, Tuesdays 3-6; both in weeks 1 to 3."""


@dataclass
class Desk:
    """A person's timetable behind the gate."""

    store: Store
    clock: Clock
    controller: Controller
    drafting: Drafting
    folder: Path

    # --- looking -----------------------------------------------------------------------------------------------------

    def records(self, user: UserId = ME) -> Records:
        return run(self.drafting.records(user))

    def draft(self, user: UserId = ME, window: Window | None = None) -> OpenDraft:
        return run(self.drafting.look(user, window))

    def dump(self, user: UserId = ME) -> bytes:
        """Return every stored row of a person's timetable, byte for byte."""

        def work(tx: Any) -> bytes:
            found: dict[str, Any] = {}
            for name, table in timetable.TABLES.items():
                order = [table.c[column] for column in timetable.KEYS[name]]
                rows = tx.execute(select(table).where(table.c.user_id == user).order_by(*order)).mappings()
                found[name] = [dict(row) for row in rows]
            return canonical(found)

        return self.store.read_now(work)

    def cells_of(self, name: str, user: UserId = ME) -> set[tuple[int, int, int]]:
        """Return the (week, day of week, section) that the event of that name holds."""
        return {(row.week, row.day_of_week, row.section) for row in self.rows_of(name, user)}

    def rows_of(self, name: str, user: UserId = ME) -> list[Row]:
        """Return the rows of the event of that name."""
        records = self.records(user)
        ids = {event.id for event in records.events if event.name == name}
        return [row for row in records.rows if row.event_id in ids]

    def item(self, content: str, user: UserId = ME) -> Any:
        return next(item for item in self.records(user).items if item.content == content)

    def event(self, name: str, user: UserId = ME) -> Event:
        return next(event for event in self.records(user).events if event.name == name)

    def id_of(self, name: str, user: UserId = ME) -> int:
        """Return the state id of the task of that name in the draft."""
        return next(task.state_id for task in self.draft(user).timetable.tasks.values() if task.name == name)

    def row(self, number: int, user: UserId = ME) -> ChangeRow:
        found = self.store.read_now(lambda tx: changes.by_number(tx, user, number))
        assert found is not None
        return found

    # --- changing ----------------------------------------------------------------------------------------------------

    def proposal(self, writes: Sequence[RowWrite], user: UserId = ME, session: SessionId = DESK, term: int = TERM.id) -> Proposal:
        source, scope = given(writes)
        return Proposal(user, session, target(user, term), "as typed", source, scope)

    def act(self, writes: Sequence[RowWrite], user: UserId = ME) -> ChangeRow | Refusal:
        return run(self.controller.act(decider(user), self.proposal(writes, user)))

    def done(self, writes: Sequence[RowWrite], user: UserId = ME) -> ChangeRow:
        """Do an act that must come to its end."""
        row = self.act(writes, user)
        assert isinstance(row, ChangeRow), row
        assert row.state == State.VERIFIED, (row.state, row.reason)
        return row

    def open(self, writes: Sequence[RowWrite], user: UserId = ME, session: SessionId = DESK, term: int = TERM.id) -> ChangeRow:
        return run(self.controller.open(self.proposal(writes, user, session, term)))

    def propose(self, user: UserId = ME, session: SessionId = DESK) -> ChangeRow:
        """Open a change that writes what the draft shows."""
        copy, scope = offer(run(self.drafting.open(user)))
        return run(self.controller.open(Proposal(user, session, target(user, TERM.id), "propose", copy, scope)))

    def approve(self, row: ChangeRow) -> ChangeRow:
        assert row.seal_digest, (row.state, row.reason)
        return run(self.controller.approve(decider(row.user_id, row.session_id), row.number, row.seal_digest))

    def commit(self, user: UserId = ME) -> ChangeRow:
        row = self.approve(self.propose(user))
        assert row.state == State.VERIFIED, (row.state, row.reason)
        return row

    def undo(self, row: ChangeRow) -> ChangeRow:
        return run(self.controller.undo(decider(row.user_id, row.session_id), row.number, "undo", "en"))

    def edit(self, name: str, user: UserId = ME, revision: int | None = None, **arguments: Any) -> Reply:
        """Run one write tool on the draft."""
        reply, _ = run(self.drafting.edit(user, lambda table: call_tool(table, name, arguments), revision=revision))
        return reply

    def wrote(self, name: str, **arguments: Any) -> None:
        reply = self.edit(name, **arguments)
        assert reply.code == "ok", reply.text("en")


def decider(user: UserId = ME, session: SessionId = DESK) -> Decider:
    return Decider(user, session, "test", "as typed")


def over(url: str, folder: Path, clock: Clock | None = None) -> Desk:
    """Stand on a database that has its tables and persons already."""
    store = Store(url, clock)
    controller = Controller(store, {"schedule": ScheduleDomain(store)}, Policy())
    return Desk(store, store.clock, controller, Drafting(store), folder)


def open_desk(url: str, folder: Path, clock: Clock | None = None, *, people: Sequence[UserId] = (ME,)) -> Desk:
    """Make the tables and two persons, and give *people* the term with its courses and tasks."""
    ground = folder / "targets"
    ground.mkdir()
    file = Path(make_url(url).database or "")
    on_sqlite = url.startswith("sqlite")
    key = tuple(people)
    if on_sqlite and key in _FURNISHED:
        file.write_bytes(_FURNISHED[key])
        return over(url, folder, clock or FakeClock())
    build(url, ground, FakeClock()).store.close()
    first = over(url, folder, FakeClock())
    for user in people:
        furnish(first, user)
    first.store.close()
    if on_sqlite:
        _FURNISHED[key] = file.read_bytes()
    return over(url, folder, clock or FakeClock())


_FURNISHED: dict[tuple[UserId, ...], bytes] = {}
"""The bytes of databases that were furnished once: half a second less for every test."""


def empty(term: Term = TERM) -> Records:
    return Records(term)


def course(
    number: int, name: str, day: int, slots: tuple[int, int], weeks: Sequence[int] = (1, 2, 3), **more: Any
) -> list[RowWrite]:
    cells = acts.weekly_cells(TERM, day, slots, weeks)
    known = Particulars(location=more.pop("location", ""), teacher=more.pop("teacher", ""))
    return acts.add_course(empty(), Event(number, "course", name, rule="1-3", **more), cells, known)


def tasks(*names: str, category: str = "学习", **more: Any) -> list[IncomingCategory]:
    return [IncomingCategory(category, tuple(IncomingTask(name, duration=2) for name in names), **more)]


def furnish(desk: Desk, user: UserId = ME) -> None:
    """Write the term, two courses and three tasks, each of two slots."""
    writes = acts.put_term(TERM, None)
    writes += course(MATH, "高等数学", 1, (1, 2))
    writes += course(SZ, "思政", 2, (3, 6), can_embed=True)
    writes += acts.add_tasks(empty(), tasks("复习", "写作", "讨论"))
    desk.done(writes, user)


def furnish_again(desk: Desk, user: UserId = ME) -> None:
    """Take everything away and furnish anew: quicker than another database."""

    def clear(tx: Any) -> None:
        for table in reversed(timetable.TABLES.values()):
            tx.execute(delete(table).where(table.c.user_id == user))

    desk.store.write_now(clear)
    furnish(desk, user)
