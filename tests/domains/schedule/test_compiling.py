"""Row writes become one program: the same bytes from any order, refused when they do not fit, spoilt by nothing but their own rows."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedule_ground.desk import MATH, ME, SZ, TERM, Desk, course, furnish_again, run
from steadyhand.core.canonical import canonical, digest
from steadyhand.domains.schedule.acts import courses as acts
from steadyhand.domains.schedule.rows import compiling
from steadyhand.domains.schedule.rows.compiling import compile_rows
from steadyhand.domains.schedule.rows.forms import class_row, event_row, item_row, schedule_row, term_row
from steadyhand.domains.schedule.rows.observing import look
from steadyhand.domains.schedule.rows.writes import RowWrite, gone, put, scope_of
from steadyhand.domains.schedule.term.records import Event, Row, TaskClass, TaskItem
from steadyhand.gate.contract import Observation, Program, Refusal
from steadyhand.gate.machine import State

T = TERM.id


def seen_by(desk: Desk, writes: Sequence[RowWrite], term: int = T) -> Observation:
    return desk.store.read_now(lambda tx: look(tx, ME, term, scope_of(writes)))


def compiled(desk: Desk, writes: Sequence[RowWrite], term: int = T) -> Program | Refusal:
    return compile_rows([write.to_json() for write in writes], term, seen_by(desk, writes, term))


def refused(desk: Desk, *writes: RowWrite, term: int = T) -> Refusal:
    found = compiled(desk, writes, term)
    assert isinstance(found, Refusal), found
    return found


def program(desk: Desk, *writes: RowWrite) -> Program:
    found = compiled(desk, writes)
    assert isinstance(found, Program), found
    return found


def event(number: int, name: str, **more: Any) -> RowWrite:
    return put("schedule_events", event_row(Event(number, more.pop("kind", "course"), name, **more), T))


def cell(number: int, week: int, day: int, section: int, host: int | None = None) -> RowWrite:
    return put("schedules", schedule_row(Row(number, week, day, section, host), T))


def task(desk: Desk, content: str, number: int, *cells: tuple[int, int, int], host: int | None = None) -> list[RowWrite]:
    """Place a stored task in cells, under a new event."""
    item = desk.item(content)
    return [event(number, content, kind="task", item_id=item.id), *(cell(number, *at, host=host) for at in cells)]


# ---- pure ------------------------------------------------------------------------------------------------------------


def test_any_order_of_the_operations_gives_the_same_bytes(desk: Desk) -> None:
    writes = [*task(desk, "复习", 900, (1, 1, 5), (1, 1, 6)), *task(desk, "写作", 901, (1, 2, 3), (1, 2, 4), host=SZ)]
    writes += [*course(902, "体育", 4, (1, 2)), *acts.remove_events(desk.records(), [MATH])]
    programs = set()
    for seed in range(12):
        random.Random(seed).shuffle(writes)
        made = compiled(desk, writes)
        assert isinstance(made, Program), made
        programs.add(canonical([made.text, dict(made.footprint), list(made.writes), made.evidence, made.steps]))
    assert len(programs) == 1


def test_compiling_leaves_what_was_seen_and_what_was_asked_as_they_were(desk: Desk) -> None:
    writes = task(desk, "写作", 901, (1, 2, 3), (1, 2, 4), host=SZ)
    items = [write.to_json() for write in writes]
    seen = seen_by(desk, writes)
    before = canonical([items, seen.facts, dict(seen.footprint)])
    assert compile_rows(items, T, seen) == compile_rows(items, T, seen)
    assert canonical([items, seen.facts, dict(seen.footprint)]) == before


def test_the_program_says_all_that_it_does_and_nothing_that_is_so_already(desk: Desk) -> None:
    math = desk.event("高等数学")
    so = put("schedule_events", event_row(math, T))
    made = program(desk, so, gone("schedules", MATH, 1, 1, 1), gone("schedules", MATH, 4, 1, 1), cell(MATH, 4, 1, 2))
    assert [(diff.table, diff.key, diff.before is None, diff.after is None) for diff in compiling.differences_of(made)] == [
        ("schedules", (MATH, 1, 1, 1), False, True),
        ("schedules", (MATH, 4, 1, 2), True, False),
    ]
    assert made.steps == 2
    assert made.evidence == {
        "rows": {
            f"schedules:{MATH}/1/1/1": digest(None),
            f"schedules:{MATH}/4/1/2": digest(schedule_row(Row(MATH, 4, 1, 2), T)),
        }
    }


def test_the_writes_are_the_rows_and_cells_that_change_and_the_footprint_those_that_are_read(desk: Desk) -> None:
    made = program(desk, *task(desk, "复习", 900, (2, 2, 3), (2, 2, 4), host=SZ))
    item = desk.item("复习").id
    changed = {"schedule_events:900", "schedules:900/2/2/3", "schedules:900/2/2/4", "cell:2/2/3", "cell:2/2/4"}
    assert set(made.writes) == changed
    read = {f"schedule_events:{SZ}", f"task_items:{item}", f"terms:{T}"}
    in_the_way = {f"schedule_events.item_id={item}", "schedules.host_event_id=900"}
    assert set(made.footprint) == changed | read | in_the_way
    assert all(len(one) == 64 for one in made.footprint.values())


def test_what_is_so_already_is_nothing_to_change(desk: Desk) -> None:
    so = put("schedule_events", event_row(desk.event("高等数学"), T))
    assert refused(desk, so, gone("schedules", MATH, 4, 4, 4)).code == "nothing_to_change"


# ---- what does not fit ------------------------------------------------------------------------------------------------


def test_two_that_want_one_cell_are_named_both(desk: Desk) -> None:
    at = {"week": 2, "day_of_week": 1, "section": 2}
    expected = Refusal("cell_taken", {**at, "name": "高等数学", "other": "体育"})
    assert refused(desk, event(900, "体育"), cell(900, 2, 1, 2)) == expected
    both = refused(desk, event(900, "体育"), cell(900, 4, 1, 2), event(901, "英语"), cell(901, 4, 1, 2))
    assert both == Refusal("cell_taken", {**at, "week": 4, "name": "体育", "other": "英语"})


def test_two_guests_of_one_cell_are_named_both(desk: Desk) -> None:
    desk.done(task(desk, "复习", 900, (1, 2, 3), (1, 2, 4), host=SZ))
    found = refused(desk, *task(desk, "写作", 901, (1, 2, 4), (1, 2, 5), host=SZ))
    at = {"week": 1, "day_of_week": 2, "section": 4}
    assert found == Refusal("cell_taken", {**at, "name": "复习", "other": "写作"})


@pytest.mark.parametrize(
    ("host", "at", "code"),
    [
        (SZ, (1, 1, 1), "guest_without_host"),  # another course stands there
        (SZ, (1, 3, 1), "guest_without_host"),  # nobody stands there
        (SZ, (4, 2, 3), "guest_without_host"),  # the course does not meet in that week
        (MATH, (1, 1, 1), "host_takes_no_guest"),
        (900, (1, 3, 1), "guest_without_host"),  # itself
        (999, (1, 3, 1), "guest_without_host"),  # nobody
    ],
)
def test_a_guest_needs_a_host_that_takes_it_in_and_stands_there(
    desk: Desk, host: int, at: tuple[int, int, int], code: str
) -> None:
    assert refused(desk, *task(desk, "复习", 900, at, host=host)).code == code


def test_a_course_cannot_leave_its_guest_behind(desk: Desk) -> None:
    desk.done(task(desk, "复习", 900, (1, 2, 3), (1, 2, 4), host=SZ))
    found = refused(desk, gone("schedules", SZ, 1, 2, 4))
    assert found == Refusal("guest_without_host", {"week": 1, "day_of_week": 2, "section": 4, "name": "复习"})
    away = put("schedule_events", event_row(replace(desk.event("思政"), can_embed=False), T))
    assert refused(desk, away) == Refusal("host_takes_no_guest", {"week": 1, "day_of_week": 2, "section": 3, "name": "思政"})
    alone = [cell(900, 1, 2, 3), cell(900, 1, 2, 4), gone("schedules", SZ, 1, 2, 3), gone("schedules", SZ, 1, 2, 4)]
    assert program(desk, away, *alone).steps == 5


@pytest.mark.parametrize(("week", "section", "fits"), [(4, 12, True), (5, 1, False), (1, 13, False)])
def test_the_bounds_of_the_term_and_its_scale_hold(desk: Desk, week: int, section: int, fits: bool) -> None:
    found = compiled(desk, [event(900, "体育"), cell(900, week, 3, section)])
    expected = Refusal("outside_term", {"name": "体育", "week": week, "section": section})
    assert isinstance(found, Program) if fits else found == expected


def test_the_bounds_are_those_that_the_same_change_gives_the_term(desk: Desk) -> None:
    longer = put("terms", term_row(replace(TERM, weeks=6)))
    assert isinstance(compiled(desk, [longer, event(900, "体育"), cell(900, 6, 3, 1)]), Program)
    assert refused(desk, longer, event(900, "体育"), cell(900, 7, 3, 1)).code == "outside_term"


def test_rows_without_owners_are_refused(desk: Desk) -> None:
    assert refused(desk, cell(900, 1, 3, 1)) == Refusal("event_missing", {"event": 900})
    assert refused(desk, gone("schedule_events", 900), cell(900, 1, 3, 1)).code == "event_missing"
    item = put("task_items", item_row(TaskItem(31, 30, "阅读", 0)))
    assert refused(desk, item) == Refusal("class_missing", {"name": "阅读"})
    assert refused(desk, event(900, "阅读", kind="task", item_id=31)) == Refusal("item_missing", {"name": "阅读"})
    assert isinstance(compiled(desk, [item, put("task_classes", class_row(TaskClass(30, "课外"), T))]), Program)


def test_owners_do_not_go_while_something_refers_to_them(desk: Desk) -> None:
    desk.done(task(desk, "复习", 900, (1, 2, 3), (1, 2, 4), host=SZ))
    item = desk.item("复习")
    assert refused(desk, gone("schedule_events", MATH)) == Refusal("still_used", {"name": "高等数学"})
    assert refused(desk, gone("task_items", item.id)) == Refusal("still_used", {"name": "复习"})
    assert refused(desk, gone("task_classes", item.class_id)) == Refusal("still_used", {"name": "学习"})
    assert refused(desk, gone("terms", T)) == Refusal("still_used", {"name": TERM.name})
    assert isinstance(compiled(desk, acts.remove_tasks(desk.records(), [item.id])), Program)


def test_what_only_one_may_have_is_not_had_twice(desk: Desk) -> None:
    desk.done([*task(desk, "复习", 900, (1, 3, 3)), event(910, "英语", uid="u@x")])
    assert refused(desk, event(911, "口语", uid="u@x")) == Refusal("uid_taken", {"name": "口语"})
    assert refused(desk, *task(desk, "复习", 901, (1, 3, 4))) == Refusal("item_id_taken", {"name": "复习"})
    again = put("task_classes", class_row(TaskClass(30, "学习"), T))
    assert refused(desk, again) == Refusal("name_taken", {"name": "学习"})
    twice = [put("task_classes", class_row(TaskClass(number, "课外"), T)) for number in (31, 32)]
    assert refused(desk, *twice) == Refusal("name_taken", {"name": "课外"})
    # the one that had it goes in the same change
    assert isinstance(compiled(desk, [gone("schedule_events", 910), event(911, "口语", uid="u@x")]), Program)


def test_a_change_of_one_term_reaches_no_other(desk: Desk) -> None:
    other = replace(TERM, id=20270301, name="2027 春")
    desk.done([put("terms", term_row(other, is_current=False))])
    there = put("schedule_events", event_row(Event(950, "course", "物理"), other.id))
    category = put("task_classes", class_row(TaskClass(951, "实验"), other.id))
    assert refused(desk, there).code == "other_term"
    item = item_row(TaskItem(952, 951, "报告", 0))
    row = desk.approve(desk.open([there, category, put("task_items", item)], term=other.id))
    assert row.state == State.VERIFIED, row.reason
    for reach in (
        gone("schedule_events", 950),
        put("schedule_events", event_row(Event(950, "course", "物理"), T)),
        gone("task_classes", 951),
        gone("task_items", 952),
        put("task_items", {**item, "class_id": desk.item("复习").class_id}),
        put("task_items", item_row(TaskItem(953, 951, "预习", 1))),
    ):
        assert refused(desk, reach).code == "other_term", reach


def test_a_term_that_is_not_there_takes_nothing(desk: Desk) -> None:
    row = {**event_row(Event(900, "course", "体育"), 1), "term_id": 1}
    assert refused(desk, put("schedule_events", row), term=1).code == "term_missing"


ROWS = [
    (900, 1, 3, 1),
    (900, 1, 3, 2),
    (901, 1, 3, 2),
    (901, 2, 1, 1),
    (902, 1, 2, 3),
    (902, 1, 2, 4),
    (903, 1, 2, 4),
    (900, 1, 2, 4),
]


@given(st.lists(st.sampled_from([(*at, host) for at in ROWS for host in (None, SZ)]), unique_by=lambda row: row[:4], max_size=6))
@settings(max_examples=150, deadline=None)
def test_what_compiles_books_no_cell_twice_and_seats_guests_in_hosts(wanted: list[tuple[int, int, int, int, int | None]]) -> None:
    """Check the compiler against the rule said plainly, over one fixed observation."""
    events = {number: event_row(Event(number, "course", f"课{number}"), T) for number in (900, 901, 902, 903)}
    fixed = {**event_row(Event(SZ, "course", "思政", can_embed=True), T)}
    writes = [*(put("schedule_events", row) for row in events.values()), *(cell(*row) for row in wanted)]
    standing = {(1, 2, 3): SZ, (1, 2, 4): SZ, (2, 1, 1): MATH}
    facts: Any = _facts(writes, fixed, standing)
    found = compile_rows([write.to_json() for write in writes], T, facts)
    plain: dict[Any, list[int]] = {at: [number] for at, number in standing.items()}
    guests: dict[Any, list[int]] = {}
    for number, week, day, section, host in wanted:
        (plain if host is None else guests).setdefault((week, day, section), []).append(number)
    sound = all(len(one) < 2 for one in [*plain.values(), *guests.values()]) and all(plain.get(at) == [SZ] for at in guests)
    assert isinstance(found, Program) == sound, found


def _facts(writes: Sequence[RowWrite], host: Any, standing: dict[tuple[int, int, int], int]) -> Observation:
    scope: Any = scope_of(writes)
    rows: dict[str, Any] = {f"{table}:{'/'.join(map(str, key))}": None for table, keys in scope["keys"].items() for key in keys}
    rows |= {f"terms:{T}": term_row(TERM)} | ({f"schedule_events:{SZ}": host} if f"schedule_events:{SZ}" in rows else {})
    cells: dict[str, Any] = {f"cell:{'/'.join(map(str, at))}": [] for at in scope["cells"]}
    for at, number in standing.items():
        name = f"cell:{'/'.join(map(str, at))}"
        if name in cells:
            cells[name].append(schedule_row(Row(number, *at), T))
    events = {str(SZ): host, str(MATH): event_row(Event(MATH, "course", "高等数学"), T)}
    holders: dict[str, Any] = {f"{table}.{column}={value}": [] for table, column, value in scope["holders"]}
    facts: Any = {"term": term_row(TERM), "rows": rows, "cells": cells, "events": events, "classes": {}, "holders": holders}
    return Observation(facts, {name: digest(row) for name, row in {**rows, **cells, **holders}.items()})


# ---- fresh, where it matters: on both databases -------------------------------------------------------------------------


def direct(desk: Desk, writes: Sequence[RowWrite]) -> None:
    """Write behind the gate's back, as another program on the database could."""
    from steadyhand.store.timetable import timetable

    made = program(desk, *writes)
    desk.store.write_now(lambda tx: timetable.apply(tx, ME, compiling.differences_of(made)))


