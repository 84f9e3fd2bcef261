"""Decides how a habit in words ("3 times a week, 2 slots, evenings") becomes tasks of its weeks; what is not certain is no habit.

It must not choose days or slots: the part of the day is a wish that the arrangement weighs.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

from steadyhand.core.language import Language, say
from steadyhand.domains.schedule.board.model import DEFAULT_DURATION
from steadyhand.domains.schedule.term.records import DAYS_IN_WEEK, TaskItem, Term, TimeScale

PartOfDay: TypeAlias = Literal["morning", "afternoon", "evening"]
HOURS: Mapping[PartOfDay, tuple[str, str]] = {
    "morning": ("00:00", "12:00"),
    "afternoon": ("12:00", "18:00"),
    "evening": ("18:00", "24:00"),
}
MOST_TIMES = 21

_ZH = r"(\d{1,2}|[一二两三四五六七八九十])"
_EN = r"(\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten)"
_NUMBERS = {
    **{name: number for number, name in enumerate("一二三四五六七八九十", 1)},
    **{name: number for number, name in enumerate(["one", "two", "three", "four", "five"], 1)},
    **{name: number for number, name in enumerate(["six", "seven", "eight", "nine", "ten"], 6)},
    "两": 2,
    "once": 1,
    "twice": 2,
}
_PARTS_OF_DAY: Mapping[str, PartOfDay] = {
    "上午": "morning",
    "早上": "morning",
    "下午": "afternoon",
    "晚上": "evening",
    "morning": "morning",
    "afternoon": "afternoon",
    "evening": "evening",
}
_CLAUSES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("times", rf"(?:每周|一周|每星期|一星期){_ZH}次"),
        ("times", rf"{_EN} times (?:a|per|each|every) week\b"),
        ("times", r"(once|twice) (?:a|per|each|every) week\b"),
        ("daily", rf"每天(?:{_ZH}次)?"),
        ("daily", rf"(?:{_EN} times |(once |twice ))?(?:every|each|per|a) day\b"),
        ("daily", r"daily\b"),
        ("slots", rf"(?:每次)?{_ZH}(?:节|个时段)"),
        ("slots", rf"{_EN} slots?(?: each time| each| at a time)?\b"),
        ("part", r"(?:在)?(上午|早上|下午|晚上)"),
        ("part", r"(?:in the )?(morning|afternoon|evening)s?\b"),
        ("weeks", r"第(\d{1,2})(?:[-~–到至](\d{1,2}))?周"),
        ("weeks", r"weeks? (\d{1,2})(?: ?(?:-|–|to) ?(\d{1,2}))?\b"),
    )
)
_BETWEEN = re.compile(r"(?:[\s,，;；、。.]|and\b)*")


@dataclass(frozen=True, slots=True)
class Habit:
    """Something to do *times* a week, *slots* in a row each time, from week *first* to *last* (None: of the term)."""

    times: int
    slots: int = DEFAULT_DURATION
    part_of_day: PartOfDay | None = None
    first: int | None = None
    last: int | None = None


@dataclass(frozen=True, slots=True)
class HabitTasks:
    """The tasks of a habit, without ids, and the slots that it likes."""

    items: tuple[TaskItem, ...]
    preferred_slots: tuple[int, ...]


def read_habit(text: str) -> Habit | None:
    """Return the habit that *text* states, in Chinese or English; None when any of it is not understood or said twice."""
    rest = text.strip().lower()
    said: dict[str, tuple[int | PartOfDay | None, ...]] = {}
    while rest:
        found = _clause(rest)
        if found is None:
            return None
        kind, match = found
        place = "times" if kind == "daily" else kind
        if place in said:
            return None
        said[place] = _values(kind, [group for group in match.groups() if group])
        rest = rest[match.end() :]
        rest = rest[len(between.group()) :] if (between := _BETWEEN.match(rest)) else rest
    return _habit(said)


def _clause(text: str) -> tuple[str, re.Match[str]] | None:
    for kind, pattern in _CLAUSES:
        match = pattern.match(text)
        if match is not None:
            return kind, match
    return None


def _values(kind: str, groups: list[str]) -> tuple[int | PartOfDay | None, ...]:
    if kind == "part":
        return (_PARTS_OF_DAY[groups[0]],)
    numbers = [_NUMBERS.get(group.strip()) or int(group) for group in groups]
    if kind == "daily":
        return (DAYS_IN_WEEK * (numbers[0] if numbers else 1),)
    if kind == "weeks":
        return numbers[0], numbers[-1]
    return tuple(numbers)


def _habit(said: Mapping[str, tuple[int | PartOfDay | None, ...]]) -> Habit | None:
    if "times" not in said:
        return None
    times = cast("int", said["times"][0])
    slots = cast("int", said.get("slots", (DEFAULT_DURATION,))[0])
    part = cast("PartOfDay | None", said.get("part", (None,))[0])
    first, last = cast("tuple[int | None, int | None]", said.get("weeks", (None, None)))
    if not 1 <= times <= MOST_TIMES or slots < 1 or (first is not None and last is not None and not 1 <= first <= last):
        return None
    return Habit(times, slots, part, first, last)


def preferred_slots(part: PartOfDay | None, scale: TimeScale) -> tuple[int, ...]:
    """Return the slots of *scale* that begin in a part of the day; none when no part is liked."""
    if part is None:
        return ()
    begin, end = HOURS[part]
    return tuple(slot for slot, (start, _) in enumerate(scale.slots, 1) if begin <= start < end)


def habit_tasks(habit: Habit, name: str, term: Term, class_id: int, language: Language, *, priority: int = 3) -> HabitTasks:
    """Return a task for each time of each week of the habit in *term*; each may stand on any day of its week and on no other.

    What is done every day has its own day each time, as many times a day as it is said.
    """
    first, last = habit.first or 1, min(habit.last or term.weeks, term.weeks)
    items = tuple(
        TaskItem(
            0,
            class_id,
            say(language, "schedule.optimise.habit", name=name, week=week, n=number, count=habit.times),
            (week - first) * habit.times + number,
            habit.slots,
            term.date_of(week, days[0]),
            term.date_of(week, days[1]),
            priority,
        )
        for week in range(first, last + 1)
        for number in range(1, habit.times + 1)
        for days in [_days(number, habit.times)]
    )
    return HabitTasks(items, preferred_slots(habit.part_of_day, term.scale))


def _days(number: int, times: int) -> tuple[int, int]:
    """Return the first and the last day of the week on which the *number*-th of *times* may stand."""
    a_day, left = divmod(times, DAYS_IN_WEEK)
    if left or not a_day:
        return 1, DAYS_IN_WEEK
    day = (number - 1) // a_day + 1
    return day, day
