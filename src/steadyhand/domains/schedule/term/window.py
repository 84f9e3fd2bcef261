"""Decides which day index is which week and day of week; it must not know dates (a `Term` does) or tasks."""

from dataclasses import dataclass
from typing import NamedTuple

from steadyhand.domains.schedule.term.records import DAYS_IN_WEEK


class Present(NamedTuple):
    """The first slot of a window that is still to come: every slot before it, on its day or an earlier one, is over."""

    day: int = 1
    slot: int = 1


@dataclass(frozen=True, slots=True)
class Window:
    """The planning window: *total_days* days in a row, day 1 being (*first_week*, *first_day_of_week*), *slots* slots each."""

    first_week: int
    first_day_of_week: int
    total_days: int
    slots: int = 12

    def week_of(self, day: int) -> tuple[int, int]:
        """Return (week, day of week) of day index *day*; outside 1 … total_days it raises `IndexError`."""
        if not 1 <= day <= self.total_days:
            raise IndexError(day)
        offset = self.first_day_of_week - 1 + day - 1
        return self.first_week + offset // DAYS_IN_WEEK, offset % DAYS_IN_WEEK + 1

    def day_of(self, week: int, day_of_week: int) -> int | None:
        """Return the day index of (week, day of week), or None outside the window."""
        day = (week - self.first_week) * DAYS_IN_WEEK + day_of_week - self.first_day_of_week + 1
        return day if 1 <= day <= self.total_days else None
