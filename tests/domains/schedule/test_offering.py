"""What a draft offers is what it shows and no more: cells, names and links come back as they were, and rows outside stay."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from schedule_ground.desk import MATH, ME, SZ, TERM, Desk, course, furnish_again, run, tasks
from steadyhand.core.errors import ToolRefusal
from steadyhand.domains.schedule.acts import courses as acts
from steadyhand.domains.schedule.draft.drafting import OpenDraft
from steadyhand.domains.schedule.draft.offering import offer, writes_of
from steadyhand.domains.schedule.rows.forms import event_row, schedule_row
from steadyhand.domains.schedule.rows.writes import put, scope_of
from steadyhand.domains.schedule.term.records import Event, Records, Row
from steadyhand.domains.schedule.term.window import Window
from steadyhand.domains.schedule.tools.arguments import run as call_tool
from steadyhand.domains.schedule.tools.reopening import reopen
from steadyhand.gate.machine import State

T = TERM.id
WEEK_2 = Window(2, 1, 7)


def take_up(desk: Desk, name: str) -> None:
    state_id = desk.id_of(name)
    run(desk.drafting.edit(ME, lambda table: reopen(table, task_id=state_id)))


def test_an_untouched_draft_offers_nothing(desk: Desk) -> None:
    for draft in (desk.draft(), run(desk.drafting.open(ME))):
        with pytest.raises(ToolRefusal, match="nothing_drafted"):
            offer(draft)
    desk.wrote("place", task_id=desk.id_of("复习"), day=3, slot_start=1)
    desk.wrote("unplace", task_id=desk.id_of("复习"))
    with pytest.raises(ToolRefusal, match="nothing_drafted"):
        offer(desk.draft())


def test_the_copy_names_the_draft_its_revision_and_a_scope_for_just_these_writes(desk: Desk) -> None:
    desk.wrote("place", task_id=desk.id_of("复习"), day=3, slot_start=1)
    draft = desk.draft()
    copy, scope = offer(draft)
    assert (copy.draft, copy.revision) == (draft.row.id, draft.row.revision)
    content: Any = copy.content
    assert [(one["table"], one["row"] is None) for one in content["writes"]] == [
        ("schedule_events", False),
        ("schedules", False),
        ("schedules", False),
    ]
    named: Any = scope
    assert named["cells"] == [[1, 3, 1], [1, 3, 2]]


def test_what_was_offered_is_frozen_and_later_writes_do_not_reach_it(desk: Desk) -> None:
    desk.wrote("place", task_id=desk.id_of("复习"), day=3, slot_start=1)
    row = desk.propose()
    desk.wrote("move", task_id=desk.id_of("复习"), new_day=4, new_slot_start=5)
    assert desk.approve(row).state == State.VERIFIED
    assert desk.cells_of("复习") == {(1, 3, 1), (1, 3, 2)}
    assert [task.name for task in desk.draft().lost] == ["复习"]  # it stands elsewhere now than the draft had it


def test_a_second_offer_of_the_same_task_from_another_session_ends_as_stale(desk_anywhere: Desk) -> None:
    desk = desk_anywhere
    desk.wrote("place", task_id=desk.id_of("复习"), day=3, slot_start=1)
    first = desk.propose(session="one")
    desk.wrote("move", task_id=desk.id_of("复习"), new_day=4, new_slot_start=5)
    second = desk.propose(session="two")
    assert desk.approve(first).state == State.VERIFIED
    before = desk.dump()
    assert desk.approve(second).state == State.STALE
    assert desk.dump() == before


def test_only_rows_of_changed_tasks_inside_the_window_are_written(desk: Desk) -> None:
    event = Event(950, "task", "复习", item_id=desk.item("复习").id)
    cells = [(1, 4, 1), (2, 4, 1), (3, 4, 1)]
    desk.done([put("schedule_events", event_row(event, T)), *(put("schedules", schedule_row(Row(950, *at), T)) for at in cells)])
    run(desk.drafting.open(ME, WEEK_2))
    take_up(desk, "复习")
    desk.wrote("move", task_id=desk.id_of("复习"), new_day=5, new_slot_start=9)
    desk.wrote("place", task_id=desk.id_of("写作"), day=6, slot_start=1)
    weeks = {write.cell[0] for write in writes_of(desk.draft()) if write.cell is not None}
    assert weeks == {2}
    desk.commit()
    assert desk.cells_of("复习") == {(1, 4, 1), (2, 5, 9), (3, 4, 1)}


def test_a_task_taken_out_of_the_window_keeps_what_it_has_outside(desk: Desk) -> None:
    event = Event(950, "task", "复习", item_id=desk.item("复习").id)
    cells = [(1, 4, 1), (2, 4, 1)]
    desk.done([put("schedule_events", event_row(event, T)), *(put("schedules", schedule_row(Row(950, *at), T)) for at in cells)])
    run(desk.drafting.open(ME, WEEK_2))
    take_up(desk, "复习")
    desk.wrote("unplace", task_id=desk.id_of("复习"))
    desk.commit()
    assert desk.cells_of("复习") == {(1, 4, 1)}
    assert desk.event("复习").id == 950


def test_a_task_that_had_a_place_before_keeps_its_event_and_one_without_gives_it_up(desk: Desk) -> None:
    desk.wrote("place", task_id=desk.id_of("复习"), day=3, slot_start=1)
    desk.commit()
    number = desk.event("复习").id
    take_up(desk, "复习")
    desk.wrote("move", task_id=desk.id_of("复习"), new_day=4, new_slot_start=1)
    desk.commit()
    assert desk.event("复习").id == number
    take_up(desk, "复习")
    desk.wrote("unplace", task_id=desk.id_of("复习"))
    desk.commit()
    assert [event.name for event in desk.records().events] == ["高等数学", "思政"]


def test_an_event_of_a_calendar_has_nowhere_to_wait(desk: Desk) -> None:
    desk.done(
        [
            put("schedule_events", event_row(Event(950, "task", "面试", uid="i@x"), T)),
            put("schedules", schedule_row(Row(950, 1, 4, 1), T)),
        ]
    )
    take_up(desk, "面试")
    desk.wrote("move", task_id=desk.id_of("面试"), new_day=4, new_slot_start=3)
    assert len(writes_of(desk.draft())) == 2
    desk.wrote("unplace", task_id=desk.id_of("面试"))
    with pytest.raises(ToolRefusal) as error:
        offer(desk.draft())
    assert (error.value.code, error.value.params["name"]) == ("event_without_place", "面试")


# ---- load → propose → approve → load -----------------------------------------------------------------------------------

NAMES = ("复习", "写作", "讨论", "阅读", "短")
MOVES = st.tuples(
    st.sampled_from(["place", "place", "place", "move", "swap", "unplace", "reopen"]),
    st.integers(0, len(NAMES) - 1),
    st.integers(0, len(NAMES) - 1),
    st.integers(1, 9),
    st.integers(1, 7),
)


def look(draft: OpenDraft) -> dict[int, Any]:
    """Return what must survive: name, cells, length and host by state id."""
    return {
        state_id: (task.name, sorted(task.place.slots), task.length, task.place.embed_host)
        for state_id, task in draft.timetable.tasks.items()
    }


def outside(records: Records, window: Window) -> set[Row]:
    return {row for row in records.rows if window.day_of(row.week, row.day_of_week) is None}


def play(desk: Desk, moves: list[Any]) -> None:
    ids = [desk.id_of(name) for name in NAMES]
    for kind, one, other, day, slot in moves:
        arguments: dict[str, dict[str, Any]] = {
            "place": {"task_id": ids[one], "day": day, "slot_start": slot},
            "move": {"task_id": ids[one], "new_day": day, "new_slot_start": slot},
            "swap": {"task_a": ids[one], "task_b": ids[other]},
            "unplace": {"task_id": ids[one]},
        }

        def work(table: Any, kind: str = kind, one: int = one, arguments: Any = arguments) -> Any:
            return reopen(table, task_id=ids[one]) if kind == "reopen" else call_tool(table, kind, arguments[kind])

        run(desk.drafting.edit(ME, work))


@given(
    st.lists(MOVES, min_size=1, max_size=8),
    st.lists(MOVES, min_size=1, max_size=8),
    st.sampled_from([Window(1, 1, 28), Window(1, 2, 9), Window(2, 1, 9)]),
)
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # an example takes too long to be shrunk hundreds of times
)
def test_a_commit_keeps_cells_names_and_links_and_every_row_outside(
    desk: Desk, first: list[Any], second: list[Any], window: Window
) -> None:
    furnish_again(desk)
    run(desk.drafting.discard(ME))
    short = tasks("阅读", "短")
    desk.done(
        acts.add_tasks(desk.records(), [replace(short[0], tasks=tuple(replace(task, duration=1) for task in short[0].tasks))])
    )
    run(desk.drafting.open(ME, window))
    for moves in (first, second):
        play(desk, moves)
        before, stored = desk.draft(), outside(desk.records(), window)
        if not before.changed:
            continue
        desk.commit()
        after = desk.draft()
        assert look(after) == look(before)
        assert outside(desk.records(), window) == stored
        assert (after.changed, after.skipped, after.lost) == ((), (), ())
        # what was taken up again and not moved stays taken up; all that was written is stored now
        assert {after.timetable.tasks[change.state_id].place.status for change in before.changed} <= {"existing", "pending"}
        assert {MATH, SZ} <= {event.id for event in desk.records().events}


def test_the_scope_of_an_offer_names_every_owner(desk: Desk) -> None:
    desk.done(course(900, "自习课", 5, (1, 6), can_embed=True))
    desk.wrote("place", task_id=desk.id_of("复习"), day=5, slot_start=2)
    scope: Any = scope_of(writes_of(desk.draft()))
    assert scope["keys"]["terms"] == [[T]]
    assert [900] in scope["keys"]["schedule_events"]
    assert scope["keys"]["task_items"] == [[desk.item("复习").id]]
