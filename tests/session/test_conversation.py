"""What comes in is taken once, in order, and answered: by a decision, a command, an answer, or a turn."""

import asyncio

import pytest

from session.ground import DESK, ME, OTHER, call, calls, last, said
from steadyhand.core.ids import SessionId
from steadyhand.llm.provider import ProviderError
from steadyhand.tools.policy import Rule

run = asyncio.run


def test_a_message_is_answered_and_both_are_history(room_anywhere):
    room = room_anywhere(said("hello there"))
    assert run(room.hear("hello")) == ["hello there"]
    assert room.entries() == [("user", "hello"), ("assistant", "hello there")]
    assert room.turn().state == "done"
    assert not room.waiting()


def test_a_tool_is_called_and_the_model_reads_its_result(room_anywhere):
    room = room_anywhere(call("peek", text="here"), said("it is there"))
    assert run(room.hear("look")) == ["it is there"]
    assert last(room.provider.requests[1], "tool").content == "seen here"
    assert [role for role, _ in room.entries()] == ["user", "assistant", "tool", "assistant"]
    assert room.turn().last_result["for_llm"] == "seen here"


def test_a_later_turn_reads_what_was_said_before(room):
    room = room(call("peek", text="here"), said("one"), said("two"))
    run(room.hear("first"))
    run(room.hear("second"))
    roles = [message.role for message in room.provider.requests[-1].messages]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "user"]


def test_what_is_for_the_person_comes_before_the_last_words(room):
    room = room(calls(("jot", {"text": "a"}), ("jot", {"text": "b"})), said("both noted"))
    assert run(room.hear("note it")) == ["jotted a", "jotted b", "both noted"]


def test_last_words_that_repeat_a_result_are_not_said_twice(room):
    room = room(call("jot", text="a"), said(" jotted a\n"))
    assert run(room.hear("note it")) == ["jotted a"]


def test_what_is_silent_reaches_nobody(room):
    room = room(call("peek", text="secret"), said("I know it now"))
    assert run(room.hear("look")) == ["I know it now"]
    assert "7" not in str(room.provider.requests[1].messages[-1].content)


def test_text_that_no_database_keeps_is_made_legible(room_anywhere):
    room = room_anywhere(call("peek", text="odd"), said("odd\x00 indeed"))
    assert run(room.hear("look \ud800 here \x00")) == ["odd ? \ufffd shown", "odd\ufffd indeed"]
    assert room.turn().state == "done"


def test_a_provider_that_fails_is_told_and_the_session_goes_on(room):
    room = room(ProviderError("provider", "it is gone"), said("back again"))
    [told] = run(room.hear("hello"))
    assert "reported an error" in told
    assert "No tool was run" in told
    assert room.turn().state == "failed"
    assert run(room.hear("hello?")) == ["back again"]


def test_a_turn_that_breaks_by_our_fault_is_told_and_the_session_goes_on(room):
    def broken(event):
        raise KeyError(event)

    room = room(call("peek"), said("fine"))

    async def scene():
        await room.say("hello")
        await room.talk.run(ME, DESK, "en", broken)

    run(scene())
    [told] = room.channel.texts
    assert "our fault" in told
    assert room.turn().state == "failed"
    assert run(room.hear("again")) == ["fine"]


def test_a_message_too_long_to_be_read_whole_is_refused(room):
    room = room()
    [told] = run(room.hear("yes " * 6_000))
    assert "too long" in told
    assert not room.provider.requests


def test_each_session_has_its_own_history(room):
    room = room(said("one"), said("two"))
    run(room.hear("first"))
    run(room.hear("second", SessionId("other")))
    assert [message.content for message in room.provider.requests[1].messages[1:]] == ["second"]


