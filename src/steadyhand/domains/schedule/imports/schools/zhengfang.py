"""Decides how the timetable JSON of 正方 (``kbList``) is read; it must not read who the student is."""

from collections.abc import Iterator

from steadyhand.domains.schedule.imports.dates import read_day
from steadyhand.domains.schedule.imports.lessons import Lesson
from steadyhand.domains.schedule.imports.report import Dropped, Entry, entry
from steadyhand.domains.schedule.imports.schools.pieces import Piece, lists_within, number_of, piece, pieces, text_of
from steadyhand.domains.schedule.imports.schools.reading import Asked, Offer
from steadyhand.domains.schedule.imports.schools.words import sections_of, weeks_of
from steadyhand.domains.schedule.imports.wording import shown


def read(value: object) -> Offer | None:
    """Return the timetable that *value* is, or None."""
    whole = piece(value)
    rows = pieces(whole.get("kbList")) or next(
        (found for found in lists_within(value) if "kcmc" in found[0] and "zcd" in found[0]), list[Piece]()
    )
    return Offer(lambda asked: _lessons(rows, pieces(whole.get("sjkList")), asked)) if rows else None


def _lessons(rows: list[Piece], untimed: list[Piece], asked: Asked) -> Iterator[Lesson | Entry]:
    for row in rows:
        try:
            yield from _row(row, asked)
        except Dropped as dropped:
            yield Entry(dropped.code, dropped.params)
    for row in untimed:
        yield entry("lesson_untimed", name=shown(text_of(row, "kcmc", "qtkcgs")))


def _row(row: Piece, asked: Asked) -> list[Lesson]:
    name = text_of(row, "kcmc")
    day = read_day(text_of(row, "xqj", "kcxq")) or read_day(text_of(row, "xqjmc"))
    if day is None:
        raise Dropped("lesson_day", name=shown(name), value=shown(text_of(row, "xqj", "kcxq", "xqjmc")))
    first, last = number_of(row, "ksjc"), number_of(row, "jsjc")
    try:
        runs = [(first, last)] if first and last else sections_of(text_of(row, "jcs", "jcor", "jc"))
    except ValueError:
        raise Dropped("lesson_sections", name=shown(name), value=shown(text_of(row, "jcs", "jcor", "jc"))) from None
    try:
        weeks = weeks_of(text_of(row, "zcd"), asked.weeks)
    except ValueError:
        raise Dropped("lesson_weeks", name=shown(name), value=shown(text_of(row, "zcd"))) from None
    where = text_of(row, "cdmc", "jasmc"), text_of(row, "xm", "jsxm")
    return [Lesson(name, day, first, last, weeks, *where) for first, last in runs]
