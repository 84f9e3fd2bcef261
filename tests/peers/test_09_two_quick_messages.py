"""Complaint 9 (sipeed/picoclaw#2447): of two quick messages only the last was processed."""

import asyncio

import pytest

from session.ground import DESK, ME, call, said
from steadyhand.core.wire import Completion

run = asyncio.run


class Echo:
    """Answers with what the person said last; *between* is awaited while it thinks."""

    def __init__(self, between=None):
        self.between = between
        self.heard = []

    async def stream(self, request):
        words = [message.content for message in request.messages if message.role == "user"]
        self.heard.append(words)
        if self.between is not None:
            await self.between()
        yield Completion(f"heard {words[-1]}")


@pytest.mark.parametrize("count", [2, 5])
def test_messages_that_are_there_before_the_first_is_taken_up_are_all_processed_in_order(talk, count):
    room = talk(provider=Echo())
    for index in range(count):
        run(room.say(f"m{index}"))
    run(room.talk.run(ME, DESK, "en"))
    assert [content for role, content in room.entries() if role == "user"] == [f"m{index}" for index in range(count)]
    assert room.provider.heard[-1] == [f"m{index}" for index in range(count)]
    assert room.channel.texts[-1] == f"heard m{count - 1}"
    assert not room.waiting()


def test_a_message_that_comes_while_the_model_thinks_is_answered_too(talk):
    holder = {"left": 2}

    async def between():
        if holder["left"]:
            holder["left"] -= 1
            await holder["room"].say(f"more {holder['left']}")

    room = holder["room"] = talk(provider=Echo(between))
    assert run(room.hear("first")) == ["heard first", "heard more 1", "heard more 0"]
    assert not room.waiting()


def test_messages_sent_at_the_same_moment_are_each_taken_once(talk):
    room = talk(provider=Echo())

    async def scene():
        await asyncio.gather(*(room.say(f"m{index}") for index in range(8)))
        await asyncio.gather(*(room.talk.run(ME, DESK, "en") for _ in range(4)))
        while room.waiting():
            await room.talk.run(ME, DESK, "en")

    run(scene())
    heard = [content for role, content in room.entries() if role == "user"]
    assert sorted(heard) == sorted(f"m{index}" for index in range(8))
    assert len(heard) == 8


def test_a_decision_behind_a_message_waits_for_its_own_moment(talk):
    room = talk(call("note", text="a"), said("look"), said("hm"))
    run(room.hear("note it"))
    run(room.say("by the way"))
    run(room.say("/approve C-1"))
    run(room.talk.run(ME, DESK, "en"))
    assert room.change(1).state == "verified"
    assert not room.waiting()
