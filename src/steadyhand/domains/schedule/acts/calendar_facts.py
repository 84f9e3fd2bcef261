"""Decides which courses a day has under its calendar fact, and which it would have without; it must not write or read a store.

A fact governs its whole day: on a holiday no course meets, a day that works as another has what that one would have by its
weekday, even when that one is a holiday. What would meet by the weekday is kept with the fact (`CalendarFact.held`), so that
taking the fact away, or a file read again, finds it. Tasks are no part of this. A course section that stands on such a day
beyond what the fact gives was put there by the person and stays.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from steadyhand.core.errors import ToolRefusal
from steadyhand.domains.schedule.imports.incoming import Cell, IncomingEvent, IncomingRow, uid_of
from steadyhand.domains.schedule.imports.report import Entry, entry
from steadyhand.domains.schedule.imports.wording import shown
from steadyhand.domains.schedule.term.records import CalendarFact, Event, Particulars, Records, Row, Seat, Term

Day = tuple[int, int]
"""(week, day of week)"""
Seats = dict[tuple[str, int], Particulars]
"""What is known of a course's sections on a day, by its identity in files and the section."""


def holiday(day: Day) -> CalendarFact:
    """Return the fact that no course meets on *day*."""
    return CalendarFact(*day, "holiday")


def works_as(day: Day, as_day: Day) -> CalendarFact:
    """Return the fact that *day* has the courses of *as_day*; a day cannot stand for itself."""
    if day == as_day:
        raise ToolRefusal("fact_of_itself")
    return CalendarFact(*day, "works_as", *as_day)


def check(fact: CalendarFact, term: Term) -> None:
    """Refuse a fact about a day that the term does not have."""
    for week, day_of_week in (day for day in (fact.day, fact.as_day) if day is not None):
        if not (1 <= week <= term.weeks and 1 <= day_of_week <= 7):
            raise ToolRefusal("fact_outside", week=week, weeks=term.weeks)


class Days:
    """The courses of a term's days: as they stand, and as the weekdays alone would have them."""

    def __init__(self, records: Records) -> None:
        self.facts = {fact.day: fact for fact in records.facts}
        uids = {event.id: uid_of(event) for event in records.events if event.kind == "course"}
        self.known = frozenset(uids.values())
        self._standing: dict[Day, Seats] = {}
        for row in records.rows:
            if row.event_id in uids:
                seats = self._standing.setdefault((row.week, row.day_of_week), {})
                seats[uids[row.event_id], row.section] = row.particulars

    def standing(self, day: Day) -> Seats:
        """Return what meets on *day*."""
        return dict(self._standing.get(day, {}))

    def by_weekday(self, day: Day) -> Seats:
        """Return what would meet on *day* without its fact; courses that are gone are left out."""
        fact = self.facts.get(day)
        if fact is None:
            return self.standing(day)
        return {(seat.uid, seat.section): seat.particulars for seat in fact.held if seat.uid in self.known}

    def given(self, fact: CalendarFact) -> Seats:
        """Return what *fact* lets meet on its day."""
        return {} if fact.as_day is None else self.by_weekday(fact.as_day)

    def own(self, day: Day) -> Seats:
        """Return what the person put on *day* beyond what its fact gives; nothing on a day without a fact."""
        fact = self.facts.get(day)
        given = {} if fact is None else self.given(fact)
        return {} if fact is None else {seat: known for seat, known in self.standing(day).items() if seat not in given}

    def under(self, fact: CalendarFact) -> tuple[CalendarFact, Seats]:
        """Return *fact* with what it holds, and what meets on its day under it, the person's own included."""
        return replace(fact, held=_seats(self.by_weekday(fact.day))), self.given(fact) | self.own(fact.day)

    def without(self, day: Day) -> Seats:
        """Return what meets on *day* when its fact is taken away."""
        return self.by_weekday(day) | self.own(day)


def rows_by_weekday(records: Records, event: Event) -> list[Row]:
    """Return the rows that a course would have if no day had a fact, ascending."""
    days, uid = Days(records), uid_of(event)
    rows = {row for row in records.rows if row.event_id == event.id and (row.week, row.day_of_week) not in days.facts}
    rows |= {
        Row(event.id, *day, section, None, known)
        for day in days.facts
        for (held, section), known in days.by_weekday(day).items()
        if held == uid
    }
    return sorted(rows)


def _seats(seats: Seats) -> tuple[Seat, ...]:
    return tuple(Seat(uid, section, known) for (uid, section), known in sorted(seats.items(), key=lambda one: one[0]))


def taken_by_weekday(records: Records, offered: frozenset[str]) -> dict[Cell, str]:
    """Return the cells that events outside *offered* would hold if no day had a fact, with their names.

    A file is fitted against this: what it says is about weekdays too. A guest stands in its host's cell and takes none.
    """
    days, names = Days(records), {uid_of(event): event.name for event in records.events}
    courses = {event.id for event in records.events if event.kind == "course"}
    uids = {event.id: uid_of(event) for event in records.events}
    taken = {
        (row.week, row.day_of_week, row.section): names[uids[row.event_id]]
        for row in records.rows
        if row.event_id in uids
        and uids[row.event_id] not in offered
        and row.host_event_id is None
        and (row.event_id not in courses or (row.week, row.day_of_week) not in days.facts)
    }
    for day in days.facts:
        taken |= {(*day, section): names[uid] for uid, section in days.by_weekday(day) if uid not in offered}
    return taken


