"""The timetable through the gate: whatever changes it, it is written once, read back, taken back whole, and only one's own."""

import signal
import subprocess
import sys
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from sqlalchemy import update

from schedule_ground.desk import MATH, ME, OTHER, SZ, TERM, Desk, course, decider, furnish_again, run, tasks
from steadyhand.core.errors import DecisionRefused
from steadyhand.domains.schedule.acts import courses as acts
from steadyhand.domains.schedule.acts.weekly_edits import Edit, edited
from steadyhand.domains.schedule.imports.incoming import IncomingEvent, IncomingRow, match
from steadyhand.domains.schedule.module import ScheduleDomain
from steadyhand.domains.schedule.rows.forms import event_row, schedule_row
from steadyhand.domains.schedule.rows.writes import RowWrite, gone, put
from steadyhand.domains.schedule.term.records import Event, Particulars, Row
from steadyhand.gate.contract import Calls, CollectedCall, DraftCopy, Observation, Refusal
from steadyhand.gate.controller import Controller
from steadyhand.gate.machine import State
from steadyhand.gate.policy import Policy
from steadyhand.gate.recovery import recover
from steadyhand.store.changes import changes
from steadyhand.store.database.engine import Duplicate
from steadyhand.store.timetable import timetable
from steadyhand.store.timetable.tables import schedule_events
from trial_domains.stand import environment

T = TERM.id


def meets(*cells: tuple[int, int, int]) -> dict[tuple[int, int, int], Particulars]:
    return dict.fromkeys(cells, Particulars())


def offered(uid: str, name: str, *cells: tuple[int, int, int], host: str = "", **more: Any) -> IncomingEvent:
    known = Particulars(*more.pop("times", (None, None)), more.pop("location", ""), more.pop("teacher", ""))
    rows = tuple(IncomingRow(*cell, host, known) for cell in sorted(cells))
    return IncomingEvent(uid, more.pop("kind", "course"), name, rows, **more)


FILE = (
    offered("eng@x", "英语", (1, 3, 1), (1, 3, 2), (2, 3, 1), (2, 3, 2), location="A101", can_embed=True),
    offered("lab@x", "实验", (1, 4, 1), teacher="王"),
)


def imported(desk: Desk, *events: IncomingEvent) -> list[RowWrite]:
    return acts.import_events(desk.records(), match(desk.records(), events))


# ---- imports -----------------------------------------------------------------------------------------------------------


def test_an_import_is_shown_approved_written_and_read_back(desk_anywhere: Desk) -> None:
    desk = desk_anywhere
    row = desk.open(imported(desk, *FILE))
    assert (row.state, desk.cells_of("英语")) == (State.SEALED, set())
    assert desk.approve(row).state == State.VERIFIED
    assert desk.cells_of("英语") == {(1, 3, 1), (1, 3, 2), (2, 3, 1), (2, 3, 2)}
    assert [{row.particulars for row in desk.rows_of(name)} for name in ("英语", "实验")] == [
        {Particulars(location="A101")},
        {Particulars(teacher="王")},
    ]


def test_the_same_file_again_changes_nothing_and_doubles_nothing(desk: Desk) -> None:
    desk.done(imported(desk, *FILE))
    before = desk.dump()
    again = imported(desk, *FILE)
    assert again == []
    assert desk.act([*again, put("schedule_events", event_row(desk.event("英语"), T))]) == Refusal("nothing_to_change")
    assert desk.dump() == before


def test_a_changed_file_updates_by_uid_and_leaves_what_it_lacks(desk: Desk) -> None:
    desk.done(imported(desk, *FILE))
    number = desk.event("英语").id
    moved = offered("eng@x", "大学英语", (1, 5, 1), (1, 5, 2), (2, 3, 1), (2, 3, 2))
    desk.done(imported(desk, moved))
    assert desk.event("大学英语").id == number
    assert {row.particulars.location for row in desk.rows_of("大学英语")} == {"A101"}  # an empty place says nothing
    assert desk.event("大学英语").can_embed
    assert desk.cells_of("大学英语") == {(1, 5, 1), (1, 5, 2), (2, 3, 1), (2, 3, 2)}
    assert desk.cells_of("实验") == {(1, 4, 1)}
    assert len(desk.records().events) == 4


