"""Which rows a person's act is: no more than was said, nothing twice, and no guest lost with its host."""

from dataclasses import replace
from datetime import date

import pytest

from schedule_ground.desk import MATH, SZ, TERM, Desk, course, empty, tasks
from steadyhand.core.errors import ToolRefusal
from steadyhand.domains.schedule.acts import courses as acts
from steadyhand.domains.schedule.imports.incoming import IncomingCategory, IncomingEvent, IncomingRow, IncomingTask, match
from steadyhand.domains.schedule.rows.forms import event_row, schedule_row
from steadyhand.domains.schedule.rows.writes import RowWrite, put
from steadyhand.domains.schedule.term.records import Event, Particulars, Records, Row
from steadyhand.gate.contract import Refusal

T = TERM.id


def rows_of(event: Event, *cells: tuple[int, int, int], host: int | None = None) -> list[RowWrite]:
    rows = [put("schedules", schedule_row(Row(event.id, *at, host), T)) for at in cells]
    return [put("schedule_events", event_row(event, T)), *rows]


def doubled(writes: list[RowWrite]) -> list[str]:
    names = [write.region for write in writes]
    return sorted({name for name in names if names.count(name) > 1})


# ---- terms and times ----------------------------------------------------------------------------------------------------


def test_a_term_becomes_current_and_the_one_before_stays() -> None:
    other = replace(TERM, id=20270301)
    current = {write.key: write.row["is_current"] for write in acts.put_term(other, TERM) if write.row is not None}
    assert current == {(20270301,): True, (T,): False}
    assert len(acts.put_term(TERM, TERM)) == len(acts.put_term(TERM, None)) == 1


def test_a_weekly_meeting_is_its_cells() -> None:
    assert acts.weekly_cells(TERM, 3, (2, 3), (3, 1, 3)) == [(1, 3, 2), (1, 3, 3), (3, 3, 2), (3, 3, 3)]


@pytest.mark.parametrize(
    ("day", "slots", "weeks", "code"),
    [
        (0, (1, 2), (1,), "day_of_week_outside"),
        (8, (1, 2), (1,), "day_of_week_outside"),
        (1, (0, 2), (1,), "slots_outside"),
        (1, (3, 2), (1,), "slots_outside"),
        (1, (12, 13), (1,), "slots_outside"),
        (1, (1, 2), (), "weeks_outside"),
        (1, (1, 2), (0, 1), "weeks_outside"),
        (1, (1, 2), (4, 5), "weeks_outside"),
    ],
)
def test_a_meeting_outside_the_term_is_refused(day: int, slots: tuple[int, int], weeks: tuple[int, ...], code: str) -> None:
    with pytest.raises(ToolRefusal) as error:
        acts.weekly_cells(TERM, day, slots, weeks)
    assert error.value.code == code


# ---- courses -----------------------------------------------------------------------------------------------------------


def test_a_course_whose_fields_change_keeps_its_times_and_one_whose_times_change_keeps_what_overlaps(desk: Desk) -> None:
    math = desk.event("高等数学")
    assert [write.table for write in acts.edit_course(desk.records(), replace(math, rule="1"), None)] == ["schedule_events"]
    writes = acts.edit_course(desk.records(), math, dict.fromkeys([(1, 1, 1), (1, 1, 3)], Particulars()))
    assert [write.key for write in writes if write.row is not None] == [(MATH,), (MATH, 1, 1, 3)]
    desk.done(writes)
    assert desk.cells_of("高等数学") == {(1, 1, 1), (1, 1, 3)}


def test_a_mark_that_is_taken_off_a_course_with_a_guest_is_refused(desk: Desk) -> None:
    desk.done(rows_of(Event(950, "task", "复习", item_id=desk.item("复习").id), (1, 2, 3), host=SZ))
    refused = desk.act(acts.edit_course(desk.records(), replace(desk.event("思政"), can_embed=False), None))
    assert isinstance(refused, Refusal)
    assert (refused.code, refused.params["name"]) == ("host_takes_no_guest", "思政")


