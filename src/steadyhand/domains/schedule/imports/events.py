"""Decides what a calendar file says in neutral terms: named events with their meetings in one zone. It must not know terms or slots."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import pairwise
from typing import Any, cast

from steadyhand.core.canonical import Json
from steadyhand.domains.schedule.imports.report import Entry


@dataclass(frozen=True, slots=True, order=True)
class Meeting:
    """One time at which an event takes place, in local time of the term's zone, without zone, with its place and teacher.

    *timed* is false when the clock times are not the file's own but those that a scale gave to slots: our own exports say so.
    *slots* are the first and the last slot where a person chose them.
    """

    start: datetime
    end: datetime
    location: str = ""
    teacher: str = ""
    timed: bool = True
    slots: tuple[int, ...] = ()

    def to_json(self) -> Json:
        """Return the meeting as a list; a place, a teacher and what follows stand there only where there are any."""
        times = self.start.isoformat(), self.end.isoformat()
        if self.timed and not self.slots:
            return [*times, self.location, self.teacher] if self.location or self.teacher else [*times]
        return [*times, self.location, self.teacher, self.timed, list(self.slots)]

    @staticmethod
    def from_json(value: Json) -> "Meeting":
        start, end, *more = cast("Sequence[Any]", value)
        *said, slots = more if len(more) > 2 else (*more, ())  # a place and a teacher
        return Meeting(datetime.fromisoformat(start), datetime.fromisoformat(end), *said, slots=tuple(slots))


@dataclass(frozen=True, slots=True)
class CalendarEvent:
    """One event of a file. *kind* and *can_embed* are set only by files that we wrote ourselves; *line* is where it begins."""

    uid: str
    name: str
    meetings: tuple[Meeting, ...]
    kind: str = ""
    can_embed: bool | None = None
    line: int = 0

    def to_json(self) -> Json:
        return {
            "uid": self.uid,
            "name": self.name,
            "meetings": [meeting.to_json() for meeting in self.meetings],
            "kind": self.kind,
            "can_embed": self.can_embed,
            "line": self.line,
        }

    @staticmethod
    def from_json(value: Json) -> "CalendarEvent":
        entry = cast("Mapping[str, Json]", value)
        return CalendarEvent(
            cast("str", entry["uid"]),
            cast("str", entry["name"]),
            tuple(Meeting.from_json(meeting) for meeting in cast("Sequence[Json]", entry["meetings"])),
            cast("str", entry["kind"]),
            cast("bool | None", entry["can_embed"]),
            cast("int", entry["line"]),
        )


def joined(words: Iterable[str]) -> str:
    """Return *words* as one text, each once, in their order."""
    return "、".join(dict.fromkeys(filter(None, words)))


def together(events: Sequence[CalendarEvent]) -> CalendarEvent:
    """Return the first of *events* with the meetings of all; two at one time are one meeting with both places and both teachers."""
    if len(events) == 1 and all(one.start < later.start for one, later in pairwise(events[0].meetings)):
        return events[0]
    at: dict[tuple[datetime, datetime], list[Meeting]] = {}
    for meeting in (meeting for event in events for meeting in event.meetings):
        at.setdefault((meeting.start, meeting.end), []).append(meeting)
    return replace(events[0], meetings=tuple(_one(at[times]) for times in sorted(at)))


def _one(same: Sequence[Meeting]) -> Meeting:
    first = same[0]
    if len(same) == 1:
        return first
    location, teacher = joined(one.location for one in same), joined(one.teacher for one in same)
    return replace(first, location=location, teacher=teacher, timed=all(one.timed for one in same))


@dataclass(frozen=True, slots=True)
class CalendarFile:
    """All that a file said, what was to be said about it, and the term that it suggests (None when it has no meeting).

    *zone* is the one in which its meetings are given, *name* what the file calls itself.
    """

    events: tuple[CalendarEvent, ...]
    entries: tuple[Entry, ...]
    first_monday: date | None
    weeks: int
    zone: str = ""
    name: str = ""

    def to_json(self) -> Json:
        return {
            "events": [event.to_json() for event in self.events],
            "entries": [entry.to_json() for entry in self.entries],
            "first_monday": self.first_monday.isoformat() if self.first_monday else None,
            "weeks": self.weeks,
            "zone": self.zone,
            "name": self.name,
        }

    @staticmethod
    def from_json(value: Json) -> "CalendarFile":
        entry = cast("Mapping[str, Json]", value)
        monday = cast("str | None", entry["first_monday"])
        return CalendarFile(
            tuple(CalendarEvent.from_json(event) for event in cast("Sequence[Json]", entry["events"])),
            tuple(Entry.from_json(told) for told in cast("Sequence[Json]", entry["entries"])),
            date.fromisoformat(monday) if monday else None,
            cast("int", entry["weeks"]),
            cast("str", entry["zone"]),
            cast("str", entry["name"]),
        )
