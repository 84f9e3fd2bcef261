"""An export has the whole history: as JSON with every part of each entry, as Markdown in which nothing that was said becomes form."""

import json

import pytest

from steadyhand.core.ids import SessionId
from steadyhand.session.export import export_json, export_markdown
from steadyhand.store.sessions.conversations import Said, SessionRow

AT = "2026-09-07T01:00:00.000000Z"
ROW = SessionRow(SessionId("desk"), "terminal", "期末", None, 3, AT, AT)
CALL = [{"id": "c", "name": "query_range", "arguments": '{"day": 1}'}]


def entry(number, role, content, **more):
    return Said(str(number), role, content, "test", "turn", seq=number, at=AT, **more)


ENTRIES = [
    entry(1, "user", "# 周一\n有课吗？", channel_message_id="m1"),
    entry(2, "assistant", "", calls=CALL),
    entry(3, "tool", "```\n第1节\n````", call_id="c", data={"rows": [1]}),
    entry(4, "assistant", "有。"),
]


def test_json_has_every_part_of_every_entry():
    found = json.loads(export_json(ROW, ENTRIES))
    assert found["session"] == {
        "id": "desk",
        "name": "期末",
        "channel": "terminal",
        "messages": 3,
        "created_at": AT,
        "last_used_at": AT,
    }
    assert [one["content"] for one in found["entries"]] == [one.content for one in ENTRIES]
    assert (found["entries"][0]["channel_message_id"], found["entries"][1]["calls"]) == ("m1", CALL)
    assert (found["entries"][2]["call_id"], found["entries"][2]["data"], found["entries"][2]["seq"]) == ("c", {"rows": [1]}, 3)


@pytest.mark.parametrize(
    ("language", "words"),
    [("zh-CN", ("会话 期末", "用户", "调用 query_range")), ("en", ("Session 期末", "Person", "Call of query_range"))],
)
def test_markdown_tells_who_said_what_and_when_in_the_persons_zone(language, words):
    text = export_markdown(ROW, ENTRIES, language, "Asia/Shanghai").decode()
    assert all(word in text for word in words)
    assert text.count("## 2026-09-07 09:00:00") == 4
    assert '```json\n{"day": 1}\n```' in text


def test_what_was_said_is_no_heading_and_ends_no_fence():
    text = export_markdown(ROW, ENTRIES, "en", "UTC").decode()
    assert "> # 周一\n> 有课吗？" in text
    assert "`````\n```\n第1节\n````\n`````" in text
    assert [line for line in text.splitlines() if line.startswith("# ")] == ["# Session 期末"]


def test_marks_that_a_terminal_obeys_are_written_out():
    text = export_markdown(ROW, [entry(1, "user", "a\x1b[2Jb"), entry(2, "tool", "c\u202ed", call_id="x")], "en", "UTC").decode()
    assert "a\\u001b[2Jb" in text
    assert "c\\u202ed" in text


def test_a_session_without_history_says_so():
    assert "older than history is kept" in export_markdown(ROW, [], "en", "UTC").decode()
    assert json.loads(export_json(ROW, []))["entries"] == []
