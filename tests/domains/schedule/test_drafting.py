"""A draft counts every write, names no old revision, keeps its ids, and follows what is stored without losing what still fits."""

import threading
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from schedule_ground.desk import MATH, ME, OTHER, SZ, TERM, Desk, course, empty, run, tasks
from steadyhand.core.errors import ToolRefusal
from steadyhand.domains.schedule.acts import courses as acts
from steadyhand.domains.schedule.board.model import Block
from steadyhand.domains.schedule.draft.drafting import Drafting
from steadyhand.domains.schedule.rows.forms import event_row, schedule_row, term_row
from steadyhand.domains.schedule.rows.writes import RowWrite, put
from steadyhand.domains.schedule.term.records import Event, Row, TimeScale
from steadyhand.domains.schedule.term.window import Window
from steadyhand.domains.schedule.term.windows import default_window, whole_term
from steadyhand.domains.schedule.tools.reopening import reopen
from steadyhand.store.timetable import timetable
from steadyhand.store.timetable.timetable import Difference

T = TERM.id


def where(desk: Desk, name: str) -> tuple[str, list[tuple[int, int, int]], str]:
    """Return status, blocks and host of a task in the draft."""
    draft = desk.draft()
    task = next(task for task in draft.timetable.tasks.values() if task.name == name)
    host = "" if task.place.embed_host is None else draft.timetable.tasks[task.place.embed_host].name
    return task.place.status, [(block.day, block.start, block.end) for block in task.place.slots], host


def put_on(desk: Desk, name: str, day: int, slot: int) -> None:
    desk.wrote("place", task_id=desk.id_of(name), day=day, slot_start=slot)


def take_up(desk: Desk, name: str) -> None:
    state_id = desk.id_of(name)
    reply, _ = run(desk.drafting.edit(ME, lambda table: reopen(table, task_id=state_id)))
    assert reply.code == "ok", reply.text("en")


# ---- revisions ---------------------------------------------------------------------------------------------------------


def test_looking_stores_nothing_and_the_first_write_opens(desk: Desk) -> None:
    assert (desk.draft().stored, desk.draft().row.revision) == (False, 0)
    assert desk.edit("place", task_id=99, day=1, slot_start=1).code == "not_found"
    assert desk.draft().stored is False
    put_on(desk, "复习", 3, 1)
    assert (desk.draft().stored, desk.draft().row.revision) == (True, 2)


def test_every_write_undo_and_redo_has_a_revision_of_its_own_and_a_refused_write_has_none(desk: Desk) -> None:
    put_on(desk, "复习", 3, 1)
    seen = [desk.draft().row.revision]
    for step in (
        lambda: put_on(desk, "写作", 3, 3),
        lambda: run(desk.drafting.undo(ME)),
        lambda: run(desk.drafting.redo(ME)),
        lambda: desk.wrote("unplace", task_id=desk.id_of("写作")),
    ):
        step()
        seen.append(desk.draft().row.revision)
    assert desk.edit("place", task_id=desk.id_of("写作"), day=8, slot_start=1).code == "conflict"
    assert desk.edit("move", task_id=desk.id_of("复习"), new_day=3, new_slot_start=1).code == "ok"  # the same place
    assert [*seen, desk.draft().row.revision] == [2, 3, 4, 5, 6, 6]


def test_a_write_that_names_an_old_revision_is_refused_and_changes_nothing(desk: Desk) -> None:
    put_on(desk, "复习", 3, 1)
    old = desk.draft().row.revision
    put_on(desk, "写作", 3, 3)
    before = desk.draft().timetable.snapshot()
    with pytest.raises(ToolRefusal) as error:
        desk.edit("move", revision=old, task_id=desk.id_of("复习"), new_day=4, new_slot_start=1)
    assert (error.value.code, error.value.params["revision"]) == ("draft_moved_on", old)
    assert desk.draft().timetable.snapshot() == before
    assert desk.edit("move", revision=old + 1, task_id=desk.id_of("复习"), new_day=4, new_slot_start=1).code == "ok"


