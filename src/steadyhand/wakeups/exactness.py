"""Decides whether a time that is booked is one that the person's own sentence names. A number beside a unit of time is none: it must be this time.

Only such a time holds in quiet hours, over the cap and through a pause.
"""

import re
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta

from steadyhand.core.clock import local
from steadyhand.wakeups.moments import LONGEST, days_named, spoken
from steadyhand.wakeups.spoken import HOUR, MIDNIGHT, Spoken
from steadyhand.wakeups.times import Moment, Rhythm

MOST = 400
"""So much of a sentence is looked at, from its end: a request ends where its time is named, more often than not."""
NEARLY = timedelta(minutes=1)
_WORD = re.compile(r"[A-Za-z0-9:.,'’-]+|\S")
MOST_SIGNS = 16
WHOLE_DAY = MIDNIGHT * HOUR


def names(said: str, moment: Moment, rhythm: Rhythm | None, now: datetime) -> bool:
    """Tell whether *said* names the moment, or the times of the rhythm, that is booked at *now*."""
    found = list(_times(said[-MOST:]))
    if rhythm is not None and rhythm.kind == "every":
        return any(one.often is not None and one.often.every == f"{rhythm.seconds // 60}m" for one in found)
    if any(_after(one, moment, now) for one in found):
        return True
    here = local(moment.at, moment.zone)
    minute = here.hour * HOUR + here.minute
    if not any(minute in {one % WHOLE_DAY for one in clock.minutes} for one in found if (clock := one.clock) is not None):
        return False
    return rhythm is not None or _on_its_day(found, moment, here, now)


def _after(one: Spoken, moment: Moment, now: datetime) -> bool:
    """Tell whether words say so long from now; some days from now are a day, and no time of it."""
    return bool(one.seconds) and abs(moment.at - now - timedelta(seconds=one.seconds)) <= NEARLY


def shifts(said: str, by: timedelta) -> bool:
    """Tell whether *said* holds a length of time that is as long as *by*, either way."""
    seconds = abs(round(by.total_seconds()))
    return any(one.seconds + 86_400 * one.days == seconds for one in _lengths(said[-MOST:]))


def _lengths(said: str) -> Iterator[Spoken]:
    words = [found.span() for found in _WORD.finditer(said)]
    for at in range(len(words)):
        for end in range(at + 1, min(len(words), at + MOST_SIGNS) + 1):
            part = said[words[at][0] : words[end - 1][1]].strip(" ,，.。")
            found = spoken(f"in {part}") if part.isascii() else spoken(f"{part}后")
            if found is not None and not found.vague:
                yield found


def _on_its_day(found: list[Spoken], moment: Moment, here: datetime, now: datetime) -> bool:
    """Tell whether the day is one that is named; where none is, it is the next time that clocks show this."""
    today = local(now, moment.zone).date()
    days: set[date] = {day for one in found if one.day is not None for day in days_named(one.day, today)}
    days |= {(local(now, moment.zone) + timedelta(days=one.days)).date() for one in found if one.days}
    if days:
        late = {day + timedelta(days=1) for day in days} if here.time() < time(4) else set[date]()
        return here.date() in days | late
    return moment.at - now <= timedelta(days=1)


def _times(said: str) -> Iterator[Spoken]:
    """Return every time that stands in the sentence, whole: none that is a part of a longer one."""
    words = [found.span() for found in _WORD.finditer(said)]
    at = 0
    while at < len(words):
        ends = range(min(len(words), at + MOST_SIGNS), at, -1)
        readings = ((end, _read(said, words[at][0], words[end - 1][1])) for end in ends)
        at, found = next((reading for reading in readings if reading[1] is not None), (at + 1, None))
        if found is not None:
            yield found


def _read(said: str, start: int, end: int) -> Spoken | None:
    words = said[start:end].strip(" ,，.。")
    return spoken(words) if 1 < len(words) <= LONGEST and (words.isascii() or " " not in words.strip()) else None
