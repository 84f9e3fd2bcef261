"""Complaint 26 (openclaw/openclaw#70953): the turn went on while an approval was pending and flooded the person with requests."""

import asyncio

import pytest

from session.ground import ME, call, calls, last, said
from steadyhand.core.ids import SessionId
from steadyhand.store.changes import changes
from steadyhand.tools.policy import Rule

run = asyncio.run
ASK_EXEC = [Rule("ask", effect="exec")]


def open_changes(room):
    return [row.number for row in room.store.read_now(lambda tx: changes.of_user(tx, ME))]


STORIES = {
    "in one answer": [calls(*(("post", {"text": str(index)}) for index in range(6))), said("they wait")],
    "one after the other": [*(call("post", text=str(index)) for index in range(5)), said("they wait")],
    "by another tool": [call("post", text="0"), call("command", text="0"), said("it waits")],
    "the very same again": [call("post", text="0"), call("post", text="0"), said("it waits")],
}


@pytest.mark.parametrize("story", STORIES)
def test_one_call_at_a_time_is_put_before_the_person(talk, story):
    room = talk(*STORIES[story], rules=ASK_EXEC)
    shown = run(room.hear("post them all"))
    assert open_changes(room) == [1]
    assert sum("will be called once" in text for text in shown) == 1
    assert not room.effects()


def test_the_model_is_told_at_once_what_waits(talk):
    room = talk(call("post", text="a"), call("post", text="b"), said("C-1 waits"))
    run(room.hear("post both"))
    refused = last(room.provider.requests[2], "tool")
    assert refused.code == "held_already"
    assert "C-1" in refused.content


def test_a_later_turn_cannot_ask_for_more_either(talk):
    room = talk(
        call("post", text="a"),
        said("waits"),
        call("post", text="b"),
        said("still waits"),
        said("out"),
        call("post", text="b"),
        said("now this one waits"),
    )
    run(room.hear("post a"))
    run(room.hear("and b"))
    assert open_changes(room) == [1]
    run(room.hear("/approve C-1"))
    run(room.hear("b, please"))
    assert open_changes(room) == [2, 1]
    assert room.effects() == ["post a"]


def test_each_session_has_its_own_question(talk):
    room = talk(call("post", text="a"), said("waits"), call("post", text="b"), said("waits"))
    run(room.hear("post a"))
    run(room.hear("post b", SessionId("other")))
    assert open_changes(room) == [2, 1]


def test_reading_goes_on_while_a_call_waits(talk):
    room = talk(call("post", text="a"), call("peek", text="b"), said("C-1 waits"))
    run(room.hear("post a"))
    assert last(room.provider.requests[2], "tool").content == "seen b"
