"""Every timetable tool through the runner, on a real draft: what it reads and writes, how it refuses, and what it never says."""

import json
import re
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from schedule_ground.desk import ME, OTHER, SZ, TERM, Desk, furnish_again, run
from steadyhand.core.clock import FakeClock
from steadyhand.core.config import Settings
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.language import LANGUAGES, Language
from steadyhand.core.wire import ToolCall
from steadyhand.domains.schedule.acts import courses as acts
from steadyhand.domains.schedule.draft.planning import KIND, Planning, window_json
from steadyhand.domains.schedule.rows.forms import event_row, schedule_row
from steadyhand.domains.schedule.rows.writes import put
from steadyhand.domains.schedule.term.records import Event, Row
from steadyhand.domains.schedule.term.windows import whole_term
from steadyhand.domains.schedule.tools.turn_tools import schedule_tools
from steadyhand.memory.tiers import tiers_of
from steadyhand.memory.working import Working
from steadyhand.tools.base import ToolContext
from steadyhand.tools.policy import ToolPolicy
from steadyhand.tools.registry import Registry
from steadyhand.tools.result import ToolResult
from steadyhand.tools.runner import Runner
from tools.walking import faults

T = TERM.id
READS = (
    "get_overview",
    "query_range",
    "find_first_free",
    "find_free",
    "list_tasks",
    "get_task_info",
    "query_available_slots",
    "query_target_tasks",
    "evaluate",
    "why_pending",
)


class Turn:
    """Tool calls of one person, as a model makes them that has looked; the window is the whole term, and confirmed."""

    def __init__(self, desk: Desk, language: Language = "zh-CN", user: UserId = ME) -> None:
        self.desk = desk
        working = Working(desk.store, tiers_of(Settings(data_dir=desk.folder)))
        self.planning = Planning(desk.drafting, working)
        self.registry = Registry(schedule_tools(self.planning))
        self.context = ToolContext(user, SessionId("desk"), desk.clock, language)
        run(working.hold(user, self.context.session, KIND, window_json(whole_term(TERM)), keep=True))

    def call(self, name: str, **arguments: Any) -> ToolResult:
        return self.raw(name, json.dumps(arguments))

    def raw(self, name: str, arguments: str) -> ToolResult:
        with suppress(ToolRefusal):  # without a term there is nothing to look at
            run(self.planning.look(self.context))
        return run(Runner(self.registry, ToolPolicy()).run(self.context, ToolCall("call_1", name, arguments)))

    def done(self, name: str, **arguments: Any) -> ToolResult:
        result = self.call(name, **arguments)
        assert not result.is_error, result.for_llm
        return result


@pytest.fixture
def turn(desk: Desk) -> Turn:
    return Turn(desk)


@pytest.fixture(params=LANGUAGES)
def any_turn(desk: Desk, request: pytest.FixtureRequest) -> Turn:
    return Turn(desk, request.param)


def test_the_tools_keep_the_contract_and_their_order_reads_before_writes(turn: Turn) -> None:
    assert faults(turn.registry) == []
    names = [tool.name for tool in turn.registry]
    assert names == [*READS, "resolve_time", "place", "move", "swap", "batch_move", "unplace", "arrange", "undo", "redo"]
    assert {tool.name: tool.effect for tool in turn.registry} == {
        name: "read" if name in (*READS, "resolve_time") else "draft" for name in names
    }


def test_no_tool_approves_or_writes_what_is_stored(turn: Turn) -> None:
    before = turn.desk.dump()
    turn.done("place", task_id=3, day=3, slot_start=1)
    turn.done("arrange")
    turn.done("undo")
    assert turn.desk.dump() == before
    assert {tool.effect for tool in turn.registry} == {"read", "draft"}


# ---- reads -------------------------------------------------------------------------------------------------------------

READ_CALLS: dict[str, dict[str, Any]] = {
    "get_overview": {},
    "query_range": {"day": 2},
    "find_first_free": {"duration": 2},
    "find_free": {"duration": 2},
    "list_tasks": {},
    "get_task_info": {"task_id": 2},
    "query_available_slots": {},
    "query_target_tasks": {},
    "evaluate": {},
    "why_pending": {"task_id": 3},
    "resolve_time": {"text": "明天"},
}