def test_writes_from_many_threads_at_once_are_all_counted(desk_anywhere: Desk) -> None:
    desk = desk_anywhere
    names = [f"任务{n}" for n in range(8)]
    desk.done(acts.add_tasks(desk.records(), tasks(*names, category="许多")))
    ids = {name: desk.id_of(name) for name in names}
    failures: list[BaseException] = []
    start = threading.Barrier(len(names))

    def one(index: int) -> None:
        try:
            start.wait()
            desk.wrote("place", task_id=ids[names[index]], day=20 + index % 2, slot_start=1 + 2 * (index // 2))
        except BaseException as error:  # noqa: BLE001  # a thread's failure is the test's
            failures.append(error)

    threads = [threading.Thread(target=one, args=(index,)) for index in range(len(names))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    draft = desk.draft()
    assert len(draft.changed) == len(names)
    assert draft.row.revision == 1 + len(names)
    assert draft.row.head == len(names)


# ---- undo and redo -----------------------------------------------------------------------------------------------------


def test_undo_and_redo_walk_the_steps_whoever_asks(desk: Desk) -> None:
    states = [desk.draft().timetable.snapshot()]
    for name, day in (("复习", 3), ("写作", 4)):
        put_on(desk, name, day, 1)
        states.append(desk.draft().timetable.snapshot())
    others = Drafting(desk.store)
    for expected in (1, 0):
        delta, draft = run(others.undo(ME))
        assert (len(delta), draft.timetable.snapshot()) == (1, states[expected])
    with pytest.raises(ToolRefusal, match="nothing_to_undo"):
        run(others.undo(ME))
    for expected in (1, 2):
        _, draft = run(desk.drafting.redo(ME))
        assert draft.timetable.snapshot() == desk.draft().timetable.snapshot() == states[expected]
    with pytest.raises(ToolRefusal, match="nothing_to_redo"):
        run(others.redo(ME))


def test_a_write_after_an_undo_takes_the_place_of_what_was_undone(desk: Desk) -> None:
    put_on(desk, "复习", 3, 1)
    run(desk.drafting.undo(ME))
    put_on(desk, "写作", 3, 1)
    with pytest.raises(ToolRefusal, match="nothing_to_redo"):
        run(desk.drafting.redo(ME))
    run(desk.drafting.undo(ME))
    run(desk.drafting.redo(ME))
    assert (where(desk, "写作")[1], where(desk, "复习")[1]) == ([(3, 1, 2)], [])


def test_undo_without_a_draft_opens_none(desk: Desk) -> None:
    for move in (desk.drafting.undo, desk.drafting.redo):
        with pytest.raises(ToolRefusal):
            run(move(ME))
    assert desk.draft().stored is False


def test_undos_from_many_threads_take_back_no_more_steps_than_there_are(desk_anywhere: Desk) -> None:
    desk = desk_anywhere
    put_on(desk, "复习", 3, 1)
    put_on(desk, "写作", 3, 3)
    codes: list[str] = []
    start = threading.Barrier(6)

    def one() -> None:
        start.wait()
        try:
            run(desk.drafting.undo(ME))
            codes.append("ok")
        except ToolRefusal as error:
            codes.append(error.code)

    threads = [threading.Thread(target=one) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(codes) <= {"ok", "nothing_to_undo", "draft_moved_on"}
    assert desk.draft().row.head == 2 - codes.count("ok") >= 0


# ---- ids -----------------------------------------------------------------------------------------------------------------


def test_ids_stay_through_commits_and_reloads_and_none_is_used_twice(desk: Desk) -> None:
    run(desk.drafting.open(ME))
    ids = {name: desk.id_of(name) for name in ("高等数学", "思政", "复习", "写作", "讨论")}
    assert sorted(ids.values()) == [1, 2, 3, 4, 5]
    put_on(desk, "复习", 3, 1)
    desk.commit()
    desk.done(acts.remove_tasks(desk.records(), [desk.item("讨论").id]))
    desk.done(course(900, "体育", 5, (1, 2)))
    assert run(Drafting(desk.store).open(ME)).timetable.task(ids["讨论"]) is None
    desk.done(acts.add_tasks(desk.records(), tasks("阅读")))
    desk.done(acts.remove_events(desk.records(), [900]))
    desk.done(course(901, "英语", 5, (1, 2)))
    run(desk.drafting.open(ME))
    now = {task.name: task.state_id for task in desk.draft().timetable.tasks.values()}
    assert {name: now[name] for name in ids if name in now} == {name: ids[name] for name in ids if name != "讨论"}
    assert sorted([now["阅读"], now["英语"]]) == [7, 8]  # 5 and 6 were others'
    assert desk.edit("place", task_id=ids["讨论"], day=4, slot_start=1).code == "not_found"


def test_in_whichever_window_it_is_read_a_task_has_the_same_number(desk: Desk) -> None:
    run(desk.drafting.open(ME, Window(2, 1, 7)))
    number = desk.id_of("讨论")
    run(desk.drafting.open(ME, Window(4, 1, 7)))  # no course meets in week 4
    assert desk.id_of("讨论") == number
    run(desk.drafting.open(ME))
    assert desk.id_of("讨论") == number


# ---- after a commit, and after others' ----------------------------------------------------------------------------------


def test_after_a_commit_the_tasks_are_existing_and_nothing_is_drafted(desk_anywhere: Desk) -> None:
    desk = desk_anywhere
    put_on(desk, "复习", 3, 1)
    put_on(desk, "写作", 9, 3)
    desk.commit()
    draft = desk.draft()
    assert (draft.changed, draft.lost, draft.skipped) == ((), (), ())
    assert where(desk, "复习") == ("existing", [(3, 1, 2)], "")
    assert where(desk, "写作") == ("existing", [(9, 3, 4)], "思政")
    with pytest.raises(ToolRefusal, match="nothing_to_undo"):
        run(desk.drafting.undo(ME))
    assert desk.edit("move", task_id=desk.id_of("复习"), new_day=4, new_slot_start=1).code == "wrong_status"


def test_what_others_store_meanwhile_is_followed_and_the_draft_is_carried_over_as_one_step(desk_anywhere: Desk) -> None:
    desk = desk_anywhere
    put_on(desk, "复习", 3, 1)
    put_on(desk, "写作", 9, 3)
    desk.done(course(900, "体育", 5, (1, 2)))
    draft = desk.draft()
    assert (draft.stored, len(draft.changed), draft.lost) == (False, 2, ())
    assert (where(desk, "体育")[1], where(desk, "写作")) == (
        [(5, 1, 2), (12, 1, 2), (19, 1, 2)],
        ("suggested", [(9, 3, 4)], "思政"),
    )
    delta, after = run(desk.drafting.undo(ME))
    assert (len(delta), after.changed) == (2, ())
    run(desk.drafting.redo(ME))
    assert len(desk.draft().changed) == 2


def test_a_drafted_task_that_is_gone_or_whose_cell_is_taken_is_told_and_the_rest_stays(desk: Desk) -> None:
    for name, day in (("复习", 4), ("写作", 5), ("讨论", 6)):
        put_on(desk, name, day, 1)
    desk.done([*acts.remove_tasks(desk.records(), [desk.item("复习").id]), *course(900, "体育", 5, (2, 3), weeks=(1,))])
    draft = desk.draft()
    assert [task.name for task in draft.lost] == ["复习", "写作"]
    assert (where(desk, "写作")[0], where(desk, "讨论")[0]) == ("pending", "suggested")
    assert [draft.timetable.tasks[change.state_id].name for change in draft.changed] == ["讨论"]


def test_what_was_stored_elsewhere_beats_what_was_drafted(desk: Desk) -> None:
    put_on(desk, "复习", 4, 1)
    put_on(desk, "写作", 5, 1)
    writes: list[RowWrite] = []
    for number, name, day, section in ((800, "复习", 3, 5), (801, "写作", 5, 1)):
        writes.append(put("schedule_events", event_row(Event(number, "task", name, item_id=desk.item(name).id), T)))
        writes += [put("schedules", schedule_row(Row(number, 1, day, section + n), T)) for n in (0, 1)]
    desk.done(writes)
    draft = desk.draft()
    assert [task.name for task in draft.lost] == ["复习"]  # the other one stands where it was wished
    assert draft.changed == ()
    assert where(desk, "复习") == ("existing", [(3, 5, 6)], "")


def test_a_task_taken_up_again_stays_taken_up_and_can_move_and_go(desk: Desk) -> None:
    put_on(desk, "复习", 4, 1)
    put_on(desk, "写作", 9, 3)
    desk.commit()
    for name in ("复习", "写作"):
        take_up(desk, name)
    assert desk.draft().changed == ()  # where they stand nothing has changed yet
    desk.done(course(900, "体育", 5, (1, 2)))
    assert (where(desk, "复习"), where(desk, "写作")) == (("suggested", [(4, 1, 2)], ""), ("suggested", [(9, 3, 4)], "思政"))
    desk.wrote("move", task_id=desk.id_of("复习"), new_day=16, new_slot_start=5)
    desk.wrote("unplace", task_id=desk.id_of("写作"))
    desk.done(course(901, "英语", 6, (1, 2)))
    desk.commit()
    assert (where(desk, "复习"), where(desk, "写作")) == (("existing", [(16, 5, 6)], "思政"), ("pending", [], ""))
    assert [event.name for event in desk.records().events if event.kind == "task"] == ["复习"]


def test_courses_are_never_taken_up(desk: Desk) -> None:
    for name in ("高等数学", "思政"):
        state_id = desk.id_of(name)
        reply, _ = run(desk.drafting.edit(ME, lambda table, state_id=state_id: reopen(table, task_id=state_id)))
        assert reply.code == "locked"
    assert desk.draft().stored is False


def test_a_host_that_was_drafted_away_from_its_guest_is_carried_over_with_it(desk: Desk) -> None:
    host = Event(950, "task", "自习", can_embed=True)
    guest = Event(951, "task", "复习", item_id=desk.item("复习").id)
    writes = [put("schedule_events", event_row(event, T)) for event in (host, guest)]
    writes += [put("schedules", schedule_row(Row(950, 1, 3, section), T)) for section in (1, 2, 3, 4)]
    writes += [put("schedules", schedule_row(Row(951, 1, 3, section, 950), T)) for section in (2, 3)]
    desk.done(writes)
    assert where(desk, "复习") == ("existing", [(3, 2, 3)], "自习")
    take_up(desk, "自习")
    desk.wrote("unplace", task_id=desk.id_of("自习"))
    assert where(desk, "复习") == ("existing", [(3, 2, 3)], "")
    desk.done(course(900, "体育", 5, (1, 2)))
    assert (where(desk, "自习")[0], where(desk, "复习")) == ("pending", ("existing", [(3, 2, 3)], ""))
    assert desk.draft().lost == ()


def test_a_new_share_of_the_category_takes_no_draft_away(desk: Desk) -> None:
    shared = tasks("甲", "乙", category="分摊", total_slots=8)
    shared = [replace(shared[0], tasks=tuple(replace(task, duration=None) for task in shared[0].tasks))]
    desk.done(acts.add_tasks(desk.records(), shared))
    put_on(desk, "甲", 3, 1)
    more = [replace(shared[0], tasks=tuple(replace(task, content=f"{task.content}二") for task in shared[0].tasks))]
    desk.done(acts.add_tasks(desk.records(), more))
    assert (where(desk, "甲"), desk.draft().lost) == (("suggested", [(3, 1, 4)], ""), ())
    assert desk.draft().timetable.tasks[desk.id_of("乙")].length == 2


def test_a_row_that_is_dirty_harms_nothing_but_itself(desk: Desk) -> None:
    """One date outside the term must not keep the other tasks from being placed, nor be swept away with them."""
    put_on(desk, "复习", 3, 1)
    put_on(desk, "写作", 4, 1)
    desk.commit()
    number = desk.event("复习").id
    stray = [Row(number, 9, 3, 1), Row(number, 1, 5, 30)]
    differences = [Difference("schedules", None, schedule_row(row, T)) for row in stray]
    desk.store.write_now(lambda tx: timetable.apply(tx, ME, differences))
    assert {one.code for one in desk.draft().skipped} == {"row_outside_term", "row_outside_day"}
    assert (where(desk, "复习")[1], where(desk, "写作")[1]) == ([(3, 1, 2)], [(4, 1, 2)])
    take_up(desk, "复习")
    desk.wrote("unplace", task_id=desk.id_of("复习"))
    put_on(desk, "讨论", 3, 1)
    desk.commit()
    assert desk.cells_of("讨论") == {(1, 3, 1), (1, 3, 2)}
    assert desk.cells_of("复习") == {(9, 3, 1), (1, 5, 30)}


# ---- the window -----------------------------------------------------------------------------------------------------------


def test_another_window_is_refused_while_changes_are_drafted_and_opens_anew_when_there_are_none(desk: Desk) -> None:
    put_on(desk, "复习", 9, 1)
    with pytest.raises(ToolRefusal) as error:
        run(desk.drafting.open(ME, Window(2, 1, 7)))
    assert (error.value.code, error.value.params["count"]) == ("draft_has_changes", 1)
    assert run(desk.drafting.open(ME, whole_term(TERM))).changed != ()
    run(desk.drafting.undo(ME))
    opened = run(desk.drafting.open(ME, Window(2, 1, 7)))
    assert (opened.window, opened.row.revision, desk.draft().window) == (Window(2, 1, 7), 1, Window(2, 1, 7))


def test_a_write_opens_in_the_window_that_it_names_and_a_draft_that_holds_changes_keeps_its_own(desk: Desk) -> None:
    def write(window: Window | None) -> Any:
        state_id = desk.id_of("复习")
        return run(desk.drafting.edit(ME, lambda table: reopen(table, task_id=state_id), window=window))

    assert write(Window(2, 1, 7))[1].window == Window(2, 1, 7)  # refused: pending, thus not opened
    assert desk.draft().stored is False
    run(desk.drafting.open(ME, Window(3, 1, 7)))
    assert write(Window(2, 1, 7))[1].window == Window(2, 1, 7)  # refused: what is stored stays
    assert desk.draft().window == Window(3, 1, 7)
    put_on(desk, "复习", 3, 1)
    assert write(Window(2, 1, 7))[1].window == Window(3, 1, 7)


@pytest.mark.parametrize(
    ("today", "window"),
    [
        (date(2026, 9, 6), Window(1, 1, 28)),
        (date(2026, 9, 7), Window(1, 1, 28)),
        (date(2026, 9, 16), Window(2, 3, 19)),
        (date(2026, 10, 4), Window(4, 7, 1)),
        (date(2026, 10, 5), Window(1, 1, 28)),
    ],
)
def test_the_window_that_nobody_named_runs_from_today_to_the_end_of_the_term(today: date, window: Window) -> None:
    assert default_window(TERM, today) == window


def test_a_term_with_fewer_weeks_or_slots_cuts_the_window_and_tells_what_no_longer_fits(desk: Desk) -> None:
    for name, day, slot in (("复习", 27, 1), ("写作", 4, 11), ("讨论", 4, 1)):
        put_on(desk, name, day, slot)
    shorter = replace(TERM, weeks=3, scale=TimeScale("own", TERM.scale.slots[:10]))
    desk.done([put("terms", term_row(shorter))])
    draft = desk.draft()
    assert (draft.window, sorted(task.name for task in draft.lost)) == (Window(1, 1, 21, 10), ["写作", "复习"])
    assert where(desk, "讨论")[1] == [(4, 1, 2)]
    assert desk.edit("place", task_id=desk.id_of("写作"), day=4, slot_start=10).code == "out_of_range"
    desk.commit()
    longer = replace(TERM, weeks=5)
    desk.done([put("terms", term_row(longer))])
    assert desk.draft().window == Window(1, 1, 21, 12)


def test_another_term_closes_the_draft_of_the_one_before_and_tells_what_was_drafted(desk: Desk) -> None:
    put_on(desk, "复习", 3, 1)
    desk.done(acts.put_term(replace(TERM, id=20270301, first_monday=date(2027, 3, 1)), TERM))
    draft = desk.draft()
    assert (draft.stored, draft.term.id, [task.name for task in draft.lost]) == (False, 20270301, ["复习"])
    assert run(desk.drafting.open(ME)).base.term == 20270301
    assert desk.draft().lost == ()


def test_a_draft_that_is_discarded_leaves_what_is_stored_and_another_can_be_opened(desk: Desk) -> None:
    before = desk.dump()
    put_on(desk, "复习", 3, 1)
    run(desk.drafting.discard(ME))
    run(desk.drafting.discard(ME))  # there is none any more
    assert (desk.dump(), desk.draft().stored, desk.draft().changed) == (before, False, ())
    put_on(desk, "复习", 4, 1)
    assert desk.draft().changed[0].after.slots == (Block(4, 1, 2),)


def test_without_a_term_there_is_no_draft(desk: Desk) -> None:
    for ask in (desk.drafting.look, desk.drafting.open, desk.drafting.term, desk.drafting.records, desk.drafting.undo):
        with pytest.raises(ToolRefusal, match="no_term"):
            run(ask(OTHER))
    run(desk.drafting.discard(OTHER))
    assert run(desk.drafting.records_of(OTHER, T)) is None


def test_drafts_of_two_persons_are_apart(desks_anywhere: Desk) -> None:
    desk = desks_anywhere
    put_on(desk, "复习", 3, 1)
    desk.commit()
    put_on(desk, "写作", 4, 1)
    theirs = desk.draft(OTHER)
    assert (theirs.stored, theirs.changed, theirs.timetable.pending) == (False, (), 3)
    run(desk.drafting.open(OTHER))
    run(desk.drafting.discard(OTHER))
    assert len(desk.draft().changed) == 1


def test_terms_that_are_not_current_can_be_read(desk: Desk) -> None:
    found = run(desk.drafting.records_of(ME, T))
    assert found == desk.records()
    assert run(desk.drafting.records_of(ME, 1)) is None
    assert {event.id for event in desk.records().events} == {MATH, SZ}
    assert empty().events == ()
