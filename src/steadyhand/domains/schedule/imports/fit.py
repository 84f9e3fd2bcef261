"""Decides which sections of a term a meeting takes; it must not invent a section, move a meeting or drop one without a word.

A meeting keeps its exact clock times; its sections are a reading of them. The rule: a meeting takes the sections *a* to *b* when it begins at most `TOLERANCE` minutes from the beginning of section
*a* and ends at most as many from the end of section *b*, the nearest section at either end, the earlier of two equally near;
*a* must not come after *b*. Every other meeting is asked about, with its times. The scale is never extended to fit a file.

An event is a course when it, or events of the same name at the same weekday and time, meets in at least two weeks of the
term; otherwise it is of type task. The caller can decide otherwise for a whole file.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal, TypeAlias

from steadyhand.domains.schedule.imports.claims import Claimant, Claims
from steadyhand.domains.schedule.imports.events import CalendarEvent, Meeting
from steadyhand.domains.schedule.imports.incoming import Cell, Fitted, IncomingEvent, IncomingRow
from steadyhand.domains.schedule.imports.report import Entry, entry
from steadyhand.domains.schedule.imports.wording import shown
from steadyhand.domains.schedule.term.records import DAY_MINUTES, EventKind, Particulars, Term, TimeScale, clock_of, minutes_of
from steadyhand.domains.schedule.term.sittings import Sitting
from steadyhand.domains.schedule.term.weeks import write_weeks

TOLERANCE = 20
Kinds: TypeAlias = Literal["by_weeks", "course", "task"]
_Series: TypeAlias = tuple[str, int, int]


def sections_at(scale: TimeScale, start: int, end: int, tolerance: int = TOLERANCE) -> tuple[int, int] | None:
    """Return the (first, last) section that a meeting from *start* to *end* minutes takes, or None when it does not fit."""
    first = min(range(len(scale)), key=lambda index: abs(minutes_of(scale.slots[index][0]) - start))
    last = min(range(len(scale)), key=lambda index: abs(minutes_of(scale.slots[index][1]) - end))
    near = (
        abs(minutes_of(scale.slots[first][0]) - start) <= tolerance and abs(minutes_of(scale.slots[last][1]) - end) <= tolerance
    )
    return (first + 1, last + 1) if near and first <= last else None


def fit(
    events: Sequence[CalendarEvent],
    term: Term,
    *,
    tolerance: int = TOLERANCE,
    kinds: Kinds = "by_weeks",
    taken: Mapping[Cell, str] | None = None,
) -> Fitted:
    """Fit *events* into *term*. *taken* are the sections of stored events that this import does not replace, with their names."""
    series = _weeks_of_series(events, term)
    readings = [_read(event, term, tolerance, _kind(event, kinds, series)) for event in events]
    claims = Claims(taken or {})
    granted: dict[int, IncomingEvent] = {}
    for index in sorted(range(len(readings)), key=lambda index: readings[index].kind != "course"):
        offered = _claim(readings[index], claims)
        if offered is not None:
            granted[index] = offered
    told = [told for reading in readings for told in reading.told]
    return Fitted(tuple(granted[index] for index in sorted(granted)), tuple(told))


@dataclass(slots=True)
class _Reading:
    """One event with the sittings that it wants and what is said about it."""

    event: CalendarEvent
    kind: EventKind
    sittings: list[Sitting] = field(default_factory=list[Sitting])
    told: list[Entry] = field(default_factory=list[Entry])


def _series(event: CalendarEvent, meeting: Meeting) -> _Series:
    return event.name, meeting.start.weekday(), meeting.start.hour * 60 + meeting.start.minute


def _weeks_of_series(events: Sequence[CalendarEvent], term: Term) -> dict[_Series, set[int]]:
    weeks: dict[_Series, set[int]] = {}
    for event in events:
        for meeting in event.meetings:
            place = term.week_of(meeting.start.date())
            if place is not None:
                weeks.setdefault(_series(event, meeting), set()).add(place[0])
    return weeks


def _kind(event: CalendarEvent, kinds: Kinds, series: Mapping[_Series, set[int]]) -> EventKind:
    if kinds != "by_weeks":
        return kinds
    if event.kind == "course":
        return "course"
    if event.kind == "task":
        return "task"
    places = [series.get(_series(event, meeting), set[int]()) for meeting in event.meetings]
    return "course" if any(len(weeks) > 1 for weeks in places) or len(set[int]().union(*places)) > 1 else "task"


def _read(event: CalendarEvent, term: Term, tolerance: int, kind: EventKind) -> _Reading:
    """Find the sittings of *event*; meetings that have the same trouble make one entry."""
    reading = _Reading(event, kind)
    troubles: dict[tuple[str, str, str, str], list[Meeting]] = {}
    for meeting in event.meetings:
        place = term.week_of(meeting.start.date())
        start = meeting.start.hour * 60 + meeting.start.minute
        end = _end_minutes(meeting)
        scale = term.scale_on(meeting.start.date())
        sections = _chosen(meeting) or (sections_at(scale, start, end, tolerance) if end else None)
        code = _trouble(meeting, end, inside=place is not None, fits=sections is not None)
        if place is not None and sections is not None and not code:
            times = (start, end) if meeting.timed and end > start else (None, None)
            reading.sittings.append(Sitting(*place, *sections, Particulars(*times, meeting.location, meeting.teacher)))
            code = "" if meeting.slots or _exact(scale, start, end, sections) else "time_fitted"
        if code:
            begin, until = ("", "") if code in {"outside_term", "overnight"} else (clock_of(start), clock_of(end or start))
            taken = f"{sections[0]}-{sections[1]}" if code == "time_fitted" and sections else ""
            troubles.setdefault((code, begin, until, taken), []).append(meeting)
    reading.told += [_entry(event, *key, meetings) for key, meetings in troubles.items()]
    return reading


def _end_minutes(meeting: Meeting) -> int:
    """Return the minutes since midnight of the meeting's end, 24:00 included; 0 when it ends on another day."""
    if meeting.end.date() == meeting.start.date():
        return meeting.end.hour * 60 + meeting.end.minute
    midnight = (meeting.start + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    return DAY_MINUTES if meeting.end == midnight else 0


def _trouble(meeting: Meeting, end: int, *, inside: bool, fits: bool) -> str:
    if not inside:
        return "outside_term"
    if meeting.slots:
        return ""
    if meeting.end <= meeting.start:
        return "no_duration"
    if not end:
        return "overnight"
    return "" if fits else "time_outside_scale"


def _chosen(meeting: Meeting) -> tuple[int, int] | None:
    return (meeting.slots[0], meeting.slots[-1]) if meeting.slots else None


def _exact(scale: TimeScale, start: int, end: int, sections: tuple[int, int]) -> bool:
    return minutes_of(scale.slots[sections[0] - 1][0]) == start and minutes_of(scale.slots[sections[1] - 1][1]) == end


def _entry(event: CalendarEvent, code: str, begin: str, end: str, sections: str, meetings: Sequence[Meeting]) -> Entry:
    dates = [meeting.start.date().isoformat() for meeting in meetings]
    name, count = shown(event.name), len(meetings)
    if code == "overnight":
        first = meetings[0]
        return entry(
            code,
            event.line,
            name=name,
            count=count,
            begin=first.start.isoformat(" ", "minutes"),
            end=first.end.isoformat(" ", "minutes"),
        )
    if code == "outside_term":
        return entry(code, event.line, name=name, date=dates[0])
    if code == "time_fitted":
        return entry(code, event.line, name=name, begin=begin, end=end, sections=sections, count=count)
    if code == "no_duration":
        return entry(code, event.line, name=name, begin=begin, date=dates[0], count=count)
    return entry(code, event.line, name=name, begin=begin, end=end, date=dates[0], count=count)


def _claim(reading: _Reading, claims: Claims) -> IncomingEvent | None:
    event = reading.event
    who = Claimant(event.uid, event.name, reading.kind, event.can_embed is True)
    rows, refused = claims.claim(who, reading.sittings)
    reading.told += [Entry(told.code, told.params, event.line) for told in refused]
    if not rows:
        return None
    rule = rule_of(rows)
    kept = "course_kept" if reading.kind == "course" else "event_task_kept"
    weeks = write_weeks(row.week for row in rows)
    reading.told.append(entry(kept, event.line, name=shown(event.name), weeks=weeks, count=len(rows)))
    return IncomingEvent(event.uid, reading.kind, event.name, tuple(rows), rule, event.can_embed)


def rule_of(rows: Sequence[IncomingRow]) -> str:
    """Return the week list that all weekdays and sections of *rows* share; empty when they do not share one."""
    weeks: dict[tuple[int, int], set[int]] = {}
    for row in rows:
        weeks.setdefault((row.day_of_week, row.section), set()).add(row.week)
    patterns = {frozenset(found) for found in weeks.values()}
    return write_weeks(next(iter(patterns))) if len(patterns) == 1 else ""
