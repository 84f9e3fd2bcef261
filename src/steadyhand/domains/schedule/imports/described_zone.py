"""Decides what offsets the ``VTIMEZONE`` of a file gives; it must not look a zone up by its name.

Its observances are followed once, by the same bounded reader of rules as events, and become a list of changes of the
clock. A rule that repeats beyond `LAST` is followed until then.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo

from steadyhand.domains.schedule.imports.report import Dropped
from steadyhand.domains.schedule.imports.rules import Budget, Rule, days_of, read_rule

FIRST, LAST = date(1970, 1, 1), date(2100, 12, 31)
MAX_CHANGES = 4_000
_OFFSET = re.compile(r"([+-])(\d{2}):?([0-5]\d)(?::?([0-5]\d))?")
_MAX_OFFSET_HOURS = 18
_MOMENT = "%Y%m%dT%H%M%S"
Lines = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True, order=True)
class _Change:
    """From the instant *at* (UTC, without zone) on the clock is *after*; *given* is what the observance says stood before."""

    at: datetime
    after: timedelta
    given: timedelta


class DescribedZone(tzinfo):
    """A zone by its changes of the clock, in their order; of two readings of one clock time *fold* tells, as in `zoneinfo`."""

    def __init__(self, changes: Sequence[_Change]) -> None:
        self._before = changes[0].given
        self._instants = [change.at for change in changes]
        self._offsets = [change.after for change in changes]
        before = [self._before, *self._offsets]
        self._early = [at + min(before[i], before[i + 1]) for i, at in enumerate(self._instants)]
        self._late = [at + max(before[i], before[i + 1]) for i, at in enumerate(self._instants)]

    def utcoffset(self, dt: datetime | None, /) -> timedelta:
        if dt is None:
            return self._offsets[-1]
        index = bisect_right(self._early if dt.fold else self._late, dt.replace(tzinfo=None, fold=0))
        return self._offsets[index - 1] if index else self._before

    def dst(self, dt: datetime | None, /) -> timedelta:
        del dt
        return timedelta(0)

    def tzname(self, dt: datetime | None, /) -> str:
        return written(self.utcoffset(dt))

    def fromutc(self, dt: datetime, /) -> datetime:
        plain = dt.replace(tzinfo=None)
        index = bisect_right(self._instants, plain)
        offset = self._offsets[index - 1] if index else self._before
        earlier = (self._offsets[index - 2] if index > 1 else self._before) if index else offset
        repeated = index > 0 and plain - self._instants[index - 1] < earlier - offset
        return (plain + offset).replace(tzinfo=self, fold=int(repeated))

    def summary(self) -> str:
        """Return the offsets of recent years, for the report."""
        return " / ".join(written(offset) for offset in sorted(set(self._offsets[-2:])))


def described(observances: Sequence[Lines]) -> tzinfo | None:
    """Return the zone that *observances* describe; None when they say none, or one that cannot be read or followed."""
    budget = Budget(own=0)
    try:
        offsets = {offset_of(dict(lines)["TZOFFSETTO"]) for lines in observances if lines}
        if len(offsets) == 1:
            return timezone(next(iter(offsets)))
        changes = sorted(change for lines in observances if lines for change in _changes(lines, budget))
    except (Dropped, ValueError, OverflowError, KeyError):
        return None
    if not changes or len(changes) > MAX_CHANGES:
        return None
    return DescribedZone(changes)


def _changes(lines: Lines, budget: Budget) -> Iterator[_Change]:
    first = dict(lines)
    after = offset_of(first["TZOFFSETTO"])
    before = offset_of(first.get("TZOFFSETFROM", first["TZOFFSETTO"]))
    start = _moment(first["DTSTART"])
    onsets = {start, *(_moment(value) for name, text in lines if name == "RDATE" for value in text.split(","))}
    if "RRULE" in first and after != before:
        rule = read_rule(first["RRULE"], start.replace(tzinfo=UTC))
        days = days_of(rule, start.date(), _last_day(rule, start, before), (_first_day(rule, start), LAST), budget)
        onsets |= {datetime.combine(day, start.time()) for day in days.found}
    for onset in onsets:
        yield _Change(onset - before, after, before)


def _first_day(rule: Rule, start: datetime) -> date:
    """Return the first day that counts: an open rule is followed in recent times alone, one that has an end from its beginning."""
    return max(start.date(), FIRST) if rule.until is None and rule.count is None else start.date()


def _last_day(rule: Rule, start: datetime, before: timedelta) -> date | None:
    until = rule.until
    if not isinstance(until, datetime):
        return until
    local = until.replace(tzinfo=None) + before if until.tzinfo is not None else until
    return local.date() if local.time() >= start.time() else local.date() - timedelta(days=1)


def _moment(text: str) -> datetime:
    return datetime.strptime(text.strip().partition("/")[0].rstrip("Zz")[:15], _MOMENT)  # noqa: DTZ007  # local to the observance


def offset_of(text: str) -> timedelta:
    """Read ``+0100``; what is no offset raises `ValueError`."""
    match = _OFFSET.fullmatch(text.strip())
    if match is None or int(match[2]) >= _MAX_OFFSET_HOURS:
        raise ValueError(text[:20])
    span = timedelta(hours=int(match[2]), minutes=int(match[3]), seconds=int(match[4] or 0))
    return -span if match[1] == "-" else span


def written(offset: timedelta) -> str:
    """Return an offset as people write it."""
    minutes = int(offset.total_seconds()) // 60
    sign = "-" if minutes < 0 else "+"
    return f"UTC{sign}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"