def test_a_removed_course_lets_tasks_wait_and_leaves_other_guests_where_they_are(desk: Desk) -> None:
    desk.done(rows_of(Event(950, "task", "复习", item_id=desk.item("复习").id), (1, 2, 3), host=SZ))
    desk.done(rows_of(Event(951, "task", "面试", uid="i@x"), (1, 2, 5), host=SZ))
    desk.done(acts.remove_events(desk.records(), [SZ]))
    assert {event.name for event in desk.records().events} == {"高等数学", "面试"}
    assert {row for row in desk.records().rows if row.event_id == 951} == {Row(951, 1, 2, 5, None)}
    assert desk.item("复习").content == "复习"


def test_what_goes_together_goes_once(desk: Desk) -> None:
    host = Event(950, "task", "自习", True, item_id=desk.item("写作").id)
    guest = Event(951, "task", "复习", item_id=desk.item("复习").id)
    desk.done([*rows_of(host, (1, 3, 1), (1, 3, 2)), *rows_of(guest, (1, 3, 1), host=950)])
    records = desk.records()
    for writes in (
        acts.remove_tasks(records, [desk.item("写作").id, desk.item("复习").id]),
        acts.remove_events(records, [950, 951]),
        acts.remove_events(records, [951, 950, 950]),
    ):
        assert doubled(writes) == []
    desk.done(acts.remove_tasks(records, [desk.item("写作").id, desk.item("复习").id]))
    assert [item.content for item in desk.records().items] == ["讨论"]


def test_a_calendar_event_that_goes_with_its_host_goes(desk: Desk) -> None:
    desk.done(rows_of(Event(951, "task", "面试", uid="i@x"), (1, 2, 5), host=SZ))
    writes = acts.remove_tasks(desk.records(), [], [951, SZ])
    assert doubled(writes) == []
    desk.done(writes)
    assert [event.name for event in desk.records().events] == ["高等数学"]


# ---- tasks -------------------------------------------------------------------------------------------------------------


def test_tasks_are_added_at_the_end_of_their_category_and_the_same_list_twice_doubles_nothing(desk: Desk) -> None:
    listed = tasks("复习", "阅读", "背诵")
    desk.done(acts.add_tasks(desk.records(), listed))
    positions = {item.content: item.position for item in desk.records().items}
    assert positions == {"复习": 0, "写作": 1, "讨论": 2, "阅读": 3, "背诵": 4}
    assert acts.add_tasks(desk.records(), listed) == []


def test_a_category_that_the_list_names_twice_is_made_once(desk: Desk) -> None:
    listed = [
        *tasks("甲", category="课外", total_slots=6, ordered=False),
        *tasks("别的", category="家务"),
        *tasks("乙", category="课外"),
    ]
    writes = acts.add_tasks(desk.records(), listed)
    desk.done(writes)
    made = acts.class_named(desk.records(), "课外")
    assert made is not None
    assert (made.total_slots, made.ordered) == (6, False)
    assert {item.content: item.position for item in desk.records().items if item.class_id == made.id} == {"甲": 0, "乙": 1}
    assert [one.name for one in sorted(desk.records().classes, key=lambda one: one.id) if one.name != "学习"] == ["课外", "家务"]


def test_a_task_of_a_list_comes_with_all_that_is_said_of_it() -> None:
    said = IncomingTask("阅读", 3, date(2026, 9, 8), date(2026, 9, 20), 5)
    (category, item) = acts.add_tasks(empty(), [IncomingCategory("课外", (said,))])
    assert category.row is not None
    assert item.row is not None
    assert {name: item.row[name] for name in ("content", "duration", "earliest", "deadline", "priority", "position")} == {
        "content": "阅读",
        "duration": 3,
        "earliest": "2026-09-08",
        "deadline": "2026-09-20",
        "priority": 5,
        "position": 0,
    }
    assert item.row["class_id"] == category.row["id"]


