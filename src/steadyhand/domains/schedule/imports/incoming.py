"""Decides what an import offers to the timetable, and how it compares with what is stored; it must not store."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from steadyhand.domains.schedule.imports.report import Entry
from steadyhand.domains.schedule.records import Event, EventKind, Records


@dataclass(frozen=True, slots=True, order=True)
class IncomingRow:
    """One section of one incoming event; *host_uid* is the incoming event in whose section it is embedded."""

    week: int
    day_of_week: int
    section: int
    host_uid: str = ""

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
    location: str = ""
    teacher: str = ""
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
    """Pair what is stored with what a file offers. An empty place, teacher or mark in the file is no statement, thus no change."""
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
        fields = _differences(event, rows.get(event.id, frozenset()), offered)
        if fields:
            changed.append(Change(event, offered, fields))
        else:
            unchanged.append(event)
    offered_uids = {offered.uid for offered in incoming}
    missing = [event for event in records.events if event.uid and event.uid not in offered_uids]
    return Match(tuple(added), tuple(changed), tuple(unchanged), tuple(missing))


def _rows(records: Records) -> dict[int, frozenset[IncomingRow]]:
    uids = {event.id: uid_of(event) for event in records.events}
    rows: dict[int, set[IncomingRow]] = {}
    for row in records.rows:
        host = uids.get(row.host_event_id, "") if row.host_event_id is not None else ""
        rows.setdefault(row.event_id, set()).add(IncomingRow(row.week, row.day_of_week, row.section, host))
    return {event_id: frozenset(found) for event_id, found in rows.items()}


def _differences(event: Event, rows: frozenset[IncomingRow], offered: IncomingEvent) -> tuple[str, ...]:
    differs = {
        "kind": offered.kind != event.kind,
        "name": offered.name != event.name,
        "location": offered.location not in {"", event.location},
        "teacher": offered.teacher not in {"", event.teacher},
        "can_embed": offered.can_embed not in {None, event.can_embed},
        "rows": frozenset(offered.rows) != rows,
    }
    return tuple(name for name, true in differs.items() if true)
