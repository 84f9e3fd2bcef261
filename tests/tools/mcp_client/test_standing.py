"""What is remembered of tool servers: one that does not answer costs the next command nothing, is told once, and is used again when it is back."""

import asyncio
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from steadyhand.core.clock import FakeClock
from steadyhand.core.mcp_settings import McpServer
from steadyhand.tools.mcp_client.clients import McpClients
from steadyhand.tools.mcp_client.link import Link
from steadyhand.tools.mcp_client.standing import LONGEST_REST, Standings
from tools.mcp_client.ground import program

DEAD = McpServer(command=sys.executable, args=("-c", "raise SystemExit(1)"))


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The servers that were asked for their list."""
    names: list[str] = []
    original = Link.offers

    async def offers(self: Link):
        names.append(self.name)
        return await original(self)

    monkeypatch.setattr(Link, "offers", offers)
    return names


def command(servers, file: Path, clock: FakeClock):
    """Do what a command does with the servers; return its tools, and what it tells."""

    async def scene():
        clients = McpClients(servers, clock, file=file)
        try:
            return [tool.name for tool in await clients.tools()], sorted(clients.to_tell())
        finally:
            await clients.close()

    return asyncio.run(scene())


def test_a_dead_server_is_asked_once_told_once_and_left_alone_until_it_is_due(tmp_path, clock, asked):
    file = tmp_path / "servers.json"
    assert command({"dead": DEAD}, file, clock) == ([], ["dead"])
    for _ in range(3):
        assert command({"dead": DEAD}, file, clock) == ([], [])
    assert asked == ["dead"]
    clock.advance(timedelta(minutes=1))
    assert command({"dead": DEAD}, file, clock) == ([], [])
    assert asked == ["dead"] * 2
    clock.advance(timedelta(minutes=1))
    command({"dead": DEAD}, file, clock)
    assert asked == ["dead"] * 2, "each time it is left alone for longer"


def test_a_server_that_comes_back_is_used_again_and_its_next_failure_is_told(tmp_path, clock):
    file = tmp_path / "servers.json"
    script = tmp_path / "comes_back.py"
    script.write_text("raise SystemExit(1)")
    alive = program("notes.py", tmp_path)
    servers = {"notes": alive.model_copy(update={"args": (str(script), *alive.args)})}
    starts = "import runpy, sys\nsys.argv = sys.argv[1:]\nrunpy.run_path(sys.argv[0], run_name='__main__')\n"

    async def scene():
        clients = McpClients(servers, clock, file=file)
        try:
            assert await clients.tools() == []
            assert list(clients.to_tell()) == ["notes"]
            assert not clients.some_are_due()
            clock.advance(timedelta(minutes=1))
            assert clients.some_are_due()
            script.write_text(starts)
            found = await clients.come_back()
            assert not clients.unreachable
            assert not clients.some_are_due()
            return [tool.name for tool in found]
        finally:
            await clients.close()

    assert asyncio.run(scene())
    assert command(servers, file, clock)[1] == []
    script.write_text("raise SystemExit(1)")
    assert command(servers, file, clock) == ([], ["notes"])


def test_a_server_that_was_set_anew_is_asked_at_once(tmp_path, clock, asked):
    file = tmp_path / "servers.json"
    command({"one": DEAD}, file, clock)
    command({"one": DEAD.model_copy(update={"seconds": 30.0})}, file, clock)
    assert asked == ["one", "one"]


def test_it_is_left_alone_for_a_quarter_of_an_hour_at_most(clock):
    standings = Standings(None, clock)
    for _ in range(60):
        standings.failed("one", DEAD, "mcp_unreachable", {"server": "one"})
    rests = standings.rests("one", DEAD)
    assert rests is not None
    assert rests.rests_until() - clock.now() == LONGEST_REST


@pytest.mark.parametrize("content", ["", "[]", "nonsense", '{"one": 1}', '{"one": {"means": "x", "at": "y"}}', "[" * 100_000])
def test_what_cannot_be_read_is_only_not_remembered(tmp_path, clock, content, asked):
    file = tmp_path / "servers.json"
    file.write_text(content)
    assert command({"one": DEAD}, file, clock) == ([], ["one"])
    assert asked == ["one"]


def test_a_look_asks_all_of_them_whatever_is_remembered(tmp_path, clock, asked):
    async def scene():
        clients = McpClients({"dead": DEAD, "also": DEAD}, clock, file=tmp_path / "servers.json")
        try:
            await clients.look(30.0)
            return await clients.look(30.0)
        finally:
            await clients.close()

    found = asyncio.run(scene())
    assert {name: one.answers for name, one in found.items() if one} == {"dead": False, "also": False}
    assert {name: one.failures for name, one in found.items() if one} == {"dead": 2, "also": 2}
    assert sorted(asked) == ["also", "also", "dead", "dead"]
