"""The draft at the command line: windows, single writes, undo, arrange, propose, and what carries on after a commit."""

from datetime import UTC, datetime

import pytest

from command_line.ground import Line, content, states
from steadyhand.core.clock import FakeClock


def _task(line: Line, name: str) -> dict[str, object]:
    listed = line.ok("--json", "schedule", "tasks", "list").data["tasks"]
    return next(task for task in listed if name in task["name"])


def test_the_window_of_a_new_draft_is_the_whole_term_before_it_begins(seeded: Line) -> None:
    assert "2026-09-07 to 2027-01-10 (126 days): the whole term" in seeded.ok("schedule", "window").out
    first = seeded.ok("schedule", "tasks", "list")
    assert first.out.startswith("The draft is opened for 2026-09-07 to 2027-01-10 (126 days)")
    assert "The draft is opened" not in seeded.ok("schedule", "tasks", "list").out


def test_the_window_of_a_new_draft_begins_today_inside_the_term(seeded: Line, still_clock: FakeClock) -> None:
    still_clock.at = datetime(2026, 11, 4, 16, 30, tzinfo=UTC)  # in Shanghai that is the fifth
    data = seeded.ok("--json", "schedule", "window").data
    assert data["window"] == {"first": "2026-11-05", "last": "2027-01-10", "days": 67}
    assert data["open"] is False


def test_a_window_is_chosen_by_dates_words_or_days_of_the_term(seeded: Line) -> None:
    for words, first, last in (
        (("2026-10-12", "2026-10-25"), "2026-10-12", "2026-10-25"),
        (("week 5", "week 6"), "2026-10-05", "2026-10-18"),
        (("8", "14"), "2026-09-14", "2026-09-20"),
        (("2026-12-01",), "2026-12-01", "2027-01-10"),
    ):
        window = seeded.ok("--json", "schedule", "window", *words).data["window"]
        assert (window["first"], window["last"]) == (first, last)


def test_a_window_stays_while_the_draft_holds_changes_and_goes_with_it(seeded: Line) -> None:
    seeded.ok("schedule", "place", "体测准备", "2026-09-12", "1")
    refused = seeded("schedule", "window", "2026-10-12", "2026-10-25")
    assert refused.code == 2
    assert "1 place" in refused.err
    assert "1 drafted place was dropped" in seeded.ok("schedule", "discard").out
    seeded.ok("schedule", "window", "2026-10-12", "2026-10-25")
    assert "no draft open" not in seeded.ok("schedule", "discard").out
    assert "no draft open" in seeded.ok("schedule", "discard").out


@pytest.mark.parametrize(
    ("language", "day"),
    [("en", "6"), ("en", "2026-09-12"), ("en", "week 1 Saturday"), ("zh-CN", "第1周周六"), ("zh-CN", "9月12日")],
)
def test_a_day_is_an_index_a_date_or_words(seeded: Line, language: str, day: str) -> None:
    seeded.language = language
    done = seeded.ok("schedule", "place", "体测准备", day, "3")
    assert "2026-09-12" in done.out
    assert seeded.ok("--json", "schedule", "show", "--week", "1").data["days"][5]["cells"][0]["name"] == "体测准备"


def test_words_may_name_the_slot_too(seeded: Line) -> None:
    seeded.ok("schedule", "place", "体测准备", "第1周周六第7节")
    assert _task(seeded, "体测准备")["places"] == [{"date": "2026-09-12", "day": 6, "slots": [7, 7]}]


def test_place_move_swap_unplace_undo_and_redo(seeded: Line) -> None:
    seeded.ok("schedule", "place", "Oral presentation", "6", "1")
    seeded.ok("schedule", "place", "Essay", "7", "1")
    seeded.ok("schedule", "move", "Essay", "7", "3")
    seeded.ok("schedule", "swap", "Essay", "Oral")
    assert _task(seeded, "Essay")["places"] == [{"date": "2026-09-12", "day": 6, "slots": [1, 2]}]
    seeded.ok("schedule", "unplace", "Oral")
    assert _task(seeded, "Oral")["status"] == "pending"
    undone = seeded.ok("schedule", "undo")
    assert "Oral presentation: pending, no place → day 7 (week 1 Sun 2026-09-13) slots 3-4 10:00-11:40" in undone.out
    for _ in range(4):
        seeded.ok("schedule", "undo")
    assert seeded("schedule", "undo").code == 2
    for _ in range(5):
        seeded.ok("schedule", "redo")
    assert seeded("schedule", "redo").code == 2
    assert _task(seeded, "Oral")["status"] == "pending"


def test_a_write_that_meets_a_course_is_refused_in_the_tools_words(seeded: Line) -> None:
    seeded.language = "zh-CN"
    refused = seeded("schedule", "place", "体测准备", "1", "1")
    assert refused.code == 2
    assert refused.err.startswith("放置失败：第1天第1节已被 [1]高等数学（上） 占用。")


