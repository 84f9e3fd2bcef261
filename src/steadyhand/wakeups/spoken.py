"""Decides the parts that words for a time have, whatever their language: how far off, which day, which hours, how often. It must not know now."""

from dataclasses import dataclass
from typing import Literal

HOUR = 60
NOON, MIDNIGHT = 12, 24
USUAL = range(7, 13)
"""The hours of a named day that are read as on the 24-hour clock where no half of the day is said."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The minutes of a day that a time on the clock can mean, ascending; none where no clock shows it. *usual* is the likelier one."""

    minutes: tuple[int, ...] = ()
    usual: int | None = None


@dataclass(frozen=True, slots=True)
class Day:
    """A day: so many days on; a weekday, of the week that *named* says; a date, whose *year* may be left out; a day of the month.

    *weekday* from 1 may stand beside a date, and must agree with it then.
    """

    kind: Literal["offset", "weekday", "date", "of_month"]
    offset: int = 0
    weekday: int = 0
    named: Literal["", "this", "next", "week", "week_after"] = ""
    year: int = 0
    month: int = 0
    day: int = 0


@dataclass(frozen=True, slots=True)
class Often:
    """How often: on every day that a cron expression's day of the *month* and of the *week* allow, or *every* so often."""

    month: str = "*"
    week: str = "*"
    every: str = ""


@dataclass(frozen=True, slots=True)
class Spoken:
    """What words for a time hold. *vague* ones name none; *hours* are those that a part of the day suggests.

    *day_at* and *clock_at* say where the words for the day and for the hour stand in *words*.
    """

    words: str
    seconds: int = 0
    days: int = 0
    day: Day | None = None
    often: Often | None = None
    clock: Clock | None = None
    hours: tuple[str, ...] = ("09:00", "15:00", "20:00")
    vague: bool = False
    day_at: tuple[int, int] | None = None
    clock_at: tuple[int, int] | None = None


Part = tuple[int, int, tuple[str, ...]]
"""A part of the day: from which hour on, before which, and the times that are offered for it."""


def clock_of(hour: int, minute: int, part: Part | None = None, *, full: bool = False) -> Clock:
    """Return what a time on the clock can mean. *full* says that it is one of the 24-hour clock."""
    if hour >= MIDNIGHT or minute >= HOUR:
        return Clock()
    if part is not None:
        begin, end, _ = part
        hours = {hour, hour % NOON, hour % NOON + NOON} if hour <= NOON else {hour}
        if hour == NOON and end > MIDNIGHT:
            hours.add(MIDNIGHT)
        fits = sorted(one for one in hours if begin <= one < end)
        return Clock((fits[0] * HOUR + minute,)) if len(fits) == 1 else Clock()
    if full or hour == 0 or hour > NOON:
        return Clock((hour * HOUR + minute,))
    both = (hour % NOON * HOUR + minute, (hour % NOON + NOON) * HOUR + minute)
    return Clock(both, hour * HOUR + minute if hour in USUAL else None)
