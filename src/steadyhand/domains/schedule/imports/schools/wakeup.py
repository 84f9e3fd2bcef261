"""Decides how a shared timetable of the WakeUp app is read: five JSON values, a line each. It must not read its colours."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from steadyhand.domains.schedule.imports.lessons import Lesson
from steadyhand.domains.schedule.imports.report import Dropped, Entry, entry
from steadyhand.domains.schedule.imports.schools.pieces import Piece, number_of, parsed, piece, pieces, text_of
from steadyhand.domains.schedule.imports.schools.reading import Offer
from steadyhand.domains.schedule.imports.wording import clean, shown
from steadyhand.domains.schedule.term.records import MAX_WEEKS, minutes_of
from steadyhand.domains.schedule.term.scales import MAX_SLOTS, is_scale

_LINES = 12
_EVERY, _ODD, _EVEN = 0, 1, 2


@dataclass(frozen=True, slots=True)
class _Parts:
    settings: Piece
    clock: list[Piece]
    courses: list[Piece]
    times: list[Piece]


def _parts(text: str) -> _Parts | None:
    """Tell the five values apart by what is in them."""
    values = [parsed(line) for line in text.lstrip("\ufeff").splitlines()[:_LINES] if line.strip()]
    settings = next((piece(value) for value in values if "startDate" in piece(value)), None)
    lists = [pieces(value) for value in values]
    times = next((found for found in lists if found and "startNode" in found[0]), None)
    courses = next((found for found in lists if found and "courseName" in found[0]), None)
    if settings is None or times is None or courses is None:
        return None
    clock = next((found for found in lists if found and "node" in found[0]), list[Piece]())
    return _Parts(settings, clock, courses, times)


def read(text: str) -> Offer | None:
    """Return the timetable that *text* is, or None."""
    parts = _parts(text)
    if parts is None:
        return None
    slots = _slots(parts)
    return Offer(
        lambda _asked: _lessons(parts, slots),
        first_monday=_first_monday(parts.settings),
        weeks=min(number_of(parts.settings, "maxWeek"), MAX_WEEKS),
        name=clean(text_of(parts.settings, "tableName")),
        slots=slots,
    )


def _first_monday(settings: Piece) -> date | None:
    """Return the Monday of week 1; where weeks begin on Sundays, a Sunday belongs to the Monday behind it."""
    try:
        year, month, day = (int(part) for part in text_of(settings, "startDate").split("-"))
        start = date(year, month, day)
        if settings.get("sundayFirst") is True and start.isoweekday() == 7:
            start += timedelta(days=1)
        return start - timedelta(days=start.weekday())
    except (ValueError, OverflowError):
        return None


def _slots(parts: _Parts) -> tuple[tuple[str, str], ...]:
    """Return the clock times of the sections that are in use; empty when they make no time scale."""
    count = min(number_of(parts.settings, "nodes"), MAX_SLOTS)
    own = number_of(parts.settings, "timeTable")
    times = {number_of(one, "node"): one for one in parts.clock if not own or number_of(one, "timeTable") in {0, own}}
    slots = [[text_of(times.get(node, {}), "startTime"), text_of(times.get(node, {}), "endTime")] for node in range(1, count + 1)]
    return tuple((start, end) for start, end in slots) if is_scale(slots) else ()


def _lessons(parts: _Parts, slots: tuple[tuple[str, str], ...]) -> Iterator[Lesson | Entry]:
    if not slots:
        yield entry("scale_unusable")
    names = {number_of(course, "id"): text_of(course, "courseName") for course in parts.courses}
    for one in parts.times:
        name = names.get(number_of(one, "id"), "")
        try:
            yield _lesson(one, name)
        except Dropped as dropped:
            yield Entry(dropped.code, dropped.params)


def _lesson(one: Piece, name: str) -> Lesson:
    first, step = number_of(one, "startNode"), number_of(one, "step")
    clock = _own_time(one, name) if one.get("ownTime") is True else None
    start, end = number_of(one, "startWeek"), min(number_of(one, "endWeek"), MAX_WEEKS)
    kind = one.get("type", _EVERY)
    if kind not in (_EVERY, _ODD, _EVEN) or not 1 <= start <= end:
        raise Dropped("lesson_weeks", name=shown(name), value=shown(f"{start}-{end}"))
    weeks = frozenset(week for week in range(start, end + 1) if kind == _EVERY or week % 2 == kind % 2)
    where = text_of(one, "room"), text_of(one, "teacher")
    return Lesson(name, number_of(one, "day"), first, first + step - 1, weeks, *where, clock=clock)


def _own_time(one: Piece, name: str) -> tuple[int, int]:
    """Return the clock times that a lesson has of its own."""
    times = text_of(one, "startTime"), text_of(one, "endTime")
    if not is_scale([list(times)]):
        raise Dropped("lesson_time", name=shown(name), begin=shown(times[0]), end=shown(times[1]))
    return minutes_of(times[0]), minutes_of(times[1])
