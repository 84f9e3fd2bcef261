"""Nothing that a client sends, breaks off or does at once ends the server, leaves half a draft, or shows our inside."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client
from mcp.shared.exceptions import MCPError

from command_line.ground import child_environment
from server.ground import COMMAND, WAYS, Person, code_of, in_child, in_process, opened, over_pipes, parts_of, read, text_of
from steadyhand.core.language import LANGUAGES, catalogue
from steadyhand.domains.schedule.draft.drafting import Drafting
from steadyhand.domains.schedule.term.windows import whole_term
from steadyhand.tools.base import Arguments, Tool, ToolContext
from steadyhand.tools.result import ToolResult, tool_result
from steadyhand.wiring.app import App

SECRET = "inside-out-4711"


class Nothing(Arguments):
    """Nothing is to be said."""


class Word(Arguments):
    """One word."""

    word: str


async def breaks(context: ToolContext, arguments: Nothing) -> ToolResult:
    raise ValueError(SECRET)


async def echo(context: ToolContext, arguments: Word) -> ToolResult:
    return tool_result(arguments.word + "\ud800", data={"word": arguments.word, "half": "\udfff"})


@pytest.fixture(autouse=True)
def _manuals(monkeypatch: pytest.MonkeyPatch) -> None:
    for language in LANGUAGES:
        for name in ("breaks", "echo", "waits", "sends"):
            monkeypatch.setitem(catalogue(language), f"tool.{name}.description", name)


@pytest.mark.parametrize("mode", WAYS)
def test_a_call_that_breaks_is_an_error_result_and_the_next_call_is_answered(data_dir: Path, mode: str) -> None:
    async def look(client: Client) -> None:
        for _ in range(2):
            broken = await client.call_tool("breaks", {})
            assert (code_of(broken), broken.is_error) == ("tool_raised", True)
            assert SECRET not in broken.model_dump_json()
        assert text_of(await client.call_tool("echo", {"word": "still here"})) == "still here?"

    with opened(data_dir) as app:
        tools = [Tool("breaks", "read", Nothing, breaks), Tool("echo", "read", Word, echo)]
        asyncio.run(in_process(parts_of(app, tools=tools), look, mode))


@pytest.mark.parametrize("mode", WAYS)
def test_a_request_that_breaks_shows_nothing_of_our_inside(data_dir: Path, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: Any) -> Any:
        raise RuntimeError(SECRET)

    async def look(client: Client) -> None:
        monkeypatch.setattr("steadyhand.server.mcp_resources.Resources.read", broken)
        with pytest.raises(MCPError) as refused:
            await client.read_resource("steadyhand://changes")
        assert SECRET not in str(refused.value.error)
        assert refused.value.code == types.INTERNAL_ERROR
        assert (await client.list_tools()).tools

    with opened(data_dir) as app:
        asyncio.run(in_process(parts_of(app), look, mode))


@pytest.mark.parametrize("mode", WAYS)
def test_a_request_that_is_taken_back_ends_its_call(data_dir: Path, mode: str) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def wait(context: ToolContext, arguments: Nothing) -> ToolResult:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return tool_result("never")

    async def look(client: Client) -> None:
        calling = asyncio.create_task(client.call_tool("waits", {}))
        await begun.wait()
        calling.cancel()
        await asyncio.wait_for(ended.wait(), 60)
        assert (await client.list_tools()).tools

    with opened(data_dir) as app:
        asyncio.run(in_process(parts_of(app, tools=[Tool("waits", "read", Nothing, wait)]), look, mode))


def test_what_policy_asks_a_person_about_is_not_offered_and_denied_at_once(data_dir: Path) -> None:
    """With nobody who could be asked here, asking is denying: for every effect that is not read or draft."""

    async def look(client: Client) -> None:
        assert (await client.list_tools()).tools == []
        for name in ("own", "say", "workspace", "exec", "external"):
            assert (await client.call_tool(f"sends_{name}", {})).is_error

    with opened(data_dir) as app:
        effects: tuple[Any, ...] = ("own", "say", "workspace", "exec", "external")
        tools = [Tool(f"sends_{effect}", effect, Nothing, breaks) for effect in effects]
        asyncio.run(in_process(parts_of(app, tools=tools), look))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    st.dictionaries(
        st.text(max_size=8),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=5),
            lambda inner: st.lists(inner, max_size=3),
            max_leaves=4,
        ),
        max_size=3,
    )
)
def test_no_arguments_break_a_tool(shared_app: App, arguments: dict[str, Any]) -> None:
    async def look(client: Client) -> None:
        for name in ("place", "query_range", "show_change", "propose"):
            result = await client.call_tool(name, arguments)
            assert isinstance(code_of(result), str)
            assert code_of(result) != "tool_raised"
        assert not (await client.call_tool("list_changes", {})).is_error

    asyncio.run(in_process(parts_of(shared_app), look))


@pytest.fixture
def shared_app(planned: Path) -> Any:
    with opened(planned) as app:
        yield app


def test_writes_that_come_at_once_all_count_and_none_is_lost(planned: Path) -> None:
    async def look(client: Client) -> None:
        found = await client.call_tool("list_tasks", {"status": "pending"})
        waiting = [task["task_id"] for task in found.structured_content["tasks"]]
        places = [
            client.call_tool("place", {"task_id": task, "day": day, "slot_start": 9}) for day, task in enumerate(waiting, 5)
        ]
        results = await asyncio.gather(*places, client.call_tool("get_overview", {}), client.call_tool("nonsense", {}))
        placed = [result for result in results[:-2] if not result.is_error]
        assert len(placed) >= len(waiting) // 2
        _, draft = await read(client, "steadyhand://draft")
        assert len(draft["changed"]) == len(placed)
        for _ in placed:
            assert not (await client.call_tool("undo", {})).is_error
        assert (await read(client, "steadyhand://draft"))[1]["changed"] == []

    with opened(planned) as app:
        term = asyncio.run(Drafting(app.store).term(app.user.id))
        asyncio.run(Drafting(app.store).open(app.user.id, whole_term(term)))
        person = Person(lambda labels: labels[0])
        asyncio.run(in_process(parts_of(app), _settled(look), elicitation_callback=person))


def _settled(look: Any) -> Any:
    """Confirm the window once, so that what follows can come at once."""

    async def work(client: Client) -> None:
        await client.call_tool("get_overview", {})
        assert code_of(await client.call_tool("undo", {})) == "nothing_to_undo"
        await look(client)

    return work


def test_a_long_call_tells_how_it_goes_to_who_asked_for_it(data_dir: Path) -> None:
    told: list[str] = []
    twice = asyncio.Event()

    async def wait(context: ToolContext, arguments: Nothing) -> ToolResult:
        await twice.wait()
        return tool_result("done")

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        assert total is None
        told.append(message or "")
        if len(told) >= 2:
            twice.set()

    async def look(client: Client) -> None:
        result = await client.call_tool("waits", {}, progress_callback=on_progress)
        assert text_of(result) == "done"

    with opened(data_dir) as app:
        asyncio.run(in_process(parts_of(app, tools=[Tool("waits", "draft", Nothing, wait)]), look))
    assert told[0].startswith("at work for")


# ---- over real pipes -------------------------------------------------------------------------------------------------


def _started(data_dir: Path, **more: str) -> "subprocess.Popen[bytes]":
    environment = {**child_environment(data_dir), **more}
    command = [sys.executable, *COMMAND, "mcp"]
    return subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=data_dir
    )


def _send(process: "subprocess.Popen[bytes]", *lines: object) -> None:
    assert process.stdin is not None
    for line in lines:
        process.stdin.write(line if isinstance(line, bytes) else json.dumps({"jsonrpc": "2.0", **dict(line)}).encode() + b"\n")
    process.stdin.flush()


def _answer(process: "subprocess.Popen[bytes]") -> Any:
    assert process.stdout is not None
    return json.loads(process.stdout.readline())


HELLO = {
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}
READY = {"method": "notifications/initialized"}


def _call(number: int, name: str, **arguments: Any) -> dict[str, Any]:
    return {"id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


def test_malformed_lines_do_not_end_the_server_and_its_output_is_the_protocol_alone(planned: Path) -> None:
    process = _started(planned)
    _send(process, HELLO, READY)
    assert _answer(process)["id"] == 0
    for line in (b"no json\n", b"[]\n", b'{"jsonrpc":"2.0","id":5}\n', b"\xff\xfe\n", b"\n", b"[" * 5000 + b"\n", b'"text"\n'):
        _send(process, line)
    _send(process, {"id": 6, "method": "tools/call", "params": {"name": 7}})
    _send(process, {"id": 7, "method": "tools/call", "params": {"name": "place", "arguments": "x"}})
    _send(process, {"id": 8, "method": "no/such/method", "params": {}})
    _send(process, _call(9, "list_changes"))
    answers = {}
    while 9 not in answers:
        answer = _answer(process)
        assert answer["jsonrpc"] == "2.0"
        answers[answer.get("id")] = answer
    assert {"error" in answers[number] for number in (6, 7, 8)} == {True}
    assert not answers[9]["result"]["isError"]
    out, err = process.communicate(timeout=60)
    assert out == b""
    assert process.returncode == 0
    assert b"Traceback" not in err


@pytest.mark.parametrize("point", ["", "draft.before_step", "draft.after_step"])
def test_a_client_or_a_server_that_dies_in_a_call_leaves_the_draft_whole(planned: Path, point: str) -> None:
    assert in_child(planned, "schedule", "window", "2026-09-07", "2027-01-10").returncode == 0
    process = _started(planned, **({"STEADYHAND_FAULT": point} if point else {}))
    _send(process, HELLO, READY, _call(1, "get_overview"))
    for _ in range(2):
        _answer(process)
    _send(process, _call(2, "arrange"))
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.close()
    if not point:
        process.stdin.close()
    with process:
        assert process.wait(60) == (-9 if point else process.returncode)
    done = in_child(planned, "--json", "schedule", "window")
    assert done.returncode == 0, done.stderr
    draft = json.loads(done.stdout)
    assert (draft["suggested"], draft["pending"]) in [(0, 15), (15, 0)]
    assert not point or draft["suggested"] == (15 if point == "draft.after_step" else 0)


def test_two_clients_at_once_write_to_one_draft_and_neither_loses_a_step(planned: Path) -> None:
    assert in_child(planned, "schedule", "window", "2026-09-07", "2027-01-10").returncode == 0

    async def write(first_day: int) -> int:
        async with over_pipes(planned) as client:
            await client.call_tool("get_overview", {})
            found = await client.call_tool("list_tasks", {"status": "pending"})
            tasks = [task["task_id"] for task in found.structured_content["tasks"]]
            mine = tasks[: len(tasks) // 2] if first_day == 5 else tasks[len(tasks) // 2 :]
            results = [
                await client.call_tool("place", {"task_id": task, "day": first_day + 7 * index, "slot_start": 9})
                for index, task in enumerate(mine)
            ]
            assert {code_of(result) for result in results} <= {"ok", "conflict", "out_of_range", "bad_argument"}
            return sum(not result.is_error for result in results)

    async def both() -> int:
        return sum(await asyncio.gather(write(5), write(6)))

    placed = asyncio.run(both())
    assert placed >= 6
    draft = json.loads(in_child(planned, "--json", "schedule", "window").stdout)
    assert draft["suggested"] == placed
