"""Decides how the timetable JSON of URP is read: courses with ``timeAndPlaceList``; it must not read who the student is."""

from collections.abc import Iterator, Mapping
from typing import cast

from steadyhand.domains.schedule.imports.lessons import Lesson
from steadyhand.domains.schedule.imports.report import Dropped, Entry, entry
from steadyhand.domains.schedule.imports.schools.pieces import Piece, number_of, piece, pieces, text_of
from steadyhand.domains.schedule.imports.schools.reading import Asked, Offer
from steadyhand.domains.schedule.imports.schools.words import weeks_either
from steadyhand.domains.schedule.imports.wording import shown


def read(value: object) -> Offer | None:
    """Return the timetable that *value* is, or None. The two views that a file holds are the same courses: the first is read."""
    whole = piece(value)
    listed = whole.get("xkxx")
    groups = pieces(listed) or [piece(cast("object", listed))]
    by_number = [piece(course) for group in groups for course in _values(group)]
    by_plan = [course for plan in pieces(whole.get("dateList")) for course in pieces(plan.get("selectCourseList"))]
    courses = by_number or by_plan
    known = any("timeAndPlaceList" in course for course in courses)
    flat = [] if known else _flat(value)
    if flat:
        return Offer(lambda asked: _flat_lessons(flat, asked))
    return Offer(lambda asked: _lessons(courses, asked)) if known else None


def _flat(value: object) -> list[Piece]:
    """Return the rows of the form that names a course's key beside it, one row a time, in a list or in lists of lists."""
    groups = cast("list[object]", value) if isinstance(value, list) else []
    rows = [row for group in (groups, *groups) for row in pieces(cast("object", group))]
    return [row for row in rows if "kcm" in row and "skxq" in piece(row.get("id"))]


def _flat_lessons(rows: list[Piece], asked: Asked) -> Iterator[Lesson | Entry]:
    for row in rows:
        course = {"courseName": row.get("kcm"), "attendClassTeacher": row.get("jsm")}
        time = {"id": row.get("id"), "cxjc": row.get("cxjc"), "skdd": text_of(row, "jxlm") + text_of(row, "jasm")}
        try:
            yield _lesson(course, time, text_of(row, "kcm"), asked)
        except Dropped as dropped:
            yield Entry(dropped.code, dropped.params)


def _values(group: Piece) -> list[object]:
    return list(cast("Mapping[str, object]", group).values())


def _lessons(courses: list[Piece], asked: Asked) -> Iterator[Lesson | Entry]:
    for course in courses:
        name = text_of(course, "courseName")
        times = pieces(course.get("timeAndPlaceList"))
        if not times:
            yield entry("lesson_untimed", name=shown(name))
        for time in times:
            try:
                yield _lesson(course, time, name, asked)
            except Dropped as dropped:
                yield Entry(dropped.code, dropped.params)


def _lesson(course: Piece, time: Piece, name: str, asked: Asked) -> Lesson:
    key = piece(time.get("id"))
    day = number_of(time, "classDay") or number_of(key, "skxq")
    first = number_of(time, "classSessions") or number_of(key, "skjc")
    count = number_of(time, "continuingSession", "cxjc") or number_of(key, "cxjc")
    written = text_of(time, "classWeek") or text_of(key, "skzc") or text_of(course, "skzcs")
    try:
        weeks = weeks_either(written, asked.weeks)
    except ValueError:
        raise Dropped("lesson_weeks", name=shown(name), value=shown(written)) from None
    place = text_of(time, "teachingBuildingName") + text_of(time, "classroomName") or text_of(time, "skdd")
    teacher = text_of(course, "attendClassTeacher").replace("*", "").strip()
    return Lesson(name, day, first, first + count - 1, weeks, place, teacher)
