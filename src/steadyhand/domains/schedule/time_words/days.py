"""Decides which dates the words for a day mean, as seen from today; it must not know slots."""

from collections.abc import Callable, Iterable, Sequence
from datetime import date, timedelta

from steadyhand.domains.schedule.term.records import DAYS_IN_WEEK, Term
from steadyhand.domains.schedule.term.window import Window
from steadyhand.domains.schedule.time_words.phrase import Item, words
from steadyhand.domains.schedule.time_words.tokens import WEEKEND, NotUnderstood, Token

Dates = tuple[date, ...]
"""One reading: the days that are meant, ascending."""

YEARS_AROUND = (-1, 0, 1, 2)
LONGEST = 31
"""The number of a day of the month is looked for this far ahead of the start of a range."""


class Calendar:
    """What words for days are measured by: today, the term and the window."""

    def __init__(self, today: date, term: Term, window: Window) -> None:
        self.today = today
        self.term = term
        self.window = window
        week, day_of_week = window.week_of(1)
        self.first = term.date_of(week, day_of_week)
        self.monday = today - timedelta(days=today.weekday())

    def index(self, day: date) -> int | None:
        """Return the day index of *day*, or None outside the window or the term."""
        place = self.term.week_of(day)
        return None if place is None else self.window.day_of(*place)

    def date_at(self, index: int) -> date:
        """Return the date of a day index, which may lie outside the window."""
        return self.first + timedelta(days=index - 1)

    def in_week(self, offset: int, weekday: int) -> date:
        """Return a weekday of the week that is *offset* weeks from this one; weeks begin on Monday."""
        return self.monday + timedelta(days=offset * DAYS_IN_WEEK + weekday - 1)

    def coming(self, weekday: int, after: date) -> date:
        """Return the first such weekday that is later than *after*."""
        return after + timedelta(days=(weekday - 1 - after.weekday() - 1) % DAYS_IN_WEEK + 1)

    def between(self, first: date, last: date) -> Dates:
        """Return the days from *first* to *last*, those outside the window left away but for the ends."""
        inside = (self.date_at(index) for index in range(1, self.window.total_days + 1))
        return tuple(sorted({first, last, *(day for day in inside if first < day < last)}))


def dates_of(item: Item, calendar: Calendar) -> list[Dates]:
    """Return the readings of the day or the range of days of *item*: one when it is certain."""
    if item.last_day:
        return _range(item, calendar)
    return _unique(_single(item.day, calendar))


def _unique(readings: Iterable[Dates]) -> list[Dates]:
    return list(dict.fromkeys(readings))


def _week(first: date) -> Dates:
    return tuple(first + timedelta(days=day) for day in range(DAYS_IN_WEEK))


def _single(tokens: Sequence[Token], calendar: Calendar) -> list[Dates]:
    first, rest = tokens[0], tokens[1:]
    if first.kind in _WEEKS or (rest and rest[0].kind in _WEEKS):
        return _in_week(tokens, calendar)
    readings = _READERS[first.kind](first, calendar)
    if not rest:
        return readings
    if len(rest) > 1 or "weekday" not in (first.kind, rest[0].kind):
        raise NotUnderstood("words", words(tokens))
    return _checked(tokens, calendar)


_WEEKS = ("week_offset", "week_number")


def _in_week(tokens: Sequence[Token], calendar: Calendar) -> list[Dates]:
    """Read a week alone, or a weekday or set of days with the week that it is in, in either order."""
    week = next(token for token in tokens if token.kind in _WEEKS)
    rest = [token for token in tokens if token is not week]
    if week.kind == "week_offset":
        monday = calendar.in_week(week.values[0], 1)
    else:
        monday = calendar.term.date_of(week.values[0], 1)
        if week.values[0] < 1:
            raise NotUnderstood("date", words(tokens))
    if not rest:
        return [_week(monday)]
    if len(rest) > 1 or rest[0].kind not in ("weekday", "day_set"):
        raise NotUnderstood("words", words(tokens))
    return [tuple(monday + timedelta(days=day - 1) for day in rest[0].values)]


def _checked(tokens: Sequence[Token], calendar: Calendar) -> list[Dates]:
    """Read a day that is named twice, ``10月8日周四``: the weekday must agree."""
    weekday = next(token for token in tokens if token.kind == "weekday")
    other = next((token for token in tokens if token.kind != "weekday"), None)
    if other is None or other.kind not in ("offset", "date", "month_or_day", "month_day"):
        raise NotUnderstood("words", words(tokens))
    agreed = [dates for dates in _READERS[other.kind](other, calendar) if dates[0].isoweekday() == weekday.values[0]]
    if not agreed:
        raise NotUnderstood("contradiction", words(tokens))
    return agreed


def _range(item: Item, calendar: Calendar) -> list[Dates]:
    whole = words((*item.day, *item.last_day))
    first, last = item.day, item.last_day
    if len(first) == len(last) == 1 and first[0].kind == last[0].kind == "weekday":
        return _weekday_range(first[0].values[0], last[0].values[0], calendar, whole)
    readings: list[Dates] = []
    for start in _single(first, calendar):
        readings.extend(calendar.between(start[0], end[-1]) for end in _ends(start[0], last, calendar) if end[-1] > start[0])
    if not readings:
        raise NotUnderstood("range", whole)
    return _unique(readings)


