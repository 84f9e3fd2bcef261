"""What a turn leaves: its words with the lines of the record, the end that it came to, its last result, and nothing said twice."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from session.ground import DESK, ME, call, calls, last, said
from steadyhand.agent.turn import Limits
from steadyhand.core.language import say
from steadyhand.core.wire import Completion, Usage
from steadyhand.llm.provider import ProviderError
from steadyhand.tools.result import ToolResult

run = asyncio.run
CORRECTION = "Correction: disregard that"
DONE = ["Done!", "I've moved it to Wednesday.", "All set.", "已经完成了。", "已移动到周三。"]


@pytest.mark.parametrize("text", DONE)
def test_words_that_speak_of_something_done_are_corrected_where_nothing_was(room, text):
    room = room(said(text))
    [told] = run(room.hear("move it"))
    assert told.startswith(text + "\n")
    assert CORRECTION in told
    assert room.entries()[-1] == ("assistant", told)


def test_they_are_corrected_where_a_change_only_waits_and_its_line_says_so(room):
    room = room(call("note", text="a"), said("Done, it is saved."))
    told, review = run(room.hear("note it"))
    assert CORRECTION in told
    assert told.splitlines()[-1].startswith("C-1")
    assert "Seal:" in review, "the review ends what the turn says"
    assert room.change(1).state == "sealed"


def test_words_about_a_change_end_with_its_line(room):
    room = room(call("note", text="a"), said("Here it is for you to look at."))
    told, review = run(room.hear("note it"))
    assert "Seal:" in review
    assert CORRECTION not in told
    assert told.splitlines()[-1].startswith("C-1")


def test_after_the_person_has_approved_the_next_words_may_say_that_it_is_done(room, clock):
    room = room(call("note", text="a"), said("look"), said("Yes, it is done."), said("That is done too."), said("C-1 is done."))
    run(room.hear("note it"))
    clock.advance(timedelta(seconds=1))
    run(room.hear("yes"))
    clock.advance(timedelta(seconds=1))
    assert run(room.hear("is it there?")) == ["Yes, it is done."]
    clock.advance(timedelta(seconds=1))
    assert CORRECTION in run(room.hear("and the other one?"))[0], "what was verified before does not stand for what was not"
    assert run(room.hear("and the first?")) == ["C-1 is done."]


def test_words_that_name_a_change_which_is_not_verified_are_corrected(room, clock):
    room = room(call("note", text="a"), said("look"), said("C-1 is done."))
    run(room.hear("note it"))
    told = run(room.hear("is it?"))[0]
    assert CORRECTION in told
    assert told.splitlines()[-1].startswith("C-1")


def test_a_message_tool_cannot_say_it_either(room):
    room = room(call("message", text="Done, I have moved it."), said("Done, I have moved it."))
    [told] = run(room.hear("move it"))
    assert CORRECTION in told


def test_words_about_free_times_that_nobody_looked_up_get_a_note(room):
    room = room(said("There is no conflict."), call("peek", text="here"), said("There is no conflict."))
    assert "was not looked at" in run(room.hear("is it free?"))[0]
    assert run(room.hear("look!")) == ["There is no conflict."]


def test_a_silent_result_reaches_the_person_in_no_way(room):
    async def body(context, arguments):
        return ToolResult("for the model", "for nobody", silent=True)

    room = room(call("whisper"), said("ok"))
    room.registry.register(room.tool("whisper", "read", body))
    assert run(room.hear("go")) == ["ok"]
    assert all(row.content != "for nobody" for row in room.owed(room.turn().id))


def test_the_last_result_is_stored_with_the_turn(room_anywhere, clock):
    room = room_anywhere(calls(("peek", {"text": "one"}), ("jot", {"text": "two"})), said("ok"), said("nothing called"))
    run(room.hear("go"))
    kept = room.turn().last_result
    assert (kept["for_llm"], kept["async"]) == ("jotted two", False)
    assert "err" not in kept
    clock.advance(timedelta(seconds=1))
    run(room.hear("go"))
    assert room.turn().last_result is None


def test_the_tokens_and_rounds_of_a_turn_are_stored_with_it(room):
    room = room(Completion("ok", usage=Usage(10, 5, 2)))
    run(room.hear("go"))
    assert (room.turn().usage, room.turn().rounds) == ({"input": 10, "output": 5, "cached": 2}, 1)


ENDS = {
    "rounds": (Limits(rounds=2), [call("jot", text="a"), call("jot", text="b")], "after 2 rounds", "Tools that ran: jot"),
    "seconds": (Limits(seconds=0.2), [call("hang")], "after 0.2 seconds", "may have run: hang"),
    "tokens": (Limits(tokens=1), [call("jot", text="a")], "(1 tokens)", "Tools that ran: jot"),
    "repeated": (Limits(), [call("peek", text="a")] * 4, "again and again", "Tools that ran: peek"),
    "denied": (Limits(rounds=1), [call("command", text="a")], "after 1 round ", "No tool was run"),
}


@pytest.mark.parametrize("end", ENDS)
def test_a_turn_that_meets_a_bound_ends_with_words_that_say_what_ran(room, end):
    limits, lines, why, what = ENDS[end]
    room = room(*(replace(line, usage=Usage(1, 1)) for line in lines), limits=limits)
    told = run(room.hear("go"))[-1]
    assert why in told
    assert what in told
    assert room.turn().state == "done"
    assert room.turn().detail["end"] == ("rounds" if end == "denied" else end)


def test_after_a_bound_the_next_turn_reads_whole_pairs_of_calls_and_results(room):
    room = room(calls(("peek", {"text": "a"}), ("hang", {})), said("on we go"), limits=Limits(seconds=0.3))
    run(room.hear("go"))
    run(room.hear("continue"))
    roles = [message.role for message in room.provider.requests[-1].messages]
    assert roles == ["system", "user", "assistant", "tool", "tool", "user", "user"]  # the last but one is the program's notice
    assert "Broken off" in room.provider.requests[-1].messages[4].content


def test_a_provider_that_fails_after_calls_says_which_ran(room):
    room = room(call("jot", text="a"), ProviderError("provider", "gone"))
    told = run(room.hear("go"))[-1]
    assert "Tools that ran: jot" in told
    assert room.effects() == ["jot a"]


def test_messages_of_the_person_during_a_turn_are_seen_at_the_next_boundary_and_answered_each_by_its_own(room_anywhere):
    holder = {}

    async def listen(context, arguments):
        await holder["room"].say("and this")
        await holder["room"].say("/changes")
        await holder["room"].say("and that")
        return ToolResult("listened")

    room = holder["room"] = room_anywhere(call("listen"), said("first"), said("second"), said("third"))
    room.registry.register(room.tool("listen", "read", listen))
    shown = run(room.hear("do this"))
    seen = [message.content for message in room.provider.requests[1].messages if message.role == "user"]
    assert seen[1:] == [say("en", "agent.meanwhile", text=text) for text in ("and this", "and that")]
    assert shown == ["first", "second", "There are no changes.", "third"]
    assert [content for role, content in room.entries() if role == "user"] == ["do this", "and this", "/changes", "and that"]
    assert [last(request, "user").content for request in room.provider.requests[2:]] == ["and this", "and that"]


@pytest.mark.parametrize("thinks", [True, False])
@pytest.mark.parametrize("when", ["before", "during"])
def test_every_message_of_a_burst_gets_its_own_answer_in_order(room, thinks, when):
    holder = {}
    wanted = [f"thing {number:02d}" for number in range(12)]
    later = wanted if when == "before" else wanted[1:]

    async def burst(context, arguments):
        for text in later if context.said == wanted[0] and when == "during" else ():
            await holder["room"].say(text)
        return ToolResult("listened")

    def answers(request):
        return said(f"heard: {last(request, 'user').content}") if request.messages[-1].role == "tool" else call("burst")

    told = [line for text in wanted for line in (call("burst"), said(f"heard: {text}"))]
    room = holder["room"] = room(*(told if thinks else [answers] * 24), thinks=thinks)  # a model sees what stands behind a result
    room.registry.register(room.tool("burst", "read", burst))

    async def scene():
        for text in wanted if when == "before" else wanted[:1]:
            await room.say(text)
        await room.talk.run(ME, DESK, "en")

    run(scene())
    told = [(role, content) for role, content in room.entries() if role == "user" or content.startswith("heard")]
    assert told == [one for text in wanted for one in (("user", text), ("assistant", f"heard: {text}"))]
    assert room.channel.texts == [f"heard: {text}" for text in wanted]


def test_a_decision_during_a_turn_is_no_conversation_of_that_turn(room, clock):
    holder = {}

    async def listen(context, arguments):
        await holder["room"].say("/approve C-1")
        return ToolResult("listened")

    room = holder["room"] = room(call("note", text="a"), said("look"), call("listen"), said("hm"))
    room.registry.register(room.tool("listen", "read", listen))
    run(room.hear("note it"))
    run(room.hear("one more thing"))
    assert "/approve C-1" not in str(room.provider.requests)
    assert room.change(1).state == "verified"


@pytest.mark.parametrize("thinks", [True, False])
def test_only_a_model_s_words_are_held_against_the_record_the_catalogue_may_quote_a_claim(room, thinks):
    quoting = "I did not understand “is it all done?”, so nothing has changed."
    [shown] = run(room(said(quoting), thinks=thinks).hear("is it all done?"))
    assert shown.startswith(quoting)
    assert ("Correction" in shown) == thinks
