"""Decides how the weekly times that a file gives become courses of a term; it must not know what kind of file gave them.

Lessons of the same name are one course, whatever program exported them: the same timetable read twice, or from another
program, is the same courses.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from steadyhand.core.canonical import Json
from steadyhand.domains.schedule.imports.claims import Claimant, Claims
from steadyhand.domains.schedule.imports.fit import rule_of, sections_at
from steadyhand.domains.schedule.imports.incoming import Cell, Fitted, IncomingEvent
from steadyhand.domains.schedule.imports.report import Dropped, Entry, entry
from steadyhand.domains.schedule.imports.wording import clean, shown
from steadyhand.domains.schedule.term.records import DAYS_IN_WEEK, MAX_WEEKS, Particulars, Term, clock_of, minutes_of
from steadyhand.domains.schedule.term.sittings import Sitting
from steadyhand.domains.schedule.term.weeks import write_weeks

MAX_LESSONS = 5_000


@dataclass(frozen=True, slots=True)
class Lesson:
    """One weekly time of a course: sections *first* to *last* of a day of the week, in *weeks*; *line* is where the file says so.

    A file that gives *clock* (minutes since midnight) instead has no sections; *uid* and *can_embed* are those of its course. A file
    with a time scale for its sections offers that to the term, and no clock here.
    """

    name: str
    day: int
    first: int
    last: int
    weeks: frozenset[int]
    location: str = ""
    teacher: str = ""
    line: int = 0
    clock: tuple[int, int] | None = None
    uid: str = ""
    can_embed: bool | None = None

    def to_json(self) -> Json:
        return {
            **{name: getattr(self, name) for name in ("name", "day", "first", "last", "location", "teacher", "line", "uid")},
            "weeks": sorted(self.weeks),
            "clock": list(self.clock) if self.clock else None,
            "can_embed": self.can_embed,
        }

    @staticmethod
    def from_json(value: Json) -> "Lesson":
        said = dict(cast("Mapping[str, Any]", value))
        clock = said.pop("clock")
        said |= {"weeks": frozenset(said["weeks"]), "clock": (clock[0], clock[1]) if clock else None}
        return Lesson(**said)


@dataclass(slots=True)
class _Course:
    uid: str
    name: str
    line: int
    can_embed: bool | None = None
    sittings: list[Sitting] = field(default_factory=list[Sitting])


class Courses:
    """The courses of one file while it is read; what is to be said is added to *told*.

    *own_scale* are the clock times that the file gives its sections, which its courses then have where the term's are others.
    """

    def __init__(self, term: Term, told: list[Entry], own_scale: tuple[tuple[str, str], ...] = ()) -> None:
        self._term, self._told, self._own_scale = term, told, own_scale
        self._courses: dict[str, _Course] = {}
        self._count = 0

    def add(self, lesson: Lesson) -> None:
        """Add one lesson; raises `Dropped` when it is none of this term."""
        if not clean(lesson.name):
            raise Dropped("name_missing")
        self._count += 1
        if self._count > MAX_LESSONS:
            raise Dropped("lessons_too_many", name=shown(lesson.name), limit=MAX_LESSONS)
        sittings = self._sittings(lesson)
        name = clean(lesson.name)
        if name != lesson.name:
            self._told.append(entry("name_cleaned", lesson.line, name=shown(lesson.name)))
        own = lesson.uid or made_uid(name)
        course = self._courses.setdefault(own, _Course(own, name, lesson.line))
        course.sittings += sittings
        course.can_embed = lesson.can_embed if course.can_embed is None else course.can_embed or bool(lesson.can_embed)

    def _sittings(self, lesson: Lesson) -> list[Sitting]:
        name = shown(lesson.name)
        if not 1 <= lesson.day <= DAYS_IN_WEEK:
            raise Dropped("lesson_day", name=name, value=str(lesson.day))
        self._need_sections(lesson)
        inside = sorted(week for week in lesson.weeks if 1 <= week <= self._term.weeks)
        if not inside or max(lesson.weeks) > MAX_WEEKS:
            weeks = shown(write_weeks(lesson.weeks)) if lesson.weeks else "-"
            raise Dropped("row_outside_term", name=name, weeks=weeks, most=self._term.weeks)
        if len(inside) < len(lesson.weeks):
            self._told.append(entry("cut_to_term", lesson.line, name=name))
        known = Particulars(*(lesson.clock or self._clock(lesson)), clean(lesson.location), clean(lesson.teacher))
        return [Sitting(week, lesson.day, *self._sections(lesson, week), known) for week in inside]

    def _clock(self, lesson: Lesson) -> tuple[int, int] | tuple[None, None]:
        """Return the clock times that the file's own scale gives a lesson's sections, where the term's scale is another."""
        slots = self._own_scale
        if slots == self._term.scale.slots[: len(slots)] or lesson.last > len(slots):
            return None, None
        return minutes_of(slots[lesson.first - 1][0]), minutes_of(slots[lesson.last - 1][1])

    def _need_sections(self, lesson: Lesson) -> None:
        most = len(self._term.scale)
        if lesson.clock is None and not 1 <= lesson.first <= lesson.last <= most:
            raise Dropped("row_outside_scale", name=shown(lesson.name), slots=f"{lesson.first}-{lesson.last}", most=most)

    def _sections(self, lesson: Lesson, week: int) -> tuple[int, int]:
        """Return the sections of *lesson* in *week*: its own, or those at its clock times as the day's scale has them."""
        if lesson.clock is None:
            return lesson.first, lesson.last
        found = sections_at(self._term.scale_of(week, lesson.day), *lesson.clock)
        if found is None:
            begin, end = map(clock_of, lesson.clock)
            raise Dropped("lesson_time", name=shown(lesson.name), begin=begin, end=end)
        return found

    def fitted(self, taken: Mapping[Cell, str] | None = None) -> Fitted:
        """Return what came together, in the order of the file, and all that is to be said; *taken* as in `fit.fit`."""
        claims = Claims(taken or {})
        offered = [self._claimed(course, claims) for course in self._courses.values()]
        events = tuple(event for event in offered if event is not None)
        untimed = sum(any(row.particulars.clock is None for row in event.rows) for event in events)
        if untimed and not self._own_scale:
            scale = self._term.scale.slots
            self._told.append(entry("times_of_scale", count=untimed, begin=scale[0][0], end=scale[-1][1]))
        return Fitted(events, tuple(self._told))

    def _claimed(self, course: _Course, claims: Claims) -> IncomingEvent | None:
        rows, refused = claims.claim(Claimant(course.uid, course.name, "course"), course.sittings)
        self._told += [Entry(one.code, one.params, course.line) for one in refused]
        if not rows:
            return None
        weeks = write_weeks(row.week for row in rows)
        self._told.append(entry("course_kept", course.line, name=shown(course.name), weeks=weeks, count=len(rows)))
        return IncomingEvent(course.uid, "course", course.name, tuple(rows), rule_of(rows), course.can_embed)


def made_uid(name: str) -> str:
    """Return the identity of a course that its file gives none."""
    return f"table-{hashlib.sha256(name.encode()).hexdigest()[:20]}@steadyhand"
