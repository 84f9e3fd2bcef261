"""Complaint 30 (openclaw/openclaw#13224): what one person asked for ran with the rights of another."""

import asyncio

import pytest

from session.ground import DESK, ME, OTHER, call, last, said
from steadyhand.store.people import people

run = asyncio.run


@pytest.fixture
def limited(talk):
    """A room in which the other person may change nothing."""

    def make(*lines):
        room = talk(*lines)
        room.store.write_now(lambda tx: people.change_user(tx, OTHER, rights=[]))
        return room

    return make


@pytest.mark.parametrize("tool", ["note", "post"])
def test_a_turn_has_the_rights_of_whoever_wrote_the_message(limited, tool):
    room = limited(call(tool, text="a"), said("no"), call(tool, text="a"), said("here"))
    run(room.hear("as the other", user=OTHER))
    result = last(room.provider.requests[1], "tool")
    assert result.code in ("denied", "no_right")
    run(room.hear("as me", user=ME))
    assert room.change(1).user_id == ME
    assert not room.effects()


def test_a_turn_carries_its_person_through_every_call(talk):
    room = talk(call("peek", text="a"), said("x"), call("peek", text="a"), said("y"))
    run(room.hear("mine", DESK, ME))
    run(room.hear("theirs", DESK, OTHER))
    assert [context.user for context in room.contexts] == [ME, OTHER]


def test_what_a_call_says_about_who_asks_counts_for_nothing(talk):
    room = talk(call("peek", text="a", user="another"), said("hm"))
    run(room.hear("pretend"))
    assert last(room.provider.requests[1], "tool").code == "bad_argument"
    assert not room.contexts


@pytest.mark.parametrize("word", ["/approve C-1", "yes", "/deny C-1", "/show C-1", "/undo C-1", "/stop C-1"])
def test_one_person_decides_nothing_for_another(talk, word):
    room = talk(call("note", text="a"), said("look"), *[said("what?")] * 2)
    run(room.hear("note it", user=ME))
    run(room.hear(word, user=OTHER))
    assert room.change(1).state == "sealed"


def test_rights_taken_away_while_a_call_waits_are_gone_when_it_is_approved(talk):
    room = talk(call("post", text="a"), said("waits"), said("then not"))
    run(room.hear("post a"))
    room.store.write_now(lambda tx: people.change_user(tx, ME, rights=["notebook"]))
    run(room.hear("yes"))
    assert not room.effects()
    assert room.change(1).state in ("rejected", "sealed")
