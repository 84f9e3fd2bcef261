"""Decides what a table, a school's export or an app's says in neutral terms: weekly lessons, and the term that it suggests.

It must not know the form of any file. How its lessons lie in a term is found here, so that reading them can be done elsewhere.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, cast

from steadyhand.core.canonical import Json
from steadyhand.domains.schedule.imports.incoming import Cell, Fitted
from steadyhand.domains.schedule.imports.lessons import Courses, Lesson
from steadyhand.domains.schedule.imports.report import Dropped, Entry, entry
from steadyhand.domains.schedule.term.records import MAX_WEEKS, Term
from steadyhand.domains.schedule.term.terms import DEFAULT_WEEKS, Suggestion

TABLE = "table"


def suggested(lessons: Iterable[Lesson]) -> int:
    """Return the weeks of a term that covers the last of *lessons*."""
    return max(DEFAULT_WEEKS, min(max((max(one.weeks, default=0) for one in lessons), default=0), MAX_WEEKS))


@dataclass(frozen=True, slots=True)
class LessonFile:
    """All that a file of the form *kind* said, read for a term of *weeks* weeks; *first_monday*, *name*, *slots* where it says them."""

    kind: str
    weeks: int
    lessons: tuple[Lesson, ...]
    entries: tuple[Entry, ...] = ()
    first_monday: date | None = None
    name: str = ""
    slots: tuple[tuple[str, str], ...] = ()

    def suggestion(self, zone: str) -> Suggestion:
        """Return the term that the file suggests."""
        return Suggestion(self.first_monday, self.weeks, zone, self.name, self.slots)

    def fitted(self, term: Term, taken: Mapping[Cell, str] | None = None) -> Fitted:
        """Return the courses as they lie in *term*; *taken* as in `fit.fit`."""
        told = [*self.entries, *self._otherwise(term)]
        courses = Courses(term, told, self.slots)
        for lesson in self.lessons:
            try:
                courses.add(lesson)
            except Dropped as dropped:
                told.append(Entry(dropped.code, dropped.params, lesson.line))
        fitted = courses.fitted(taken)
        return Fitted(fitted.events, tuple(sorted(fitted.entries, key=lambda one: one.line)))

    def _otherwise(self, term: Term) -> Iterator[Entry]:
        """Say where the term into which the file is read is not the one that the file means."""
        start, slots = self.first_monday, self.slots
        if start is not None and start != term.first_monday:
            yield entry("start_other", date=start.isoformat(), first=term.first_monday.isoformat())
        if slots and slots != term.scale.slots[: len(slots)]:
            yield entry("scale_other", begin=slots[0][0], first=term.scale.slots[0][0])

    def to_json(self) -> Json:
        return {
            "kind": self.kind,
            "weeks": self.weeks,
            "lessons": [lesson.to_json() for lesson in self.lessons],
            "entries": [told.to_json() for told in self.entries],
            "first_monday": self.first_monday.isoformat() if self.first_monday else None,
            "name": self.name,
            "slots": [list(slot) for slot in self.slots],
        }

    @staticmethod
    def from_json(value: Json) -> "LessonFile":
        said = cast("Mapping[str, Any]", value)
        monday = cast("str | None", said["first_monday"])
        return LessonFile(
            cast("str", said["kind"]),
            cast("int", said["weeks"]),
            tuple(Lesson.from_json(lesson) for lesson in cast("Sequence[Json]", said["lessons"])),
            tuple(Entry.from_json(told) for told in cast("Sequence[Json]", said["entries"])),
            date.fromisoformat(monday) if monday else None,
            cast("str", said["name"]),
            tuple((begin, end) for begin, end in cast("Sequence[tuple[str, str]]", said["slots"])),
        )
