"""Complaint 1 (HKUDS/nanobot#2487): the agent said that it was doing it, or done, when nothing had been executed."""

import asyncio
from datetime import timedelta

import pytest

from session.ground import call, calls, said
from steadyhand.gate import lines

run = asyncio.run
CLAIMS = [
    "Done.",
    "I have moved it to Wednesday evening.",
    "All set, your week is saved.",
    "The course has been added.",
    "It was successfully scheduled!",
    "已完成。",
    "已经保存到课表了",
    "搞定！",
    "修改成功",
]
CORRECTIONS = ("Correction: disregard that", "更正：以上说法不作数")


def is_corrected(text):
    return any(one in text for one in CORRECTIONS)


def only_a_claim(claim):
    return [said(claim)]


def after_a_look(claim):
    return [call("peek", text="a"), said(claim)]


def after_a_failed_look(claim):
    return [call("peek", text="fail"), said(claim)]


def after_a_denied_call(claim):
    return [call("command", text="a"), said(claim)]


def while_a_call_waits(claim):
    return [call("post", text="a"), said(claim)]


def while_a_review_waits(claim):
    return [call("note", text="a"), said(claim)]


def by_the_message_tool(claim):
    return [call("message", text=claim), said("")]


def by_both(claim):
    return [call("message", text=claim), said(claim)]


def after_a_call_that_cannot_be_read(claim):
    return [calls(("note", '{"text": ')), said(claim)]


@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize(
    "story",
    [
        only_a_claim,
        after_a_look,
        after_a_failed_look,
        after_a_denied_call,
        while_a_call_waits,
        while_a_review_waits,
        by_the_message_tool,
        by_both,
        after_a_call_that_cannot_be_read,
    ],
)
def test_no_claim_reaches_the_person_uncorrected(talk, story, claim):
    room = talk(*story(claim))
    shown = run(room.hear("do it"))
    claimed = [text for text in shown if lines.claims_done(text) and claim in text]
    assert claimed
    assert all(is_corrected(text) for text in claimed)
    assert not room.effects()


def test_a_claim_about_what_was_denied_is_corrected_and_its_line_says_so(talk, clock):
    room = talk(call("note", text="a"), said("look"), said("C-1 is done."))
    run(room.hear("note it"))
    clock.advance(timedelta(seconds=1))
    run(room.hear("no"))
    [told] = run(room.hear("so?"))
    assert is_corrected(told)
    assert told.splitlines()[-1].startswith("C-1")


def test_a_claim_about_what_was_verified_stands(talk, clock):
    room = talk(call("note", text="a"), said("look"), said("Yes, it is done."))
    run(room.hear("note it"))
    clock.advance(timedelta(seconds=1))
    run(room.hear("yes"))
    assert run(room.hear("is it done?")) == ["Yes, it is done."]
