"""What is owed is sent in order, tried again later and later, never twice; a review counts as shown only when it was sent."""

import asyncio
import json
from datetime import timedelta

import pytest

from session.ground import DESK, ME, call, calls, said
from steadyhand.core import owners
from steadyhand.core.language import say
from steadyhand.session.outbox import FIRST_WAIT, LONGEST_WAIT, MOST_ATTEMPTS
from steadyhand.store.people import people
from steadyhand.store.sessions import conversations, outbox
from steadyhand.tools.ports import Queued, Sent

run = asyncio.run


def rows(room):
    return room.owed(room.turn().id)


def test_a_channel_that_is_away_is_tried_later_and_later_and_at_last_no_more(room_anywhere, clock):
    room = room_anywhere(said("hello"))
    room.channel.mood = "down"
    run(room.hear("hi"))
    waits = []
    for _ in range(MOST_ATTEMPTS - 1):
        [row] = rows(room)
        assert row.state == "queued"
        assert run(room.parts.outbox.deliver(ME, DESK)) == []
        assert len(room.channel.tries) == row.attempts, "it is not tried before its time"
        waits.append(FIRST_WAIT * 2 ** (row.attempts - 1))
        clock.advance(timedelta(seconds=min(waits[-1], LONGEST_WAIT)))
        run(room.parts.outbox.deliver(ME, DESK))
    assert waits == sorted(waits)
    [row] = rows(room)
    assert (row.state, row.reason, row.attempts) == ("failed", "unreachable", MOST_ATTEMPTS)
    clock.advance(timedelta(days=1))
    run(room.parts.outbox.deliver(ME, DESK))
    assert len(room.channel.tries) == MOST_ATTEMPTS


def test_what_is_behind_a_message_that_waits_is_sent_after_it(room_anywhere, clock):
    room = room_anywhere(said("one"), said("two"))
    room.channel.mood = "down"
    run(room.hear("a"))
    room.channel.mood = "up"
    run(room.hear("b"))
    assert room.channel.texts == []
    clock.advance(timedelta(seconds=FIRST_WAIT))
    run(room.parts.outbox.deliver(ME, DESK))
    assert room.channel.texts == ["one", "two"]


@pytest.mark.parametrize(("mood", "state"), [("mute", "unknown"), ("raising", "unknown"), ("refusing", "failed")])
def test_a_message_of_unknown_fate_or_refused_is_never_sent_again(room_anywhere, clock, mood, state):
    room = room_anywhere(said("one"), said("two"))
    room.channel.mood = mood
    run(room.hear("a"))
    [row] = rows(room)
    assert row.state == state
    room.channel.mood = "up"
    clock.advance(timedelta(hours=1))
    assert run(room.hear("b")) == ["two"]
    assert room.channel.tries.count("one") == 1


def test_a_channel_that_never_answers_leaves_a_message_unknown(room, monkeypatch):
    monkeypatch.setattr("steadyhand.session.outbox.WAIT_FOR_CHANNEL", 0.01)
    room = room(said("one"))

    async def forever(owed):
        await asyncio.Event().wait()

    room.channel.send = forever
    run(room.hear("a"))
    assert rows(room)[0].state == "unknown"


def test_whoever_breaks_in_while_a_message_is_sent_leaves_it_unknown(room):
    room = room(said("one"))
    sending = asyncio.Event()

    async def forever(owed):
        sending.set()
        await asyncio.Event().wait()

    async def scene():
        room.channel.send = forever
        await room.say("a")
        talking = asyncio.create_task(room.talk.run(ME, DESK, "en"))
        await sending.wait()
        talking.cancel()
        await asyncio.gather(talking, return_exceptions=True)

    run(scene())
    assert rows(room)[0].state == "unknown"


def test_the_same_text_in_one_turn_is_one_message_and_in_another_turn_another(room_anywhere):
    room = room_anywhere(
        calls(
            ("jot", {"text": "a"}),
            (
                "jot",
                {
                    "text": "a",
                },
            ),
        ),
        said("x"),
        call("jot", text="a"),
        said("x"),
    )
    first = run(room.hear("one"))
    assert first == ["jotted a", "x"]
    assert run(room.hear("two")) == ["jotted a", "x"]


@pytest.mark.parametrize(("shows_again", "texts"), [(True, ["late"]), (False, [])])
def test_what_a_dead_process_was_sending_is_shown_again_only_where_that_does_no_harm(room_anywhere, shows_again, texts):
    room = room_anywhere()
    room.channel.shows_again = shows_again

    def die_while_sending(tx):
        people.ensure_session(tx, ME, DESK, "terminal")
        row = outbox.owe(tx, ME, DESK, "turn", "late", source="reply")
        gone = {**owners.myself(), "started": 1}
        outbox.move(tx, row, "sending", attempts=1, reason=json.dumps(gone))

    room.store.write_now(die_while_sending)
    run(room.parts.outbox.deliver(ME, DESK))
    assert room.channel.texts == texts
    [row] = room.owed("turn")
    assert row.state == ("sent" if shows_again else "unknown")


def test_what_a_living_process_is_sending_is_left_to_it(room_anywhere):
    room = room_anywhere(said("one"))
    room.channel.shows_again = False

    async def scene():
        await room.say("a")
        sending, go = asyncio.Event(), asyncio.Event()

        async def slow(owed):
            sending.set()
            await go.wait()
            return Sent("m")

        room.channel.send = slow
        talking = asyncio.create_task(room.talk.run(ME, DESK, "en"))
        await sending.wait()
        assert await room.parts.outbox.deliver(ME, DESK) == []
        [row] = rows(room)
        assert isinstance(await room.parts.outbox.send_one(room.channel, row), Queued)
        go.set()
        await talking

    run(scene())
    [row] = rows(room)
    assert (row.state, row.sent_message_id, row.attempts) == ("sent", "m", 1)


def test_a_review_that_was_not_sent_cannot_be_answered_with_yes(room, clock):
    room = room(call("note", text="a"), said("there"), said("what do you mean?"))
    room.channel.mood = "down"
    run(room.hear("note it"))
    room.channel.mood = "up"
    assert run(room.hear("yes")) == []
    assert room.change(1).state == "sealed"
    clock.advance(timedelta(seconds=FIRST_WAIT))
    run(room.parts.outbox.deliver(ME, DESK))
    assert room.channel.rows[-1].shows is None, "the answer to the early yes stands below the review"
    run(room.hear("review C-1"))
    run(room.hear("yes"))
    assert room.change(1).state == "verified"


def test_a_message_tool_speaks_at_once_and_the_last_words_do_not_repeat_it(room_anywhere):
    room = room_anywhere(call("message", text="hello from here"), said("hello from here"))
    assert run(room.hear("say hello")) == ["hello from here"]
    assert [entry for entry in room.entries() if entry == ("assistant", "hello from here")] == [("assistant", "hello from here")]


def test_a_turn_that_has_spoken_and_ends_without_words_says_nothing_more(room):
    room = room(call("message", text="hello"), said(""), said("  "))
    assert run(room.hear("say hello")) == ["hello"]
    assert run(room.hear("and now?")) == [say("en", "agent.notice", text=say("en", "agent.end.empty"))]


def test_a_message_that_the_channel_has_named_is_found_by_that_name(room):
    room = room(said("hello"))
    run(room.hear("hi"))
    [row] = rows(room)
    found = room.store.read_now(lambda tx: conversations.by_channel_id(tx, ME, DESK, f"shown-{row.id}"))
    assert found is not None
    assert found.content == "hello"