@pytest.mark.parametrize("name", READ_CALLS)
def test_a_read_answers_with_text_and_data_and_opens_no_draft(any_turn: Turn, name: str) -> None:
    result = any_turn.done(name, **READ_CALLS[name])
    assert (result.code, result.is_async, result.for_user) == ("ok", False, "")
    assert result.for_llm
    assert isinstance(result.data, dict)
    assert any_turn.desk.draft().stored is False


def test_a_read_sees_what_was_drafted_and_what_is_stored_by_others(turn: Turn) -> None:
    turn.done("place", task_id=3, day=3, slot_start=1)
    name = turn.desk.draft().timetable.tasks[3].name
    assert f"[3]{name}" in turn.done("query_range", day=3).for_llm
    turn.desk.done(acts.remove_events(turn.desk.records(), [101]))
    assert "高等数学" not in turn.done("query_range", day=1).for_llm
    assert f"[3]{name}" in turn.done("query_range", day=3).for_llm


# ---- writes ------------------------------------------------------------------------------------------------------------


def test_the_writes_work_on_one_draft_and_each_is_a_step(any_turn: Turn) -> None:
    turn = any_turn
    turn.done("place", task_id=3, day=3, slot_start=1)
    turn.done("place", task_id=4, day=2, slot_start=3)
    turn.done("swap", task_a=3, task_b=4)
    turn.done("move", task_id=4, new_day=4, new_slot_start=1)
    moves = [{"task_id": 3, "new_day": 4, "new_slot_start": 1}, {"task_id": 4, "new_day": 2, "new_slot_start": 5}]
    turn.done("batch_move", moves=moves)
    turn.done("unplace", task_id=3)
    draft = turn.desk.draft()
    assert (draft.row.head, [(b.day, b.start, b.end) for b in draft.timetable.tasks[4].place.slots]) == (6, [(2, 5, 6)])
    assert draft.timetable.tasks[4].place.embed_host == 2
    assert draft.timetable.tasks[3].place.status == "pending"


REFUSALS: dict[str, tuple[str, dict[str, Any], str]] = {
    "an unknown task": ("place", {"task_id": 99, "day": 1, "slot_start": 1}, "not_found"),
    "a taken cell": ("place", {"task_id": 3, "day": 8, "slot_start": 1}, "conflict"),
    "a slot that is over": ("place", {"task_id": 3, "day": 1, "slot_start": 1}, "out_of_range"),
    "past the end": ("place", {"task_id": 3, "day": 29, "slot_start": 1}, "out_of_range"),
    "a fixed course": ("move", {"task_id": 1, "new_day": 3, "new_slot_start": 1}, "locked"),
    "a pending task": ("unplace", {"task_id": 3}, "wrong_status"),
    "itself": ("swap", {"task_a": 3, "task_b": 3}, "bad_argument"),
    "no moves": ("batch_move", {"moves": []}, "bad_argument"),
    "an unknown category": ("list_tasks", {"status": "existing,suggested"}, "bad_argument"),
    "a length of nothing": ("find_first_free", {"duration": 0}, "bad_argument"),
    "a missing argument": ("place", {"task_id": 3}, "bad_argument"),
    "text for a number": ("place", {"task_id": "3", "day": 3, "slot_start": 1}, "bad_argument"),
    "a date": ("query_range", {"day": "2026-09-07"}, "bad_argument"),
    "an argument more": ("undo", {"steps": 2}, "bad_argument"),
    "a huge number": ("get_task_info", {"task_id": 2**60}, "bad_argument"),
    "nothing to undo": ("undo", {}, "nothing_to_undo"),
    "nothing to redo": ("redo", {}, "nothing_to_redo"),
    "why a course has no place": ("why_pending", {"task_id": 1}, "wrong_status"),
    "no time at all": ("resolve_time", {"text": "香蕉"}, "not_understood"),
}


@pytest.mark.parametrize("what", REFUSALS)
def test_a_refusal_is_an_error_that_the_model_can_read_and_changes_nothing(any_turn: Turn, what: str) -> None:
    name, arguments, code = REFUSALS[what]
    before = any_turn.desk.draft().timetable.snapshot()
    result = any_turn.call(name, **arguments)
    assert (result.is_error, result.code, result.for_user) == (True, code, "")
    assert result.for_llm.strip()
    assert any_turn.desk.draft().timetable.snapshot() == before
    assert any_turn.desk.draft().stored is False


