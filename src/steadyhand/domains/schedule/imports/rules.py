"""Decides on which days a recurrence rule falls inside a range, in a number of steps that is known beforehand.

A rule is never followed from its start without end: its periods (days, weeks, months, years) are counted by arithmetic, and
only the days of periods inside the range are looked at. A rule with COUNT must be followed from its start, which costs
steps; a budget bounds them. It must not know clock times or zones: those are the reader's.
"""

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import Any, cast

from icalendar.prop import vRecur

from steadyhand.domains.schedule.imports.report import Dropped

MAX_RULE_CHARS = 4_096
OWN_STEPS = 600
SHARED_STEPS = 300_000
MAX_STEPS = 20_000

_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_WEEKDAY = re.compile(r"([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)")
_FINE = frozenset({"SECONDLY", "MINUTELY", "HOURLY"})
_READ = frozenset(
    {"FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST", "BYDAY", "BYMONTH", "BYMONTHDAY", "BYYEARDAY", "BYSETPOS"}
    | {"BYHOUR", "BYMINUTE", "BYSECOND"}
)
_MONTHS = 12
_DAYS_AT_ONCE = 28


@dataclass(slots=True)
class Budget:
    """The steps that rules may still take: each event has some of its own, the rest comes from a store that all share."""

    shared: int = SHARED_STEPS
    own: int = OWN_STEPS
    taken: int = 0

    def begin(self) -> None:
        """Start the next event."""
        self.own, self.taken = OWN_STEPS, 0

    def spend(self, steps: int) -> None:
        """Take *steps*, or raise `Dropped`."""
        self.taken += steps
        from_own = min(steps, self.own)
        self.own -= from_own
        self.shared -= steps - from_own
        if self.shared < 0 or self.taken > MAX_STEPS:
            self.shared = max(self.shared, 0)
            raise Dropped("rule_too_long")


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that was read and found to be one that we follow."""

    frequency: str
    interval: int
    count: int | None
    until: date | datetime | None
    week_start: int
    months: frozenset[int]
    month_days: frozenset[int]
    year_days: frozenset[int]
    weekdays: frozenset[int]
    nth_weekdays: frozenset[tuple[int, int]]
    positions: frozenset[int]


@dataclass(frozen=True, slots=True)
class Days:
    """The days found inside the range, and whether the rule has days before or may have days after it."""

    found: tuple[date, ...]
    before: bool
    after: bool


def read_rule(text: str, start: datetime) -> Rule:
    """Read the value of an RRULE whose first meeting is *start*; one that we do not follow raises `Dropped`."""
    if len(text) > MAX_RULE_CHARS:
        raise Dropped("rule_dense")
    parts = _parse(text.strip())
    frequency = _frequency(parts)
    _refuse_what_we_do_not_follow(parts, start)
    weekdays, nth = _weekdays(parts.get("BYDAY", ()))
    if nth and frequency not in {"MONTHLY", "YEARLY"}:
        raise Dropped("rule_part", part="BYDAY")
    given = {
        "months": _numbers(parts, "BYMONTH", _MONTHS, negative=False),
        "month_days": _numbers(parts, "BYMONTHDAY", 31),
        "year_days": _numbers(parts, "BYYEARDAY", 366),
        "positions": _numbers(parts, "BYSETPOS", 366),
        "weekdays": weekdays,
    }
    return Rule(
        frequency=frequency,
        interval=_single(parts, "INTERVAL", 1, "rule_interval"),
        count=_single(parts, "COUNT", None, "rule_unreadable"),
        until=_until(parts),
        week_start=_DAYS.index(str(parts["WKST"][0]).upper()) if parts.get("WKST") else 0,
        nth_weekdays=nth,
        **_with_defaults(frequency, given, nth, start),
    )


@lru_cache(maxsize=256)
def _parse(text: str) -> dict[str, list[Any]]:
    """Take a rule apart; many events of a file have the same one. The result is only read."""
    try:
        return {str(name).upper(): cast("list[Any]", value) for name, value in cast("Any", vRecur).from_ical(text).items()}
    except (ValueError, TypeError, KeyError, OverflowError) as error:
        raise Dropped("rule_unreadable") from error


def _frequency(parts: dict[str, list[Any]]) -> str:
    frequency = str(parts["FREQ"][0]).upper() if parts.get("FREQ") else ""
    if frequency in _FINE:
        raise Dropped("rule_too_fine", frequency=frequency)
    if frequency not in {"DAILY", "WEEKLY", "MONTHLY", "YEARLY"}:
        raise Dropped("rule_unreadable")
    return frequency


def _refuse_what_we_do_not_follow(parts: dict[str, list[Any]], start: datetime) -> None:
    for part in sorted(parts.keys() - _READ):
        raise Dropped("rule_part", part=part[:20])
    for part, own in (("BYHOUR", start.hour), ("BYMINUTE", start.minute), ("BYSECOND", start.second)):
        values = parts.get(part, [])
        if len(values) > 1:
            raise Dropped("rule_dense")
        if values and int(values[0]) != own:
            raise Dropped("rule_part", part=part)


def _with_defaults(
    frequency: str, given: dict[str, frozenset[int]], nth: frozenset[tuple[int, int]], start: datetime
) -> dict[str, frozenset[int]]:
    """Fill in what the first meeting says when the rule does not name its days."""
    if given["weekdays"] or nth or given["month_days"] or given["year_days"] or frequency == "DAILY":
        return given
    if frequency == "WEEKLY":
        return given | {"weekdays": frozenset({start.weekday()})}
    months = given["months"] or (frozenset({start.month}) if frequency == "YEARLY" else frozenset[int]())
    return given | {"months": months, "month_days": frozenset({start.day})}


def _weekdays(values: Sequence[Any]) -> tuple[frozenset[int], frozenset[tuple[int, int]]]:
    plain: set[int] = set()
    nth: set[tuple[int, int]] = set()
    for value in values:
        match = _WEEKDAY.fullmatch(str(value).upper())
        if match is None or (match[1] and int(match[1]) == 0):
            raise Dropped("rule_unreadable")
        day = _DAYS.index(match[2])
        if match[1]:
            nth.add((int(match[1]), day))
        else:
            plain.add(day)
    return frozenset(plain), frozenset(nth)


def _numbers(parts: dict[str, list[Any]], name: str, most: int, *, negative: bool = True) -> frozenset[int]:
    values = frozenset(int(value) for value in parts.get(name, ()))
    if any(value == 0 or abs(value) > most or (value < 0 and not negative) for value in values):
        raise Dropped("rule_unreadable")
    return values


def _single(parts: dict[str, list[Any]], name: str, default: int | None, refusal: str) -> Any:
    values = parts.get(name, [])
    if not values:
        return default
    if len(values) > 1 or int(values[0]) < 1:
        raise Dropped(refusal)
    return int(values[0])


def _until(parts: dict[str, list[Any]]) -> date | datetime | None:
    values = parts.get("UNTIL", [])
    if not values:
        return None
    if len(values) > 1 or not isinstance(values[0], date):
        raise Dropped("rule_unreadable")
    return values[0]


def days_of(rule: Rule, start: date, until: date | None, span: tuple[date, date], budget: Budget) -> Days:
    """Return the days of *rule*, which begins on *start* and has none after *until*, inside *span* (both ends included)."""
    first, last = span
    found: list[date] = []
    counted, before = 0, start < first
    for period in _periods(rule, start if rule.count is not None else max(start, first), start, last):
        budget.spend(len(period) + 1)
        for day in _chosen(rule, period):
            if day < start:
                continue
            counted += 1
            if (until is not None and day > until) or (rule.count is not None and counted > rule.count):
                return Days(tuple(found), before, after=False)
            if day > last:
                return Days(tuple(found), before, after=True)
            if day >= first:
                found.append(day)
    ended = (until is not None and until <= last) or (rule.count is not None and counted >= rule.count)
    return Days(tuple(found), before, after=not ended)


def _chosen(rule: Rule, period: Sequence[date]) -> list[date]:
    days = [day for day in period if _fits(rule, day)]
    if not rule.positions:
        return days
    count = len(days)
    picked = {position - 1 if position > 0 else count + position for position in rule.positions}
    return [day for index, day in enumerate(days) if index in picked]


def _periods(rule: Rule, from_day: date, start: date, last: date) -> Iterator[Sequence[date]]:
    """Yield the days of each period of the rule from the one that holds *from_day* on; whole numbers only, so none overflows."""
    step, limit = rule.interval, last.toordinal()
    if rule.frequency == "DAILY":
        position = start.toordinal() + (from_day.toordinal() - start.toordinal()) // step * step
        at_once = 1 if rule.positions else _DAYS_AT_ONCE
        while position <= limit:
            following = position + at_once * step
            yield [date.fromordinal(day) for day in range(position, min(following, limit + 1), step)]
            position = following
        return
    if rule.frequency == "WEEKLY":
        origin = start.toordinal() - (start.weekday() - rule.week_start) % 7
        position = origin + (from_day.toordinal() - origin) // (step * 7) * (step * 7)
        while position <= limit:
            yield [date.fromordinal(position + offset) for offset in range(7)]
            position += step * 7
        return
    width = 1 if rule.frequency == "MONTHLY" else _MONTHS
    origin = start.year * _MONTHS + (start.month - 1 if width == 1 else 0)
    position = origin + (from_day.year * _MONTHS + from_day.month - 1 - origin) // (step * width) * (step * width)
    while position <= last.year * _MONTHS + last.month - 1:
        yield [
            date(month // _MONTHS, month % _MONTHS + 1, day)
            for month in range(position, position + width)
            if not rule.months or month % _MONTHS + 1 in rule.months
            for day in range(1, monthrange(month // _MONTHS, month % _MONTHS + 1)[1] + 1)
        ]
        position += step * width


def _fits(rule: Rule, day: date) -> bool:
    if rule.months and day.month not in rule.months:
        return False
    if rule.month_days:
        length = monthrange(day.year, day.month)[1]
        if day.day not in rule.month_days and day.day - length - 1 not in rule.month_days:
            return False
    if rule.year_days:
        number, length = day.timetuple().tm_yday, 366 if monthrange(day.year, 2)[1] == 29 else 365
        if number not in rule.year_days and number - length - 1 not in rule.year_days:
            return False
    if rule.weekdays or rule.nth_weekdays:
        return day.weekday() in rule.weekdays or (bool(rule.nth_weekdays) and _is_nth(rule, day))
    return True


def _is_nth(rule: Rule, day: date) -> bool:
    """Tell whether *day* is one of the rule's numbered weekdays: of its month, or of its year in a yearly rule without months."""
    if rule.frequency == "YEARLY" and not rule.months:
        index, length = day.timetuple().tm_yday - 1, 366 if monthrange(day.year, 2)[1] == 29 else 365
    else:
        index, length = day.day - 1, monthrange(day.year, day.month)[1]
    forward, backward = index // 7 + 1, -((length - 1 - index) // 7 + 1)
    return (forward, day.weekday()) in rule.nth_weekdays or (backward, day.weekday()) in rule.nth_weekdays
