"""What is over is not open: no tool places, moves, arranges or offers there; what stands there stays and is marked before a yes."""

from dataclasses import replace
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.schedule.arranging import cases, timetables
from domains.schedule.test_planning import Table
from schedule_ground.desk import TERM, Desk, course, run
from steadyhand.core.clock import FakeClock
from steadyhand.core.language import LANGUAGES, Language
from steadyhand.domains.schedule.arrange.door import arrange
from steadyhand.domains.schedule.arrange.options import ArrangeOptions
from steadyhand.domains.schedule.board.model import Block, Place, Task
from steadyhand.domains.schedule.board.timetable import Timetable
from steadyhand.domains.schedule.draft.drafting import OpenDraft
from steadyhand.domains.schedule.term.records import Season, Term, TimeScale
from steadyhand.domains.schedule.term.window import Present, Window
from steadyhand.domains.schedule.term.windows import days_to_come, present_in, whole_term
from steadyhand.domains.schedule.time_words.resolve import resolve_time
from steadyhand.domains.schedule.tools.arguments import run as call
from steadyhand.gate.machine import State
from steadyhand.tools.result import ToolResult

SHANGHAI = ZoneInfo(TERM.zone)
OFFERS = ("place", "move", "swap", "batch_move", "unplace", "find_first_free", "query_available_slots", "query_range")


def at(day: int, clock: str) -> datetime:
    """Return a moment of September 2026 in the term's zone."""
    hour, minute = map(int, clock.split(":"))
    return datetime(2026, 9, day, hour, minute, tzinfo=SHANGHAI)


# ---- where the present lies --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("moment", "present"),
    [
        (at(6, "23:59"), Present(1, 1)),
        (at(7, "08:00"), Present(1, 1)),
        (at(7, "08:01"), Present(1, 2)),
        (at(9, "13:00"), Present(3, 5)),
        (at(9, "21:45"), Present(3, 12)),
        (at(9, "21:46"), Present(4, 1)),
        (at(30, "12:00"), Present(24, 5)),
        (at(7, "12:00") + timedelta(days=40), Present(29, 1)),
    ],
)
def test_a_slot_is_open_until_it_begins_by_the_clock_of_the_term(moment: datetime, present: Present) -> None:
    assert present_in(whole_term(TERM), TERM, moment) == present
    assert present_in(whole_term(TERM), TERM, moment.astimezone(ZoneInfo("America/New_York"))) == present


def test_a_season_has_its_own_clock_times() -> None:
    late = TimeScale("late", tuple((f"{hour:02}:30", f"{hour + 1:02}:00") for hour in range(9, 21)))
    term: Term = replace(TERM, seasons=(Season(date(2026, 9, 14), late),))
    assert present_in(whole_term(term), term, at(13, "08:50")) == Present(7, 2)
    assert present_in(whole_term(term), term, at(14, "09:20")) == Present(8, 1)


def test_a_window_is_later_the_days_that_are_left_of_it() -> None:
    window = Window(1, 3, 10)  # Wednesday the 9th to Friday the 18th
    assert days_to_come(window, TERM, at(8, "12:00")) == window
    assert days_to_come(window, TERM, at(9, "12:00")) == window
    assert days_to_come(window, TERM, at(15, "12:00")) == Window(2, 2, 4)
    assert days_to_come(window, TERM, at(18, "12:00")) == Window(2, 5, 1)
    assert days_to_come(window, TERM, at(19, "00:00")) is None


# ---- no tool reaches behind it -----------------------------------------------------------------------------------------


def presents(timetable: Timetable) -> st.SearchStrategy[Present]:
    window = timetable.window
    return st.builds(Present, st.integers(1, window.total_days + 1), st.integers(1, window.slots))


def held(block: Block, state_id: int = 1) -> Task:
    """Return a task that stands at *block*."""
    return Task(state_id, "item", state_id, "复习", "", Place("existing", (block,)))


def placed(timetable: Timetable) -> dict[int, tuple[Block, ...]]:
    return {task.state_id: task.place.slots for task in timetable.tasks.values()}


def check_nothing_went_back(before: dict[int, tuple[Block, ...]], timetable: Timetable) -> None:
    for state_id, blocks in placed(timetable).items():
        if blocks != before[state_id]:
            assert not any((block.day, block.start) < timetable.present for block in blocks), (state_id, blocks)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_no_call_of_any_tool_puts_or_offers_anything_where_it_is_over(data: st.DataObject) -> None:
    timetable = data.draw(timetables())
    timetable.present = data.draw(presents(timetable))
    task, day = st.integers(1, 9), st.integers(1, timetable.window.total_days)
    slot, length = st.integers(1, timetable.window.slots), st.integers(1, 3)
    arguments = {
        "place": {"task_id": task, "day": day, "slot_start": slot},
        "move": {"task_id": task, "new_day": day, "new_slot_start": slot},
        "swap": {"task_a": task, "task_b": task},
        "batch_move": {
            "moves": st.lists(st.fixed_dictionaries({"task_id": task, "new_day": day, "new_slot_start": slot}), max_size=3)
        },
        "unplace": {"task_id": task},
        "find_first_free": {"duration": length},
        "query_available_slots": {"span": length, "days": st.lists(day, min_size=1, max_size=3)},
        "query_range": {"day": day},
    }
    for name in data.draw(st.lists(st.sampled_from(OFFERS), min_size=1, max_size=6)):
        before = placed(timetable)
        reply = call(timetable, name, data.draw(st.fixed_dictionaries(arguments[name])))
        check_nothing_went_back(before, timetable)
        if reply.code == "ok" and name == "find_first_free":
            assert (reply.data["day"], reply.data["slot_start"]) >= timetable.present
        for place in reply.data.get("places", ()):
            assert (place["day"], place["slot_start"]) >= timetable.present
        if name == "query_range" and reply.code == "ok":
            assert all((reply.data["day"], start) >= timetable.present for start, _ in reply.data["free"])