def test_arguments_that_are_no_json_are_refused(turn: Turn) -> None:
    for text in ("", "[]", "null", "{", '{"task_id": 3,}'):
        assert turn.raw("place", text).code == "bad_argument"


def test_without_a_term_every_tool_says_so(desk: Desk) -> None:
    turn = Turn(desk, user=OTHER)
    for name, arguments in {**READ_CALLS, "place": {"task_id": 3, "day": 3, "slot_start": 1}, "arrange": {}, "undo": {}}.items():
        result = turn.call(name, **arguments)
        assert (result.is_error, result.code) == (True, "no_term"), name


def test_two_persons_tools_reach_their_own_drafts(desks_anywhere: Desk) -> None:
    mine, theirs = Turn(desks_anywhere), Turn(desks_anywhere, user=OTHER)
    mine.done("place", task_id=3, day=3, slot_start=1)
    before = theirs.done("get_overview").for_llm
    assert theirs.call("undo").code == "nothing_to_undo"
    theirs.done("place", task_id=3, day=4, slot_start=1)
    mine.done("undo")
    assert theirs.done("get_overview").for_llm != before
    assert desks_anywhere.draft().changed == ()


def test_why_a_task_is_pending_is_told_by_arranging_for_show(any_turn: Turn) -> None:
    turn = any_turn
    before = turn.desk.draft().timetable.snapshot()
    result: Any = turn.done("why_pending", task_id=4).data
    assert (result["unplaced"], result["place"]["task_id"]) == (None, 4)
    for task, day in ((3, 3), (5, 3)):
        turn.done("place", task_id=task, day=day, slot_start=5 if task == 3 else 1)
    refused = turn.done("why_pending", task_id=4)
    result = refused.data
    assert result["place"] is None
    assert {reason["rule"] for reason in result["unplaced"]["reasons"]} == {"after", "before"}
    assert "[4]" in refused.for_llm
    turn.done("undo")
    turn.done("undo")
    assert turn.desk.draft().timetable.snapshot() == before


def test_what_is_read_tells_the_window_that_its_days_count_in_and_a_choice_by_id_becomes_a_list(any_turn: Turn) -> None:
    for name, arguments in READ_CALLS.items():
        data: Any = any_turn.done(name, **arguments).data
        assert data["window"] == {"first_week": 1, "first_day_of_week": 1, "total_days": 28, "slots": 12}, name
        assert "choices" not in data, name
    chosen: Any = any_turn.done("query_target_tasks", task_ids=[5, 3, 5]).data
    assert chosen["choices"]["kind"] == "task"
    assert [row["value"] for row in chosen["choices"]["rows"]] == [5, 3]


# ---- undo and redo -----------------------------------------------------------------------------------------------------


def test_undo_and_redo_say_what_they_changed(desk: Desk) -> None:
    names = {state_id: task.name for state_id, task in desk.draft().timetable.tasks.items()}
    zh, en = Turn(desk, "zh-CN"), Turn(desk, "en")
    zh.done("place", task_id=3, day=3, slot_start=1)
    moved = zh.done("move", task_id=3, new_day=2, new_slot_start=3)
    assert moved.for_llm.startswith(f"已将 [3]{names[3]} 从第3天第1-2节移至第2天第3-4节。")
    undone = en.done("undo")
    assert undone.for_llm.splitlines() == [
        "One draft write undone:",
        f"  [3]{names[3]}: day 2 (slots 3-4) → day 3 (slots 1-2)",
        "Pending tasks left: 2.",
    ]
    assert undone.data == {
        "changes": [
            {
                "id": 3,
                "before": {"status": "suggested", "slots": [[2, 3, 4]], "duration": 2, "embed_host": 2},
                "after": {"status": "suggested", "slots": [[3, 1, 2]], "duration": 2, "embed_host": None},
            }
        ]
    }
    assert zh.done("undo").for_llm.splitlines() == [
        "已撤销一步草稿写入：",
        f"  [3]{names[3]}：第3天(1-2节) → 待安排",
        "待安排任务剩余：3个。",
    ]
    assert zh.done("redo").for_llm.splitlines()[0] == "已重做一步草稿写入："
    assert en.done("redo").for_llm.splitlines()[0] == "One draft write redone:"
    assert desk.draft().timetable.tasks[3].place.embed_host == 2