def test_two_imports_of_one_file_at_once_make_it_once(desk_anywhere: Desk) -> None:
    desk = desk_anywhere
    apart = [offered("eng@x", "英语", (1, 3, 1)), offered("eng@x", "英语", (2, 3, 1))]
    first, second = (desk.open(imported(desk, one), session=name) for one, name in zip(apart, ("one", "two"), strict=True))
    assert desk.approve(first).state == State.VERIFIED
    assert desk.approve(second).state == State.STALE
    assert desk.cells_of("英语") == {(1, 3, 1)}


def test_a_task_whose_course_moves_away_by_an_import_waits_again(desk: Desk) -> None:
    desk.done(imported(desk, *FILE))
    place(desk, "复习", desk.event("英语").id, (1, 3, 1), (1, 3, 2))
    desk.done(imported(desk, offered("eng@x", "英语", (1, 5, 1), (1, 5, 2))))
    assert desk.cells_of("复习") == set()
    assert desk.draft().timetable.tasks[desk.id_of("复习")].place.status == "pending"


def place(desk: Desk, content: str, host: int | None, *cells: tuple[int, int, int]) -> None:
    item = desk.item(content)
    event = Event(700 + item.position, "task", content, item_id=item.id)
    desk.done(
        [
            put("schedule_events", event_row(event, T)),
            *(put("schedules", schedule_row(Row(event.id, *at, host), T)) for at in cells),
        ]
    )


# ---- direct acts ---------------------------------------------------------------------------------------------------------


def test_a_direct_act_is_done_in_one_step_and_recorded_as_decided_by_the_person(desk_anywhere: Desk) -> None:
    desk = desk_anywhere
    row = desk.done(course(900, "体育", 5, (1, 2)))
    decisions = desk.store.read_now(lambda tx: changes.decisions_of(tx, ME, row.id))
    assert [(one.kind, one.decided_by, one.digest == row.seal_digest) for one in decisions] == [("approve", "direct_act", True)]
    assert desk.cells_of("体育") == {(week, 5, section) for week in (1, 2, 3) for section in (1, 2)}


def test_an_act_that_does_not_fit_is_refused_and_nothing_is_stored(desk: Desk) -> None:
    before, number = desk.dump(), desk.open(course(900, "体育", 5, (1, 2))).number
    refused = desk.act(course(901, "英语", 1, (2, 3)))
    assert isinstance(refused, Refusal)
    assert (refused.code, refused.params["name"], refused.params["other"]) == ("cell_taken", "高等数学", "英语")
    assert desk.dump() == before
    assert desk.open(course(902, "物理", 5, (3, 4)), session="two").number == number + 1


def test_two_tasks_trade_their_cells_in_one_change(desk_anywhere: Desk) -> None:
    desk = desk_anywhere
    place(desk, "复习", None, (1, 3, 1), (1, 3, 2))
    place(desk, "写作", SZ, (1, 2, 3), (1, 2, 4))
    first, second = desk.event("复习").id, desk.event("写作").id
    there, here = ((1, 2, 3), (1, 2, 4)), ((1, 3, 1), (1, 3, 2))
    writes = [gone("schedules", number, *at) for number, cells in ((first, here), (second, there)) for at in cells]
    writes += [put("schedules", schedule_row(Row(first, *at, SZ), T)) for at in there]
    writes += [put("schedules", schedule_row(Row(second, *at), T)) for at in here]
    row = desk.done(writes)
    assert (desk.cells_of("复习"), desk.cells_of("写作")) == (set(there), set(here))
    before = desk.dump()
    assert desk.approve(desk.undo(row)).state == State.VERIFIED
    assert (desk.cells_of("复习"), desk.cells_of("写作")) == (set(here), set(there))
    assert desk.dump() != before


