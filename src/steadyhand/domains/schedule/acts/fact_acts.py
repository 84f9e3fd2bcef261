"""Decides which row writes a person's acts on holidays and swapped days are: the fact, and the courses that follow it. It must not write."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from steadyhand.domains.schedule.acts.calendar_facts import Day, Days, Seats, check, what_is_left
from steadyhand.domains.schedule.acts.courses import without_events
from steadyhand.domains.schedule.imports.incoming import uid_of
from steadyhand.domains.schedule.imports.report import Entry, entry
from steadyhand.domains.schedule.imports.wording import shown
from steadyhand.domains.schedule.rows.forms import fact_row, schedule_row
from steadyhand.domains.schedule.rows.writes import RowWrite, gone, put
from steadyhand.domains.schedule.term.records import CalendarFact, Event, Particulars, Records, Row


@dataclass(frozen=True, slots=True)
class FactWrites:
    """The writes of one act, and what is to be said: sections that could not take the place of something else."""

    writes: tuple[RowWrite, ...]
    entries: tuple[Entry, ...]


def put_fact(records: Records, fact: CalendarFact) -> FactWrites:
    """Make *fact* hold on its day, in place of one that is there; the day's courses follow.

    A task that stands where a course comes, or is embedded where one goes, loses its place and becomes pending again.
    """
    check(fact, records.term)
    days = Days(records)
    fact, wanted = days.under(fact)
    brought = _bring(records, fact.day, days.standing(fact.day), wanted)
    return FactWrites((put("calendar_facts", fact_row(fact, records.term.id)), *brought.writes), brought.entries)


def drop_fact(records: Records, day: Day) -> FactWrites:
    """Take the fact of *day* away; the courses of its weekday come back."""
    days = Days(records)
    brought = _bring(records, day, days.standing(day), days.without(day))
    return FactWrites((gone("calendar_facts", records.term.id, *day), *brought.writes), brought.entries)


def _bring(records: Records, day: Day, before: Seats, after: Seats) -> FactWrites:
    """Take the courses of *day* from *before* to *after*."""
    events = {uid_of(event): event for event in records.events}
    by_id = {event.id: event for event in records.events}
    leaving = {(events[uid].id, *day, section) for uid, section in before.keys() - after.keys()}
    standing = {
        row.section: by_id[row.event_id]
        for row in records.rows
        if (row.week, row.day_of_week) == day and row.host_event_id is None and (row.event_id, *day, row.section) not in leaving
    }
    giving_way: set[int] = set()
    coming: list[tuple[str, int]] = []
    blocked: dict[str, set[int]] = {}
    told: list[Entry] = []
    kept = before.keys() & after.keys()
    for section, uid in sorted((section, uid) for uid, section in after.keys() - before.keys()):
        blocker = standing.get(section)
        if blocker is not None and blocker.item_id is None:
            told.append(_collision(records, events[uid], day, section, blocker))
            blocked.setdefault(uid, set()).add(section)
            continue
        if blocker is not None:
            giving_way.add(blocker.id)
        standing[section] = events[uid]
        coming.append((uid, section))
    left = leaving | {
        (row.event_id, row.week, row.day_of_week, row.section) for row in records.rows if row.event_id in giving_way
    }
    gone_rows = [gone("schedules", *cell) for cell in sorted(leaving)]
    made = [
        put("schedules", schedule_row(Row(events[uid].id, *day, section, None, known), records.term.id))
        for uid, section, known in _known(after, [*coming, *(seat for seat in kept if before[seat] != after[seat])], blocked)
    ]
    return FactWrites((*gone_rows, *without_events(records, giving_way, {*left}), *made), tuple(told))


def _known(
    after: Seats, coming: Iterable[tuple[str, int]], blocked: Mapping[str, set[int]]
) -> Iterator[tuple[str, int, Particulars]]:
    """Yield what comes with what is known of it."""
    for uid, section in coming:
        own = {number: known for (owner, number), known in after.items() if owner == uid}
        yield uid, section, what_is_left(own, blocked.get(uid, set()))[section]


def _collision(records: Records, event: Event, day: Day, section: int, blocker: Event) -> Entry:
    date = records.term.date_of(*day).isoformat()
    return entry("fact_collision", name=shown(event.name), date=date, sections=str(section), other=shown(blocker.name))
