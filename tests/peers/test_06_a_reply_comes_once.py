"""Complaints 6 and 7 (HKUDS/nanobot#783, sipeed/picoclaw#2687): every reply came twice, by the tool and by the last words."""

import asyncio

import pytest

from session.ground import DESK, ME, call, calls, said

run = asyncio.run
STORIES = {
    "the tool and the last words say the same": ([call("message", text="hello"), said("hello")], ["hello"]),
    "with other spaces round it": ([call("message", text="hello"), said("\n hello \n")], ["hello"]),
    "the tool has spoken and nothing is left to say": ([call("message", text="hello"), said("")], ["hello"]),
    "a result is for the person": ([call("jot", text="a"), said("jotted a")], ["jotted a"]),
    "the tool says the same twice": ([calls(("message", {"text": "hello"})), call("message", text=" hello"), said("")], None),
    "two results are the same": (
        [call("jot", text="a"), calls(("peek", {}), ("jot", {"text": "a"})), said("ok")],
        ["jotted a", "ok"],
    ),
    "a review is repeated in the last words": ([call("note", text="a"), lambda request: said("C-1 waits for you.")], None),
    "something else is said besides": ([call("message", text="hello"), said("and goodbye")], ["hello", "and goodbye"]),
}


@pytest.mark.parametrize("story", STORIES)
def test_the_person_reads_each_thing_once(talk, story):
    script, expected = STORIES[story]
    room = talk(*script)
    shown = run(room.hear("say it"))
    plain = [text.strip() for text in shown]
    assert len(plain) == len(set(plain))
    if expected is not None:
        assert shown == expected


def test_what_was_delivered_is_not_delivered_again_by_a_later_run(talk):
    room = talk(said("hello"))
    run(room.hear("say it"))
    for _ in range(3):
        run(room.talk.run(ME, DESK, "en"))
        run(room.parts.outbox.deliver(ME, DESK))
    assert room.channel.tries == ["hello"]


def test_the_history_has_it_once_too(talk):
    room = talk(call("message", text="hello"), said("hello"))
    run(room.hear("say it"))
    assert [content for role, content in room.entries() if role == "assistant" and content] == ["hello"]