def test_arrange_propose_and_approve_place_every_task_once(seeded: Line) -> None:
    arranged = seeded.ok("schedule", "arrange")
    assert "15 tasks suggested, 0 tasks without a place" in arranged.out
    assert "steady schedule propose" in arranged.out
    assert content(seeded.database)["cells"] == [
        cell for cell in content(seeded.database)["cells"] if cell[0] not in arranged.out
    ]
    proposed = seeded.ok("schedule", "propose")
    assert "15 to be added" in proposed.out
    seeded.approve()
    assert {task["status"] for task in seeded.ok("--json", "schedule", "tasks", "list").data["tasks"]} == {"existing"}
    assert seeded("schedule", "propose").code == 2
    assert "nothing to arrange" in seeded.ok("schedule", "arrange").out


def test_arrange_keeps_to_what_is_asked(seeded: Line) -> None:
    words = ["--category", "English", "--exclude-day", "Saturday", "--exclude-day", "2026-09-13", "--exclude-slots", "1-8"]
    data = seeded.ok("--json", "schedule", "arrange", *words, "--max-per-day", "2", "--engine", "first_fit").data
    assert len(data["placed"]) == 4
    assert all(place["slot_start"] > 8 and place["day"] not in (6, 7) for place in data["placed"])
    assert {place["day"] % 7 for place in data["placed"]}.isdisjoint({6})
    assert data["engine"] == "first_fit"
    assert data["pending"] == 11


def test_what_has_no_place_is_told_with_its_reason(seeded: Line) -> None:
    seeded.ok("schedule", "window", "2026-12-14", "2026-12-20")
    told = seeded.ok("schedule", "arrange").out
    assert "Without a place" in told
    assert "its deadline is before the start of the window" in told


def test_a_stored_task_is_reopened_moved_and_stored_again(seeded: Line) -> None:
    seeded.ok("schedule", "place", "体测准备", "6", "1")
    seeded.ok("schedule", "propose")
    seeded.approve()
    assert seeded("schedule", "move", "体测准备", "7", "1").code == 2
    assert "2026-09-12" in seeded.ok("schedule", "reopen", "体测准备").out
    seeded.ok("schedule", "move", "体测准备", "7", "1")
    moved = seeded.ok("schedule", "propose")
    assert "from week 1 Sat (2026-09-12) slot 1" in moved.out
    assert "to   week 1 Sun (2026-09-13) slot 1" in moved.out
    seeded.approve()
    assert [cell for cell in content(seeded.database)["cells"] if cell[0] == "体测准备"] == [("体测准备", 1, 7, 1, None)]


def test_a_draft_outlives_an_act_beside_it_and_says_what_no_longer_fits(seeded: Line) -> None:
    seeded.ok("schedule", "place", "体测准备", "6", "1")
    seeded.ok("schedule", "place", "Oral presentation", "6", "5")
    seeded.ok("schedule", "course", "add", "Chess", "--day", "6", "--slots", "1-2", "--weeks", "1")
    told = seeded.ok("schedule", "tasks", "list")
    assert "no longer fit and were dropped: [26]体测准备" in told.out
    assert _task(seeded, "Oral")["status"] == "suggested"


def test_proposing_again_withdraws_the_earlier_one(seeded: Line) -> None:
    seeded.ok("schedule", "place", "体测准备", "6", "1")
    seeded.ok("schedule", "propose")
    seeded.ok("schedule", "place", "Oral presentation", "6", "5")
    seeded.ok("schedule", "propose")
    assert states(seeded.database)[-2:] == [(3, "withdrawn"), (4, "sealed")]


def test_looking_writes_nothing(seeded: Line) -> None:
    before = seeded.dump()
    for words in (("show",), ("show", "--week", "3"), ("window",), ("resolve", "week 3"), ("tool", "get_overview"), ("term",)):
        seeded.ok("schedule", *words)
        assert seeded.dump() == before
    seeded.ok("schedule", "place", "体测准备", "6", "1")
    seeded.ok("schedule", "course", "add", "Chess", "--day", "7", "--slots", "1-2")
    before = seeded.dump()
    assert "Draft: 1 place" in seeded.ok("schedule", "show").out
    assert seeded.dump() == before


def test_scripts_can_ask_the_reading_tools(seeded: Line) -> None:
    seeded.language = "zh-CN"
    assert seeded.ok("schedule", "tool", "query_range", '{"day": 1}').out.startswith("第1天 全天：")
    assert seeded.ok("--json", "schedule", "tool", "find_free", '{"duration": 3}').data["code"] == "ok"
    assert "2026-10-07" in seeded.ok("schedule", "resolve", "第5周周三晚上").out
