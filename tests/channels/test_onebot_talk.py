"""Private chat over OneBot: what a bound account says comes in once and as it was said; what it is owed goes out once and in order."""

import asyncio
import json

import pytest

from channels.ground import FRIEND, HERE, SELF, serving, until
from onebot_simulator.simulator import STARTED, segment
from session.ground import ME, OTHER, said
from steadyhand.core.clock import from_text
from steadyhand.store.sessions import conversations, inbox, turns


def test_a_message_is_answered_and_the_answer_is_sent_once(room_anywhere):
    here = room_anywhere(said("The morning is free."))
    here.bind()

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            heard = await napcat.says(FRIEND, "what about Monday?")
            got = await napcat.gets(1)
            await until(lambda: here.states() == ["sent"])
            return heard, got, napcat.calls

    heard, got, calls = asyncio.run(scene())
    assert got == ["The morning is free."]
    assert len(calls) == 1
    assert calls[0]["params"] == {"user_id": FRIEND, "message": [{"type": "text", "data": {"text": "The morning is free."}}]}
    history = here.history(HERE)
    assert [(entry.role, entry.content) for entry in history] == [
        ("user", "what about Monday?"),
        ("assistant", "The morning is free."),
    ]
    assert [entry.channel_message_id for entry in history] == [str(heard), here.rows()[0].sent_message_id]
    assert here.spoke == [(ME, HERE, "onebot")]
    row = here.store.read_now(lambda tx: conversations.find_session(tx, ME, HERE))
    assert (row.channel, row.address) == ("onebot", {"self_id": str(SELF), "account": str(FRIEND)})


def test_the_same_message_twice_is_one(room):
    here = room(said("once"), said("again"))
    here.bind()

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            for _ in range(3):
                await napcat.says(FRIEND, "are you there?", message_id=77)
            await napcat.gets(1)
            await napcat.drop()
            napcat = await place.simulator()
            await napcat.says(FRIEND, "are you there?", message_id=77)
            await napcat.says(FRIEND, "and now?", message_id=78)
            return await napcat.gets(1)

    assert asyncio.run(scene()) == ["again"]
    assert [text for role, text in here.entries(HERE) if role == "user"] == ["are you there?", "and now?"]


def test_the_same_id_at_another_of_our_accounts_is_another_message(room):
    here = room(said("one"), said("two"))
    here.bind()

    async def scene():
        async with serving(here) as place:
            first, second = await place.simulator(), await place.simulator(10009)
            await first.says(FRIEND, "hello", message_id=5)
            await first.gets(1)
            await second.says(FRIEND, "hello", message_id=5)
            return await second.gets(1)

    assert asyncio.run(scene()) == ["two"]


@pytest.mark.parametrize("form", ["array", "string"])
def test_segments_come_in_as_words_and_a_reply_as_what_it_quotes(room, form):
    here = room(said("seen"))
    here.bind()

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator(form=form)
            await napcat.says(
                FRIEND,
                segment("reply", id="4711"),
                "see [this] & that, ",
                segment("image", file="a.png"),
                segment("face", id="178"),
            )
            await napcat.gets(1)

    asyncio.run(scene())
    assert here.entries(HERE)[0] == ("user", "see [this] & that, [picture][emoji: 178]")


def test_what_we_said_ourselves_groups_and_notices_are_no_messages(room):
    here = room(said("only this"))
    here.bind()
    here.bind(SELF)

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            await napcat.says(SELF, "an echo of mine")
            await napcat.event(**napcat.private(FRIEND, "mine too", post_type="message_sent"))
            await napcat.event(**napcat.private(FRIEND, "in a group", message_type="group", sub_type="normal", group_id=1))
            await napcat.event(**napcat.private(FRIEND, "in a guild", message_type="guild"))
            await napcat.event(post_type="notice", notice_type="friend_recall", user_id=FRIEND, message_id=1)
            await napcat.event(post_type="request", request_type="friend", user_id=FRIEND, comment="hi", flag="f")
            await napcat.heartbeat()
            await napcat.says(FRIEND, "to you")
            return await napcat.gets(1)

    assert asyncio.run(scene()) == ["only this"]
    assert [text for role, text in here.entries(HERE) if role == "user"] == ["to you"]


