"""What may stand in a text that the model reads: both languages whole, no advice, nothing stored, no date."""

import re
import string
import tomllib
from importlib import resources
from typing import Any

import pytest

from steadyhand.core.language import LANGUAGES, Language, catalogue
from steadyhand.domains.schedule.board.model import Block, Place, Task
from steadyhand.domains.schedule.board.timetable import Timetable
from steadyhand.domains.schedule.term.window import Window
from steadyhand.domains.schedule.tools.arguments import TOOLS, run

ADVICE: dict[Language, str] = {
    "zh-CN": "建议|推荐|应该|应当|最好|不妨|考虑|请|可以尝试|尝试|优先|优于|(?<!变)更|比较|较|合理|合适|适合|理想|均衡|如果|假如|若|也许|可能|或许|大概|无需|需要先",
    "en": r"\b(suggest|suggestion|suggestions|recommend\w*|should|ought|better|best|worse|worst|prefer\w*|consider\w*|please|try|instead|ideal\w*|"
    r"optimal\w*|balanced|reasonable|good|bad|if|would|could|might|may|perhaps|maybe|probably|likely|use)\b",
}
C10 = {"pending_move"}


def texts(language: Language) -> dict[str, str]:
    folder = resources.files("steadyhand.domains.schedule").joinpath("texts")
    tables: dict[str, Any] = tomllib.loads(folder.joinpath(f"{language}.toml").read_text(encoding="utf-8"))
    return {**tables["schedule"]["literal"], **tables["schedule"]["added"]}


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def test_both_languages_have_every_text_with_the_same_placeholders() -> None:
    own = [message for message in catalogue("zh-CN") if message.startswith(("schedule.", "error.timetable_inconsistent"))]
    assert len(own) > 150
    for message in own:
        assert fields(catalogue("zh-CN")[message]) == fields(catalogue("en")[message]), message


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_advises_compares_or_supposes(language: Language) -> None:
    word = re.compile(ADVICE[language], re.IGNORECASE)
    found = {key: match.group() for key, text in texts(language).items() if (match := word.search(text))}
    assert set(found) == C10, found


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_tool_has_a_manual_that_names_all_its_arguments(language: Language) -> None:
    for name, entry in TOOLS.items():
        manual = catalogue(language)[f"tool.{name}.description"]
        for argument in entry.arguments.model_fields:
            assert re.search(rf"\b{argument}\b", manual), (name, argument)
        assert not re.search(ADVICE[language], manual, re.IGNORECASE), name


STORED = re.compile(
    r"\bsource|星期|周[一二三四五六日末]|\d+月|\d+日|\d{4}-\d\d|\bweek|\b(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|task_item|\bevent",
    re.IGNORECASE,
)
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("get_overview", {}),
    ("query_range", {"day": 7}),
    ("query_range", {"day": 7, "slot_start": 1, "slot_end": 6}),
    ("query_range", {"day": 99}),
    ("find_first_free", {"duration": 2}),
    ("find_free", {"duration": 12}),
    ("list_tasks", {}),
    ("list_tasks", {"status": "existing"}),
    ("get_task_info", {"task_id": 1}),
    ("get_task_info", {"task_id": 4}),
    ("query_available_slots", {}),
    ("query_target_tasks", {}),
    ("evaluate", {}),
    ("place", {"task_id": 4, "day": 2, "slot_start": 1}),
    ("move", {"task_id": 3, "new_day": 2, "new_slot_start": 1}),
    ("swap", {"task_a": 1, "task_b": 3}),
    ("batch_move", {"moves": [{"task_id": 3, "new_day": 2, "new_slot_start": 1}]}),
    ("unplace", {"task_id": 3}),
    ("place", {"task_id": 4, "week": 3, "source_id": 90001}),
]


def small() -> Timetable:
    return Timetable(
        Window(5, 3, 13),
        [
            Task(1, "event", 90001, "高数", "课程", Place("existing", (Block(1, 1, 2),)), is_course=True, locked=True),
            Task(2, "event", 90002, "思政", "课程", Place("existing", (Block(7, 1, 4),)), is_course=True, can_embed=True),
            Task(
                3, "task_item", 90003, "报告", "作业", Place("suggested", (Block(7, 1, 2),), 2, 2), category_id=90007, position=1
            ),
            Task(
                4,
                "task_item",
                90004,
                "复习",
                "作业",
                Place("pending", (), 2),
                category_id=90007,
                position=2,
                earliest=3,
                deadline=9,
            ),
        ],
    )


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_no_reply_names_a_date_a_weekday_or_a_stored_key(name: str, arguments: dict[str, Any], language: Language) -> None:
    text = run(small(), name, arguments).text(language)
    assert text
    assert not STORED.search(text)
    assert "9000" not in text


def test_no_tool_takes_a_date_a_weekday_or_a_stored_key() -> None:
    for entry in TOOLS.values():
        names = str(entry.arguments.model_json_schema())
        assert not re.search(r"week|date|source|category_id|\bdow\b", names)


def test_every_reply_is_worded_in_english_without_chinese_of_its_own() -> None:
    for name, arguments in CALLS:
        english = run(small(), name, arguments).text("en")
        own = re.sub("高数|思政|报告|复习|作业", "", english)
        assert not re.search("[\u4e00-\u9fff]", own), english


def test_english_counts_agree_with_their_nouns() -> None:
    timetable = Timetable(Window(1, 1, 1), [Task(1, "task_item", 1, "Read", "Study", Place("pending", (), 1))])
    assert "needs 1 consecutive slot," in run(timetable, "list_tasks", {"status": "pending"}).text("en")
    assert "has 1 day of 12 slots" in run(timetable, "get_overview", {}).text("en")


def test_english_of_the_writes_reads_like_english() -> None:
    timetable = small()
    placed = run(timetable, "place", {"task_id": 4, "day": 2, "slot_start": 1}).text("en")
    assert placed == "Placed [4]复习 on day 2, slots 1-2.\nDay 2 now: [4]复习 (slots 1-2); 2/12 taken.\nPending tasks left: 0."
    refused = run(timetable, "move", {"task_id": 4, "new_day": 1, "new_slot_start": 2}).text("en")
    assert refused == (
        "Not moved: [1]高数 stands in the way on day 1, slots 2-3.\nDay 1 now: [1]高数 (slots 1-2); 2/12 taken. Free: slots 3-12."
    )


def test_a_category_is_found_by_the_word_that_either_language_shows() -> None:
    timetable = small()
    by_word = {
        word: run(timetable, "list_tasks", {"category": word}).data["tasks"] for word in ("课程", "course", "作业", "work")
    }
    assert [len(tasks) for tasks in by_word.values()] == [2, 2, 2, 0]  # type: ignore[arg-type]  # data is JSON


def test_a_reply_tells_what_was_true_at_the_call_whenever_it_is_read() -> None:
    timetable = small()
    reply = run(timetable, "query_range", {"day": 2})
    before = run(timetable, "query_range", {"day": 2}).text("en")
    run(timetable, "place", {"task_id": 4, "day": 2, "slot_start": 1})
    assert reply.text("en") == before


def test_names_with_braces_or_bars_are_quoted_as_they_are() -> None:
    timetable = Timetable(Window(1, 1, 1), [Task(1, "task_item", 1, "{n:a|b} {0}", "C", Place("pending", (), 1))])
    for language in LANGUAGES:
        assert "[1]{n:a|b} {0}" in run(timetable, "get_overview", {}).text(language)