def test_a_task_is_embedded_where_it_stands_and_let_go_again(desk_anywhere: Desk) -> None:
    desk = desk_anywhere
    place(desk, "复习", None, (4, 2, 3), (4, 2, 4))
    number, cells = desk.event("复习").id, ((4, 2, 3), (4, 2, 4))
    host = [put("schedules", schedule_row(Row(SZ, *at), T)) for at in cells]
    assert isinstance(desk.act(host), Refusal)
    desk.done([*host, *(put("schedules", schedule_row(Row(number, *at, SZ), T)) for at in cells)])
    assert desk.draft().timetable.tasks[desk.id_of("复习")].place.embed_host == desk.id_of("思政")
    away = [gone("schedules", SZ, *at) for at in cells]
    desk.done([*away, *(put("schedules", schedule_row(Row(number, *at), T)) for at in cells)])
    assert desk.draft().timetable.tasks[desk.id_of("复习")].place.embed_host is None


def test_a_course_that_goes_lets_its_guests_wait_again(desk_anywhere: Desk) -> None:
    desk = desk_anywhere
    start = desk.dump()
    place(desk, "复习", SZ, (1, 2, 3), (1, 2, 4))
    with_guest = desk.dump()
    row = desk.open(acts.remove_events(desk.records(), [SZ]))
    assert desk.approve(row).state == State.VERIFIED
    assert [event.name for event in desk.records().events] == ["高等数学"]
    assert desk.draft().timetable.tasks[desk.id_of("复习")].place.status == "pending"
    assert desk.approve(desk.undo(desk.row(row.number))).state == State.VERIFIED
    assert desk.dump() == with_guest != start


# ---- taking back ---------------------------------------------------------------------------------------------------------


def _edited(desk: Desk) -> list[RowWrite]:
    return acts.edit_task(desk.records(), replace(desk.item("复习"), content="复习线代", deadline=date(2026, 9, 20)), "课外")


UNDONE: dict[str, Any] = {
    "an import": lambda desk: imported(desk, *FILE),
    "new tasks": lambda desk: acts.add_tasks(desk.records(), tasks("阅读", "背诵", category="课外")),
    "a task in a new category": _edited,
    "a removed task": lambda desk: acts.remove_tasks(desk.records(), [desk.item("复习").id]),
    "a removed host with its guest": lambda desk: acts.remove_events(desk.records(), [SZ]),
    "a course that moves": lambda desk: acts.edit_course(desk.records(), desk.event("高等数学"), meets((1, 4, 1), (1, 1, 1))),
    "another term": lambda _: acts.put_term(replace(TERM, id=20270301, first_monday=date(2027, 3, 1)), TERM),
}


def test_undo_puts_every_row_back_byte_for_byte(desk_anywhere: Desk) -> None:
    desk = desk_anywhere
    for what, made in UNDONE.items():
        place(desk, "复习", SZ, (1, 2, 3), (1, 2, 4))
        before = desk.dump()
        row = desk.approve(desk.open(made(desk)))
        assert (row.state, desk.dump() != before) == (State.VERIFIED, True), (what, row.reason)
        back = desk.undo(row)
        assert back.state == State.SEALED, (what, back.reason)
        assert desk.approve(back).state == State.VERIFIED, what
        assert desk.dump() == before, what
        furnish_again(desk)


def test_undo_is_refused_when_a_row_was_changed_since_and_nothing_is_stored(desk: Desk) -> None:
    row = desk.done(imported(desk, *FILE))
    english = desk.event("英语")
    desk.done(acts.edit_course(desk.records(), english, edited(desk.records(), english, Edit(location="B202"))))
    before = desk.dump()
    with pytest.raises(DecisionRefused) as error:
        desk.undo(row)
    assert (error.value.code, desk.dump()) == ("changed_since", before)


