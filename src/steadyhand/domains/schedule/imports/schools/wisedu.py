"""Decides how the timetable JSON of 金智 is read: rows with ``KCM``, ``SKXQ`` and ``SKZC``; it must not read who the student is."""

import re
from collections.abc import Iterator

from steadyhand.domains.schedule.imports.dates import read_day
from steadyhand.domains.schedule.imports.lessons import Lesson
from steadyhand.domains.schedule.imports.report import Dropped, Entry, entry
from steadyhand.domains.schedule.imports.schools.pieces import Piece, lists_within, number_of, text_of
from steadyhand.domains.schedule.imports.schools.reading import Asked, Offer
from steadyhand.domains.schedule.imports.schools.words import sections_of, weeks_either, weeks_of
from steadyhand.domains.schedule.imports.wording import one_line, shown

_PACKED = re.compile(r"\[([^\[\]]{1,60})\] ?((?:星期|周|礼拜)[一二三四五六日天]) ?\[([^\[\]]{1,40})\](.*)")


def read(value: object) -> Offer | None:
    """Return the timetable that *value* is, or None; the rows stand under a name that differs from school to school."""
    rows = next((found for found in lists_within(value) if _is_row(found[0])), None)
    if rows:
        return Offer(lambda asked: _lessons(rows, asked))
    packed = next((found for found in lists_within(value) if _is_packed(found[0])), None)
    return Offer(lambda asked: _packed_lessons(packed, asked)) if packed else None


def _is_packed(row: Piece) -> bool:
    return ("KCM" in row or "KCMC" in row) and "PKSJDD" in row


def _packed_lessons(rows: list[Piece], asked: Asked) -> Iterator[Lesson | Entry]:
    """Read rows that say all times of a course in one text: ``[1-8单周]星期一[3-4节]理楼A201;…``."""
    for row in rows:
        name = text_of(row, "KCM", "KCMC")
        times = [time for time in text_of(row, "PKSJDD").replace("；", ";").split(";") if time.strip()]
        if not times:
            yield entry("lesson_untimed", name=shown(name))
        for time in times:
            match = _PACKED.fullmatch(one_line(time))
            try:
                yield from _packed(match, name, text_of(row, "RKJS", "SKJS"), asked) if match else _unread(name, time)
            except ValueError:
                yield from _unread(name, time)


def _packed(match: re.Match[str], name: str, teacher: str, asked: Asked) -> list[Lesson]:
    weeks, day = weeks_of(match[1], asked.weeks), read_day(match[2])
    runs = sections_of(match[3])
    return [Lesson(name, day or 0, *run, weeks, match[4].strip(), teacher) for run in runs]


def _unread(name: str, time: str) -> list[Entry]:
    return [entry("row_value", column="PKSJDD", value=shown(f"{name} {time}"))]


def _is_row(row: Piece) -> bool:
    return ("KCM" in row or "KCMC" in row) and "SKXQ" in row and ("SKZC" in row or "ZCMC" in row)


def _lessons(rows: list[Piece], asked: Asked) -> Iterator[Lesson | Entry]:
    for row in rows:
        name = text_of(row, "KCM", "KCMC")
        if not text_of(row, "SKXQ"):
            yield entry("lesson_untimed", name=shown(name))
            continue
        try:
            yield from _row(row, name, asked)
        except Dropped as dropped:
            yield Entry(dropped.code, dropped.params)


def _row(row: Piece, name: str, asked: Asked) -> list[Lesson]:
    day = read_day(text_of(row, "SKXQ"))
    if day is None:
        raise Dropped("lesson_day", name=shown(name), value=shown(text_of(row, "SKXQ")))
    first, last = number_of(row, "KSJC"), number_of(row, "JSJC")
    try:
        runs = [(first, last)] if first and last else sections_of(text_of(row, "SKJC"))
    except ValueError:
        raise Dropped("lesson_sections", name=shown(name), value=shown(text_of(row, "SKJC", "KSJC"))) from None
    try:
        weeks = weeks_either(text_of(row, "SKZC", "ZCMC"), asked.weeks)
    except ValueError:
        raise Dropped("lesson_weeks", name=shown(name), value=shown(text_of(row, "SKZC", "ZCMC"))) from None
    return [Lesson(name, day, *run, weeks, text_of(row, "JASMC"), text_of(row, "SKJS")) for run in runs]
