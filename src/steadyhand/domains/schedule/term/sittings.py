"""Decides which rows of an event are one meeting, when it is by the clock, and which meetings are one weekly time. It must not store.

Clock times are the exact ones of the meeting's source where they are known, else those that the term's scale gives its slots.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from steadyhand.domains.schedule.term.records import NOTHING_KNOWN, Particulars, Row, Term

Cell = tuple[int, int, int]
"""(week, day of week, section)"""


@dataclass(frozen=True, slots=True)
class Sitting:
    """One meeting of an event: a run of sections of a day, with what is known of it beside them."""

    week: int
    day_of_week: int
    first: int
    last: int
    particulars: Particulars = NOTHING_KNOWN

    @property
    def cells(self) -> list[Cell]:
        """The cells that it takes."""
        return [(self.week, self.day_of_week, section) for section in range(self.first, self.last + 1)]

    def clock_in(self, term: Term) -> tuple[str, str]:
        """Return when it begins and ends, as ``HH:MM``."""
        return clock_at(term, self.week, self.day_of_week, (self.first, self.last), self.particulars)

    def rank(self) -> tuple[int, int, int, int, tuple[int, int, str, str]]:
        """Return what orders sittings."""
        return self.week, self.day_of_week, self.first, self.last, self.particulars.rank()


@dataclass(frozen=True, slots=True)
class Weekly:
    """The same sections of the same weekday in several weeks (ascending), the same being known of each."""

    day_of_week: int
    first: int
    last: int
    weeks: tuple[int, ...]
    particulars: Particulars = NOTHING_KNOWN

    @property
    def cells(self) -> list[Cell]:
        """The cells that it takes in all its weeks."""
        return [(week, self.day_of_week, section) for week in self.weeks for section in range(self.first, self.last + 1)]

    def rank(self) -> tuple[int, int, int, tuple[int, ...], tuple[int, int, str, str]]:
        """Return what orders weekly times."""
        return self.day_of_week, self.first, self.last, self.weeks, self.particulars.rank()


def clock_at(term: Term, week: int, day_of_week: int, slots: tuple[int, int], known: Particulars) -> tuple[str, str]:
    """Return when a meeting in *slots* begins and ends: its exact times where they are known, else those of the term's scale."""
    exact = known.clock
    if exact is not None:
        return exact
    scale = term.scale_of(week, day_of_week).slots
    return scale[slots[0] - 1][0], scale[slots[1] - 1][1]


def sittings_of(rows: Iterable[Row]) -> list[Sitting]:
    """Return the meetings of one event's rows, ascending: sections that follow each other on a day and are known alike."""
    found: list[Sitting] = []
    for row in sorted(rows, key=lambda row: (row.week, row.day_of_week, row.section)):
        last = found[-1] if found else None
        if (
            last is not None
            and (last.week, last.day_of_week, last.last + 1) == (row.week, row.day_of_week, row.section)
            and last.particulars == row.particulars
        ):
            found[-1] = replace(last, last=row.section)
        else:
            found.append(Sitting(row.week, row.day_of_week, row.section, row.section, row.particulars))
    return found


def weekly_of(rows: Iterable[Row]) -> list[Weekly]:
    """Return the weekly times of one event's rows, ascending."""
    weeks: dict[tuple[int, int, int, Particulars], list[int]] = {}
    for one in sittings_of(rows):
        weeks.setdefault((one.day_of_week, one.first, one.last, one.particulars), []).append(one.week)
    found = [Weekly(day, first, last, tuple(some), known) for (day, first, last, known), some in weeks.items()]
    return sorted(found, key=Weekly.rank)


def weekly_by_clock(rows: Iterable[Row], term: Term) -> list[tuple[Weekly, str, str]]:
    """Return the weekly times with their clock times; one that reaches into another season of the time scale is cut there."""
    found: list[tuple[Weekly, str, str]] = []
    for one in weekly_of(rows):
        weeks: dict[tuple[str, str], list[int]] = {}
        for week in one.weeks:
            times = clock_at(term, week, one.day_of_week, (one.first, one.last), one.particulars)
            weeks.setdefault(times, []).append(week)
        found += [(replace(one, weeks=tuple(some)), *times) for times, some in weeks.items()]
    return found
