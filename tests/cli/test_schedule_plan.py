"""Planning at the command line: the search with its proof, why a task is where it is, two arrangements side by side, days before and after."""

import re

import pytest
from rich.cells import cell_len

from command_line.ground import Line, content, states

ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def planned(seeded: Line) -> Line:
    """The examples with an open window of the whole term."""
    seeded.ok("schedule", "window", "2026-09-07", "2027-01-10")
    return seeded


def test_a_search_tells_its_parts_bound_gap_and_whether_it_can_be_repeated(planned: Line) -> None:
    done = planned.ok("schedule", "arrange", "--effort", "1")
    assert "15 tasks suggested, 0 tasks without" in done.out
    assert "proven: no arrangement that places as much costs less" in done.out
    assert "The same command on the same draft gives the same answer." in done.out
    assert done.err == ""
    assert len(planned.ok("--json", "schedule", "tasks", "list", "--status", "suggested").data["tasks"]) == 15


def test_the_same_effort_gives_the_same_answer_and_no_worse_one_than_greedy(planned: Line) -> None:
    first = planned.ok("--json", "schedule", "arrange", "--engine", "optimise", "--effort", "1").data
    planned.ok("schedule", "undo")
    second = planned.ok("--json", "schedule", "arrange", "--effort", "1").data
    planned.ok("schedule", "undo")
    greedy = planned.ok("--json", "schedule", "arrange").data
    assert first["placed"] == second["placed"]
    assert (first["deterministic"], first["capped"]) == (True, False)
    assert first["bound"] <= first["objective"]["total"] <= greedy["objective"]["total"]
    assert 0 <= first["gap"] <= 1
    assert greedy["engine"] == "greedy"
    assert "bound" not in greedy


def test_greedy_answers_when_no_engine_is_named(planned: Line) -> None:
    done = planned.ok("--json", "schedule", "arrange", "--explain").data
    assert done["engine"] == "greedy"
    assert {why["task_id"] for why in done["why"]} == {placed["task_id"] for placed in done["placed"]}
    assert all("other" in why for why in done["why"])


def test_explain_says_why_each_task_is_there_and_why_others_are_out(planned: Line) -> None:
    planned.ok("schedule", "tasks", "add", "Marathon (12节, before 2026-09-08)", "--category", "Sport")
    planned.ok("schedule", "window", "2026-09-07", "2027-01-10")
    quick = planned.ok("schedule", "arrange", "--explain", "--category", "Sport")
    assert "Marathon (needs 12 slots in a row)" in quick.out
    assert "This engine proves nothing" in quick.out
    searched = planned.ok("schedule", "arrange", "--explain", "--effort", "1")
    assert re.search(r"Marathon \(needs 12 slots in a row\).*\(proven\)", searched.out)
    assert searched.out.count("The best other open place, day ") == 15
    assert "stands at day 1 (week 1 Mon 2026-09-07) slots" in searched.out


@pytest.mark.parametrize(
    "words",
    [
        ("--engine", "greedy", "--effort", "2"),
        ("--engine", "first_fit", "--cap", "3"),
        ("--effort", "0"),
        ("--cap", "0"),
        ("--category", "Nothing"),
        ("--engine", "magic"),
        ("--exclude-slots", "40"),
    ],
)
def test_a_search_that_cannot_be_is_refused_and_changes_nothing(planned: Line, words: tuple[str, ...]) -> None:
    before = planned.dump()
    refused = planned("schedule", "arrange", *words)
    assert refused.code == 2, refused
    assert refused.err
    assert planned.dump() == before


def test_replan_moves_only_what_must_move_and_counts(planned: Line) -> None:
    planned.ok("schedule", "arrange")
    planned.ok("schedule", "propose")
    planned.approve()
    assert "Taken up again: 15 tasks" in planned.ok("schedule", "reopen", "--all").out
    suggested = ("--json", "schedule", "tasks", "list", "--status", "suggested")
    stands = {one["id"]: one["places"] for one in planned.ok(*suggested).data["tasks"]}
    blocked = next(places[0]["date"] for places in stands.values())
    on_it = [state_id for state_id, places in stands.items() if any(place["date"] == blocked for place in places)]
    done = planned.ok("--json", "schedule", "arrange", "--replan", "--exclude-day", blocked, "--effort", "1").data
    now = {one["id"]: one["places"] for one in planned.ok(*suggested).data["tasks"]}
    assert sorted(done["moved"]) == sorted(state_id for state_id in stands if now[state_id] != stands[state_id])
    assert set(done["moved"]) == set(on_it)
    again = planned.ok("schedule", "arrange", "--replan", "--exclude-day", blocked)
    assert "0 moved and 15 stayed" in again.out


