"""How stored records become tasks: the derivations of the reference as tables, and that dirt harms nothing but itself."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from steadyhand.core.language import LANGUAGES
from steadyhand.domains.schedule.board.loading import Loaded, blocks_of, load, rows_of, shares
from steadyhand.domains.schedule.board.model import Block, Place, Task
from steadyhand.domains.schedule.board.timetable import Timetable
from steadyhand.domains.schedule.term.records import Event, Records, Row, TaskClass, TaskItem, Term
from steadyhand.domains.schedule.term.window import Window

TERM = Term(1, "2026 秋", "Asia/Shanghai", date(2026, 9, 7), 18)
WINDOW = Window(5, 1, 13)
MATH = Event(101, "course", "高等数学")
SZ = Event(102, "course", "思政", can_embed=True)
STUDY = TaskClass(10, "学习")


def rows(event: int, *cells: tuple[int, int, int], host: int | None = None) -> tuple[Row, ...]:
    return tuple(Row(event, week, day, section, host) for week, day, section in cells)


def loaded(*, window: Window = WINDOW, **tables: Any) -> Loaded:
    return load(Records(TERM, **tables), window)


def only(result: Loaded) -> Task:
    (task,) = result.tasks
    return task


# ---- fields of existing tasks (reference, 3.3) ----


@pytest.mark.parametrize(
    ("event", "is_course", "locked", "can_embed", "category"),
    [
        (Event(1, "course", "课"), True, True, False, "课程"),
        (Event(1, "course", "课", can_embed=True), True, False, True, "课程"),
        (Event(1, "task", "事"), False, False, False, ""),
        (Event(1, "task", "事", can_embed=True), False, False, True, ""),
        (Event(1, "task", "课程"), False, False, False, ""),
    ],
)
def test_flags_follow_from_the_kind_of_event(event: Event, is_course: bool, locked: bool, can_embed: bool, category: str) -> None:
    task = only(loaded(events=(event,), rows=rows(1, (5, 1, 1))))
    assert (task.is_course, task.locked, task.can_embed, task.category) == (is_course, locked, can_embed, category)
    assert (task.source, task.source_id, task.place.status) == ("event", 1, "existing")


def test_a_category_that_is_called_like_courses_makes_no_course() -> None:
    item = TaskItem(7, 3, "课程设计", 1)
    task = only(loaded(classes=(TaskClass(3, "课程"),), items=(item,)))
    assert (task.category, task.is_course, task.locked) == ("课程", False, False)


@pytest.mark.parametrize(
    ("cells", "blocks"),
    [
        ([(1, 1), (1, 2)], [(1, 1, 2)]),
        ([(1, 4), (1, 2), (1, 1)], [(1, 1, 2), (1, 4, 4)]),
        ([(1, 2), (1, 1), (1, 2), (1, 1)], [(1, 1, 2)]),
        ([(1, 12), (2, 1)], [(1, 12, 12), (2, 1, 1)]),
        ([(1, slot) for slot in range(12, 0, -1)], [(1, 1, 12)]),
        ([], []),
    ],
)
def test_sections_are_compressed_to_runs(cells: list[tuple[int, int]], blocks: list[tuple[int, int, int]]) -> None:
    assert blocks_of(cells) == tuple(Block(*block) for block in blocks)


def test_a_place_expands_to_one_row_per_section_in_its_weeks() -> None:
    place = Place("existing", (Block(8, 3, 4), Block(1, 12, 12)))
    assert rows_of(place, WINDOW) == ((5, 1, 12), (6, 1, 3), (6, 1, 4))
    assert rows_of(Place("pending", (), 2), WINDOW) == ()


def test_only_rows_inside_the_window_count() -> None:
    task = only(loaded(window=Window(5, 3, 5), events=(MATH,), rows=rows(101, (5, 2, 1), (5, 3, 1), (5, 7, 1), (6, 1, 1))))
    assert task.place.slots == (Block(1, 1, 1), Block(5, 1, 1))
    assert loaded(window=Window(9, 1, 7), events=(MATH,), rows=rows(101, (5, 2, 1))).tasks == ()


# ---- items ----


def test_an_item_without_rows_is_pending_with_the_fields_of_its_class() -> None:
    item = TaskItem(201, 10, "复习线代", 4, duration=3, earliest=date(2026, 10, 6), deadline=date(2026, 10, 20), priority=5)
    task = only(loaded(classes=(replace(STUDY, ordered=False),), items=(item,)))
    assert task == Task(
        1,
        "task_item",
        201,
        "复习线代",
        "学习",
        Place("pending", (), 3),
        category_id=10,
        position=4,
        ordered=False,
        earliest=2,
        deadline=16,
        priority=5,
    )


def test_a_placed_item_keeps_its_identity_and_takes_its_place_from_its_event() -> None:
    event = Event(300, "task", "复习线代", item_id=201)
    result = loaded(
        events=(event,),
        rows=rows(300, (5, 2, 3), (5, 2, 4), (5, 2, 5)),
        classes=(STUDY,),
        items=(TaskItem(201, 10, "复习线代", 1),),
    )
    task = only(result)
    assert (task.source, task.source_id, task.category, task.is_course) == ("task_item", 201, "学习", False)
    assert task.place == Place("existing", (Block(2, 3, 5),), 3)


def test_an_item_that_is_placed_outside_the_window_neither_waits_nor_stands() -> None:
    tables: dict[str, Any] = {
        "classes": (STUDY,),
        "items": (TaskItem(201, 10, "复习", 1),),
        "events": (Event(300, "task", "复习", item_id=201),),
    }
    assert loaded(rows=rows(300, (9, 1, 1)), **tables).tasks == ()
    assert only(loaded(**tables)).place.status == "pending"


@pytest.mark.parametrize(
    ("total", "durations", "expected"),
    [
        (None, [None, None], [2, 2]),
        (6, [None, None, None], [2, 2, 2]),
        (7, [None, None, None], [3, 2, 2]),
        (8, [None, None, None], [3, 3, 2]),
        (2, [None, None, None], [1, 1, 1]),
        (0, [None], [1]),
        (9, [4, None, None], [4, 3, 2]),
        (3, [5, None], [5, 1]),
        (None, [5, 0, -1], [5, 2, 2]),
    ],
)
def test_lengths_are_shared_out_in_the_order_of_the_items(
    total: int | None, durations: list[int | None], expected: list[int]
) -> None:
    items = tuple(TaskItem(90 - index, 10, f"第{index}章", index, duration=length) for index, length in enumerate(durations))
    result = loaded(classes=(replace(STUDY, total_slots=total),), items=items)
    by_position = sorted(result.tasks, key=lambda task: task.position or 0)
    assert [task.place.duration for task in by_position] == expected


def test_nothing_to_share_among_nobody() -> None:
    assert shares(5, 0) == []


# ---- state ids ----


def test_new_state_ids_go_to_courses_then_other_events_then_items_in_their_order() -> None:
    result = loaded(
        events=(
            Event(5, "task", "会"),
            Event(9, "course", "体育"),
            Event(3, "course", "数学"),
            Event(4, "task", "二", item_id=21),
        ),
        rows=rows(5, (5, 1, 1)) + rows(9, (5, 1, 2)) + rows(3, (5, 1, 3)) + rows(4, (5, 1, 4)),
        classes=(STUDY, TaskClass(8, "作业")),
        items=(TaskItem(21, 10, "二", 2), TaskItem(22, 10, "一", 1), TaskItem(30, 8, "写", 1)),
    )
    keys = [("event", 3), ("event", 9), ("event", 5), ("task_item", 30), ("task_item", 22), ("task_item", 21)]
    assert result.ids == {key: number for number, key in enumerate(keys, start=1)}
    assert [(task.source, task.source_id) for task in result.tasks] == keys
    assert result.next_id == 7


def test_given_state_ids_stay_and_none_is_used_again() -> None:
    records = Records(TERM, (MATH, SZ), rows(101, (5, 1, 1)) + rows(102, (5, 1, 2)), (STUDY,), (TaskItem(201, 10, "复习", 1),))
    result = load(records, WINDOW, {("event", 102): 35, ("event", 77): 40})
    assert {task.source_id: task.state_id for task in result.tasks} == {102: 35, 101: 41, 201: 42}
    assert result.ids["event", 77] == 40
    assert load(records, WINDOW, result.ids).tasks == result.tasks


# ---- embedding ----


def test_a_guests_link_is_restored_from_its_rows() -> None:
    guest = Event(300, "task", "写实验报告", item_id=201)
    result = loaded(
        events=(SZ, guest),
        rows=rows(102, (5, 7, 1), (5, 7, 2), (5, 7, 3)) + rows(300, (5, 7, 2), (5, 7, 3), host=102),
        classes=(STUDY,),
        items=(TaskItem(201, 10, "写实验报告", 1),),
    )
    assert result.skipped == ()
    host, task = result.tasks
    assert task.place == Place("existing", (Block(7, 2, 3),), 2, host.state_id)
    assert Timetable(WINDOW, result.tasks).guests_of(host.state_id) == (task.state_id,)


@pytest.mark.parametrize(
    ("guest_rows", "slots"),
    [
        pytest.param(rows(300, (5, 6, 2), host=102), (Block(6, 2, 2),), id="the host is elsewhere"),
        pytest.param(rows(300, (5, 6, 2), host=999), (Block(6, 2, 2),), id="the host is unknown"),
        pytest.param(rows(300, (5, 7, 2), (5, 7, 3), host=102), (Block(7, 3, 3),), id="half outside: what is free is held"),
        pytest.param(rows(300, (5, 6, 2), host=102) + rows(300, (5, 6, 3)), (Block(6, 2, 3),), id="rows that disagree"),
    ],
)
def test_a_link_that_does_not_hold_is_reported_and_the_task_stands_alone(
    guest_rows: tuple[Row, ...], slots: tuple[Block, ...]
) -> None:
    result = loaded(events=(SZ, Event(300, "task", "报告")), rows=rows(102, (5, 7, 1), (5, 7, 2)) + guest_rows)
    assert "host_missing" in {trouble.code for trouble in result.skipped}
    guest = next(task for task in result.tasks if task.source_id == 300)
    assert guest.place == Place("existing", slots)
    Timetable(WINDOW, result.tasks)


def test_two_guests_on_one_cell_are_one_guest_and_a_report() -> None:
    events = (SZ, Event(300, "task", "甲"), Event(301, "task", "乙"))
    guests = rows(300, (5, 7, 1), host=102) + rows(301, (5, 7, 1), (5, 7, 2), host=102)
    result = loaded(events=events, rows=rows(102, (5, 7, 1), (5, 7, 2)) + guests)
    assert [trouble.code for trouble in result.skipped] == ["double_booked"]
    assert {task.source_id: task.place.slots for task in result.tasks} == {
        102: (Block(7, 1, 2),),
        300: (Block(7, 1, 1),),
        301: (Block(7, 2, 2),),
    }
    Timetable(WINDOW, result.tasks)


def test_a_guest_is_nobodys_host() -> None:
    events = (SZ, Event(300, "task", "甲", can_embed=True), Event(301, "task", "乙"))
    guests = rows(300, (5, 7, 1), (5, 7, 2), host=102) + rows(301, (5, 7, 1), host=300)
    result = loaded(events=events, rows=rows(102, (5, 7, 1), (5, 7, 2)) + guests)
    assert [trouble.code for trouble in result.skipped] == ["host_missing", "double_booked"]
    assert [task.source_id for task in result.tasks] == [102, 300]
    Timetable(WINDOW, result.tasks)


# ---- dirt ----

DIRTY: list[tuple[str, Row]] = [
    ("row_outside_term", Row(101, 99, 1, 1)),
    ("row_outside_term", Row(101, 0, 1, 1)),
    ("row_outside_term", Row(101, -3, 1, 1)),
    ("row_outside_term", Row(101, 5, 8, 1)),
    ("row_outside_term", Row(101, 5, 0, 1)),
    ("row_outside_day", Row(101, 5, 1, 13)),
    ("row_outside_day", Row(101, 5, 1, 0)),
    ("unknown_event", Row(404, 5, 1, 5)),
    ("double_booked", Row(102, 5, 1, 1)),
]


@pytest.mark.parametrize(("code", "dirty"), DIRTY)
def test_one_dirty_row_is_left_out_alone_and_told(code: str, dirty: Row) -> None:
    clean = rows(101, (5, 1, 1), (5, 1, 2)) + rows(102, (5, 2, 1))
    tables: dict[str, Any] = {"events": (MATH, SZ), "classes": (STUDY,), "items": (TaskItem(201, 10, "复习", 1),)}
    without, result = loaded(rows=clean, **tables), loaded(rows=(dirty, *clean), **tables)
    assert [trouble.code for trouble in result.skipped] == [code]
    assert result.tasks == without.tasks
    for language in LANGUAGES:
        assert result.skipped[0].text(language)


def test_all_dirt_at_once_still_poisons_nothing() -> None:
    clean = rows(101, (5, 1, 1)) + rows(102, (5, 2, 1))
    result = loaded(events=(MATH, SZ), rows=tuple(row for _, row in DIRTY) + clean)
    assert result.tasks == loaded(events=(MATH, SZ), rows=clean).tasks
    assert len(result.skipped) == len(DIRTY)


def test_an_item_whose_only_rows_are_dirty_waits() -> None:
    tables: dict[str, Any] = {
        "classes": (STUDY,),
        "items": (TaskItem(201, 10, "复习", 1),),
        "events": (Event(300, "task", "复习", item_id=201),),
    }
    assert only(loaded(rows=rows(300, (99, 1, 1)), **tables)).place.status == "pending"


def test_an_item_without_a_class_is_told_and_the_others_load() -> None:
    result = loaded(classes=(STUDY,), items=(TaskItem(201, 10, "复习", 1), TaskItem(202, 77, "无主", 1)))
    assert [trouble.text("zh-CN") for trouble in result.skipped] == ["任务“无主”没有所属类别，未载入。"]
    assert only(result).source_id == 201


def test_a_second_event_for_one_item_stands_as_an_event_of_its_own() -> None:
    events = (Event(300, "task", "复习", item_id=201), Event(301, "task", "复习", item_id=201))
    result = loaded(
        events=events, rows=rows(300, (5, 1, 1)) + rows(301, (5, 2, 1)), classes=(STUDY,), items=(TaskItem(201, 10, "复习", 1),)
    )
    assert {(task.source, task.source_id) for task in result.tasks} == {("event", 301), ("task_item", 201)}
