"""Decides how the parts that timetable replies share are worded: tasks, slots, days, occupancy. It must not look at a timetable.

A `Wording` is one language's templates, made ready once; replies are built from facts that were taken before.
"""

import re
from collections.abc import Callable, Iterable
from functools import cache, partial

from steadyhand.core.language import LANGUAGES, Language, catalogue, say
from steadyhand.domains.schedule.board.model import Block, Task
from steadyhand.domains.schedule.board.timetable import DayFacts, Entry

_TABLES = ("schedule.literal.", "schedule.added.")
_PLURAL = re.compile(r"\{[^{}]*\|")


class Wording:
    """The words of one language. Calling it with a key of the catalogue's tables gives the text."""

    def __init__(self, language: Language) -> None:
        self.language: Language = language
        self._forms: dict[str, Callable[..., str]] = {}
        self._slots: dict[tuple[int, int], str] = {}
        self._spans: dict[tuple[int, int], str] = {}
        for message, template in catalogue(language).items():
            for table in _TABLES:
                if message.startswith(table):
                    plural = _PLURAL.search(template)
                    self._forms[message.removeprefix(table)] = partial(say, language, message) if plural else template.format

    def __call__(self, key: str, /, **params: object) -> str:
        return self._forms[key](**params)

    def slots(self, start: int, end: int) -> str:
        """Word a run of slots: 第1-2节, 第4节."""
        text = self._slots.get((start, end))
        if text is None:
            text = self("slot" if start == end else "slots", start=start, end=end)
            if start > 0 and end < 100:
                self._slots[start, end] = text
        return text

    def span(self, start: int, end: int) -> str:
        """Word a run of slots as it stands in brackets: 1-2节."""
        text = self._spans.get((start, end))
        if text is None:
            text = self._spans[start, end] = self("one_span" if start == end else "span", start=start, end=end)
        return text

    def at(self, block: Block) -> str:
        """Word a block: 第5天第1-2节."""
        return self("at", day=block.day, slots=self.slots(block.start, block.end))

    def ref(self, task: Task) -> str:
        """Word a task: [3]复习线代."""
        return self("ref", id=task.state_id, name=task.name)

    def category(self, task: Task) -> str:
        """Word a task's category; a course's is a word of the language, any other is quoted."""
        return self("course_category") if task.is_course else task.category or self("task_category")

    def where(self, blocks: Iterable[Block]) -> str:
        """Word blocks as lists show them: 第1天(1-2节) 第4天(1-2节)."""
        return self("gap").join(self("day_span", day=block.day, span=self.span(block.start, block.end)) for block in blocks)

    def joined(self, parts: Iterable[str]) -> str:
        """Word an enumeration; an empty one is 无."""
        return self("joint").join(parts) or self("none")

    def runs(self, runs: Iterable[tuple[int, int]]) -> str:
        """Word free runs: 第5-8节、第11-12节."""
        return self.joined(self.slots(start, end) for start, end in runs)

    def seat(self, entry: Entry) -> str:
        """Word one block of a day: [1]高等数学(1-2节)."""
        key = "day_guest" if entry.guest else "day_seat"
        return self(key, id=entry.task.state_id, name=entry.task.name, span=self.span(entry.start, entry.end))

    def occupancy(self, day: DayFacts) -> str:
        """Word what a day holds: 第5天当前占用：[3]复习线代(1-3节)，占用3/12。"""
        if not day.entries:
            return self("day_empty", day=day.day, slots=day.slots)
        seats = self("gap").join([self.seat(entry) for entry in day.entries])
        return self("day_used", day=day.day, seats=seats, used=day.used, slots=day.slots)

    def occupancy_and_free(self, day: DayFacts) -> str:
        """Word what a day holds and where it is free, as a conflict does."""
        return self.occupancy(day) + self("day_free", runs=self.runs(day.free))

    def load(self, key: str, day: DayFacts, **params: object) -> str:
        """Word a day's load with the template *key*."""
        load = {"used": day.used, "slots": day.slots, "course": day.course_used, "task": day.used - day.course_used}
        return self(key, day=day.day, **load, **params)

    def row(self, task: Task) -> str:
        """Word a task on one line: [35]第一章 | 状态:suggested | 类别:概率论 | 时段:第3天(5-6节)."""
        parts = {"id": task.state_id, "name": task.name, "status": task.place.status, "category": self.category(task)}
        if task.place.status == "pending":
            return self("row_pending", **parts, n=task.length)
        return self("row_placed", **parts, where=self.where(task.place.slots))


@cache
def wording(language: Language) -> Wording:
    """Return the words of *language*."""
    return Wording(language)


def in_category(task: Task, category: str | None) -> bool:
    """Tell whether a task is of the category that a caller names; None means any."""
    if category is None or task.category == category:
        return True
    return (task.is_course or not task.category) and any(wording(each).category(task) == category for each in LANGUAGES)
