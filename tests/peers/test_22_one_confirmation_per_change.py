"""Complaint 22 (HKUDS/nanobot#5013): confirming every call is too many clicks; here a change is confirmed, once, whatever it took."""

import asyncio

from session.ground import call, calls, said

run = asyncio.run


def test_reading_and_drafting_ask_nobody(talk):
    steps = [("peek", {"text": str(index)}) for index in range(5)] + [("jot", {"text": str(index)}) for index in range(5)]
    room = talk(calls(*steps), said("here is what I found"))
    run(room.hear("look around"))
    assert len(room.effects()) == 5
    assert run(room.hear("/changes")) == ["There are no changes."]


def test_what_many_calls_have_drafted_is_confirmed_once(talk):
    room = talk(calls(("peek", {}), ("jot", {"text": "a"}), ("jot", {"text": "b"}), ("note", {"text": "monday"})), said("look"))
    shown = run(room.hear("plan my week"))
    assert sum("monday: None -> noted" in text for text in shown) == 1
    run(room.hear("yes"))
    assert room.change(1).state == "verified"
    assert room.provider.left == 0


def test_an_approval_is_for_its_change_and_for_no_later_one(talk):
    room = talk(call("post", text="a"), said("waits"), said("out"), call("post", text="a"), said("waits"))
    run(room.hear("post a"))
    run(room.hear("yes"))
    run(room.hear("post a again"))
    assert room.effects() == ["post a"]
    assert (room.change(1).state, room.change(2).state) == ("verified", "sealed")