def test_what_is_so_already_is_not_in_the_footprint(desk: Desk) -> None:
    so = [cell(SZ, week, 2, section) for week in (1, 2, 3) for section in (3, 4, 5, 6)]
    moved = gone("schedules", SZ, 1, 2, 3)
    made = program(desk, *(write for write in so if write.key != moved.key), moved)
    assert set(made.footprint) == {f"schedules:{SZ}/1/2/3", "cell:1/2/3", f"schedule_events:{SZ}"}
    row = desk.open([*(write for write in so if write.key != moved.key), moved])
    direct(desk, task(desk, "写作", 951, (2, 2, 3), (2, 2, 4), host=SZ))
    assert desk.approve(row).state == State.VERIFIED


Meanwhile = Callable[[Desk], list[RowWrite]]
ELSEWHERE: dict[str, Meanwhile] = {
    "the same course in another week": lambda _: [gone("schedules", SZ, 2, 2, 3), cell(SZ, 2, 3, 3)],
    "another course on the same day": lambda _: course(950, "体育", 2, (8, 9), weeks=(1,)),
    "another task": lambda desk: task(desk, "写作", 951, (2, 2, 3), (2, 2, 4), host=SZ),
    "another slot of the same host": lambda desk: task(desk, "写作", 951, (1, 2, 5), (1, 2, 6), host=SZ),
    "a new category": lambda _: [put("task_classes", class_row(TaskClass(30, "课外"), T))],
}
THERE: dict[str, Meanwhile] = {
    "the cell is taken": lambda desk: task(desk, "写作", 951, (1, 2, 4), (1, 2, 5), host=SZ),
    "the host leaves the cell": lambda _: [gone("schedules", SZ, 1, 2, 4)],
    "the host takes no guests any more": lambda desk: [
        put("schedule_events", event_row(replace(desk.event("思政"), can_embed=False), T))
    ],
    "the task is edited": lambda desk: acts.edit_task(desk.records(), replace(desk.item("复习"), content="复习线代"), None),
    "the task is removed": lambda desk: acts.remove_tasks(desk.records(), [desk.item("复习").id]),
    "the task is placed elsewhere": lambda desk: task(desk, "复习", 952, (3, 5, 1), (3, 5, 2)),
    "the term is shorter": lambda _: [put("terms", term_row(replace(TERM, weeks=3)))],
}


