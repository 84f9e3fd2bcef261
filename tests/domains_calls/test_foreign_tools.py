"""A tool of another server goes through the same doors: held, approved, called once; an answer that is lost is unknown, not failed."""

import asyncio

import pytest

from steadyhand.core.language import say
from steadyhand.gate.lines import line
from steadyhand.gate.machine import State
from tools.mcp_client.ground import program, using


@pytest.fixture
def approved(desk, tmp_path):
    def run(tool, arguments="{}", meanwhile=None):
        async def scene():
            async with using(notes=program("notes.py", tmp_path)) as clients:
                for one in clients.tools.values():
                    desk.registry.register(one)
                row = await desk.held(arguments, tool=tool)
                if meanwhile is not None:
                    await clients.call(meanwhile)
                return await desk.approve(row)

        row = asyncio.run(scene())
        calls = tmp_path / "calls"
        return row, calls.read_text().split() if calls.exists() else [], asyncio.run(desk.holding.answer(row, "en"))

    return run


def test_an_approved_call_runs_once_and_its_answer_is_what_was_shown(approved):
    row, calls, result = approved("mcp_notes_add", '{"a": 1, "b": 2}')
    assert (row.state, calls, result.data["structured"]) == (State.VERIFIED, ["add"], {"result": 3})


def test_an_answer_that_is_lost_is_unknown_and_nothing_is_called_again(approved):
    row, calls, result = approved("mcp_notes_die")
    assert (row.state, calls, result.code) == (State.UNKNOWN, ["die"], "unknown")


def test_a_failure_that_the_tool_tells_is_its_result_and_the_person_reads_it(approved):
    row, _, result = approved("mcp_notes_fail")
    assert (row.state, result.code) == (State.VERIFIED, "mcp_tool_failed")
    assert result.for_user.startswith(say("en", "mcp.failed", tool="mcp_notes_fail"))


def test_a_tool_that_changed_while_the_call_waited_is_not_called(approved):
    row, calls, result = approved("mcp_notes_dotted_name", meanwhile="mcp_notes_change")
    assert (row.state, calls, result.code) == (State.FAILED, [], "mcp_tool_changed")
    assert say("en", "calls.refusal.nothing_done") in line(row, "en")
    assert "It ran" not in line(row, "en")


def test_a_tool_that_is_listed_with_another_declaration_makes_the_change_stale(desk, tmp_path):
    async def scene():
        async with using(notes=program("notes.py", tmp_path)) as clients:
            desk.registry.register(clients.tools["mcp_notes_dotted_name"])
            row = await desk.held("{}", tool="mcp_notes_dotted_name")
            await clients.call("mcp_notes_change")
            await clients.listed()
            desk.registry._tools["mcp_notes_dotted_name"] = clients.tools["mcp_notes_dotted_name"]
            return await desk.approve(row)

    assert asyncio.run(scene()).state == State.STALE
