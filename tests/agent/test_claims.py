"""What nobody looked up gets a note; what was looked up does not."""

import pytest

from steadyhand.agent.claims import supported
from steadyhand.core.wire import ToolCall
from steadyhand.domains.schedule.assertions import assertions
from steadyhand.tools.result import error_result, tool_result

KNOWN = assertions()
"""What the timetable says that only a look of its own supports."""
FREE = [
    "There is no conflict on Wednesday.",
    "That does not conflict with anything.",
    "It doesn't clash.",
    "You are free on Tuesday evening.",
    "You'll be free then.",
    "There are no time conflicts.",
    "Nothing is scheduled that day.",
    "这个时间没有冲突。",
    "不会冲突，可以放心。",
    "周三晚上的时间是空闲的",
    "那天都有空",
    "周五没有课",
]
PLAIN = [
    "I moved it in the draft.",
    "Which day suits you?",
    "There is a conflict on Wednesday.",
    "The course is free of charge.",
    "好的，请问哪一天？",
    "周三与思政冲突",
    "",
]


def ran(name, result):
    return [(ToolCall("1", name, "{}"), result)]


@pytest.mark.parametrize("text", FREE)
def test_words_about_free_times_that_nobody_looked_up_get_a_note(text):
    noted = supported(text, [], KNOWN, "en")
    assert noted.startswith(text + "\n")
    assert "was not looked at" in noted


@pytest.mark.parametrize("text", FREE)
def test_after_a_look_they_stand_as_they_are(text):
    assert supported(text, ran("get_overview", tool_result("all")), KNOWN, "en") == text


@pytest.mark.parametrize("result", [("get_overview", error_result("no")), ("web_fetch", tool_result("a page"))])
def test_a_look_that_failed_or_looked_elsewhere_supports_nothing(result):
    assert supported(FREE[0], ran(*result), KNOWN, "en") != FREE[0]


@pytest.mark.parametrize("text", PLAIN)
def test_other_words_are_left_alone(text):
    assert supported(text, [], KNOWN, "zh-CN") == text