def test_an_edit_elsewhere_spoils_nothing(desk_anywhere: Desk) -> None:
    desk = desk_anywhere
    for what, meanwhile in ELSEWHERE.items():
        row = desk.open(task(desk, "复习", 900, (1, 2, 3), (1, 2, 4), host=SZ))
        direct(desk, meanwhile(desk))
        assert desk.approve(row).state == State.VERIFIED, what
        furnish_again(desk)


def test_an_edit_of_what_it_reads_or_writes_ends_it_as_stale_and_nothing_is_written(desk_anywhere: Desk) -> None:
    desk = desk_anywhere
    for what, meanwhile in THERE.items():
        row = desk.open(task(desk, "复习", 900, (1, 2, 3), (1, 2, 4), host=SZ))
        direct(desk, meanwhile(desk))
        before = desk.dump()
        assert desk.approve(row).state == State.STALE, what
        assert desk.dump() == before, what
        furnish_again(desk)


def test_a_removal_is_stale_once_something_new_hangs_on_what_goes(desk_anywhere: Desk) -> None:
    desk = desk_anywhere
    writes = [*acts.remove_tasks(desk.records(), [desk.item("复习").id]), *acts.remove_events(desk.records(), [SZ])]
    row = desk.open(writes)
    direct(desk, [cell(SZ, 4, 5, 1)])  # a meeting in a week and on a day of which the removal knows nothing
    assert desk.approve(row).state == State.STALE
    again = desk.open(acts.remove_tasks(desk.records(), [desk.item("复习").id]))
    direct(desk, task(desk, "复习", 900, (3, 5, 1), (3, 5, 2)))
    assert desk.approve(again).state == State.STALE
    assert desk.cells_of("复习") == {(3, 5, 1), (3, 5, 2)}


def test_of_two_sealed_changes_the_one_that_meets_the_first_is_stale_at_once_and_the_other_stands(desk: Desk) -> None:
    first = desk.open(task(desk, "复习", 900, (1, 2, 3), (1, 2, 4), host=SZ))
    meets = desk.open(task(desk, "写作", 901, (1, 2, 4), (1, 2, 5), host=SZ), session="two")
    apart = desk.open(task(desk, "讨论", 902, (2, 2, 4), (2, 2, 5), host=SZ), session="three")
    assert desk.approve(first).state == State.VERIFIED
    states = [run(desk.controller.current(ME, row.number)).state for row in (meets, apart)]
    assert states == [State.STALE, State.SEALED]
    assert desk.approve(apart).state == State.VERIFIED
