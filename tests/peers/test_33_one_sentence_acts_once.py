"""Complaint 33 (Mai-with-u/MaiBot#1501): one private sentence triggered the action twice."""

import asyncio

import pytest

from session.ground import DESK, ME, OTHER, call, said
from steadyhand.core.ids import SessionId

run = asyncio.run


def twice(room, text="note it", **more):
    async def scene():
        await room.say(text, message_id="m1", **more)
        await room.talk.run(ME, DESK, "en")
        await room.say(text, message_id="m1", **more)
        await room.talk.run(ME, DESK, "en")

    run(scene())


def test_a_message_that_the_channel_delivers_again_is_taken_up_once(talk):
    room = talk(call("jot", text="a"), said("noted"))
    twice(room)
    assert room.effects() == ["jot a"]
    assert [role for role, _ in room.entries()].count("user") == 1


def test_so_is_one_that_is_delivered_many_times_at_the_same_moment(talk):
    room = talk(call("jot", text="a"), said("noted"))

    async def scene():
        taken = await asyncio.gather(*(room.say("note it", message_id="m1") for _ in range(8)))
        await asyncio.gather(*(room.talk.run(ME, DESK, "en") for _ in range(4)))
        return taken

    assert sum(one is not None for one in run(scene())) == 1
    assert room.effects() == ["jot a"]


def test_one_that_comes_again_while_its_turn_runs_is_no_new_one(talk):
    holder = {}

    async def again(context, arguments):
        assert await holder["room"].say("note it", message_id="m1") is None
        return await holder["room"]._jot(context, arguments)

    room = holder["room"] = talk(call("jot_again", text="a"), said("noted"))
    room.registry.register(room.tool("jot_again", "draft", again))
    run(room.hear("note it", message_id="m1"))
    assert room.effects() == ["jot a"]


def test_a_decision_that_is_delivered_again_decides_once(talk):
    room = talk(call("post", text="a"), said("waits"), said("out"))
    run(room.hear("post a"))
    twice(room, "/approve C-1")
    assert room.effects() == ["post a"]


@pytest.mark.parametrize("length", [1, 64, 4_000])
def test_ids_of_any_length_tell_messages_apart(talk, length):
    room = talk(said("one"), said("two"))
    run(room.hear("a", message_id="x" * length))
    run(room.hear("a", message_id="x" * length))
    assert run(room.hear("a", message_id="x" * length + "y")) == ["two"]


def test_the_same_words_twice_are_two_messages(talk):
    room = talk(said("one"), said("two"))
    assert run(room.hear("again")) + run(room.hear("again")) == ["one", "two"]


def test_the_same_id_in_another_session_or_of_another_person_is_another_message(talk):
    room = talk(said("one"), said("two"), said("three"))
    run(room.hear("a", message_id="m1"))
    assert run(room.hear("a", SessionId("other"), message_id="m1")) == ["two"]
    assert run(room.hear("a", DESK, OTHER, message_id="m1")) == ["three"]
