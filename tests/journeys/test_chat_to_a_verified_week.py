"""A conversation takes the example week to verified: at a terminal and through a pipe without a model, and by a model's tool calls."""

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from cli_chat.ground import Sitting, calls
from command_line.ground import TASK_FILE, TERM_FILE, content, in_child, in_here, states
from command_line.terminal import Terminal
from steadyhand.core.clock import FakeClock
from steadyhand.core.config import Settings
from steadyhand.core.language import Language
from steadyhand.core.wire import Completion, Request
from steadyhand.wiring.app import open_app

pytestmark = pytest.mark.usefixtures("september")

EVENTS = 12 + 15
PROMPT = "\x1b[?2004h"
"""What a terminal is told when the next line may be typed."""
WORDS: dict[str, dict[str, str]] = {
    "en": {
        "arrange": "arrange everything",
        "whole": "to the end of the term",
        "show": "show me week 9",
        "week": "week 9 of 18",
        "propose": "propose",
        "ready": "C-3: ready",
        "yes": "yes",
        "verified": "C-3: verified by reading back",
    },
    "zh-CN": {
        "arrange": "把所有任务都安排好",
        "whole": "到学期结束",
        "show": "看看第9周",
        "week": "第9周，共18周",
        "propose": "提交",
        "ready": "C-3：已就绪",
        "yes": "好的",
        "verified": "C-3：验证完成",
    },
}


@pytest.fixture
def with_examples(data_dir: Path) -> Path:
    """A data folder with the example term and its tasks, both approved."""
    for words in (("import", TERM_FILE), ("tasks", "add", TASK_FILE)):
        opened = in_here(data_dir, "--json", "schedule", *words).data["change"]
        assert in_here(data_dir, "change", "approve", opened["name"], opened["seal_digest"][:8]).code == 0
    return data_dir


def held(data_dir: Path) -> tuple[int, list[tuple[int, str]]]:
    database = data_dir / "steadyhand.db"
    return len(content(database)["events"]), states(database)


VERIFIED = (EVENTS, [(1, "verified"), (2, "verified"), (3, "verified")])


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_at_a_terminal_without_a_model_five_messages_lead_to_a_verified_week(with_examples: Path, language: Language) -> None:
    words = WORDS[language]
    terminal = Terminal(with_examples, "--lang", language, "chat", PROMPT_TOOLKIT_NO_CPR="1", NO_COLOR="1")

    def says(text: str, until: str) -> None:
        prompts = terminal.shown.count(PROMPT)
        terminal.type(text)
        terminal.expect(until)
        terminal.expect_again(PROMPT, prompts + 1)  # what is typed while a turn runs would be said before its end was read

    terminal.expect(PROMPT)
    says(words["arrange"], words["whole"])
    whole = re.search(rf"(\d)\. [^\n]*{words['whole']}", terminal.shown)
    assert whole is not None
    says(whole[1], "· arrange …")
    assert held(with_examples)[1] == VERIFIED[1][:2], "nothing is written yet"
    says(words["show"], words["week"])
    says(words["propose"], words["ready"])
    assert held(with_examples)[1] == [*VERIFIED[1][:2], (3, "sealed")]
    says(words["yes"], words["verified"])
    terminal.press("\x04")
    assert terminal.end() == 0
    assert held(with_examples) == VERIFIED


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_through_processes_that_each_take_one_message_it_goes_the_same_way(with_examples: Path, language: Language) -> None:
    words = WORDS[language]

    def says(text: str) -> str:
        done = in_child(with_examples, "--lang", language, "chat", "--session", "week", "--once", text)
        assert done.returncode == 0, (done.stdout, done.stderr)
        return done.stdout

    whole = re.search(rf"(\d)\. [^\n]*{words['whole']}", says(words["arrange"]))
    assert whole is not None
    says(whole[1])
    says(words["propose"])
    assert words["verified"] in says(words["yes"])
    assert held(with_examples) == VERIFIED


def test_a_no_leaves_the_week_as_it_was(with_examples: Path) -> None:
    def says(text: str) -> Sequence[Any]:
        done = in_child(with_examples, "--lang", "en", "--json", "chat", "--once", text)
        return [json.loads(line) for line in done.stdout.splitlines()]

    question = next(one for one in says("arrange everything") if one["type"] == "message")["text"]
    whole = re.search(rf"(\d)\. [^\n]*{WORDS['en']['whole']}", question)
    assert whole is not None
    says(whole[1])
    review = [one for one in says("propose") if one["type"] == "message" and one["change"] == 3]
    assert len(review) == 1
    assert says("no")[-1]["ok"]
    assert held(with_examples) == (12, [*VERIFIED[1][:2], (3, "rejected")])


def test_a_scripted_model_goes_there_by_its_tools_and_only_the_person_approves(with_examples: Path) -> None:
    def proposed(request: Request) -> Completion:
        assert "approve" not in {word for tool in request.tools for word in tool.name.split("_")}
        return calls("propose", call_id="call_4")

    app = open_app(Settings(data_dir=with_examples), "en", FakeClock(datetime(2026, 9, 1, 1, 0, tzinfo=UTC)))
    try:
        here = Sitting(
            app,
            (
                calls("get_overview", call_id="call_1"),
                calls("arrange", call_id="call_2"),
                calls("get_overview", call_id="call_3"),
                calls("arrange", call_id="call_5"),
                calls("show_week", '{"day": 1}', "call_6"),
                proposed,
                Completion("Have a look, and tell me whether it may be written."),
            ),
        )
        asked, chosen = here.says("Plan my term", "1")
        assert (asked.ok, asked.end) == (True, "asked")
        assert (chosen.ok, chosen.end) == (True, "answered")
        assert [owed.source for owed in here.face.messages] == ["question", "tool", "reply", "review"]
        assert held(with_examples)[1][-1] == (3, "sealed")
        (decided,) = here.says("yes")
        assert decided.ok
        assert here.face.texts[-1] == "C-3: verified by reading back"
        assert here.provider.left == 0
    finally:
        app.store.close()
    assert held(with_examples) == VERIFIED