def test_stored_tasks_are_said_to_stay_when_they_were_not_taken_up(planned: Line) -> None:
    planned.ok("schedule", "arrange")
    planned.ok("schedule", "propose")
    planned.approve()
    assert "15 stored tasks stay in place" in planned.ok("schedule", "arrange", "--replan").out
    assert planned("schedule", "reopen").code == 2
    assert planned("schedule", "reopen", "--all", "Essay").code == 2


def test_a_calendar_event_of_its_own_time_is_not_taken_up_with_all(planned: Line) -> None:
    assert planned("schedule", "reopen", "--all").code == 2
    listed = planned.ok("--json", "schedule", "tasks", "list", "--status", "existing").data["tasks"]
    assert [one["name"] for one in listed] == ["学术讲座：大模型与教育"]


def test_why_tells_of_a_suggested_stored_pending_and_fixed_one(planned: Line) -> None:
    assert "nothing keeps it out: greedy would put it at day" in planned.ok("schedule", "why", "Essay").out
    planned.ok("schedule", "arrange")
    suggested = planned.ok("schedule", "why", "Essay")
    assert suggested.out.startswith("It is suggested in the draft")
    assert "The best other open place" in suggested.out
    planned.ok("schedule", "propose")
    planned.approve()
    stored = planned.ok("schedule", "why", "Essay")
    assert stored.out.startswith("It is stored.")
    assert "moves 60" in stored.out
    assert "is a course" in planned.ok("schedule", "why", "线性代数").out
    before = planned.dump()
    planned.ok("--json", "schedule", "why", "Essay")
    assert planned.dump() == before


def test_why_names_the_rule_that_keeps_a_task_out_and_whether_that_is_proven(planned: Line) -> None:
    words = ("schedule", "why", "体测准备", "--exclude-slots", "1-12")
    assert "excluded on every day" in planned.ok(*words).out
    proven = planned.ok("--json", *words, "--effort", "1").data["unplaced"]
    assert (proven["reasons"][0]["rule"], proven["proven"]) == ("excluded_slots", True)
    planned.language = "zh-CN"
    assert "已证明" in planned.ok(*words, "--effort", "1").out
    assert planned("schedule", "why", "nobody").code == 2


def test_why_does_not_invent_a_comparison_where_the_draft_breaks_the_order(planned: Line) -> None:
    planned.ok("schedule", "place", "第二章", "2026-09-12", "1")
    planned.ok("schedule", "place", "第一章", "2026-09-19", "1")
    assert "There is no comparison: the places as they are break a rule" in planned.ok("schedule", "why", "第一章").out


def test_compare_counts_what_stands_elsewhere_and_sums_the_parts(planned: Line) -> None:
    planned.ok("schedule", "arrange", "--engine", "first_fit")
    told = planned.ok("--json", "schedule", "compare").data
    assert (told["tasks"], len(told["only_second"]), told["moved"]) == (15, 15, [])
    engines = planned.ok("--json", "schedule", "compare", "draft", "optimise", "--effort", "1").data
    assert engines["second"]["objective"]["total"] <= engines["first"]["objective"]["total"]
    assert engines["moved"]
    assert engines["second"]["quality"]["bound"] <= engines["second"]["objective"]["total"]
    for side in ("first", "second"):
        parts = dict(engines[side]["objective"])
        assert parts.pop("total") == sum(parts.values())
    same = planned.ok("--json", "schedule", "compare", "draft", "first_fit").data
    assert same["moved"] == same["only_first"] == same["only_second"] == []
    text = planned.ok("schedule", "compare", "first_fit", "greedy").out
    assert "cost in all" in text
    assert "→" in text


def test_of_tasks_taken_up_again_the_bound_and_the_costs_are_of_the_same_tasks(planned: Line) -> None:
    planned.ok("schedule", "arrange", "--category", "English")
    planned.ok("schedule", "propose")
    planned.approve()
    planned.ok("schedule", "reopen", "--all")
    planned.ok("schedule", "arrange")
    told = planned.ok("--json", "schedule", "compare", "optimise", "draft", "--effort", "1").data
    best = told["first"]
    assert told["tasks"] == 15
    gap = 1 - best["quality"]["bound"] / best["objective"]["total"]
    assert best["quality"]["gap"] == pytest.approx(gap, abs=1e-4)
    assert best["objective"]["total"] <= told["second"]["objective"]["total"]


