"""Decides which moment or rhythm the words of a person name. It must not guess: what is not certain is asked, with the ways in which it would be.

How a time on the clock is read that no half of the day stands with:

* Written with two digits (`08:00`), above twelve or at zero it is one of the 24-hour clock.
* Without a day it is the next to come.
* On a named day, seven to twelve are hours of the 24-hour clock, so that twelve is noon; one to six could be of either half.
* Of today only what is still to come is meant. Long before the morning, tomorrow may be today to somebody who is still up.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from typing import Literal, TypeAlias

from steadyhand.core.clock import local, to_text
from steadyhand.wakeups import moments_en, moments_zh
from steadyhand.wakeups.spoken import HOUR, MIDNIGHT, Clock, Day, Often, Spoken
from steadyhand.wakeups.times import FARTHEST, BadTime, in_zone

LONGEST = 60
MOST_WAYS = 4
LATELY = timedelta(days=90)
"""A date without a year that has passed so lately is taken for a slip, and not for one of next year."""
EVERY_MONTH = 28
"""Days of the month after this one are not in each of them."""
STILL_UP = 4
TOMORROW = Day("offset", offset=1)

Why: TypeAlias = Literal["vague", "past", "none", "gap", "far", "not_each_month"]


@dataclass(frozen=True, slots=True)
class When:
    """A moment, written as tools take it in *send_at*; or what comes again, by *cron* or *every*. *on_a_day* says that its day is named."""

    send_at: str = ""
    moment: datetime | None = None
    cron: str = ""
    every: str = ""
    on_a_day: bool = True


@dataclass(frozen=True, slots=True)
class Unsure:
    """Words that can mean several times; *ways* say each of them for certain."""

    ways: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wrong:
    """Words that name no time that there will be."""

    why: Why


Read: TypeAlias = When | Unsure | Wrong


@lru_cache(maxsize=4096)
def spoken(words: str) -> Spoken | None:
    """Return the parts of words that are a time and nothing else, in either language."""
    if len(words) > LONGEST:
        return None
    return moments_zh.spoken(words) or moments_en.spoken(words)


def timed(words: str) -> bool:
    """Tell whether words are a time that goes as far as the clock."""
    found = spoken(words)
    return found is not None and (found.clock is not None or found.seconds > 0)


def days_named(day: Day, today: date) -> Sequence[date]:
    """Return the days that the words for one can mean, seen from *today*."""
    return _days(day, today)


def read_when(words: str, now: datetime, zone: str) -> Read | None:
    """Return what words mean that are a time; None for others."""
    found = spoken(words)
    read = None if found is None else _read(found, now, zone)
    far = isinstance(read, When) and read.moment is not None and read.moment > now + FARTHEST
    return Wrong("far") if far else read


def _read(found: Spoken, now: datetime, zone: str) -> Read:
    if found.vague:
        return Wrong("vague")
    if found.seconds:
        at = now + timedelta(seconds=found.seconds)
        return When(to_text(at), at)
    if found.days:
        return _on(local(now, zone).replace(tzinfo=None) + timedelta(days=found.days), zone)
    if found.often is not None:
        return _often(found, found.often, now, zone)
    if found.clock is None:
        return _ways(now, zone, (_later(found, hour) for hour in found.hours))
    if not found.clock.minutes:
        return Wrong("none")
    return _next(found.clock, now, zone) if found.day is None else _at(found, found.day, found.clock, now, zone)


def _on(naive: datetime, zone: str, *, on_a_day: bool = True) -> When | Wrong:
    try:
        moment = in_zone(naive, zone).at
    except BadTime:
        return Wrong("gap")
    except OverflowError:
        return Wrong("none")
    return When(naive.isoformat(timespec="seconds" if naive.second else "minutes"), moment, on_a_day=on_a_day)


# --- what comes again ------------------------------------------------------------------------------------------------------


def _often(found: Spoken, often: Often, now: datetime, zone: str) -> Read:
    if often.every:
        return When(every=often.every)
    if often.week == "-" or (often.month.isdigit() and not 1 <= int(often.month) <= 31):
        return Wrong("none")
    if often.month.isdigit() and int(often.month) > EVERY_MONTH:
        return Wrong("not_each_month")
    clock = found.clock
    if clock is None:
        return _ways(now, zone, (_later(found, hour) for hour in found.hours))
    minutes = clock.minutes if clock.usual is None else (clock.usual,)
    if len(minutes) > 1:
        return _ways(now, zone, (_with(found, found.clock_at, _shown(minute)) for minute in minutes))
    if not minutes:
        return Wrong("none")
    hour, minute = divmod(minutes[0], HOUR)
    if hour == MIDNIGHT and (often.month, often.week) != ("*", "*"):
        return Wrong("none")
    return When(cron=f"{minute} {hour % MIDNIGHT} {often.month} * {often.week}")


# --- what comes once -------------------------------------------------------------------------------------------------------


def _next(clock: Clock, now: datetime, zone: str) -> Read:
    """Return the next time that clocks show this."""
    today = local(now, zone).date()
    moments = [
        _on(_naive(today + timedelta(days=day), minute), zone, on_a_day=False) for day in (0, 1) for minute in clock.minutes
    ]
    coming = [one for one in moments if isinstance(one, When) and one.moment is not None and one.moment > now]
    return min(coming, key=lambda one: one.moment or now) if coming else Wrong("gap")


def _at(found: Spoken, day: Day, clock: Clock, now: datetime, zone: str) -> Read:
    here = local(now, zone).replace(tzinfo=None)
    days = _days(day, here.date())
    if day == TOMORROW and here.hour < STILL_UP:
        days = (here.date(), *days)
    if not days:
        return Wrong("none")
    coming = [(one, minute) for one in days for minute in clock.minutes if _naive(one, minute) > here]
    if not coming:
        return Wrong("past")
    dates = list(dict.fromkeys(one for one, _ in coming))
    if len(dates) > 1:
        return _ways(now, zone, (_with(found, found.day_at, one.isoformat()) for one in dates))
    minutes = [minute for _, minute in coming]
    if clock.usual in minutes:
        minutes = [clock.usual]
    if len(minutes) > 1:
        return _ways(now, zone, (_with(found, found.clock_at, _shown(minute)) for minute in minutes))
    return _on(_naive(dates[0], minutes[0]), zone)


def _naive(day: date, minute: int) -> datetime:
    return datetime.combine(day, time()) + timedelta(minutes=minute)


def _days(day: Day, today: date) -> Sequence[date]:
    """Return the days that words for one can mean: none where the calendar has no such day."""
    try:
        found = _DAYS[day.kind](day, today)
    except OverflowError:
        return ()
    return [one for one in found if day.kind == "weekday" or day.weekday in (0, one.isoweekday())]


def _offset(day: Day, today: date) -> Sequence[date]:
    return (today + timedelta(days=day.offset),)


def _weekday(day: Day, today: date) -> Sequence[date]:
    """Return a weekday: one alone is the next to come, which on that very weekday is today or a week on."""
    own = today + timedelta(days=day.weekday - today.isoweekday())
    coming = own if own >= today else own + timedelta(days=7)
    match day.named:
        case "this":
            return (own,)
        case "week":
            return (own + timedelta(days=7),)
        case "week_after":
            return (own + timedelta(days=14),)
        case "next":  # to some the coming one, to others that of next week
            return (own, own + timedelta(days=7)) if own > today else (own + timedelta(days=7),)
        case _:
            return (today, today + timedelta(days=7)) if own == today else (coming,)


def _date(day: Day, today: date) -> Sequence[date]:
    if day.year:
        return _real(day.year, day.month, day.day)
    this = _real(today.year, day.month, day.day)
    if this and this[0] >= today - LATELY:
        return this
    return _real(today.year + 1, day.month, day.day)


def _of_month(day: Day, today: date) -> Sequence[date]:
    """Return the day of this month, or of the next where it has passed."""
    this = _real(today.year, today.month, day.day)
    if this and this[0] >= today:
        return this
    year, month = divmod(today.month, 12)
    return _real(today.year + year, month + 1, day.day) if this else ()


_DAYS = {"offset": _offset, "weekday": _weekday, "date": _date, "of_month": _of_month}


def _real(year: int, month: int, day: int) -> tuple[date, ...]:
    try:
        return (date(year, month, day),)
    except ValueError:
        return ()


# --- words that are more certain -------------------------------------------------------------------------------------------


def _ways(now: datetime, zone: str, words: Iterable[str]) -> Unsure:
    """Return those words that name a time for certain; what is still unsure in its turn by its own ways."""
    ways: list[str] = []
    for one in words:
        read = read_when(one, now, zone)
        if isinstance(read, When):
            ways.append(one)
        elif isinstance(read, Unsure):
            ways += read.ways
    return Unsure(tuple(dict.fromkeys(ways))[:MOST_WAYS])


def _with(found: Spoken, at: tuple[int, int] | None, instead: str) -> str:
    if at is None:
        return ""
    before, after = found.words[: at[0]].strip(), found.words[at[1] :].strip()
    return " ".join(part for part in (before, instead, after) if part)


def _later(found: Spoken, hour: str) -> str:
    return f"{found.words} {hour}"


def _shown(minute: int) -> str:
    return f"{minute // HOUR:02}:{minute % HOUR:02}"
