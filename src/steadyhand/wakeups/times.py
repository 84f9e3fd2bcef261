"""Decides which moment a text means and when a rhythm comes round again. It must not know what happens then.

A moment has a zone or an offset, or is read in the person's zone. Of a local time that comes twice the first is taken; one that clocks
leave out is refused. A rhythm goes on from the moment that was meant, never from when it ran, so that it does not drift:

* ``every N`` counts seconds, whatever clocks do.
* A 5-field cron expression holds in its zone. Where its hours are named, each local time comes once a day: of a time that comes twice
  the first counts, and one fixed time that clocks leave out comes when they have gone forward. Where every hour is meant, every hour counts.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, cast
from zoneinfo import ZoneInfo

from steadyhand.core.canonical import Json
from steadyhand.core.clock import local, zone_exists
from steadyhand.core.errors import ToolRefusal

FARTHEST = timedelta(days=5 * 366)
SHORTEST, LONGEST = 60, 366 * 86_400
MOST_SHOWN = 60
_MOMENT = re.compile(
    r"(?P<at>\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)\s*(?P<offset>Z|[+-]\d{2}:?\d{2})?\s*"
    r"(?:\[(?P<inside>[A-Za-z0-9_+/-]+)\]|(?P<zone>[A-Za-z][A-Za-z0-9_+/-]+))?",
)
_SPAN = re.compile(r"(\d{1,8})\s*([smhd])")
_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


class BadTime(ToolRefusal):
    """A time that cannot be used; *why* is a word of the catalogue."""

    def __init__(self, why: str, text: str) -> None:
        super().__init__("bad_time", why=why, text=text[:MOST_SHOWN])


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment as it was meant: in which zone, and whether it is the *earlier* of two that the same words name."""

    at: datetime
    zone: str
    earlier: bool = False


def read_moment(text: str, zone: str, now: datetime) -> Moment:
    """Read an absolute moment; one without a zone or offset is in *zone*. Raises `BadTime`."""
    found = _MOMENT.fullmatch(text.strip())
    if found is None:
        raise BadTime("unreadable", text)
    named = found["inside"] or found["zone"] or zone
    if not zone_exists(named):
        raise BadTime("zone", text)
    try:
        naive = datetime.fromisoformat(found["at"])
        if found["offset"]:
            at = datetime.fromisoformat(f"{found['at']}{found['offset'].replace('Z', '+00:00')}").astimezone(UTC)
            moment = Moment(at, named)
        else:
            moment = in_zone(naive, named, text)
    except (ValueError, OverflowError) as error:
        raise BadTime("unreadable", text) from error
    if moment.at <= now:
        raise BadTime("past", text)
    if moment.at > now + FARTHEST:
        raise BadTime("far", text)
    return moment


def in_zone(naive: datetime, zone: str, text: str = "") -> Moment:
    """Return the moment at which clocks of *zone* show *naive*; raises `BadTime` when they never do."""
    first, second = (naive.replace(tzinfo=ZoneInfo(zone), fold=fold) for fold in (0, 1))
    at = first.astimezone(UTC)
    if local(at, zone).replace(tzinfo=None) != naive:
        raise BadTime("gap", text or naive.isoformat(" "))
    return Moment(at, zone, earlier=second.utcoffset() != first.utcoffset())


# --- rhythms -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How something comes again: ``every`` so many *seconds*, or when the cron *expression* says so in *zone*."""

    kind: Literal["every", "cron"]
    zone: str
    seconds: int = 0
    expression: str = ""

    def to_json(self) -> Json:
        """Return what a row keeps; the zone has a column of its own."""
        return {"every": self.seconds} if self.kind == "every" else {"cron": self.expression}

    def after(self, moment: datetime) -> datetime:
        """Return the first occurrence behind *moment*, which is itself one (or, of a cron expression, any moment)."""
        if self.kind == "every":
            return moment + timedelta(seconds=self.seconds)
        return next(_occurrences(self.expression, self.zone, moment))

    def latest(self, meant: datetime, now: datetime) -> datetime:
        """Return the last occurrence that is not behind *now*, from the occurrence *meant* on."""
        if now <= meant:
            return meant
        if self.kind == "every":
            step = timedelta(seconds=self.seconds)
            return meant + (now - meant) // step * step
        latest = max(meant, _day_before(self.expression, self.zone, now))
        while (following := self.after(latest)) <= now:
            latest = following
        return latest


def rhythm_of(stored: Json, zone: str) -> Rhythm | None:
    """Read what a row keeps; None for what comes once."""
    if stored is None:
        return None
    kept = cast("Mapping[str, Any]", stored)
    return Rhythm("every", zone, seconds=kept["every"]) if "every" in kept else Rhythm("cron", zone, expression=kept["cron"])


def read_every(text: str, zone: str) -> Rhythm:
    """Read ``90m``, ``2h``, ``1d``; raises `BadTime`."""
    found = _SPAN.fullmatch(text.strip().lower())
    seconds = int(found[1]) * _UNITS[found[2]] if found else 0
    if not SHORTEST <= seconds <= LONGEST:
        raise BadTime("span", text)
    return Rhythm("every", zone, seconds=seconds)


def read_cron(text: str, zone: str, now: datetime) -> Rhythm:
    """Read a 5-field cron expression that holds in *zone* and comes at all; raises `BadTime`."""
    from cronsim import CronSimError  # noqa: PLC0415  # most commands need no rhythm

    expression = " ".join(text.split())
    if not zone_exists(zone):
        raise BadTime("zone", zone)
    if len(expression.split(" ")) != 5:
        raise BadTime("cron", text)
    rhythm = Rhythm("cron", zone, expression=expression)
    try:
        rhythm.after(now)
    except (CronSimError, RuntimeError, StopIteration) as error:
        raise BadTime("cron", text) from error
    return rhythm


def _occurrences(expression: str, zone: str, after: datetime) -> Iterator[datetime]:
    """Return the occurrences behind *after* in UTC, ascending."""
    from cronsim import CronSim  # noqa: PLC0415  # most commands need no rhythm

    every_hour = expression.split(" ")[1].startswith("*")
    for one in CronSim(expression, local(after, zone)):
        at = one.astimezone(UTC)
        if at > after and (every_hour or not _again(one)):
            yield at


def _again(moment: datetime) -> bool:
    """Tell whether clocks have shown this local time once already."""
    return moment.fold == 1 and moment.replace(fold=0).utcoffset() != moment.utcoffset()


def _day_before(expression: str, zone: str, now: datetime) -> datetime:
    """Return an occurrence well before *now*, from which the next ones are few: clear of the hours that clocks repeat or leave out."""
    from cronsim import CronSim  # noqa: PLC0415  # most commands need no rhythm

    every_hour = expression.split(" ")[1].startswith("*")
    back = CronSim(expression, local(now - timedelta(days=1), zone), reverse=True)
    return next(one for one in back if every_hour or not _again(one)).astimezone(UTC)
