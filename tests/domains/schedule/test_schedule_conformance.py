"""The two tables of cases, and that the runner fails whatever a table gets wrong."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from steadyhand.domains.schedule.conformance import lines, run_case, run_file

TABLES = Path(__file__).parents[2] / "cases"
CASES: dict[str, Any] = {
    case["id"]: case
    for name in ("schedule_cases.json", "schedule_more.json")
    for case in json.loads((TABLES / name).read_text(encoding="utf-8"))["cases"]
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_the_timetable_does_what_the_case_says(case: Any) -> None:
    result = run_case(case)
    assert result.passed, result.reason


def test_a_folder_is_run_file_by_file_and_counted_at_the_end(tmp_path: Path) -> None:
    for name, ids in (("b.json", ["map-01"]), ("a.json", ["place-01", "place-02"])):
        (tmp_path / name).write_text(json.dumps({"cases": [CASES[case] for case in ids]}), encoding="utf-8")
    results = run_file(tmp_path)
    assert [result.id for result in results] == ["place-01", "place-02", "map-01"]
    shown = list(lines(results))
    assert len(shown) == 4
    assert "place-01" in shown[0]
    assert shown[-1] == "3 passed, 0 failed"


def changed(name: str, *path: str | int, value: Any = ...) -> Any:
    case = copy.deepcopy(CASES[name])
    node = case
    for step in path[:-1]:
        node = node[step]
    if value is ...:
        del node[path[-1]]
    else:
        node[path[-1]] = value
    return case


@pytest.mark.parametrize(
    ("case", "said"),
    [
        pytest.param(changed("place-01", "outcome", value="error:conflict"), "outcome is ok", id="another outcome"),
        pytest.param(
            changed("place-02", "outcome", value="ok"), "outcome is error:conflict", id="an error that was not expected"
        ),
        pytest.param(changed("free-05", "outcome", value="ok"), "outcome is ok:none", id="nothing found is not ok"),
        pytest.param(changed("place-01", "outcome"), "expected None", id="no outcome"),
        pytest.param(changed("place-01", "changes", value={}), "was not expected", id="a change that was not expected"),
        pytest.param(changed("place-04", "changes", "7", "embed_host"), "7.embed_host changed", id="a field left out"),
        pytest.param(changed("place-01", "changes", "3", "slots", value=[[5, 1, 2]]), "3.slots is", id="other slots"),
        pytest.param(
            changed("unplace-05", "changes", "7", "embed_host", value=10), "7.embed_host is None", id="a link that was cleared"
        ),
        pytest.param(
            changed("move-07", "changes", value={"3": {"slots": [[5, 2, 4]]}}), "3.slots is", id="a change that did not come"
        ),
        pytest.param(changed("place-01", "changes", value={"77": {"status": "pending"}}), "does not exist", id="an unknown task"),
        pytest.param(
            changed("place-01", "reply", value="已将 [3]复习线代 放到第5天第1-3节。"), "reply is", id="a reply cut short"
        ),
        pytest.param(
            changed("place-05", "reply_contains", value=["[10]思政", "[99]"]),
            "reply lacks ['[99]']",
            id="a piece that is missing",
        ),
        pytest.param(changed("load-01", "changes", value={"slots_of_101": [[1, 1, 4]]}), "slots_of_101 is", id="slots of a door"),
        pytest.param(changed("map-01", "changes", "week", value=5), "week is 6", id="a week of a door"),
        pytest.param(changed("confirm-01", "changes", "rows", value=[]), "rows is", id="rows of a door"),
        pytest.param(changed("place-01", "call", "tool", value="destroy"), "no tool called destroy", id="an unknown tool"),
    ],
)
def test_a_case_that_differs_from_the_timetable_fails_and_says_where(case: Any, said: str) -> None:
    result = run_case(case)
    assert not result.passed
    assert said in result.reason


@pytest.mark.parametrize(
    "case",
    [
        "no object",
        {},
        {"id": "x", "state": {"total_days": 3}, "call": "place"},
        changed("place-01", "call", "args", value=[]),
        changed("place-01", "call", "tool", value=7),
        changed("place-01", "state"),
        changed("place-01", "state", "total_days"),
        changed("place-01", "state", "total_days", value=10**9),
        changed("place-01", "state", "start_week_dow", value=[5]),
        changed("place-01", "state", "tasks", value={}),
        changed("place-01", "state", "tasks", 0, "state_id", value="1"),
        changed("place-01", "state", "tasks", 0, "status", value="done"),
        changed("place-01", "state", "tasks", 0, "slots", value=[[1, 2]]),
        changed("place-01", "state", "tasks", 0, "slots", value=[[99, 1, 2]]),
        changed("place-01", "state", "tasks", 1, "slots", value=[[1, 1, 2]]),
        changed("place-01", "changes", value=[]),
        changed("place-01", "changes", "3", value=7),
        changed("place-01", "changes", "3", "colour", value="red"),
        changed("place-05", "reply_contains", value="[10]"),
    ],
)
def test_a_case_that_cannot_be_read_fails_with_a_reason_and_the_run_goes_on(case: Any, tmp_path: Path) -> None:
    table = tmp_path / "table.json"
    table.write_text(json.dumps({"cases": [case, CASES["place-01"]]}), encoding="utf-8")
    broken, whole = run_file(table)
    assert not broken.passed
    assert broken.reason != broken.told("zh-CN")
    assert whole.passed
    assert list(lines([broken, whole]))[-1] == "1 passed, 1 failed"


@pytest.mark.parametrize(
    "path",
    [
        ("id",),
        ("outcome",),
        ("reply",),
        ("state", "tasks", 0, "category"),
        ("state", "tasks", 0, "name"),
        ("state", "tasks", 0, "status"),
        ("call", "tool"),
    ],
)
@pytest.mark.parametrize("mark", ["\ud800", "\x1b[2J\udfff", "\x9b31m\udc80"])
def test_half_a_character_fails_its_case_alone_and_is_printed_safe(
    path: tuple[str | int, ...], mark: str, tmp_path: Path
) -> None:
    table = tmp_path / "table.json"
    table.write_text(json.dumps({"cases": [changed("place-01", *path, value=mark), CASES["place-01"]]}), encoding="utf-8")
    broken, whole = run_file(table)
    assert not broken.passed
    assert whole.passed
    for language in ("zh-CN", "en"):
        assert all(line.isprintable() for line in lines([broken, whole], language))
        "\n".join(lines([broken, whole], language)).encode()


def test_a_control_character_in_the_id_of_a_case_that_passes_does_not_reach_the_terminal() -> None:
    result = run_case(changed("place-01", "id", value="a\x1b]0;x\x07\n\u202eb"))
    assert result.passed
    assert result.id == "a?]0;x???b"


@pytest.mark.parametrize("tool", ["list_tasks", "query_target_tasks", "evaluate"])
def test_half_a_character_in_a_text_argument_is_a_bad_argument(tool: str) -> None:
    case = {**changed("place-01", "changes", value={}), "call": {"tool": tool, "args": {"category": "a\ud800"}}}
    case = {name: value for name, value in case.items() if not name.startswith("reply")} | {"outcome": "error:bad_argument"}
    result = run_case(case)
    assert result.passed, result.reason


@pytest.mark.parametrize("content", ["{", "[]", '{"cases": 3}', "\ufffe"])
def test_a_file_that_is_no_table_is_one_failed_result(content: str, tmp_path: Path) -> None:
    table = tmp_path / "table.json"
    table.write_text(content, encoding="utf-8")
    assert [result.passed for result in run_file(table)] == [False]
    assert [result.passed for result in run_file(tmp_path / "absent.json")] == [False]


def test_state_fields_that_are_left_out_have_their_defaults() -> None:
    state = {
        "total_days": 3,
        "tasks": [{"state_id": 4, "name": "甲", "category": "学习", "status": "suggested", "slots": [[1, 1, 3]]}],
    }
    case = {"id": "x", "state": state, "call": {"tool": "unplace", "args": {"task_id": 4}}, "outcome": "ok"}
    changes = {"4": {"status": "pending", "slots": []}}
    assert run_case({**case, "changes": changes}).passed
    assert run_case({**case, "changes": {"4": {**changes["4"], "duration": 3, "locked": False, "can_embed": False}}}).passed


def test_the_category_of_courses_makes_no_course_of_what_a_task_class_gives() -> None:
    task = {"state_id": 4, "name": "甲", "category": "课程", "status": "existing", "slots": [[1, 1, 3]]}
    call = {"tool": "get_overview", "args": {}}
    as_course = {"state": {"total_days": 1, "tasks": [task]}, "call": call, "outcome": "ok", "reply_contains": ["课程占3/12"]}
    as_item = {
        "state": {"total_days": 1, "tasks": [{**task, "source": "task_item"}]},
        "call": call,
        "outcome": "ok",
        "reply_contains": ["课程占0/12"],
    }
    assert run_case(as_course).passed
    assert run_case(as_item).passed
