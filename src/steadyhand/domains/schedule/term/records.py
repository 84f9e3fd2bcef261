"""Decides the shape of what the timetable stores: terms, time scales, events, rows, classes, items. It must not read or write them.

The four tables of the timetable are `Event` (a course, or a task that has a place), `Row` (one section of one event on one
day), `TaskClass` (a category of tasks) and `TaskItem` (one task of a category). `Term` and `TimeScale` say what a week,
a day and a section are.
"""

from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Literal, TypeAlias

EventKind: TypeAlias = Literal["course", "task"]
FactKind: TypeAlias = Literal["holiday", "works_as"]
DAYS_IN_WEEK = 7
MAX_WEEKS = 60
DAY_MINUTES = 24 * 60


def minutes_of(clock: str) -> int:
    """Return the minutes since midnight of ``HH:MM``."""
    hours, _, minutes = clock.partition(":")
    return int(hours) * 60 + int(minutes)


def clock_of(minutes: int) -> str:
    """Return ``HH:MM`` for minutes since midnight; the end of the day is ``24:00``."""
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


DEFAULT_SLOTS: tuple[tuple[str, str], ...] = (
    ("08:00", "08:45"),
    ("08:55", "09:40"),
    ("10:00", "10:45"),
    ("10:55", "11:40"),
    ("14:00", "14:45"),
    ("14:55", "15:40"),
    ("16:00", "16:45"),
    ("16:55", "17:40"),
    ("19:00", "19:45"),
    ("19:55", "20:40"),
    ("20:50", "21:35"),
    ("21:45", "22:30"),
)


@dataclass(frozen=True, slots=True)
class TimeScale:
    """The slots of a day with their clock times, ``HH:MM`` local, ascending and apart; slot *n* is ``slots[n - 1]``."""

    name: str = "default"
    slots: tuple[tuple[str, str], ...] = DEFAULT_SLOTS

    def __len__(self) -> int:
        return len(self.slots)


@dataclass(frozen=True, slots=True)
class Season:
    """A time scale that holds from a date on, until the next season; it has as many slots as the term's own scale."""

    begins: date
    scale: TimeScale


@dataclass(frozen=True, slots=True)
class Term:
    """A span of weeks; week 1 begins on *first_monday*. *zone* is the IANA zone in which its clock times are meant.

    *scale* holds until the first of *seasons* (ascending) begins.
    """

    id: int
    name: str
    zone: str
    first_monday: date
    weeks: int
    scale: TimeScale = field(default_factory=TimeScale)
    seasons: tuple[Season, ...] = ()

    def scale_on(self, day: date) -> TimeScale:
        """Return the time scale that holds on *day*."""
        return next((season.scale for season in reversed(self.seasons) if season.begins <= day), self.scale)

    def scale_of(self, week: int, day_of_week: int) -> TimeScale:
        """Return the time scale of (week from 1, day of week)."""
        return self.scale_on(self.date_of(week, day_of_week))

    def date_of(self, week: int, day_of_week: int) -> date:
        """Return the date of (week from 1, day of week 1 = Monday … 7 = Sunday)."""
        return self.first_monday + timedelta(days=(week - 1) * DAYS_IN_WEEK + day_of_week - 1)

    def week_of(self, day: date) -> tuple[int, int] | None:
        """Return (week, day of week) of *day*, or None outside the term."""
        offset = (day - self.first_monday).days
        if not 0 <= offset < self.weeks * DAYS_IN_WEEK:
            return None
        return offset // DAYS_IN_WEEK + 1, offset % DAYS_IN_WEEK + 1


@dataclass(frozen=True, slots=True)
class Event:
    """A course, or a task that has a place. *uid* is the identity a calendar file gave it; *item_id* the task it stands for.

    *rule* is the week rule in words as it was entered or imported (``1-16``, ``1-15 odd``); the rows are the truth. Places and
    teachers belong to its meetings, thus to its rows.
    """

    id: int
    kind: EventKind
    name: str
    can_embed: bool = False
    uid: str = ""
    rule: str = ""
    item_id: int | None = None


@dataclass(frozen=True, slots=True)
class Particulars:
    """What is known of a meeting beside its slots: its exact clock times, where it is and who teaches it.

    *begins* and *ends* are minutes since midnight in the term's zone, as the source of the meeting gave them; both are None where
    no source gave any: then the term's scale says them. ``24:00`` is 1440.
    """

    begins: int | None = None
    ends: int | None = None
    location: str = ""
    teacher: str = ""

    @property
    def clock(self) -> tuple[str, str] | None:
        """The exact clock times as ``HH:MM``, or None where they are not known."""
        return None if self.begins is None or self.ends is None else (clock_of(self.begins), clock_of(self.ends))

    def untimed(self) -> "Particulars":
        """Return the same without exact clock times: those of a meeting that no longer has the slots that they belong to."""
        return Particulars(None, None, self.location, self.teacher)

    def rank(self) -> tuple[int, int, str, str]:
        """Return what orders particulars: unknown times first."""
        return -1 if self.begins is None else self.begins, -1 if self.ends is None else self.ends, self.location, self.teacher


NOTHING_KNOWN = Particulars()


@dataclass(frozen=True, slots=True, order=True)
class Row:
    """One section of one event on one day. *host_event_id* is set when it is embedded in that event's section.

    Rows of one event that follow each other on a day and have the same particulars are one meeting.
    """

    event_id: int
    week: int
    day_of_week: int
    section: int
    host_event_id: int | None = None
    particulars: Particulars = NOTHING_KNOWN


@dataclass(frozen=True, slots=True)
class Seat:
    """A section of a course, which is named by its identity in files, with what is known of the meeting."""

    uid: str
    section: int
    particulars: Particulars = NOTHING_KNOWN


@dataclass(frozen=True, slots=True)
class CalendarFact:
    """A day of a term that does not go by its weekday: a holiday has no courses, a *works_as* day has those of another day.

    *held* are the courses' sections that would meet on this day without the fact, ascending.
    """

    week: int
    day_of_week: int
    kind: FactKind
    as_week: int | None = None
    as_day_of_week: int | None = None
    held: tuple[Seat, ...] = ()

    @property
    def day(self) -> tuple[int, int]:
        """The (week, day of week) that the fact is about."""
        return self.week, self.day_of_week

    @property
    def as_day(self) -> tuple[int, int] | None:
        """The (week, day of week) whose courses it takes; None for a holiday."""
        return None if self.as_week is None or self.as_day_of_week is None else (self.as_week, self.as_day_of_week)


@dataclass(frozen=True, slots=True)
class TaskClass:
    """A category of tasks. *total_slots* is shared out among its items that have no duration; *ordered* binds `arrange`."""

    id: int
    name: str
    total_slots: int | None = None
    ordered: bool = True


@dataclass(frozen=True, slots=True)
class TaskItem:
    """One task of a category. *position* is its place in the category's order, *priority* 1 (low) … 5 (high)."""

    id: int
    class_id: int
    content: str
    position: int
    duration: int | None = None
    earliest: date | None = None
    deadline: date | None = None
    priority: int = 3


@dataclass(frozen=True, slots=True)
class Records:
    """All that one person's term holds, each table ascending by its key."""

    term: Term
    events: tuple[Event, ...] = ()
    rows: tuple[Row, ...] = ()
    classes: tuple[TaskClass, ...] = ()
    items: tuple[TaskItem, ...] = ()
    facts: tuple[CalendarFact, ...] = ()
