"""What breaks by our own fault is told once, with what may have run, and nothing of it is tried again behind the person's back."""

import asyncio
from itertools import count

import pytest

from session.ground import call, said
from steadyhand.session import settling

run = asyncio.run


@pytest.fixture
def breaks_once(monkeypatch):
    """The first turn is not settled."""
    real, asked = settling.settle, count()

    async def settle(*arguments):
        if next(asked) == 0:
            raise ZeroDivisionError
        return await real(*arguments)

    monkeypatch.setattr(settling, "settle", settle)


def test_a_turn_that_cannot_be_settled_is_told_with_what_may_have_run_and_is_not_run_again(room_anywhere, breaks_once):
    room = room_anywhere(call("jot", text="once"), said("jotted it"), said("good morning to you"))
    (told,) = run(room.hear("jot that down"))
    assert "jot" in told
    assert room.effects() == ["jot once"]
    assert room.turn().state == "failed"
    assert ("user", "jot that down") in room.entries()
    assert run(room.hear("good morning")) == ["good morning to you"]
    assert room.effects() == ["jot once"]
    assert [text for role, text in room.entries() if role == "user"] == ["jot that down", "good morning"]


def test_where_no_call_had_begun_it_says_that_nothing_ran(room_anywhere, breaks_once):
    room = room_anywhere(said("hello"), said("and again"))
    (told,) = run(room.hear("good morning"))
    assert "No tool was run" in told
    assert room.waiting() == []
    assert run(room.hear("good evening")) == ["and again"]
