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
    by_number = [piece(course) for group in pieces(whole.get("xkxx")) for course in _values(group)]
    by_plan = [course for plan in pieces(whole.get("dateList")) for course in pieces(plan.get("selectCourseList"))]
    courses = by_number or by_plan
    known = any("timeAndPlaceList" in course for course in courses)
    return Offer(lambda asked: _lessons(courses, asked)) if known else None


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
