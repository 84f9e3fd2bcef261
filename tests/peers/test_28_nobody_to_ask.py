"""Complaint 28 (openclaw/openclaw#104413): with no approver to be reached a call hung for minutes; here it is denied at once."""

import asyncio

import pytest

from session.ground import DESK, ME, calls, last, said
from steadyhand.core.wire import ToolCall
from steadyhand.session.turns import Asked
from steadyhand.store.changes import changes
from steadyhand.store.people import people
from steadyhand.tools.base import ToolContext
from steadyhand.tools.runner import Runner

run = asyncio.run
ORIGINS = ["wake", "cron", "heartbeat", "job", "subagent"]


@pytest.mark.parametrize("origin", ORIGINS)
def test_a_turn_without_a_person_is_not_offered_what_would_have_to_be_asked(talk, origin):
    room = talk(calls(("post", {"text": "a"}), ("ask_user", {"question": "may I?"})), said("then not"))
    room.store.write_now(lambda tx: people.ensure_session(tx, ME, DESK, "terminal"))

    async def scene():
        async with room.parts.lanes.hold(ME, DESK) as held:
            await room.talk.turns.run(held, Asked((), "look after it", origin=origin), "en")

    run(scene())
    offered = {tool.name for tool in room.provider.requests[0].tools}
    assert "post" not in offered
    results = [message for message in room.provider.requests[1].messages if message.role == "tool"]
    assert [result.code for result in results] == ["denied", "nobody_to_ask"]
    assert not room.effects()
    assert room.store.read_now(lambda tx: changes.of_user(tx, ME)) == []


def test_a_client_that_cannot_hold_a_call_gets_a_denial_at_once(talk):
    room = talk()
    runner = Runner(room.registry, room.parts.runner.policy)
    context = ToolContext(ME, DESK, room.store.clock, "en")
    result = run(runner.run(context, ToolCall("c", "post", '{"text": "a"}')))
    assert (result.is_error, result.code) == (True, "denied")
    assert not room.effects()


def test_with_a_person_there_it_is_asked_and_the_turn_does_not_wait_for_the_answer(talk):
    room = talk(calls(("post", {"text": "a"})), said("it waits"))
    run(room.hear("post a"))
    assert last(room.provider.requests[1], "tool").code == "held"
    assert room.turn().state == "done"
