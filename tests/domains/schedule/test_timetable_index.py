"""The timetable itself: what it refuses to be, that it never reuses an id, and that a failed change leaves no trace."""

import json

import pytest

from steadyhand.core.errors import Bug
from steadyhand.domains.schedule.board.model import Block, Place, PlaceChange, Status, Task
from steadyhand.domains.schedule.board.occupancy import first_slot, longest_run, runs_of, span_mask, starts_of
from steadyhand.domains.schedule.board.timetable import Timetable
from steadyhand.domains.schedule.term.window import Window

WEEK = Window(1, 1, 7)


def task(
    state_id: int, *blocks: tuple[int, int, int], status: Status = "suggested", host: int | None = None, **more: bool
) -> Task:
    place = Place(status, tuple(Block(*block) for block in blocks), 2, host)
    return Task(state_id, "task_item", state_id, f"task {state_id}", "work", place, **more)


@pytest.mark.parametrize(
    ("tasks", "reason"),
    [
        ([task(1, (1, 1, 2)), task(2, (1, 2, 3))], "double_booked"),
        ([task(1, (1, 1, 2), (1, 2, 3))], "double_booked"),
        ([task(1, (8, 1, 2))], "out_of_range"),
        ([task(1, (0, 1, 2))], "out_of_range"),
        ([task(1, (1, 12, 13))], "out_of_range"),
        ([task(1, (1, 3, 2))], "out_of_range"),
        ([task(1, (1, 1, 2)), task(1, (2, 1, 2))], "state_id"),
        ([task(0, (1, 1, 2))], "state_id"),
        ([task(1, (1, 1, 2), status="pending")], "status"),
        ([task(1)], "status"),
        ([task(1, (1, 1, 2), host=2)], "not_in_host"),
        ([task(1, (1, 1, 2), host=2), task(2, (1, 2, 3))], "not_in_host"),
        ([task(1, (1, 1, 2), host=2), task(2, (1, 1, 1), (1, 2, 2))], "not_in_host"),
        ([task(1, (1, 1, 2), host=3), task(2, (1, 1, 2), host=3), task(3, (1, 1, 2))], "double_booked"),
        ([task(1, (1, 1, 2), host=2), task(2, (1, 1, 2), host=3), task(3, (1, 1, 2))], "not_in_host"),
        ([task(1, status="pending", host=2), task(2, (1, 1, 2))], "not_in_host"),
    ],
)
def test_tasks_that_contradict_each_other_make_no_timetable(tasks: list[Task], reason: str) -> None:
    with pytest.raises(Bug) as caught:
        Timetable(WEEK, tasks)
    assert caught.value.code == "timetable_inconsistent"
    assert caught.value.params["reason"] == reason


def test_a_double_booked_cell_is_named_with_both_tasks() -> None:
    with pytest.raises(Bug) as caught:
        Timetable(WEEK, [task(1, (3, 5, 6)), task(2, (3, 6, 7))])
    assert {"task": 2, "other": 1, "day": 3, "start": 6, "end": 7}.items() <= dict(caught.value.params).items()


def test_content_survives_json_byte_for_byte() -> None:
    timetable = Timetable(WEEK, [task(2, (1, 1, 4), can_embed=True), task(1, (1, 2, 3), host=2), task(9, status="pending")])
    again = Timetable.from_json(json.loads(timetable.snapshot()))
    assert again.snapshot() == timetable.snapshot()
    assert again.guests_of(2) == (1,)
    assert timetable.copy().snapshot() == timetable.snapshot()


def test_state_ids_only_grow() -> None:
    timetable = Timetable(WEEK, [task(9, (1, 1, 2))], next_id=40)
    assert timetable.next_id == 40
    assert Timetable.from_json(json.loads(timetable.snapshot())).next_id == 40
    assert Timetable(WEEK, [task(9, (1, 1, 2))], next_id=3).next_id == 10
    assert Timetable(WEEK, []).next_id == 1


def test_the_tasks_cannot_be_written_from_outside() -> None:
    timetable = Timetable(WEEK, [task(1, (1, 1, 2))])
    with pytest.raises(TypeError):
        timetable.tasks[1] = task(1, (2, 1, 2))  # type: ignore[index]  # that it is read only is what is tested


def change(before: Task, after: Place) -> PlaceChange:
    return PlaceChange(before.state_id, before.place, after)


@pytest.mark.parametrize(
    "after",
    [
        pytest.param(Place("suggested", (Block(2, 1, 2),)), id="a taken cell"),
        pytest.param(Place("suggested", (Block(9, 1, 2),)), id="outside"),
        pytest.param(Place("suggested", (Block(3, 1, 2),), None, 2), id="outside its host"),
        pytest.param(Place("suggested", (), None), id="suggested nowhere"),
        pytest.param(Place("pending", (Block(3, 1, 2),)), id="pending somewhere"),
    ],
)
def test_a_change_that_cannot_be_leaves_everything_as_it_was(after: Place) -> None:
    first, second, third = task(1, (1, 1, 2)), task(2, (2, 1, 2)), task(3, (4, 1, 2))
    timetable = Timetable(WEEK, [first, second, third])
    before = timetable.snapshot()
    with pytest.raises(Bug):
        timetable.apply((change(third, Place("suggested", (Block(5, 1, 2),))), change(first, after)))
    assert timetable.snapshot() == before
    assert timetable.cells(1).plain[1] == 1
    assert timetable.cells(4).plain[1] == 3
    assert timetable.cells(5).busy == 0


def test_a_host_does_not_go_without_its_guests_links() -> None:
    host, guest = task(1, (1, 1, 4), can_embed=True), task(2, (1, 1, 2), host=1)
    timetable = Timetable(WEEK, [host, guest])
    before = timetable.snapshot()
    with pytest.raises(Bug):
        timetable.apply((change(host, Place("pending", (), 4)),))
    assert timetable.snapshot() == before
    timetable.apply((change(host, Place("pending", (), 4)), change(guest, Place("suggested", (Block(1, 1, 2),), 2))))
    assert timetable.guests_of(1) == ()
    assert timetable.pending == 1


def test_a_change_that_names_another_place_than_the_task_has_is_refused() -> None:
    timetable = Timetable(WEEK, [task(1, (1, 1, 2))])
    stale = PlaceChange(1, Place("suggested", (Block(5, 1, 2),), 2), Place("pending", (), 2))
    with pytest.raises(Bug):
        timetable.apply((stale,))
    with pytest.raises(Bug):
        timetable.apply((PlaceChange(77, stale.before, stale.after),))


def test_masks_find_runs_and_starts() -> None:
    mask = span_mask(1, 1) | span_mask(3, 5) | span_mask(12, 12)
    assert runs_of(mask) == ((1, 1), (3, 5), (12, 12))
    assert longest_run(mask) == 3
    assert first_slot(starts_of(mask, 2)) == 3
    assert first_slot(starts_of(mask, 4)) == 0
    assert runs_of(0) == ()