def test_a_task_takes_its_new_name_to_its_place_and_its_place_along_to_another_category(desk: Desk) -> None:
    desk.done(rows_of(Event(950, "task", "复习", item_id=desk.item("复习").id), (1, 3, 1)))
    desk.done(acts.edit_task(desk.records(), replace(desk.item("复习"), content="复习线代"), "课外"))
    made = acts.class_named(desk.records(), "课外")
    assert made is not None
    assert (desk.item("复习线代").class_id, desk.item("复习线代").position) == (made.id, 0)
    assert desk.cells_of("复习线代") == {(1, 3, 1)}
    desk.done(acts.edit_task(desk.records(), desk.item("复习线代"), "学习"))
    assert desk.item("复习线代").position == 3
    assert [write.table for write in acts.edit_task(desk.records(), desk.item("写作"), "学习")] == ["task_items"]
    assert desk.item("写作").position == 1


# ---- imports -----------------------------------------------------------------------------------------------------------


def offered(uid: str, name: str, *cells: tuple[int, int, int], host: str = "", can_embed: bool | None = None) -> IncomingEvent:
    return IncomingEvent(uid, "course", name, tuple(IncomingRow(*at, host) for at in cells), can_embed=can_embed)


def written(records: Records, *events: IncomingEvent) -> list[RowWrite]:
    return acts.import_events(records, match(records, events))


def test_a_guest_in_a_file_finds_its_host_stored_or_new(desk: Desk) -> None:
    stored = f"{SZ}@steadyhand"
    desk.done(
        written(
            desk.records(), offered("new@x", "实验", (1, 4, 1), can_embed=True), offered("g@x", "讲座", (1, 4, 1), host="new@x")
        )
    )
    assert {row.host_event_id for row in desk.records().rows if row.event_id == desk.event("讲座").id} == {desk.event("实验").id}
    desk.done(written(desk.records(), offered("h@x", "答疑", (1, 2, 3), host=stored)))
    assert {row.host_event_id for row in desk.records().rows if row.event_id == desk.event("答疑").id} == {SZ}


def test_a_course_that_a_file_closes_to_guests_lets_its_tasks_wait(desk: Desk) -> None:
    desk.done(written(desk.records(), offered("e@x", "英语", (1, 4, 1), (1, 4, 2), can_embed=True)))
    host = desk.event("英语").id
    desk.done(rows_of(Event(950, "task", "复习", item_id=desk.item("复习").id), (1, 4, 1), host=host))
    desk.done(written(desk.records(), offered("e@x", "英语", (1, 4, 1), (1, 4, 2), can_embed=False)))
    assert (desk.cells_of("复习"), desk.event("英语").can_embed) == (set(), False)


def test_a_guest_that_the_file_lacks_stays_on_its_own_when_its_course_moves(desk: Desk) -> None:
    desk.done(written(desk.records(), offered("e@x", "英语", (1, 4, 1), (1, 4, 2), can_embed=True)))
    desk.done(rows_of(Event(950, "task", "面试", uid="i@x"), (1, 4, 1), host=desk.event("英语").id))
    desk.done(written(desk.records(), offered("e@x", "英语", (1, 5, 1), (1, 5, 2))))
    assert {row for row in desk.records().rows if row.event_id == 950} == {Row(950, 1, 4, 1, None)}


def test_a_guest_that_the_file_moves_along_goes_where_the_file_says(desk: Desk) -> None:
    host, guest = offered("e@x", "英语", (1, 4, 1), can_embed=True), offered("g@x", "讲座", (1, 4, 1), host="e@x")
    desk.done(written(desk.records(), host, guest))
    moved = (offered("e@x", "英语", (1, 5, 1)), offered("g@x", "讲座", (1, 5, 1), host="e@x"))
    writes = written(desk.records(), *moved)
    assert doubled(writes) == []
    desk.done(writes)
    assert desk.cells_of("讲座") == {(1, 5, 1)}


def test_adding_a_course_writes_it_and_its_sections_alone() -> None:
    writes = course(900, "体育", 4, (1, 2), weeks=(1,))
    assert [write.key for write in writes] == [(900,), (900, 1, 4, 1), (900, 1, 4, 2)]