def _ends(start: date, last: Sequence[Token], calendar: Calendar) -> list[Dates]:
    """Read the last day of a range; a bare weekday or day of the month is the first such one after *start*."""
    if len(last) == 1 and last[0].kind == "weekday":
        return [(calendar.coming(last[0].values[0], start),)]
    if len(last) == 1 and last[0].kind in ("number", "month_day"):
        after = (start + timedelta(days=days) for days in range(1, LONGEST + 1))
        return [(day,) for day in after if day.day == last[0].values[0]][:1]
    return _single(last, calendar)


def _weekday_range(first: int, last: int, calendar: Calendar, whole: str) -> list[Dates]:
    """Read ``周一到周三``: this week's while some of it is still to come, and the next to come when that is another."""
    if first == last:
        raise NotUnderstood("range", whole)
    readings: list[Dates] = []
    this_week = calendar.in_week(0, first), calendar.in_week(0, last)
    if first < last and this_week[1] >= calendar.today:
        readings.append(calendar.between(*this_week))
    coming = calendar.coming(first, calendar.today - timedelta(days=1))
    starts = [coming, coming + timedelta(days=DAYS_IN_WEEK)] if first > last and coming == calendar.today else [coming]
    readings.extend(calendar.between(start, calendar.coming(last, start)) for start in starts)
    return _unique(readings)


def _offset(token: Token, calendar: Calendar) -> list[Dates]:
    return [(calendar.today + timedelta(days=token.values[0]),)]


def _weekday(token: Token, calendar: Calendar) -> list[Dates]:
    """The next to come; said on that very weekday it may mean today or a week later."""
    (weekday,) = token.values
    later = (calendar.coming(weekday, calendar.today),)
    return [(calendar.today,), later] if calendar.today.isoweekday() == weekday else [later]


def _next_weekday(token: Token, calendar: Calendar) -> list[Dates]:
    (weekday,) = token.values
    return [(calendar.coming(weekday, calendar.today),), (calendar.in_week(1, weekday),)]


def _this_weekday(token: Token, calendar: Calendar) -> list[Dates]:
    (weekday,) = token.values
    own = calendar.in_week(0, weekday)
    return [(own,)] if own >= calendar.today else [(own,), (calendar.coming(weekday, calendar.today),)]


def _day_set(token: Token, calendar: Calendar) -> list[Dates]:
    """Read working days as all of the window that are to come, and a weekend as the coming one, what is left of it on its days."""
    if token.values != WEEKEND:
        inside = (calendar.date_at(index) for index in range(1, calendar.window.total_days + 1))
        ahead = tuple(day for day in inside if day >= calendar.today and day.isoweekday() in token.values)
        return [ahead or tuple(calendar.in_week(1, day) for day in token.values)]
    return [tuple(day for day in (calendar.in_week(0, one) for one in token.values) if day >= calendar.today)]


def _next_day_set(token: Token, calendar: Calendar) -> list[Dates]:
    own = tuple(calendar.in_week(0, day) for day in token.values)
    later = tuple(calendar.in_week(1, day) for day in token.values)
    return [own, later] if own[0] > calendar.today else [later]


def _day_index(token: Token, calendar: Calendar) -> list[Dates]:
    first, last = token.values
    if not 1 <= first <= last:
        raise NotUnderstood("date", words((token,)))
    return [calendar.between(calendar.date_at(first), calendar.date_at(last))]


def _date(token: Token, calendar: Calendar) -> list[Dates]:
    year, month, day = token.values
    if year:
        found = _real(year, month, day)
        if found is None:
            raise NotUnderstood("date", words((token,)))
        return [(found,)]
    return _in_some_year(month, day, calendar, words((token,)))


def _month_or_day(token: Token, calendar: Calendar) -> list[Dates]:
    first, second = token.values
    readings: list[Dates] = []
    for month, day in dict.fromkeys(((first, second), (second, first))):
        if _real(2000, month, day):  # a leap year: any day that some year has
            readings.extend(_in_some_year(month, day, calendar, words((token,))))
    if not readings:
        raise NotUnderstood("date", words((token,)))
    return readings


def _in_some_year(month: int, day: int, calendar: Calendar, said: str) -> list[Dates]:
    """Read a date without a year: in the window where it is there, else the next to come."""
    years = (_real(calendar.today.year + years, month, day) for years in YEARS_AROUND)
    days = [found for found in years if found]
    if not days:
        raise NotUnderstood("date", said)
    inside: list[Dates] = [(found,) for found in days if calendar.index(found)]
    coming = next((found for found in days if found >= calendar.today), days[-1])
    return inside or [(coming,)]


def _month_day(token: Token, calendar: Calendar) -> list[Dates]:
    """Read the number of a day: the next to come, today included."""
    (number,) = token.values
    for months in range(LONGEST):
        year, month = divmod(calendar.today.month - 1 + months, 12)
        found = _real(calendar.today.year + year, month + 1, number)
        if found and found >= calendar.today:
            return [(found,)]
    raise NotUnderstood("date", words((token,)))


def _real(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


_READERS: dict[str, Callable[[Token, Calendar], list[Dates]]] = {
    "offset": _offset,
    "date": _date,
    "month_or_day": _month_or_day,
    "month_day": _month_day,
    "weekday": _weekday,
    "next_weekday": _next_weekday,
    "this_weekday": _this_weekday,
    "day_set": _day_set,
    "next_day_set": _next_day_set,
    "day_index": _day_index,
}
