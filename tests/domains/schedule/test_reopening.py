"""Reopening: a stored task of one's own becomes suggested where it stands; courses never do, and a refusal changes no byte."""

import pytest

from steadyhand.core.language import LANGUAGES
from steadyhand.domains.schedule.board.model import Block, Place, Task
from steadyhand.domains.schedule.board.timetable import Timetable
from steadyhand.domains.schedule.term.window import Window
from steadyhand.domains.schedule.tools import writes
from steadyhand.domains.schedule.tools.reopening import reopen

WINDOW = Window(1, 1, 14)


def _table() -> Timetable:
    def at(day: int, start: int, end: int, status: str = "existing", host: int | None = None, length: int | None = 2) -> Place:
        return Place(status, (Block(day, start, end),), length, host)  # type: ignore[arg-type]  # the statuses are literals

    return Timetable(
        WINDOW,
        [
            Task(1, "event", 11, "Maths", "course", at(1, 1, 2, length=None), is_course=True, locked=True),
            Task(2, "event", 12, "Film", "course", at(2, 1, 4, length=None), is_course=True, can_embed=True),
            Task(3, "task_item", 13, "Essay", "English", at(3, 1, 2)),
            Task(4, "task_item", 14, "Guest", "English", at(2, 1, 2, host=2)),
            Task(5, "task_item", 15, "Drafted", "English", at(4, 1, 2, "suggested")),
            Task(6, "task_item", 16, "Waiting", "English", Place("pending", (), 2)),
            Task(7, "event", 17, "Lecture", "", at(5, 1, 2, length=None)),
        ],
    )


@pytest.mark.parametrize("state_id", [3, 4, 7])
def test_a_stored_task_is_suggested_again_where_it_stands_and_can_then_be_moved(state_id: int) -> None:
    table = _table()
    before = table.tasks[state_id].place
    reply = reopen(table, task_id=state_id)
    after = table.tasks[state_id].place
    assert reply.code == "ok"
    assert (after.status, after.slots, after.embed_host) == ("suggested", before.slots, before.embed_host)
    assert writes.move(table, task_id=state_id, new_day=6, new_slot_start=1).code == "ok"


def test_it_is_one_step_that_undo_takes_back() -> None:
    table = _table()
    before = table.snapshot()
    reply = reopen(table, task_id=3)
    table.revert(reply.delta)
    assert table.snapshot() == before


@pytest.mark.parametrize(
    ("state_id", "code"), [(1, "locked"), (2, "locked"), (5, "wrong_status"), (6, "wrong_status"), (99, "not_found")]
)
def test_courses_and_what_is_open_already_are_refused_byte_for_byte(state_id: int, code: str) -> None:
    table = _table()
    before = table.snapshot()
    reply = reopen(table, task_id=state_id)
    assert reply.code == code
    assert reply.is_error
    assert table.snapshot() == before
    assert all(reply.text(language) for language in LANGUAGES)


def test_it_is_said_in_both_languages() -> None:
    assert reopen(_table(), task_id=3).text("zh-CN") == "已将 [3]Essay（第3天(1-2节)）重新打开，恢复为已预排。"
    assert reopen(_table(), task_id=3).text("en") == "Reopened [3]Essay (day 3 (slots 1-2)); it is suggested again."