def test_undo_is_refused_when_something_hangs_on_what_was_new(desk: Desk) -> None:
    row = desk.done(acts.add_tasks(desk.records(), tasks("阅读", category="课外")))
    desk.done(acts.add_tasks(desk.records(), tasks("背诵", category="课外")))
    back = desk.undo(row)
    assert (back.state, back.reason) == (State.INVALID, {"code": "still_used", "params": {"name": "课外"}, "index": None})
    assert {item.content for item in desk.records().items} == {"复习", "写作", "讨论", "阅读", "背诵"}


# ---- reading back --------------------------------------------------------------------------------------------------------


class Meddled(ScheduleDomain):
    """A timetable in which somebody renames a course between the effect and the look at it."""

    async def read_back(self, target, program) -> Observation:
        statement = update(schedule_events).where(schedule_events.c.user_id == target.owner, schedule_events.c.id == 900)
        await self._store.write(lambda tx: tx.execute(statement.values(name="别的")))
        return await super().read_back(target, program)


def test_a_row_that_changed_between_the_effect_and_the_look_is_told_and_can_be_repaired(desk_anywhere: Desk) -> None:
    desk = desk_anywhere
    honest, desk.controller = desk.controller, Controller(desk.store, {"schedule": Meddled(desk.store)}, Policy())
    row = desk.approve(desk.open(course(900, "体育", 5, (1, 2))))
    assert row.state == State.FAILED
    assert row.reason == {"code": "result_differs", "params": {"differences": "schedule_events:900"}, "index": None}
    desk.controller = honest
    repair = run(honest.repair(decider(), row.number, "en"))
    assert (repair.state, repair.repair_of) == (State.SEALED, row.number)
    assert desk.approve(repair).state == State.VERIFIED
    assert desk.event("体育").id == 900


