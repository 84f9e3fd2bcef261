"""Decides how the timetable JSON of 小爱课程表 is read: rows with ``day``, ``sections`` and ``weeks``. It must not guess a week or a slot."""

from collections.abc import Iterator
from itertools import groupby
from typing import cast

from steadyhand.domains.schedule.imports.lessons import Lesson
from steadyhand.domains.schedule.imports.report import Entry, entry
from steadyhand.domains.schedule.imports.schools.pieces import Piece, lists_within, number_of, parsed, text_of
from steadyhand.domains.schedule.imports.schools.reading import Offer
from steadyhand.domains.schedule.imports.wording import shown
from steadyhand.domains.schedule.term.records import MAX_WEEKS


def read(value: object) -> Offer | None:
    """Return the timetable that *value* is, or None."""
    rows = next((found for found in lists_within(value) if {"name", "day", "sections", "weeks"} <= set(found[0])), None)
    return Offer(lambda _asked: _lessons(rows)) if rows else None


def _lessons(rows: list[Piece]) -> Iterator[Lesson | Entry]:
    for row in rows:
        name = text_of(row, "name")
        weeks, sections = _numbers(row, "weeks"), _numbers(row, "sections")
        if not weeks or weeks[-1] > MAX_WEEKS:
            yield entry("lesson_weeks", name=shown(name), value=shown(str(row.get("weeks"))))
        elif not sections:
            yield entry("lesson_sections", name=shown(name), value=shown(str(row.get("sections"))))
        else:
            where = text_of(row, "position"), text_of(row, "teacher")
            for run in _runs(sections):
                yield Lesson(name, number_of(row, "day"), *run, frozenset(weeks), *where)


def _numbers(row: Piece, name: str) -> list[int]:
    """Return the small numbers of a list, which some versions write as a text (``1,2,3``) or as objects with ``section``."""
    value: object = row.get(name)
    if isinstance(value, str):
        value = parsed(f"[{value.strip('[]')}]")
    found: set[int] = set()
    for one in cast("list[object]", value) if isinstance(value, list) else []:
        number = cast("Piece", one).get("section") if isinstance(one, dict) else one
        if isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 100:
            found.add(number)
    return sorted(found)


def _runs(sections: list[int]) -> list[tuple[int, int]]:
    groups = groupby(enumerate(sections), key=lambda pair: pair[1] - pair[0])
    runs = [[section for _, section in group] for _, group in groups]
    return [(run[0], run[-1]) for run in runs]
