"""Complaint 27 (openclaw/openclaw#69573): a denial was taken for an invitation to find another way."""

import asyncio

import pytest

from session.ground import DESK, ME, call, last, said
from steadyhand.gate.proposal import Decider
from steadyhand.tools.policy import Rule
from steadyhand.tools.result import ToolResult

run = asyncio.run


@pytest.mark.parametrize("word", ["no", "/deny C-1", "不要", "/stop C-1"])
def test_after_a_no_no_turn_starts_by_itself(talk, word):
    room = talk(call("post", text="a"), said("waits"))
    run(room.hear("post a"))
    shown = run(room.hear(word))
    assert len(shown) == 1
    assert room.change(1).state in ("rejected", "withdrawn")
    assert room.provider.left == 0
    assert not room.effects()


def test_the_next_turn_reads_that_the_no_was_final(talk):
    room = talk(call("post", text="a"), said("waits"), said("understood"))
    run(room.hear("post a"))
    run(room.hear("/deny C-1"))
    run(room.hear("and now?"))
    told = "\n".join(message.content for message in room.provider.requests[-1].messages)
    assert "will not be tried in another way" in told


def test_a_no_by_policy_says_that_it_is_final(talk):
    room = talk(call("command", text="rm"), said("it may not"))
    run(room.hear("remove it"))
    assert "final" in last(room.provider.requests[1], "tool").content


def test_while_the_turn_runs_a_no_from_elsewhere_ends_its_attempts(talk):
    holder = {}

    async def denied_meanwhile(context, arguments):
        await holder["room"].controller.deny(Decider(ME, DESK, "page"), 1)
        return ToolResult("waited a while")

    script = [call("post", text="a"), call("wait"), call("command", text="a"), call("post", text="b"), said("it was denied")]
    room = holder["room"] = talk(*script, rules=[Rule("ask", effect="exec")])
    room.registry.register(room.tool("wait", "read", denied_meanwhile))
    run(room.hear("post a"))
    results = [message for message in room.provider.requests[-1].messages if message.role == "tool"]
    assert [result.code for result in results] == ["held", "ok", "denied", "denied"]
    assert "final" in results[2].content
    assert not room.effects()


def test_a_no_takes_nothing_from_a_later_request_of_the_person(talk):
    room = talk(call("post", text="a"), said("waits"), call("post", text="a"), said("waits again"))
    run(room.hear("post a"))
    run(room.hear("no"))
    run(room.hear("I changed my mind, post a"))
    assert room.change(2).state == "sealed"
