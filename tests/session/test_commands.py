"""Commands are answered by code, about this person's record alone; what cannot be done is said."""

import asyncio

from session.ground import OTHER, call, said
from steadyhand.core.ids import SessionId
from steadyhand.session.commands import RUN
from steadyhand.session.reading import VERBS
from steadyhand.store.sessions import conversations

run = asyncio.run


def test_help_names_every_command(room):
    room = room()
    [told] = run(room.hear("/help"))
    assert all(f"/{name}" in told for name in (*RUN, *(verb.removeprefix("/") for verb in VERBS)) if name != "help")


def test_a_command_may_come_from_a_chinese_keyboard(room):
    room = room()
    assert run(room.hear("／ＣＨＡＮＧＥＳ")) == ["There are no changes."]


def test_an_unknown_command_is_not_handed_to_the_model(room):
    room = room()
    [told] = run(room.hear("/frobnicate now"))
    assert "/frobnicate" in told
    assert not room.provider.requests


def noted(room):
    room = room(call("note", text="monday"), said("look"))
    run(room.hear("note it"))
    return room


def test_changes_are_listed_with_their_lines(room):
    room = noted(room)
    [told] = run(room.hear("/changes"))
    assert told.startswith("C-1")
    assert run(room.hear("/changes", user=OTHER)) == ["There are no changes."]


def test_show_puts_a_review_before_the_person_who_may_then_say_yes(room):
    room = noted(room)
    run(room.hear("/help"))
    shown = run(room.hear("/show C-1"))
    assert "monday: None -> noted" in shown[0]
    run(room.hear("yes"))
    assert room.change(1).state == "verified"


def test_a_yes_after_something_else_was_shown_is_conversation(room):
    room = noted(room)
    run(room.hear("/help"))
    room = room.again(type(room.provider)([said("yes to what?")]))
    answer, told = run(room.hear("yes"))
    assert answer == "yes to what?"
    assert "the review was not the last thing" in told
    assert "/approve C-1" in told
    assert room.change(1).state == "sealed"


def test_another_person_sees_nothing_of_a_change(room):
    room = noted(room)
    told = run(room.hear("/show C-1", user=OTHER)) + run(room.hear("/approve C-1", user=OTHER))
    assert not any("monday" in text for text in told)
    assert room.change(1).state == "sealed"


def test_what_cannot_be_undone_is_said(room):
    room = noted(room)
    assert run(room.hear("/undo C-1"))
    assert run(room.hear("/undo"))
    assert room.change(1).state == "sealed"


def test_a_session_is_named_and_listed(room):
    room = room()
    run(room.hear("/name  my   desk "))
    [told] = run(room.hear("/sessions"))
    assert "my desk" in told
    assert told.startswith("*")
    run(room.hear("/name elsewhere", SessionId("other")))
    assert run(room.hear("/sessions"))[0].count("\n") == 1
    found = room.store.read_now(lambda tx: conversations.sessions_of(tx, OTHER))
    assert found == []


def test_stop_with_a_change_withdraws_it(room):
    room = noted(room)
    run(room.hear("/stop C-1"))
    assert room.change(1).state == "withdrawn"
