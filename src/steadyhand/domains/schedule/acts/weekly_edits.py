"""Decides what a course meets in after one of its weekly times, or all of them, are changed. It must not write, or drop a time not named.

A weekly time that gets another day or other slots goes by the clock of the term's scale: the exact times that it had belonged to
the slots that it leaves. Its place and teacher stay unless they are changed too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from steadyhand.core.errors import ToolRefusal
from steadyhand.domains.schedule.acts.calendar_facts import rows_by_weekday
from steadyhand.domains.schedule.term.records import DAYS_IN_WEEK, Event, Particulars, Records, Term
from steadyhand.domains.schedule.term.sittings import Cell, Weekly, weekly_of
from steadyhand.domains.schedule.term.weeks import write_weeks


@dataclass(frozen=True, slots=True)
class Edit:
    """What a person wants otherwise; None where they say nothing. *which* counts a course's weekly times from 1."""

    which: int | None = None
    day: int | None = None
    slots: tuple[int, int] | None = None
    weeks: frozenset[int] | None = None
    location: str | None = None
    teacher: str | None = None

    @property
    def of_time(self) -> bool:
        """Whether it is about when the course meets."""
        return not (self.day is None and self.slots is None and self.weeks is None)

    @property
    def of_meetings(self) -> bool:
        """Whether it is about meetings at all, and not about the course itself."""
        return self.of_time or self.location is not None or self.teacher is not None


def weekly_times(records: Records, event: Event) -> list[Weekly]:
    """Return the weekly times of a course as they are numbered for a person: as the weekdays have them, whatever the calendar facts."""
    return weekly_of(rows_by_weekday(records, event))


def edited(records: Records, event: Event, edit: Edit) -> dict[Cell, Particulars]:
    """Return all that the course shall meet in by its weekdays, with what is known of it.

    A change of when, without *which*, is of the course's only weekly time; with several it is refused, as which one is meant is for
    the person to say. Place and teacher without *which* are those of all meetings.
    """
    times = weekly_times(records, event)
    if edit.which is not None and not 1 <= edit.which <= len(times):
        raise ToolRefusal("weekly_time_missing", name=event.name, which=edit.which, count=len(times))
    if edit.of_time and edit.which is None and len(times) > 1:
        raise ToolRefusal("which_time", name=event.name, count=len(times))
    if edit.of_time and not times:
        times = [_begun(records.term, event, edit)]
    chosen = range(len(times)) if edit.which is None else [edit.which - 1]
    met: dict[Cell, Particulars] = {}
    for number, one in enumerate(times):
        new = _changed(records.term, one, edit) if number in chosen else one
        for cell in new.cells:
            if cell in met:
                week, day, section = cell
                raise ToolRefusal("meets_twice", name=event.name, week=week, day=day, slot=section)
            met[cell] = new.particulars
    return met


def _begun(term: Term, event: Event, edit: Edit) -> Weekly:
    """Return the weekly time of a course that has none: only what is wholly said makes one."""
    if edit.day is None or edit.slots is None:
        raise ToolRefusal("no_weekly_time", name=event.name)
    return Weekly(edit.day, *edit.slots, tuple(range(1, term.weeks + 1)))


def _changed(term: Term, one: Weekly, edit: Edit) -> Weekly:
    first, last = edit.slots or (one.first, one.last)
    day = edit.day if edit.day is not None else one.day_of_week
    weeks = one.weeks if edit.weeks is None else tuple(sorted(edit.weeks))
    need_cells(term, day, (first, last), weeks)
    moved = (day, first, last) != (one.day_of_week, one.first, one.last)
    known = one.particulars.untimed() if moved else one.particulars
    if edit.location is not None:
        known = replace(known, location=edit.location)
    if edit.teacher is not None:
        known = replace(known, teacher=edit.teacher)
    return Weekly(day, first, last, weeks, known)


def need_cells(term: Term, day_of_week: int, slots: tuple[int, int], weeks: Sequence[int]) -> None:
    """Refuse a weekly meeting that lies outside the term or its time scale; *weeks* ascend."""
    first, last = slots
    if not 1 <= day_of_week <= DAYS_IN_WEEK:
        raise ToolRefusal("day_of_week_outside", day=day_of_week)
    if not 1 <= first <= last <= len(term.scale):
        raise ToolRefusal("slots_outside", first=first, last=last, slots=len(term.scale))
    if not weeks or weeks[0] < 1 or weeks[-1] > term.weeks:
        raise ToolRefusal("weeks_outside", weeks=write_weeks(weeks) if weeks else "-", count=term.weeks)