def test_a_write_that_loses_the_minutes_or_the_room_is_not_verified(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    write = timetable.apply
    for lost in ({"begins": None, "ends": None}, {"location": ""}):
        row = desk.open(imported(desk, offered(f"{len(lost)}@x", "英语", (1, 5, len(lost)), times=(945, 1040), location="A101")))
        assert row.state == State.SEALED

        def losing(tx, user, differences, lost=lost) -> None:
            write(
                tx,
                user,
                [replace(diff, after={**diff.after, **lost}) if diff.table == "schedules" else diff for diff in differences],
            )

        monkeypatch.setattr(timetable, "apply", losing)
        assert desk.approve(row).state == State.FAILED
        monkeypatch.undo()


def test_an_effect_that_the_database_refuses_leaves_nothing_and_is_told_as_failed(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    row, before = desk.open(course(900, "体育", 5, (1, 2))), desk.dump()
    write = timetable.apply

    def broken(tx, user, differences) -> None:
        write(tx, user, differences)
        raise Duplicate("a constraint")

    monkeypatch.setattr(timetable, "apply", broken)
    failed = desk.approve(row)
    assert (failed.state, desk.dump()) == (State.FAILED, before)
    monkeypatch.undo()
    repair = run(desk.controller.repair(decider(), failed.number, "en"))
    assert desk.approve(repair).state == State.VERIFIED


def test_a_timetable_takes_no_calls_of_a_model(desk: Desk) -> None:
    source = Calls((CollectedCall(0, 1, "place", {}),))
    assert ScheduleDomain(desk.store).operations(source, Observation(None, {}), "") == Refusal("no_collected_calls")


def test_operations_that_are_malformed_make_no_change(desk: Desk) -> None:
    before = desk.dump()
    proposal = replace(desk.proposal([]), source=DraftCopy("draft", 1, {"writes": [{"table": "terms"}]}))
    row = run(desk.controller.open(proposal))
    assert (row.state, desk.dump()) == (State.INVALID, before)


# ---- one's own -----------------------------------------------------------------------------------------------------------


def test_two_persons_with_the_same_numbers_never_see_or_change_each_other(desks_anywhere: Desk) -> None:
    desk = desks_anywhere
    theirs, draft = desk.dump(OTHER), desk.draft(OTHER).timetable.snapshot()
    desk.done(imported(desk, *FILE))
    place(desk, "复习", SZ, (1, 2, 3), (1, 2, 4))
    desk.wrote("place", task_id=desk.id_of("写作"), day=6, slot_start=1)
    desk.commit()
    desk.done(acts.remove_events(desk.records(), [MATH]))
    desk.done([gone("schedules", SZ, 2, 2, 3), put("terms", {**term_json(desk), "name": "我的"})])
    assert (desk.dump(OTHER), desk.draft(OTHER).timetable.snapshot()) == (theirs, draft)
    # and what is free in theirs is free although it is taken in mine
    row = desk.done(acts.edit_course(desk.records(OTHER), desk.event("高等数学", OTHER), meets((1, 3, 1), (1, 2, 1))), OTHER)
    assert row.number == 2
    with pytest.raises(DecisionRefused):
        run(desk.controller.current(OTHER, 4))


def term_json(desk: Desk) -> Any:
    return desk.store.read_now(lambda tx: timetable.current_term(tx, ME))


def test_nobody_changes_the_timetable_of_another(desks_anywhere: Desk) -> None:
    desk = desks_anywhere
    mine = desk.proposal(course(900, "体育", 5, (1, 2)))
    before = desk.dump()
    with pytest.raises(DecisionRefused) as error:
        run(desk.controller.open(replace(mine, user=OTHER)))
    assert (error.value.code, desk.dump()) == ("not_owner", before)


# ---- killed anywhere -------------------------------------------------------------------------------------------------------

POINTS = {
    "gate.before_intent": (State.VERIFIED, True),
    "gate.intent": (State.FAILED, False),
    "gate.in_effect": (State.FAILED, False),
    "gate.after_effect": (State.VERIFIED, True),
    "gate.receipt": (State.VERIFIED, True),
}


def killed(desk: Desk, fault: str, *story: object) -> None:
    """Let a child tell its story until the fault ends it."""
    url = desk.store.url.render_as_string(hide_password=False)
    child = subprocess.run(
        [sys.executable, "-m", "schedule_ground.child", url, str(desk.folder), *map(str, story)],
        env=environment(fault),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert child.returncode == -signal.SIGKILL, (fault, child.stderr)


@pytest.mark.crash
def test_killed_while_a_draft_is_written_the_step_is_there_once_or_not_at_all(desk_anywhere: Desk) -> None:
    desk = desk_anywhere
    number = desk.id_of("复习")
    for fault, steps in (("draft.before_step", 0), ("draft.after_step", 1)):
        killed(desk, fault, "place", number)
        draft = desk.draft()
        assert (draft.row.head, len(draft.changed)) == (steps, steps), fault
    desk.wrote("move", task_id=number, new_day=4, new_slot_start=1)
    desk.commit()
    assert desk.cells_of("复习") == {(1, 4, 1), (1, 4, 2)}


@pytest.mark.crash
def test_killed_at_any_point_nothing_is_lost_or_doubled(desk_now: Desk) -> None:
    desk = desk_now
    for fault, (state, written) in POINTS.items():
        before = desk.dump()
        row = desk.open(imported(desk, *FILE))
        killed(desk, fault, "approve", row.number)
        run(recover(desk.controller))
        run(recover(desk.controller))
        assert (desk.row(row.number).state, desk.dump() != before) == (state, written), fault
        if state == State.FAILED:
            repair = run(desk.controller.repair(decider(), row.number, "en"))
            assert desk.approve(repair).state == State.VERIFIED, fault
        assert imported(desk, *FILE) == [], fault
        furnish_again(desk)
