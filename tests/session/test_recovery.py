"""Killed anywhere, a turn is run again once when no call had begun, else told as interrupted; what was owed is sent, what was sent is not sent again."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from session.child import SCRIPTS
from session.ground import DESK, ME, call, said, scripted
from steadyhand.gate.lines import line
from steadyhand.gate.recovery import recover
from steadyhand.session.recovery import MOST_ATTEMPTS

run = asyncio.run
pytestmark = pytest.mark.crash


def die(room, story: str, fault: str) -> None:
    """Let another process take up what waits, and be killed at the fault point."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("STEADYHAND_")}
    url = room.store.url.render_as_string(hide_password=False)
    child = subprocess.run(
        [sys.executable, "-m", "session.child", url, str(room.folder), story],
        env={**kept, "PYTHONPATH": str(Path(__file__).parent.parent), "STEADYHAND_FAULT": fault},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert child.returncode == -signal.SIGKILL, child.stderr


def come_back(room, *lines):
    """Stand where the dead process stood; return what the person is shown then."""
    room = room.again(scripted(*lines))
    before = len(room.channel.rows)
    run(room.talk.run(ME, DESK, "en"))
    return room, room.channel.texts[before:]


def waiting_room(room_now, text="hello"):
    room = room_now()
    run(room.say(text))
    return room


@pytest.mark.parametrize("fault", ["turn.begun", "turn.before_settle"])
def test_a_turn_that_had_called_nothing_is_run_again(room_now, fault):
    room = waiting_room(room_now)
    die(room, "plain", fault)
    room, shown = come_back(room, *SCRIPTS["plain"])
    assert shown == ["the answer"]
    assert room.entries() == [("user", "hello"), ("assistant", "the answer")]
    assert room.turn().attempt == MOST_ATTEMPTS


def test_it_is_run_again_once_and_no_more(room_now):
    room = waiting_room(room_now)
    die(room, "plain", "turn.begun")
    die(room, "plain", "turn.begun")
    room, [told] = come_back(room, said("what now?"))
    assert "No tool was run" in told
    assert room.turn().state == "interrupted"
    assert room.provider.left == 1
    assert run(room.hear("continue")) == ["what now?"]
    assert "cut off" in str(room.provider.requests[0].messages)


@pytest.mark.parametrize("fault", ["turn.calls_begun", "turn.before_settle"])
def test_a_turn_that_had_begun_to_call_is_told_and_not_repeated(room_now, fault):
    room = waiting_room(room_now)
    die(room, "calling", fault)
    effects = room.effects()
    room, [told] = come_back(room, said("on we go"))
    assert "may have run: jot" in told
    assert room.effects() == effects
    assert room.entries() == [("user", "hello"), ("assistant", told)]
    assert run(room.hear("continue")) == ["on we go"]


def test_a_message_whose_sending_was_broken_off_is_shown_again_at_the_terminal(room_now):
    room = waiting_room(room_now)
    die(room, "plain", "outbox.sending")
    room, shown = come_back(room)
    assert shown == ["the answer"]
    assert room.turn().state == "done"


def test_elsewhere_it_is_of_unknown_fate_and_not_sent_again(room_now):
    room = waiting_room(room_now)
    die(room, "elsewhere", "outbox.sending")
    room.channel.shows_again = False
    room, shown = come_back(room)
    assert shown == []
    assert [row.state for row in room.owed(room.turn().id)] == ["unknown"]


def test_a_question_that_died_before_it_was_put_is_not_answered(room_now):
    room = waiting_room(room_now)
    die(room, "asking", "turn.before_settle")
    room, [told] = come_back(room, said("two what?"))
    assert "may have run: ask_user" in told
    assert run(room.hear("2")) == ["two what?"]


def test_an_answer_is_still_an_answer_when_its_turn_is_run_again(room_now):
    room = waiting_room(room_now)
    room = room.again(scripted(*SCRIPTS["asking"]))
    room, [question] = come_back(room, *SCRIPTS["asking"])
    assert question.startswith("which one?")
    run(room.say("2"))
    die(room, "plain", "turn.begun")
    room, shown = come_back(room, said("blue it is"))
    assert shown == ["blue it is"]
    assert room.provider.requests[0].context["answered"]["value"] == "blue"


def test_after_a_wish_to_stop_a_dead_turn_is_not_run_again(room_now):
    room = waiting_room(room_now)
    die(room, "plain", "turn.begun")
    assert run(room.say("/stop")) is not None
    room, shown = come_back(room)
    assert "No tool was run" in shown[0]
    assert "Nothing is running" in shown[1]


def test_a_review_that_was_owed_when_the_process_died_is_shown_and_can_be_decided(room_now):
    room = waiting_room(room_now)
    die(room, "reviewing", "outbox.sending")
    room, shown = come_back(room)
    assert "C-1" in shown[0]
    run(room.hear("yes"))
    assert room.change(1).state == "verified"


def test_a_message_that_was_accepted_before_the_kill_is_taken_up(room_now):
    room = waiting_room(room_now)
    run(room.say("and this"))
    die(room, "plain", "turn.begun")
    room, shown = come_back(room, call("peek", text="a"), said("one"), said("two"))
    assert shown == ["one", "two"]
    assert [content for role, content in room.entries() if role == "user"] == ["hello", "and this"]


@pytest.mark.parametrize(
    ("fault", "state"), [("gate.approved", "verified"), ("gate.after_effect", "verified"), ("gate.intent", "failed")]
)
def test_a_yes_that_had_decided_when_the_process_died_is_told_what_came_of_it(room_now, fault, state):
    room = waiting_room(room_now)
    room, [review, _] = come_back(room, *SCRIPTS["reviewing"])
    assert "C-1" in review
    run(room.say("yes"))
    die(room, "plain", fault)
    run(recover(room.controller))
    room, shown = come_back(room)
    assert room.change(1).state == state
    assert shown == [line(room.change(1), "en")]