def test_a_message_for_another_account_than_the_one_that_connected_is_not_taken(room):
    here = room(said("mine"))
    here.bind()

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            await napcat.says(FRIEND, "to somebody else", self_id=99999)
            await napcat.says(FRIEND, "to you")
            return await napcat.gets(1)

    assert asyncio.run(scene()) == ["mine"]
    assert [text for role, text in here.entries(HERE) if role == "user"] == ["to you"]


def test_two_quick_messages_are_both_taken_up(room):
    here = room(*[said("well")] * 3)
    here.bind()

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            await napcat.says(FRIEND, "first")
            await napcat.says(FRIEND, "second")
            await until(lambda: {"first", "second"} <= {word for _, text in here.entries(HERE) for word in text.split("\n")})

    asyncio.run(scene())
    assert here.waiting(HERE) == []


def test_people_do_not_see_each_other(room):
    here = room(*[lambda request: said(f"you said {request.messages[-1].content}")] * 2)
    here.bind(20002, ME)
    here.bind(20003, OTHER)

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            await asyncio.gather(napcat.says(20002, "mine"), napcat.says(20003, "theirs"))
            await napcat.gets(2)
            return sorted(napcat.people)

    assert asyncio.run(scene()) == [(20002, "you said mine"), (20003, "you said theirs")]
    assert here.entries("onebot-10001-20003", OTHER) == [("user", "theirs"), ("assistant", "you said theirs")]
    assert here.entries("onebot-10001-20003", ME) == []


def test_a_long_text_goes_out_in_parts_and_in_order(room):
    paragraphs = [f"Paragraph {number}. " + "word " * 150 for number in range(12)]
    here = room(said("\n\n".join(paragraphs)))
    here.bind()

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            await napcat.says(FRIEND, "tell me all")
            await until(lambda: here.states() == ["sent"] if here.rows() else False)
            return [text for _, text in napcat.people]

    parts = asyncio.run(scene())
    assert len(parts) > 2
    assert all(len(part) <= 3000 for part in parts)
    assert "".join("".join(parts).split()) == "".join("".join(paragraphs).split())


def test_an_answer_to_a_message_quotes_it(room):
    here = room(said("noted"))
    here.bind()

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            heard = await napcat.says(FRIEND, "remember this")
            await napcat.gets(1)
            entry = here.history(HERE)[0]
            here.owe("about that", turn="t1", reply_to=entry.id)
            here.owe("by its own name", turn="t2", reply_to=str(heard))
            here.owe("about nothing", turn="t3", reply_to="no such message")
            await here.deliver()
            return heard, [call["params"]["message"][0] for call in napcat.calls[1:]]

    heard, first = asyncio.run(scene())
    assert first[:2] == [{"type": "reply", "data": {"id": str(heard)}}] * 2
    assert first[2]["type"] == "text"


@pytest.mark.parametrize("wrong", [-7_200, 0, 7_200])
def test_a_clock_of_the_implementation_that_is_slow_or_fast_moves_no_message(room, wrong):
    """When a message was begun is told by their clock; what theirs differs from ours is learned from its signs of life."""
    here = room(said("heard"))
    here.bind()

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator(wrong=wrong)
            await napcat.raw(json.dumps({**napcat.private(FRIEND, "hello"), "time": STARTED + wrong - 40}))
            await napcat.gets(1)

    asyncio.run(scene())
    (inbound,) = here.store.read_now(lambda tx: inbox.of_turn(tx, ME, turns.latest(tx, ME, HERE).id))
    ago = here.store.clock.now() - from_text(inbound.body["begun"])
    assert abs(ago.total_seconds() - 40) < 2, ago
