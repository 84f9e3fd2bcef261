"""Tools of a server at an address: streamable HTTP, spoken by the official library on loopback."""

import asyncio

import pytest
from pydantic import ValidationError

from steadyhand.core.mcp_settings import McpServer
from tools.mcp_client.ground import ENVIRONMENT, served, using
from tools.web.ground import Site, leads_to, reply


def test_a_tool_at_an_address_is_called_with_the_headers_that_are_named(tmp_path, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9/")

    async def scene():
        async with served(tmp_path) as (url, _), using(web=McpServer(url=url, headers={"X-Token": "NOTES_TOKEN"})) as clients:
            return await clients.run("mcp_web_add", '{"a": 1, "b": 2}')

    ran = asyncio.run(scene())
    assert (ran.answered, ran.result.for_llm.splitlines()[1]) == (True, "3")
    asked = (tmp_path / "headers").read_text().splitlines()
    assert all("x-token=token" in line for line in asked)
    assert all("hush" not in line and "accept-encoding=identity" in line for line in asked)


def test_a_server_that_ended_is_an_error_result_that_says_that_nothing_was_called(tmp_path):
    async def scene():
        async with served(tmp_path) as (url, serving), using(web=McpServer(url=url)) as clients:
            serving.kill()
            serving.wait()
            return await clients.run("mcp_web_add", '{"a": 1, "b": 2}')

    ran = asyncio.run(scene())
    assert (ran.answered, ran.result.code) == (True, "mcp_unreachable")


def test_a_call_whose_server_dies_is_unknown(tmp_path):
    async def scene():
        async with served(tmp_path) as (url, _), using(web=McpServer(url=url)) as clients:
            return await clients.run("mcp_web_die")

    ran = asyncio.run(scene())
    assert (ran.answered, ran.result.code) == (False, "mcp_answer_lost")
    assert (tmp_path / "calls").read_text() == "die\n"


def test_a_variable_that_is_not_there_is_named_and_nothing_is_asked():
    async def scene():
        server = McpServer(url="http://127.0.0.1:9/mcp", headers={"X-Token": "ABSENT"})
        async with using(web=server) as clients:
            return clients.clients.unreachable["web"]

    refusal = asyncio.run(scene())
    assert (refusal.code, refusal.params["variable"]) == ("mcp_variable_missing", "ABSENT")


PACKED = reply(b"\x1f\x8b", "application/json", Content_Encoding="gzip")


@pytest.mark.parametrize(
    "answer",
    [
        reply("<html>", "text/html"),
        reply("no", status=500),
        reply("no", status=404),
        reply("{", "application/json"),
        reply('{"jsonrpc": "2.0", "id": 77, "result": {}}', "application/json"),
        reply("data: {}\n\n", "text/event-stream"),
        reply("x" * 9_000_000, "application/json"),
        PACKED,
        leads_to("http://127.0.0.1:9/", 307),
        reply("", status=202),
    ],
)
def test_what_is_no_mcp_server_is_unreachable(answer):
    async def scene():
        async with Site({"/mcp": answer}) as site:
            server = McpServer(url=f"http://127.0.0.1:{site.port}/mcp", seconds=2)
            async with using(web=server) as clients:
                return clients.clients.unreachable

    assert asyncio.run(scene())["web"].code == "mcp_unreachable"


def test_an_address_that_says_nothing_is_given_up():
    async def silent(asked, writer):
        await asyncio.Event().wait()

    async def scene():
        async with (
            Site({"/mcp": silent}) as site,
            using(web=McpServer(url=f"http://127.0.0.1:{site.port}/mcp", seconds=0.3)) as clients,
        ):
            return clients.clients.unreachable

    assert asyncio.run(scene())["web"].code == "mcp_unreachable"


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"command": "x", "url": "https://tickets.example/mcp"},
        {"url": "ftp://tickets.example/"},
        {"url": "https://person@tickets.example/"},
        {"url": "http://tickets.example/mcp", "headers": {"Authorization": "NOTES_TOKEN"}},
        {"command": "x", "effect": "say"},
        {"command": "x", "effects": {"a": "own"}},
        {"command": "x", "colour": "red"},
        {"command": "x", "seconds": 0},
    ],
)
def test_a_table_that_makes_no_sense_is_refused(given):
    with pytest.raises(ValidationError):
        McpServer(**given)


def test_the_environment_of_the_tests_holds_a_secret_that_no_server_may_see():
    assert ENVIRONMENT["SECRET_OF_OURS"] == "hush"
