"""What users of other private-chat agents complain of, over OneBot: acting twice on one sentence, answering oneself, losing messages silently."""

import asyncio

import pytest

from channels.ground import FRIEND, HERE, SELF, serving, until
from session.ground import call, said


def test_one_sentence_that_arrives_again_and_again_acts_once(room):
    """Complaint 33 (MaiBot#1501)."""
    here = room(call("jot", text="milk"), said("Noted it."))
    here.bind()

    async def scene():
        async with serving(here) as place:
            for _ in range(3):
                napcat = await place.simulator()
                for _ in range(2):
                    await napcat.says(FRIEND, "jot milk", message_id=9)
                await until(lambda: here.states() == ["sent", "sent"])
            return [text for one in place.simulators for _, text in one.people]

    assert asyncio.run(scene()) == ["jotted milk", "Noted it."]
    assert here.effects() == ["jot milk"]


def test_an_echo_of_our_own_words_is_not_answered(room):
    """MaiBot#1861: each answer came back as a message and was answered, seven times."""
    here = room(said("Good morning."), said("Good evening."))
    here.bind()
    here.bind(SELF)

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            await napcat.says(FRIEND, "hello")
            (mine,) = await napcat.gets(1)
            await napcat.says(SELF, mine, target_id=FRIEND)
            await napcat.event(**napcat.private(SELF, mine, post_type="message_sent", target_id=FRIEND))
            await napcat.says(FRIEND, "good night")
            await napcat.gets(2)
            return len(here.provider.requests), napcat.people

    asked, people = asyncio.run(scene())
    assert asked == 2
    assert people == [(FRIEND, "Good morning."), (FRIEND, "Good evening.")]


def test_a_first_word_needs_no_message_to_answer(room):
    """MaiBot#2006, #1690: in a session in which nobody had spoken, nothing could be said."""
    here = room()
    here.bind()
    here.owe("How did the exam go?")

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            await napcat.gets(1)
            return napcat.calls[0]["params"]

    assert asyncio.run(scene()) == {
        "user_id": FRIEND,
        "message": [{"type": "text", "data": {"text": "How did the exam go?"}}],
    }


def test_a_text_that_a_tool_has_sent_is_not_said_again(room):
    """picoclaw#2687: the report, and then the report that it was sent."""
    here = room(call("message", content="The train leaves at nine."), said("The train leaves at nine."))
    here.bind()

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            await napcat.says(FRIEND, "when does it leave?")
            await until(lambda: len(here.provider.requests) == 2 and here.turn(HERE).state == "done")
            return await napcat.gets(1)

    assert asyncio.run(scene()) == ["The train leaves at nine."]


@pytest.mark.parametrize("fate", ["queued", "unknown", "failed"])
def test_what_did_not_arrive_is_never_on_record_as_sent(room, fate):
    """openclaw#97739 (queued is not delivered), MaiBot's adapter #23 (sends lost silently)."""
    here = room(answer_seconds=0.2)
    here.bind()
    mood = {"queued": {"refuse": (429, "")}, "unknown": {"lose": True}, "failed": {"refuse": (1400, "no")}}[fate]

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            napcat.moods = [mood]
            here.owe("are you there?")
            await here.deliver()

    asyncio.run(scene())
    (row,) = here.rows()
    assert row.state == fate
    assert row.sent_message_id is None
    assert (fate == "queued") == (row.reason == "")


def test_an_implementation_that_reconnects_again_and_again_gets_each_message_once(room):
    """MaiBot's adapter #49: a loop of reconnections."""
    here = room(*[lambda request: said(f"heard {request.messages[-1].content}")] * 20)
    here.bind()

    async def scene():
        async with serving(here) as place:
            for number in range(12):
                napcat = await place.simulator()
                await napcat.says(FRIEND, f"line {number}", message_id=1000 + number)
                await napcat.gets(1)
                await until(lambda: set(here.states()) == {"sent"})
                await (napcat.drop() if number % 2 else napcat.close())
                await until(lambda: not here.ways.links.all())
            return [text for one in place.simulators for _, text in one.people]

    assert asyncio.run(scene()) == [f"heard line {number}" for number in range(12)]
