"""Complaint 35 (amd/gaia#2571): the agent asserted that there was no conflict without looking, and was wrong."""

import asyncio

import pytest

from session.ground import call, said

run = asyncio.run
ASSERTIONS = [
    "There is no conflict then.",
    "You are free on Wednesday.",
    "It doesn't clash with anything.",
    "那个时间没有冲突。",
    "周三都有空。",
]
NOTE = "was not looked at in this turn"
UNSEEN = {
    "nothing was called": [],
    "another thing was looked up": [call("choices")],
    "the look failed": [call("peek", text="fail")],
    "the look was not run": [call("peek", wrong=1)],
    "something was written": [call("jot", text="a")],
}


@pytest.mark.parametrize("assertion", ASSERTIONS)
@pytest.mark.parametrize("story", UNSEEN)
def test_an_assertion_that_nobody_looked_up_carries_a_note(talk, story, assertion):
    room = talk(*UNSEEN[story], said(assertion))
    told = run(room.hear("is it free?"))[-1]
    assert told.startswith(assertion)
    assert NOTE in told


@pytest.mark.parametrize("assertion", ASSERTIONS)
def test_one_that_was_looked_up_stands(talk, assertion):
    room = talk(call("peek", text="wednesday"), said(assertion))
    assert run(room.hear("is it free?")) == [assertion]


def test_a_look_in_an_earlier_turn_is_no_look_now(talk):
    room = talk(call("peek", text="a"), said("There is no conflict."), said("There is no conflict."))
    run(room.hear("is it free?"))
    assert NOTE in run(room.hear("still?"))[0]


def test_the_message_tool_cannot_assert_it_either(talk):
    room = talk(call("message", text="There is no conflict."), said(""))
    assert NOTE in run(room.hear("is it free?"))[0]