def test_a_yes_that_waited_while_the_review_was_made_decides_nothing_whatever_the_clock_says(room):
    room = room(call("note", text="monday"), said("there"), said("yes to what?"))
    run(room.say("make a note"))
    run(room.say("yes"))  # the clock stands still: both are of the moment in which the review is shown
    run(room.talk.run(ME, DESK, "en"))
    assert room.change(1).state == "sealed"
    run(room.hear("yes"))
    assert room.change(1).state == "sealed", "it is no longer about the review alone"
    run(room.hear("/approve C-1"))
    assert room.change(1).state == "verified"


def test_a_review_is_shown_then_decided_by_a_bare_yes(room_anywhere):
    room = room_anywhere(call("note", text="monday"), said("here it is"))
    shown = run(room.hear("put a note"))
    assert [text.splitlines()[0] for text in shown] == ["here it is", "Request: put a note"], "the review ends what is said"
    assert room.change(1).state == "sealed"
    [line] = run(room.hear("yes"))
    assert "C-1" in line
    assert room.change(1).state == "verified"


def test_a_call_that_must_be_allowed_waits_and_its_result_reaches_model_and_person(room_anywhere):
    room = room_anywhere(call("post", text="x"), said("C-1 waits"), said("it went out"))
    shown = run(room.hear("post x"))
    assert '"text": "x"' in shown[-1]
    assert not room.effects()
    shown = run(room.hear("yes"))
    assert room.effects() == ["post x"]
    assert shown[1:] == ["posted x", "it went out"]
    assert "posted x" in last(room.provider.requests[2], "user").content
    assert [entry.content for entry in room.history() if entry.role == "user"] == ["post x", "yes"]


def test_a_held_call_can_be_approved_and_denied_by_name(room):
    room = room(call("post", text="x"), said("waits"), said("out"), call("post", text="y"), said("waits"))
    run(room.hear("post x"))
    run(room.hear("/approve C-1"))
    run(room.hear("post y"))
    [line] = run(room.hear("/deny C-2"))
    assert "final" in line
    assert room.effects() == ["post x"]
    assert (room.change(1).state, room.change(2).state) == ("verified", "rejected")


def test_without_a_model_a_decided_call_is_told_and_no_turn_follows(room):
    room = room(call("post", text="x"), said("waits"), thinks=False)
    run(room.hear("post x"))
    assert run(room.hear("yes"))[1:] == ["posted x"]
    assert room.provider.left == 0


def test_a_held_call_that_is_decided_in_another_session_starts_no_turn_there(room):
    room = room(call("post", text="x"), said("waits"))
    run(room.hear("post x"))
    run(room.hear("/show C-1", SessionId("other")))
    shown = run(room.hear("/approve C-1", SessionId("other")))
    assert len(shown) == 1
    assert room.effects() == ["post x"]


def test_an_effect_that_the_policy_denies_is_neither_offered_nor_run(room):
    room = room(call("command", text="x"), said("it may not"))
    run(room.hear("do it"))
    assert "command" not in {tool.name for tool in room.provider.requests[0].tools}
    assert last(room.provider.requests[1], "tool").code == "denied"
    assert not room.effects()


def test_an_effect_that_the_policy_asks_about_is_held(room):
    room = room(call("command", text="x"), said("waits"), said("ran"), rules=[Rule("ask", effect="exec")])
    run(room.hear("do it"))
    assert not room.effects()
    run(room.hear("yes"))
    assert room.effects() == ["post x"]


def test_persons_with_the_same_session_name_never_meet(room):
    room = room(said("for me"), said("for the other"))
    run(room.hear("mine"))
    run(room.hear("theirs", user=OTHER))
    assert room.entries(user=ME) == [("user", "mine"), ("assistant", "for me")]
    assert room.entries(DESK, OTHER) == [("user", "theirs"), ("assistant", "for the other")]


@pytest.mark.parametrize("text", ["/nonsense", "/show C-9", "/show", "/undo C-9", "/correct C-1", "/name", "/approve C-9"])
def test_a_command_that_cannot_be_done_is_answered_and_changes_nothing(room, text):
    room = room()
    [told] = run(room.hear(text))
    assert told
    assert not room.provider.requests
    assert room.entries() == [("user", text), ("assistant", told)]