def test_arrange_is_one_step_that_undo_takes_back_whole(any_turn: Turn) -> None:
    before = any_turn.desk.draft().timetable.snapshot()
    result = any_turn.done("arrange")
    assert len(any_turn.desk.draft().changed) == 3
    assert isinstance(result.data, dict)
    any_turn.done("undo")
    assert any_turn.desk.draft().timetable.snapshot() == before


# ---- words for times -----------------------------------------------------------------------------------------------------


def test_words_for_times_become_indexes_by_the_clock_of_the_turn_in_the_terms_zone(desk: Desk) -> None:
    # 23:30 UTC on a Monday is Tuesday morning in Shanghai
    late = FakeClock(datetime(2026, 9, 14, 23, 30, tzinfo=UTC))
    for language, tomorrow in (("zh-CN", "明天下午"), ("en", "tomorrow afternoon")):
        turn = Turn(desk, language)
        turn.context = replace(turn.context, clock=late)
        result = turn.done("resolve_time", text=tomorrow)
        data: Any = result.data
        assert {span["day"] for reading in data["readings"] for span in reading} == {2}  # the window has moved on to Tuesday


# ---- what a model never reads (A33) --------------------------------------------------------------------------------------

NEVER = re.compile(
    r"\d{4}\s*[-/.年]\s*\d{1,2}|\d{1,2}\s*月\s*\d{1,2}|[周星期礼拜][一二三四五六日天]|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b"
    r"|\b(?:mon|tue|wed|thu|fri|sat|sun)\b|source|task_item|\bevent\b|20260907",
    re.IGNORECASE,
)
QUOTED = ("复习", "写作", "讨论", "高等数学", "思政")
INDEX = st.one_of(st.integers(-1, 30), st.integers(1, 6))
WILD = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(
            ("task_id", "day", "slot_start", "slot_end", "new_day", "new_slot_start", "task_a", "task_b", "duration", "span"),
            INDEX,
        ),
        **dict.fromkeys(("day_from", "day_to", "after_slot", "before_slot", "limit"), INDEX),
        "category": st.sampled_from(["学习", "课程", "course", "没有"]),
        "status": st.sampled_from(["existing", "suggested", "pending", "all"]),
        "text": st.sampled_from(["下周三", "2026-09-16", "next Wednesday", "第3周周五晚上", "香蕉", "9月16日", "昨天"]),
        "moves": st.lists(st.fixed_dictionaries({"task_id": INDEX, "new_day": INDEX, "new_slot_start": INDEX}), max_size=3),
    },
)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                [*READS, "resolve_time", "place", "move", "swap", "batch_move", "unplace", "undo", "redo", "arrange"]
            ),
            WILD,
        ),
        max_size=12,
    ),
    st.sampled_from(LANGUAGES),
)
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # an example takes too long to be shrunk hundreds of times
)
def test_no_text_for_a_model_carries_a_date_a_weekday_or_a_stored_key(desk: Desk, calls: list[Any], language: Language) -> None:
    furnish_again(desk)
    run(desk.drafting.discard(ME))
    item = desk.item("讨论")
    placed = [put("schedule_events", event_row(Event(950, "task", "讨论", item_id=item.id), T))]
    desk.done([*placed, *(put("schedules", schedule_row(Row(950, 1, 2, section, SZ), T)) for section in (3, 4))])
    turn = Turn(desk, language)
    keys = {str(one.id) for one in (*desk.records().items, *desk.records().events, *desk.records().classes) if one.id > 999}
    for name, wild in calls:
        taken = {key: value for key, value in wild.items() if key in turn.registry.find(name).arguments.model_fields}
        result = turn.call(name, **taken)
        text = result.for_llm
        for quoted in QUOTED:
            text = text.replace(quoted, "")
        assert not NEVER.search(text), (name, taken, result.for_llm)
        assert not any(key in text for key in keys), (name, result.for_llm)
        assert result.is_error or isinstance(result.data, dict), name


def test_no_argument_of_a_tool_names_a_date_or_a_stored_key(turn: Turn) -> None:
    for spec in turn.registry.specs("en"):
        named = set(json.dumps(spec.parameters).lower().replace('"', " ").split())
        assert not named & {"date", "weekday", "source", "source_id", "event_id", "item_id"}, spec.name
