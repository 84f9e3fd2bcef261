"""Habits in words become tasks of their weeks, long tasks become parts; what is not certain is refused."""

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.core.errors import ToolRefusal
from steadyhand.core.language import LANGUAGES, say
from steadyhand.domains.schedule.arrange.door import plan
from steadyhand.domains.schedule.arrange.habits import Habit, habit_tasks, preferred_slots, read_habit
from steadyhand.domains.schedule.arrange.options import ArrangeOptions
from steadyhand.domains.schedule.arrange.split import parts_of, split
from steadyhand.domains.schedule.board.loading import load
from steadyhand.domains.schedule.board.timetable import Timetable
from steadyhand.domains.schedule.term.records import Records, TaskClass, TaskItem, Term, TimeScale
from steadyhand.domains.schedule.term.window import Window

TERM = Term(1, "term", "Asia/Shanghai", date(2026, 9, 7), 4)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3 times a week, 2 slots, evenings", Habit(3, 2, "evening")),
        ("Three times per week; 2 slots each time; in the evening", Habit(3, 2, "evening")),
        ("每周3次，每次2节，晚上", Habit(3, 2, "evening")),
        ("每周三次每次两节晚上", Habit(3, 2, "evening")),
        ("一周两次 上午 第3-10周", Habit(2, 2, "morning", 3, 10)),
        ("每星期一次，1节，在下午，第5周", Habit(1, 1, "afternoon", 5, 5)),
        ("twice a week, weeks 3 to 10", Habit(2, 2, None, 3, 10)),
        ("once a week and in the morning", Habit(1, 2, "morning")),
        ("每天", Habit(7)),
        ("每天两次，每次1节", Habit(14, 1)),
        ("daily, one slot", Habit(7, 1)),
        ("twice a day", Habit(14)),
    ],
)
def test_a_habit_is_read(text: str, expected: Habit) -> None:
    assert read_habit(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2 slots, evenings",
        "每周3次，大概2节",
        "3 times a week, 4 times a week",
        "每天每周三次",
        "about 3 times a week",
        "0 times a week",
        "每周99次",
        "每周3次，0节",
        "每周3次，3周",
        "每周3次，第9-2周",
        "3 times a weekend",
        "3 times a week, evenings, mornings",
    ],
)
def test_what_is_not_certain_is_no_habit(text: str) -> None:
    assert read_habit(text) is None


@given(st.text(alphabet="每周天次节晚上第三3 -,timesaweekslot", max_size=20))
@settings(max_examples=200)
def test_no_text_makes_it_stumble(text: str) -> None:
    habit = read_habit(text)
    assert habit is None or habit.times >= 1


def test_the_liked_slots_follow_the_clock_times_of_the_scale() -> None:
    assert preferred_slots("evening", TimeScale()) == (9, 10, 11, 12)
    assert preferred_slots("morning", TimeScale()) == (1, 2, 3, 4)
    assert preferred_slots("afternoon", TimeScale("short", (("09:00", "09:45"), ("13:00", "13:45")))) == (2,)
    assert preferred_slots(None, TimeScale()) == ()


@pytest.mark.parametrize(("times", "days"), [(7, [1, 2, 3, 4, 5, 6, 7]), (14, [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7])])
def test_what_is_done_every_day_has_its_own_day_each_time(times: int, days: list[int]) -> None:
    made = habit_tasks(Habit(times, 1, None, 2, 2), "words", TERM, 5, "en")
    assert [(item.earliest, item.deadline) for item in made.items] == [(TERM.date_of(2, day),) * 2 for day in days]


def test_a_habit_is_arranged_in_each_of_its_weeks_at_the_time_it_likes() -> None:
    made = habit_tasks(Habit(3, 2, "evening", 2, 3), "跑步", TERM, 5, "zh-CN", priority=4)
    assert [item.content for item in made.items][:3] == ["跑步（第2周 1/3）", "跑步（第2周 2/3）", "跑步（第2周 3/3）"]
    assert [item.position for item in made.items] == [1, 2, 3, 4, 5, 6]
    items = tuple(replace(item, id=number) for number, item in enumerate(made.items, 1))
    window = Window(1, 1, 28)
    loaded = load(Records(TERM, (), (), (TaskClass(5, "跑步"),), items), window)
    timetable = Timetable(window, loaded.tasks)
    found = plan(timetable, ArrangeOptions(preferred_slots=made.preferred_slots))
    assert not found.unplaced
    assert [window.week_of(placement.block.day)[0] for placement in found.placements] == [2, 2, 2, 3, 3, 3]
    assert all(placement.block.start >= 9 for placement in found.placements)
    assert len({placement.block.day for placement in found.placements}) == 6


def test_a_habit_ends_with_the_term() -> None:
    assert [item.deadline for item in habit_tasks(Habit(1, 2, None, 4, 9), "x", TERM, 5, "en").items] == [date(2026, 10, 4)]
    assert habit_tasks(Habit(1, 2, None, 5, 9), "x", TERM, 5, "en").items == ()


@given(length=st.integers(1, 60), least=st.integers(1, 12), more=st.integers(0, 12))
@settings(max_examples=300)
def test_parts_make_up_the_whole_and_there_are_as_few_as_can_be(length: int, least: int, more: int) -> None:
    parts = parts_of(length, least, least + more)
    counts = [count for count in range(1, length + 1) if count * least <= length <= count * (least + more)]
    if not parts:
        assert not counts
        return
    assert (sum(parts), len(parts)) == (length, min(counts))
    assert all(least <= part <= least + more for part in parts)
    assert max(parts) - min(parts) <= 1


def test_a_split_task_keeps_its_place_in_the_order_and_its_limits() -> None:
    deadline = date(2026, 9, 20)
    items = [TaskItem(7, 1, "first", 1, 2), TaskItem(8, 1, "essay", 2, 7, None, deadline, 5), TaskItem(9, 1, "last", 3)]
    cut = split(items, 8, 2, 3, "en")
    assert [(item.id, item.content, item.position, item.duration) for item in cut] == [
        (7, "first", 1, 2),
        (8, "essay (1/3)", 2, 3),
        (0, "essay (2/3)", 3, 2),
        (0, "essay (3/3)", 4, 2),
        (9, "last", 5, None),
    ]
    assert all((item.deadline, item.priority) == (deadline, 5) for item in cut[1:4])
    assert split(items, 7, 1, 4, "en")[0] == items[0]


@pytest.mark.parametrize(("item", "least", "most"), [(8, 3, 3), (8, 4, 6), (8, 0, 3), (99, 1, 2)])
def test_a_split_that_cannot_be_is_refused_with_words(item: int, least: int, most: int) -> None:
    with pytest.raises(ToolRefusal) as caught:
        split([TaskItem(8, 1, "essay", 1, 7)], item, least, most, "en")
    for language in LANGUAGES:
        for part in ("summary", "detail", "next"):
            assert say(language, f"error.{caught.value.code}.{part}", **caught.value.params)
