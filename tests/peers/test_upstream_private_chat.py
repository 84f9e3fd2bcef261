"""Complaints of MaiBot's users about private chat that speaks by itself: prompts that name no tool, silence that speaks, stale quiet, echoes."""

import asyncio
import re

import pytest

from channels.conftest import room
from channels.ground import FRIEND, SELF, serving
from onebot_simulator.simulator import segment
from session.ground import call, calls, last, said
from steadyhand.core.language import LANGUAGES
from steadyhand.store.later import wakeups
from steadyhand.wakeups.judging import Quiet, Rules

__all__ = ["room"]

run = asyncio.run


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_tool_that_a_reminder_names_is_one_that_can_be_called(bed_for, language):
    """MaiBot#1853: the prompt said no_reply and the tool was no_action."""
    bed = bed_for(said("words that nobody sees"), call("finish", reason=""))
    bed.follow_up()
    bed.pass_time(minutes=2)
    bed.tick()
    run(bed.room.talk.run(bed.by().user, bed.by().session, language))
    reminded, corrected = bed.room.provider.requests
    told = str(reminded.messages[-1].content) + str(corrected.messages[-1].content)
    named = set(re.findall(r"[a-z]+(?:_[a-z]+)+|finish|reply", told))
    assert {"send_private_message", "finish", "reply"} <= named
    assert named <= {tool.name for tool in reminded.tools}


def test_words_beside_a_decision_to_stay_silent_are_not_sent(bed_for):
    """MaiBot#1360: it had decided not to reply, and a message went out."""
    bed = bed_for(calls(("finish", {"reason": "asleep"}), text="Good night!"))
    made = bed.follow_up()
    bed.pass_time(minutes=2)
    assert bed.wake() == []
    assert bed.row(made).completion_action == "skipped"


def test_why_it_stayed_silent_is_on_record(bed_for):
    """MaiBot#1898: asked why it had said nothing, it did not know."""
    bed = bed_for(call("finish", reason="they told me already"), said("You had told me already."))
    bed.follow_up()
    bed.pass_time(minutes=2)
    bed.wake()
    run(bed.room.hear("why did you not come back to me?"))
    assert "they told me already" in str(bed.room.provider.requests[1].messages)


def test_after_weeks_of_silence_a_promise_is_still_kept(bed_for):
    """MaiBot#1230, #752: nothing at the planned time in a chat that had long been silent."""
    bed = bed_for(call("send_private_message", message_text="How was the exam?"), said(""))
    made = bed.follow_up(minutes=60 * 24 * 40)
    bed.pass_time(days=40)
    assert bed.wake() == ["How was the exam?"]
    assert bed.row(made).completion_action == "sent_private_message"


def test_quiet_hours_ask_no_model(bed_for):
    """MaiBot#731 and hermes-agent#106339: the time of day was ignored, or left to a prompt that cost most of the tokens."""
    bed = bed_for(rules=Rules(Quiet(23 * 60, 7 * 60)))
    made = bed.follow_up(minutes=60 * 23)
    bed.pass_time(hours=23)
    for _ in range(5):
        assert bed.wake() == []
        bed.pass_time(hours=1)
    assert bed.room.provider.requests == []
    assert bed.row(made).status == "pending"


def test_arguments_that_are_wrapped_once_more_do_not_spoil_the_turn(talk):
    """MaiBot#2022: they were kept in the history as they stood, and no later call came right."""
    here = talk(call("jot", arguments='{"text": "milk"}'), call("jot", text="milk"), said("Noted."), said("You are welcome."))
    assert run(here.hear("jot milk")) == ["jotted milk", "Noted."]
    refused = last(here.provider.requests[1], "tool")
    assert refused.code == "bad_argument"
    assert here.effects() == ["jot milk"]
    assert run(here.hear("thanks")) == ["You are welcome."]


def test_each_message_is_answered_however_short_and_whatever_it_begins_with(room):
    """MaiBot#1599, #1609: a message to the bot was not answered, since a threshold of messages was not reached."""
    lines = [[segment("at", qq=str(SELF)), " hi"], ["?"], ["ok"], [segment("face", id="14")]]
    here = room(*[said(f"answer {number}") for number in range(len(lines))])
    here.bind()

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            for number, line in enumerate(lines, 1):
                await napcat.says(FRIEND, *line)
                await napcat.gets(number)
            return napcat.people

    assert run(scene()) == [(FRIEND, f"answer {number}") for number in range(len(lines))]


def test_a_session_is_never_woken_by_two_at_once(bed_for):
    """MaiBot, pull request 1663: a race started several thoughts about one occasion."""
    bed = bed_for(call("send_private_message", message_text="How did it go?"), said(""))
    made = bed.follow_up()
    bed.pass_time(minutes=2)
    others = [bed.again() for _ in range(3)]

    async def scene():
        taken = await asyncio.gather(*(one.waking.tick(100) for one in (bed, *others)))
        await asyncio.gather(*(bed.room.talk.run(bed.by().user, bed.by().session, "en") for _ in range(3)))
        return sum(taken)

    assert run(scene()) == 1
    assert bed.room.channel.texts == ["How did it go?"]
    [row] = bed.store.read_now(lambda tx: wakeups.of_user(tx, bed.by().user))
    assert (row.id, row.attempt) == (made.row.id, 1)