@settings(max_examples=60, deadline=None)
@given(case=cases(), data=st.data())
def test_no_engine_arranges_anything_where_it_is_over(case: tuple[Timetable, ArrangeOptions], data: st.DataObject) -> None:
    timetable, options = case
    timetable.present = data.draw(presents(timetable))
    again = Timetable.from_json(timetable.to_json())  # as a search in a child process gets it
    assert again.present == timetable.present
    before = placed(timetable)
    engine = data.draw(st.sampled_from(["greedy", "first_fit", "optimise"]))
    arrange(again, replace(options, engine=engine, effort=1))
    check_nothing_went_back(before, again)


@pytest.mark.parametrize(
    ("present", "free", "over"),
    [(Present(1, 1), 69, 0), (Present(1, 5), 67, 2), (Present(1, 4), 67, 2), (Present(3, 1), 48, 21), (Present(7, 1), 0, 69)],
)
def test_the_overview_counts_no_slot_as_free_that_is_over(present: Present, free: int, over: int) -> None:
    timetable = Timetable(Window(1, 1, 6), [held(Block(1, 3, 4)), held(Block(2, 12, 12), 2)], present=present)
    english, chinese = (call(timetable, "get_overview", {}).text(language) for language in ("en", "zh-CN"))
    if over:
        assert f"\n3 taken, {free} free and still to come, {over} empty and over. " in english
        assert f"\n当前已占用3个，之后空闲{free}个，已过去且未占用{over}个。" in chinese
    else:
        assert f"\n3 taken, {free} free. " in english
        assert f"\n当前已占用3个，空闲{free}个。" in chinese


@pytest.mark.parametrize(
    ("first", "last", "english", "chinese"),
    [
        (
            1,
            6,
            "Of the 6 slots of this range 2 are free, 2 are taken, and 2 are over with nothing in them.",
            "空闲2个，占用2个，另有2个",
        ),
        (
            1,
            2,
            "Of the 2 slots of this range 0 are free, 0 are taken, and 2 are over with nothing in them.",
            "空闲0个，占用0个，另有2个",
        ),
        (3, 6, "Of the 4 slots of this range 2 are free and 2 are taken.", "空闲2个，占用2个。"),
        (5, 6, "All 2 slots of this range are free.", "2个时段全部空闲"),
        (3, 4, "All 2 slots of this range are taken.", "2个时段全部占用"),
    ],
)
def test_a_range_counts_no_slot_as_free_that_is_over(first: int, last: int, english: str, chinese: str) -> None:
    timetable = Timetable(Window(1, 1, 6), [held(Block(1, 3, 4))], present=Present(1, 5))
    reply = call(timetable, "query_range", {"day": 1, "slot_start": first, "slot_end": last})
    assert reply.text("en").splitlines()[-1] == english
    assert chinese in reply.text("zh-CN").splitlines()[-1]


def test_a_place_that_is_over_is_refused_by_its_name_and_the_same_place_again_is_no_move(desk: Desk) -> None:
    desk.clock.at = at(9, "13:00")
    refused = desk.edit("place", task_id=desk.id_of("复习"), day=3, slot_start=4)
    assert (refused.code, refused.data["reason"]) == ("out_of_range", "over")
    assert refused.text("zh-CN") == "放置失败：第3天第4-5节已经过去。"
    desk.wrote("place", task_id=desk.id_of("复习"), day=3, slot_start=5)
    desk.clock.at = at(10, "13:00")
    desk.wrote("move", task_id=desk.id_of("复习"), new_day=3, new_slot_start=5)
    assert desk.edit("move", task_id=desk.id_of("复习"), new_day=3, new_slot_start=6).data["reason"] == "over"
    desk.wrote("move", task_id=desk.id_of("复习"), new_day=4, new_slot_start=7)


# ---- the window of a session -------------------------------------------------------------------------------------------


def test_a_session_window_goes_on_from_today_and_that_is_said_once(desk: Desk) -> None:
    table = Table(desk).confirmed(Window(1, 2, 20))
    assert table.look().window == Window(1, 2, 20)
    desk.clock.at = at(14, "10:00")
    draft = table.look()
    assert (draft.window, draft.timetable.present) == (Window(2, 1, 14), Present(1, 3))
    said = run_moved_on(table, draft)
    assert said == "Days of the planning window are over. It goes on from 2026-09-14 Mon to 2026-09-27 Sun (14 days)."
    assert run_moved_on(table, draft) == ""
    written = table.write()
    assert not isinstance(written, ToolResult)
    assert written.window == Window(2, 1, 14)