@dataclass(frozen=True, slots=True)
class Applied:
    """What a file offers under the facts, what is to be said of it, and the facts that now hold something else."""

    events: tuple[IncomingEvent, ...]
    entries: tuple[Entry, ...]
    facts: tuple[CalendarFact, ...]


def apply_facts(records: Records, events: Sequence[IncomingEvent]) -> Applied:
    """Bring what a file offers by weekday under the stored facts.

    A course that met on a holiday alone stays, without a row, so that the day can come back. What does not fit on a swapped
    day, since something else stands there, is left out and said.
    """
    if not records.facts:
        return Applied(tuple(events), (), ())
    facts = {fact.day: fact for fact in records.facts}
    offered = {event.uid for event in events}
    occupied = _occupied(records, offered, facts)
    told: list[Entry] = []
    found = [_under(event, facts, occupied, told, records.term) if event.kind == "course" else event for event in events]
    hosts = {(event.uid, row.cell) for event in found if event.kind == "course" for row in event.rows}
    found = [_seated(event, hosts) if event.kind == "task" else event for event in found]
    held = _held(records, events, offered)
    changed = [replace(fact, held=held[fact.day]) for fact in records.facts if fact.held != held[fact.day]]
    return Applied(tuple(found), tuple(told), tuple(changed))


def _occupied(records: Records, offered: set[str], facts: Mapping[Day, CalendarFact]) -> dict[Cell, str]:
    """Return what stands on days with facts and is not of the file."""
    staying = {event.id: event.name for event in records.events if uid_of(event) not in offered}
    return {
        (row.week, row.day_of_week, row.section): staying[row.event_id]
        for row in records.rows
        if row.event_id in staying and (row.week, row.day_of_week) in facts
    }


def _under(
    event: IncomingEvent, facts: Mapping[Day, CalendarFact], occupied: dict[Cell, str], told: list[Entry], term: Term
) -> IncomingEvent:
    by_weekday: dict[Day, dict[int, Particulars]] = {}
    for row in event.rows:
        by_weekday.setdefault((row.week, row.day_of_week), {})[row.section] = row.particulars
    met = {row.cell: row.particulars for row in event.rows if (row.week, row.day_of_week) not in facts}
    for day, fact in facts.items():
        wanted = by_weekday.get(fact.as_day, {}) if fact.as_day is not None else {}
        blocked = {section for section in wanted if (*day, section) in occupied}
        told += _collisions(event, day, sorted((*day, section) for section in blocked), occupied, term)
        gained = {(*day, section): known for section, known in what_is_left(wanted, blocked).items()}
        occupied |= dict.fromkeys(gained, event.name)
        met |= gained
    before = {row.cell for row in event.rows}
    if met.keys() != before:
        lost, more = len(before - met.keys()), len(met.keys() - before)
        told.append(entry("fact_applied", name=shown(event.name), dropped=lost, gained=more))
    return replace(event, rows=tuple(IncomingRow(*cell, "", met[cell]) for cell in sorted(met)))


def what_is_left(sections: Mapping[int, Particulars], without: set[int]) -> dict[int, Particulars]:
    """Return the sections of a course's day but those; a meeting that loses one keeps no clock times, which were those of all of it."""
    cut = {sections[section].clock for section in without}
    return {
        section: known.untimed() if known.clock in cut else known for section, known in sections.items() if section not in without
    }


def _collisions(event: IncomingEvent, day: Day, cells: Sequence[Cell], occupied: Mapping[Cell, str], term: Term) -> list[Entry]:
    date = term.date_of(*day).isoformat()
    return [
        entry("fact_collision", name=shown(event.name), date=date, sections=str(cell[2]), other=shown(occupied[cell]))
        for cell in cells
    ]


def _seated(event: IncomingEvent, hosts: set[tuple[str, Cell]]) -> IncomingEvent:
    """Let a guest whose host does not meet that day stand for itself."""
    rows = (row if not row.host_uid or (row.host_uid, row.cell) in hosts else replace(row, host_uid="") for row in event.rows)
    return replace(event, rows=tuple(sorted(rows)))


def _held(records: Records, events: Iterable[IncomingEvent], offered: set[str]) -> dict[Day, tuple[Seat, ...]]:
    """Return by day with a fact what would meet there without it, once the file is taken over."""
    held: dict[Day, Seats] = {
        fact.day: {(seat.uid, seat.section): seat.particulars for seat in fact.held if seat.uid not in offered}
        for fact in records.facts
    }
    for event in events:
        for row in event.rows if event.kind == "course" else ():
            day = (row.week, row.day_of_week)
            if day in held:
                held[day][event.uid, row.section] = row.particulars
    return {day: _seats(seats) for day, seats in held.items()}
