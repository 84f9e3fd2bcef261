"""Whatever an import wrote, undoing it brings back what was stored, byte for byte: into a term, into another, again and otherwise."""

import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, cast

from hypothesis import given, settings
from hypothesis import strategies as st

from schedule_ground.desk import ME, TERM, Desk, open_desk, run
from steadyhand.core.canonical import canonical
from steadyhand.domains.schedule.acts import courses as acts
from steadyhand.domains.schedule.imports.incoming import IncomingEvent, IncomingRow, match
from steadyhand.domains.schedule.module import ScheduleDomain, target
from steadyhand.domains.schedule.rows.forms import term_of
from steadyhand.domains.schedule.term.records import Particulars, Records, Term
from steadyhand.gate import sealing
from steadyhand.gate.contract import Receipt, Refusal
from steadyhand.gate.machine import State
from steadyhand.store.changes.changes import ChangeRow
from steadyhand.store.timetable import timetable

SPRING = replace(TERM, id=20270301, name="2027 spring", first_monday=date(2027, 3, 1))
TIMES = st.sampled_from([(None, None), (945, 1040), (590, 685)])
PLACES = st.builds(
    lambda times, place, teacher: Particulars(*times, place, teacher), TIMES, *[st.sampled_from(["", "A1", "B2"])] * 2
)


@st.composite
def offered(draw: st.DrawFn) -> tuple[IncomingEvent, ...]:
    """What a file gives: some of three events, each on a day of its own, so that none stands in the way of another."""
    events: list[IncomingEvent] = []
    for day, uid in draw(st.sets(st.sampled_from([(3, "a@x"), (4, "b@x"), (5, "c@x")]), min_size=1)):
        cells = draw(
            st.dictionaries(st.tuples(st.integers(1, 3), st.just(day), st.integers(1, 12)), PLACES, min_size=1, max_size=5)
        )
        rows = tuple(IncomingRow(*cell, "", cells[cell]) for cell in sorted(cells))
        events.append(
            IncomingEvent(
                uid, "course", draw(st.sampled_from(["Logic", "Optics"])), rows, "", draw(st.sampled_from([None, True]))
            )
        )
    return tuple(events)


def imported(desk: Desk, term: Term, events: tuple[IncomingEvent, ...]) -> ChangeRow | None:
    """Import as the command does, which makes the term the current one; None when nothing would change."""
    found = run(desk.drafting.records_of(ME, term.id))
    stored = replace(found or Records(term), term=term)
    current = run(desk.store.read(lambda tx: timetable.current_term(tx, ME)))
    paired = match(stored, events)
    previous = None if current is None else term_of(current)
    if previous == term and not (paired.added or paired.changed):
        return None
    row = desk.approve(desk.open([*acts.put_term(term, previous), *acts.import_events(stored, paired)], term=term.id))
    assert row.state == State.VERIFIED, (row.state, row.reason)
    return row


def undone(desk: Desk, row: ChangeRow) -> None:
    back = desk.undo(row)
    assert back.state == State.SEALED, (back.state, back.reason)
    assert desk.approve(back).state == State.VERIFIED


def test_every_import_undone_leaves_what_was_stored_before(desk: Desk) -> None:
    @settings(max_examples=12, deadline=None)
    @given(st.lists(st.tuples(st.sampled_from([TERM, SPRING]), offered()), min_size=1, max_size=3))
    def scene(steps: list[tuple[Term, tuple[IncomingEvent, ...]]]) -> None:
        done: list[tuple[bytes, ChangeRow]] = []
        for term, events in steps:
            before = desk.dump()
            row = imported(desk, term, events)
            done += [] if row is None else [(before, row)]
        for before, row in reversed(done):
            undone(desk, row)
            assert desk.dump() == before

    scene()


def test_the_first_import_of_all_is_undone_and_so_is_that_of_another_term(database_url: str, tmp_path: Path) -> None:
    desk = open_desk(database_url, tmp_path, people=())
    rows = tuple(IncomingRow(1, 3, slot, "", Particulars(945, 1040, "A1", "Ms Li")) for slot in (7, 8))
    file = (IncomingEvent("a@x", "course", "Logic", rows),)
    for term in (TERM, SPRING):
        before = desk.dump()
        first = imported(desk, term, file)
        assert first is not None
        undone(desk, first)
        assert desk.dump() == before
        imported(desk, term, file)
    desk.store.close()


def test_an_import_that_an_earlier_version_wrote_is_not_undone_and_says_why(desk: Desk) -> None:
    row = imported(desk, TERM, (IncomingEvent("a@x", "course", "Logic", (IncomingRow(1, 3, 7),)),))
    assert row is not None
    older = json.loads(str(cast("dict[str, Any]", row.program)["text"]))
    for diff in older["differences"]:
        for side in ("before", "after"):
            if diff["table"] == "schedules" and diff[side]:
                for column in ("begins", "ends", "location", "teacher"):
                    del diff[side][column]
    program = replace(sealing.program_of(row), text=canonical(older).decode())
    module = ScheduleDomain(desk.store)
    seen = run(module.read_back(target(ME, TERM.id), program))
    assert module.inverse(program, Receipt({}), seen) == Refusal("of_earlier_rows")