def test_what_a_session_read_before_the_window_moved_is_no_ground_to_write_on(desk: Desk) -> None:
    table = Table(desk).confirmed(Window(1, 2, 20))
    table.look()
    desk.clock.at = at(14, "10:00")
    assert table.write().code == "look_again"


def test_a_draft_that_holds_changes_keeps_its_days_and_is_bounded(desk: Desk) -> None:
    table = Table(desk).confirmed(Window(1, 2, 20))
    desk.wrote("place", task_id=desk.id_of("复习"), day=2, slot_start=1)
    desk.clock.at = at(14, "10:00")
    draft = table.look()
    assert (draft.window, draft.timetable.present) == (Window(1, 2, 20), Present(7, 3))
    assert not isinstance(table.write(), ToolResult)


@pytest.mark.parametrize("language", LANGUAGES)
def test_where_all_days_are_over_nothing_is_asked_and_the_reason_is_said(desk: Desk, language: Language) -> None:
    table = Table(desk).confirmed(Window(1, 2, 3))
    desk.wrote("place", task_id=desk.id_of("复习"), day=2, slot_start=1)
    desk.clock.at = at(14, "10:00")
    assert table.write(language=language).data == {"reason": "draft_over"}
    desk.clock.at = at(14, "10:00") + timedelta(days=60)
    desk.wrote("unplace", task_id=desk.id_of("复习"))
    assert table.write(language=language).data == {"reason": "term_over"}
    assert all(option.value for option in (table.asked.question.options if table.asked.question else ()))


def run_moved_on(table: Table, draft: OpenDraft) -> str:
    return run(table.planning.moved_on(table.context(), draft))


# ---- the review --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("language", "mark"), [("zh-CN", "！这个时间已经过去："), ("en", "! this is over already: ")])
def test_a_review_marks_what_has_passed_and_a_yes_to_it_writes_it(desk: Desk, language: Language, mark: str) -> None:
    desk.wrote("place", task_id=desk.id_of("复习"), day=3, slot_start=5)
    desk.wrote("place", task_id=desk.id_of("写作"), day=5, slot_start=5)
    desk.clock.at = at(10, "10:00")
    row = desk.propose()
    view = desk.controller.view(row, language)
    assert view is not None
    assert sum(mark in line for line in view.text.splitlines()) == 1
    over = {item["name"]: item["over"] for item in view.payload["items"]}
    assert over == {"复习": [[1, 3, 5, 6, None, None, "", ""]], "写作": []}
    assert desk.approve(row).state == State.VERIFIED  # with the mark before their eyes


def test_a_yes_writes_nothing_that_has_passed_since_the_review(desk: Desk) -> None:
    desk.wrote("place", task_id=desk.id_of("复习"), day=3, slot_start=5)
    desk.clock.at = at(9, "13:30")
    row = desk.propose()
    view = desk.controller.view(row, "en")
    assert view is not None
    assert "over already" not in view.text
    desk.clock.at = at(9, "14:30")
    before = desk.dump()
    assert desk.approve(row).state == State.STALE
    assert desk.dump() == before


def test_courses_and_files_of_the_past_are_a_record_and_are_neither_marked_nor_held_up(desk: Desk) -> None:
    desk.clock.at = at(22, "10:00")
    row = desk.open(course(70, "线性代数", 3, (7, 8)))
    view = desk.controller.view(row, "en")
    assert view is not None
    assert "over already" not in view.text
    desk.clock.at = at(24, "10:00")  # one more of its meetings has passed
    assert desk.approve(row).state == State.VERIFIED


# ---- working days ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("words", "language"), [("工作日", "zh-CN"), ("weekdays", "en")])
@pytest.mark.parametrize(
    ("day", "expected"), [(9, [3, 4, 5, 8, 9, 10, 11, 12]), (12, [8, 9, 10, 11, 12]), (6, [*range(1, 6), *range(8, 13)])]
)
def test_working_days_are_those_of_the_window_to_come(words: str, language: Language, day: int, expected: list[int]) -> None:
    answer = resolve_time(words, window=Window(1, 1, 14), term=TERM, now=at(day, "12:00"), language=language)
    assert answer.code == "ok"
    assert [span.day for span in answer.candidates] == expected


def test_a_weekend_is_the_coming_one_and_on_its_second_day_what_is_left_of_it() -> None:
    sunday = resolve_time("周末", window=Window(1, 1, 14), term=TERM, now=at(13, "12:00"), language="zh-CN")
    assert [span.day for span in sunday.candidates] == [7]
    clock = FakeClock(at(9, "12:00"))
    assert [
        span.day
        for span in resolve_time("weekend", window=Window(1, 1, 14), term=TERM, now=clock.now(), language="en").candidates
    ] == [6, 7]