@pytest.mark.parametrize("words", [("draft", "draft"), ("greedy", "draft", "--effort", "2"), ("draft", "magic")])
def test_a_comparison_that_cannot_be_is_refused(planned: Line, words: tuple[str, ...]) -> None:
    assert planned("schedule", "compare", *words).code == 2


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_the_days_before_and_after_fit_80_columns_and_mark_what_goes_and_comes(planned: Line, language: str) -> None:
    planned.language = language
    planned.ok("schedule", "arrange")
    planned.ok("schedule", "propose")
    planned.approve()
    planned.ok("schedule", "reopen", "体测准备")
    planned.ok("schedule", "move", "体测准备", "2026-09-12", "3")
    shown = planned.ok("schedule", "show", "--week", "1", "--diff").out
    grid = [line for line in ESCAPES.sub("", shown).splitlines() if "|" in line or line.startswith("-----")]
    assert {cell_len(line) for line in grid} == {79}
    assert len([line for line in grid if line.startswith(" 1 08:00")]) == 2
    data = planned.ok("--json", "schedule", "show", "--week", "1", "--diff").data
    gone = [(day["date"], seat["name"]) for day in data["before"] for seat in day["cells"] if seat["mark"] == "-"]
    new = [(day["date"], seat["name"]) for day in data["after"] for seat in day["cells"] if seat["mark"] == "+"]
    assert [name for _, name in gone] == ["体测准备"]
    assert new == [("2026-09-12", "体测准备")]
    assert len(data["changed"]) == 1


def test_one_day_before_and_after_stands_side_by_side(planned: Line) -> None:
    planned.ok("schedule", "place", "Oral", "2026-09-12", "1")
    shown = planned.ok("schedule", "show", "--day", "2026-09-12", "--diff").out
    assert "|Stored:" in shown
    assert "|With the draft:" in shown
    assert "+ Oral presentation" in shown
    assert "Changed here: 1 task" in shown


def test_a_guest_that_comes_is_drawn_inside_its_course(planned: Line) -> None:
    planned.ok("schedule", "course", "embeddable", "线性代数")
    planned.ok("schedule", "place", "体测准备", "2026-09-08", "1")
    data = planned.ok("--json", "schedule", "show", "--day", "2026-09-08", "--diff").data
    assert [(seat["name"], seat["mark"], seat["embedded_in"]) for seat in data["after"][0]["cells"][-1:]] == [
        ("体测准备", "+", "线性代数")
    ]
    inside = next(
        one for one in planned.ok("--json", "schedule", "load", "--week", "1").data["days"] if one["date"] == "2026-09-08"
    )
    assert (inside["inside"], inside["suggested"], inside["used"]) == (1, 0, inside["course"])


def test_without_a_draft_before_and_after_are_alike(planned: Line) -> None:
    data = planned.ok("--json", "schedule", "show", "--week", "1", "--diff").data
    assert data["before"] == data["after"]
    assert data["changed"] == []


@pytest.mark.parametrize(
    ("words", "lines"),
    [((), 7), (("--week", "3"), 7), (("--from", "2026-09-07", "--to", "2026-09-16"), 10), (("--from", "1"), 18)],
)
def test_the_load_is_charted_by_day_and_a_long_span_by_week(planned: Line, words: tuple[str, ...], lines: int) -> None:
    planned.ok("schedule", "arrange")
    chart = planned.ok("schedule", "load", *words).out.splitlines()
    bars = [line for line in chart if "|" in line]
    assert len(bars) == lines
    assert len({line.index("/") for line in bars}) == 1
    assert max(cell_len(line) for line in chart) <= 80


def test_the_load_counts_cells_once_and_names_who_holds_them(planned: Line) -> None:
    planned.ok("schedule", "place", "Oral", "2026-09-12", "1")
    days = planned.ok("--json", "schedule", "load", "--week", "1").data["days"]
    assert [one["suggested"] for one in days] == [0, 0, 0, 0, 0, 2, 0]
    assert all(one["used"] == one["course"] + one["task"] + one["suggested"] <= one["slots"] for one in days)
    rows = [cell for cell in content(planned.database)["cells"] if cell[1] == 1]
    assert sum(one["used"] for one in days) == len(rows) + 2


@pytest.mark.parametrize(
    "words", [("--week", "1", "--from", "2"), ("--week", "40"), ("--from", "9", "--to", "3"), ("--to", "xyz")]
)
def test_a_load_that_cannot_be_is_refused(planned: Line, words: tuple[str, ...]) -> None:
    refused = planned("schedule", "load", *words)
    assert refused.code == 2
    assert states(planned.database) == [(1, "verified"), (2, "verified")]
