"""Decides what an import offers to the timetable, and how it compares with what is stored; it must not store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from steadyhand.domains.schedule.imports.report import Entry
from steadyhand.domains.schedule.term.records import NOTHING_KNOWN, Event, EventKind, Particulars, Records


@dataclass(frozen=True, slots=True, order=True)
class IncomingRow:
    """One section of one incoming event; *host_uid* is the incoming event in whose section it is embedded.

    Its *particulars* have clock times only where the file itself gives them, never those of the scale.
    """

    week: int
    day_of_week: int
    section: int
    host_uid: str = ""
    particulars: Particulars = NOTHING_KNOWN

    @property
    def cell(self) -> "Cell":
        return self.week, self.day_of_week, self.section


Cell = tuple[int, int, int]
"""(week, day of week, section)"""


@dataclass(frozen=True, slots=True)
class IncomingEvent:
    """An event as a file gives it, with its rows ascending. *can_embed* is None when the file does not say."""

    uid: str
    kind: EventKind
    name: str
    rows: tuple[IncomingRow, ...]
    rule: str = ""
    can_embed: bool | None = None


@dataclass(frozen=True, slots=True)
class Fitted:
    """What fits into the term, in the order of the file, and all that is to be said."""

    events: tuple[IncomingEvent, ...]
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class IncomingTask:
    """A task as a list gives it. Both dates count themselves: from *earliest* on, until the end of *deadline*."""

    content: str
    duration: int | None = None
    earliest: date | None = None
    deadline: date | None = None
    priority: int = 3
    line: int = 0


@dataclass(frozen=True, slots=True)
class IncomingCategory:
    """A category with its tasks in the order of the list."""

    name: str
    tasks: tuple[IncomingTask, ...]
    total_slots: int | None = None
    ordered: bool = True


@dataclass(frozen=True, slots=True)
class TaskList:
    """What a list of tasks gives, categories in the order of the list, and all that is to be said."""

    categories: tuple[IncomingCategory, ...]
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """A stored event that the file gives otherwise; *fields* names what differs, in a fixed order."""

    event: Event
    incoming: IncomingEvent
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """Stored events and incoming ones, paired by UID. *missing* are stored events with a UID that the file does not hold."""

    added: tuple[IncomingEvent, ...]
    changed: tuple[Change, ...]
    unchanged: tuple[Event, ...]
    missing: tuple[Event, ...]


def uid_of(event: Event) -> str:
    """Return the identity of *event* in files: the one that it came with, else one made of its number."""
    return event.uid or f"{event.id}@steadyhand"


def match(records: Records, incoming: Sequence[IncomingEvent]) -> Match:
    """Pair what is stored with what a file offers.

    A place, teacher, clock time or mark that the file lacks is no statement, thus no change: the offered rows of a stored event
    come out with what is known of them.
    """
    stored = {uid_of(event): event for event in records.events}
    rows = _rows(records)
    added: list[IncomingEvent] = []
    changed: list[Change] = []
    unchanged: list[Event] = []
    for offered in incoming:
        event = stored.get(offered.uid)
        if event is None:
            added.append(offered)
            continue
        merged = replace(offered, rows=_completed(offered.rows, rows.get(event.id, {})))
        fields = _differences(event, rows.get(event.id, {}), merged)
        if fields:
            changed.append(Change(event, merged, fields))
        else:
            unchanged.append(event)
    offered_uids = {offered.uid for offered in incoming}
    missing = [event for event in records.events if event.uid and event.uid not in offered_uids]
    return Match(tuple(added), tuple(changed), tuple(unchanged), tuple(missing))


_Rows = Mapping[Cell, IncomingRow]


def _rows(records: Records) -> dict[int, dict[Cell, IncomingRow]]:
    uids = {event.id: uid_of(event) for event in records.events}
    rows: dict[int, dict[Cell, IncomingRow]] = {}
    for row in records.rows:
        host = uids.get(row.host_event_id, "") if row.host_event_id is not None else ""
        found = IncomingRow(row.week, row.day_of_week, row.section, host, row.particulars)
        rows.setdefault(row.event_id, {})[found.cell] = found
    return rows


def _completed(offered: Sequence[IncomingRow], stored: _Rows) -> tuple[IncomingRow, ...]:
    """Return *offered* with what is stored where the file says nothing: of the same section, else what all sections share."""
    places = {row.particulars.location for row in stored.values()}
    teachers = {row.particulars.teacher for row in stored.values()}
    usual = Particulars(
        location=next(iter(places)) if len(places) == 1 else "", teacher=next(iter(teachers)) if len(teachers) == 1 else ""
    )
    return tuple(
        replace(row, particulars=_filled(row.particulars, stored[row.cell].particulars if row.cell in stored else usual))
        for row in offered
    )


def _filled(said: Particulars, known: Particulars) -> Particulars:
    times = (said.begins, said.ends) if said.clock is not None else (known.begins, known.ends)
    return Particulars(*times, said.location or known.location, said.teacher or known.teacher)


def _differences(event: Event, rows: _Rows, offered: IncomingEvent) -> tuple[str, ...]:
    new = {row.cell: row for row in offered.rows}
    both = [(rows[cell].particulars, row.particulars) for cell, row in new.items() if cell in rows]
    differs = {
        "kind": offered.kind != event.kind,
        "name": offered.name != event.name,
        "location": any(one.location != other.location for one, other in both),
        "teacher": any(one.teacher != other.teacher for one, other in both),
        "can_embed": offered.can_embed not in {None, event.can_embed},
        "rows": {(cell, row.host_uid) for cell, row in new.items()} != {(cell, row.host_uid) for cell, row in rows.items()},
        "clock": any(one.clock != other.clock for one, other in both),
    }
    return tuple(name for name, true in differs.items() if true)
