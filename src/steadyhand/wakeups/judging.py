"""Decides whether a wake-up that is due runs now, waits, or is skipped and why. Pure: it must not read a clock or a database.

The missed rule comes first. A wake-up that the person timed is exempt from all that follows: quiet hours, in which others wait, the
pause between two messages that nobody asked for, and the most of them that a session gets in a day.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, TypeAlias, cast

from steadyhand.core.canonical import Json
from steadyhand.core.clock import from_text, local
from steadyhand.store.later.wakeups import Wakeup
from steadyhand.wakeups.times import BadTime, in_zone

IN_TIME = timedelta(minutes=1)
"""So late is not late."""
ONE_SHOT: Json = {"within": 12 * 3_600}
RECURRING: Json = "run"
Why: TypeAlias = Literal["late", "cap"]


@dataclass(frozen=True, slots=True)
class Quiet:
    """The hours in which nobody is spoken to unasked, in minutes of the local day; they may span midnight."""

    begin: int
    end: int

    def ends(self, now: datetime, zone: str) -> datetime | None:
        """Return when the quiet hours that *now* lies in end; None outside of them."""
        here = local(now, zone)
        minute = here.hour * 60 + here.minute
        inside = self.begin <= minute < self.end if self.begin < self.end else minute >= self.begin or minute < self.end
        if not inside:
            return None
        day = here.date() + timedelta(days=1 if self.end <= minute else 0)
        naive = datetime(day.year, day.month, day.day, self.end // 60, self.end % 60)  # noqa: DTZ001  # the zone comes next
        while True:
            try:
                return in_zone(naive, zone).at
            except BadTime:  # clocks leave this one out
                naive += timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class Rules:
    """What holds for everything that the person did not time."""

    quiet: Quiet | None = None
    most_per_day: int = 12
    apart: timedelta = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Run:
    """It runs now."""


@dataclass(frozen=True, slots=True)
class Wait:
    """It is looked at again then."""

    until: datetime


@dataclass(frozen=True, slots=True)
class Skip:
    """It does not run, and that is said."""

    why: Why


Verdict: TypeAlias = Run | Wait | Skip


def read_quiet(text: str) -> Quiet | None:
    """Read ``23-7`` or ``22:30-07:00``; empty is none. Raises `ValueError`."""
    if not text.strip():
        return None
    begin, end = (_minutes(part) for part in text.split("-"))
    if begin == end:
        raise ValueError("quiet hours of no length")
    return Quiet(begin, end)


def _minutes(text: str) -> int:
    hour, _, minute = text.strip().partition(":")
    found = int(hour) * 60 + int(minute or 0)
    if not (0 <= int(hour) <= 24 and 0 <= int(minute or 0) < 60 and found <= 24 * 60):
        raise ValueError("no time of a day")
    return found % (24 * 60)


def judge(row: Wakeup, meant: datetime, now: datetime, rules: Rules, zone: str, spoken: Sequence[datetime]) -> Verdict:
    """Say what becomes of the occurrence *meant* of a due wake-up; *spoken* is when the session was spoken to unasked, today and yesterday.

    What waits by these rules is not late by that: lateness counts from when it was to be looked at.
    """
    if too_late(row.missed_rule, now - max(meant, from_text(row.due_at))):
        return Skip("late")
    if row.exact:
        return Run()
    if rules.quiet is not None and (until := rules.quiet.ends(now, zone)) is not None:
        return Wait(until)
    before = [one for one in spoken if one <= now]
    if before and max(before) + rules.apart > now:
        return Wait(max(before) + rules.apart)
    today = local(now, zone).date()
    if sum(local(one, zone).date() == today for one in before) >= rules.most_per_day:
        return Skip("cap")
    return Run()


def too_late(rule: Json, late: timedelta) -> bool:
    """Tell whether a missed rule (``run``, ``skip``, ``{"within": seconds}``) lets go of what is so late."""
    if late <= IN_TIME or rule == "run":
        return False
    return rule == "skip" or late >= timedelta(seconds=cast("Mapping[str, Any]", rule)["within"])
