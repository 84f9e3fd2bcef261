"""The whole way with the official client: look, arrange, propose; a person approves through the ordinary door; the client reads verified."""

import asyncio
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client

from command_line.ground import content, states
from server.ground import (
    OLDER,
    WAYS,
    Person,
    approve,
    code_of,
    http_client,
    in_child,
    in_process,
    opened,
    over_http,
    over_pipes,
    parts_of,
    read,
    text_of,
)


@pytest.mark.parametrize(("mode", "language"), [("auto", "en"), ("legacy", "zh-CN")])
def test_a_client_takes_a_week_to_verified_and_only_the_person_decides(planned: Path, mode: str, language: str) -> None:
    async def journey() -> None:
        person = Person(choose=lambda labels: labels[0])
        before = content(planned / "steadyhand.db")
        async with over_pipes(planned, mode, person, "--lang", language) as client:
            assert not (await client.call_tool("get_overview", {})).is_error
            arranged = await client.call_tool("arrange", {})
            assert len(person.asked) == 1
            assert (code_of(arranged), arranged.structured_content["pending"]) == ("ok", 0)
            assert len((await read(client, "steadyhand://draft"))[1]["changed"]) == 15
            proposed = await client.call_tool("propose", {})
            command = proposed.structured_content["decided_with"]
            assert command in text_of(proposed)
            assert "C-3" in text_of(proposed)
            assert content(planned / "steadyhand.db") == before
            assert (await read(client, "steadyhand://changes/C-3"))[1]["state"] == "sealed"
            approve(planned, command)
            listed = await client.call_tool("list_changes", {})
            assert listed.structured_content["changes"][0] == {
                **listed.structured_content["changes"][0],
                "number": 3,
                "state": "verified",
            }
            _, week = await read(client, "steadyhand://timetable/week/1")
            assert any(one["kind"] == "task" for day in week["days"] for one in day["entries"])
            undone = await client.call_tool("propose_undo", {"number": 3})
            assert undone.structured_content["decided_with"].startswith("steady change approve C-4 ")
        assert len(person.asked) == 1

    asyncio.run(journey())
    assert states(planned / "steadyhand.db") == [(1, "verified"), (2, "verified"), (3, "verified"), (4, "sealed")]


@pytest.mark.parametrize("mode", WAYS)
def test_over_http_the_same_way_leads_to_verified(planned: Path, mode: str) -> None:
    async def journey() -> None:
        with over_http(planned) as served:
            async with http_client(served, mode, Person()) as client:
                await client.call_tool("get_overview", {})
                assert code_of(await client.call_tool("arrange", {})) == "look_again"  # the window that was chosen is another one
                await client.call_tool("get_overview", {})
                assert code_of(await client.call_tool("arrange", {})) == "ok"
                proposed = await client.call_tool("propose", {})
                approve(planned, proposed.structured_content["decided_with"])
                assert "C-3: verified" in text_of(await client.call_tool("list_changes", {}))

    asyncio.run(journey())


def test_a_client_without_forms_is_told_how_the_person_chooses_the_window_and_goes_on_once_they_have(planned: Path) -> None:
    async def journey() -> None:
        async with over_pipes(planned) as client:
            await client.call_tool("get_overview", {})
            refused = await client.call_tool("arrange", {})
            assert code_of(refused) == "window_unconfirmed"
            assert "steady schedule window" in text_of(refused)
            assert in_child(planned, "schedule", "window", "2026-09-07", "2026-10-04").returncode == 0
            assert code_of(await client.call_tool("arrange", {})) == "look_again"
            overview = await client.call_tool("get_overview", {})
            assert len(overview.structured_content["days"]) == 28
            assert code_of(await client.call_tool("arrange", {})) == "ok"

    asyncio.run(journey())


@pytest.mark.parametrize("mode", WAYS)
@pytest.mark.parametrize("answer", [None, "a window of the client's own"])
def test_what_the_person_did_not_choose_is_not_taken_for_them(planned: Path, mode: str, answer: str | None) -> None:
    async def tried(client: Client) -> None:
        await client.call_tool("get_overview", {})
        assert code_of(await client.call_tool("arrange", {})) == "not_chosen"
        assert (await read(client, "steadyhand://draft"))[1]["open"] is False

    with opened(planned) as app:
        asyncio.run(in_process(parts_of(app), tried, mode, elicitation_callback=Person(lambda _: answer)))


def test_there_is_no_way_to_decide_over_the_protocol(planned: Path) -> None:
    """Whatever a client calls such a tool, there is none: of the whole kind, by every name of a decision."""

    async def tried(client: Client) -> None:
        for name in ("get_overview", "arrange", "get_overview", "arrange"):
            await client.call_tool(name, {})
        proposed = await client.call_tool("propose", {})
        digest = proposed.structured_content["decided_with"].split()[-1]
        for name in ("approve", "change_approve", "confirm", "decide", "deny", "run_decided", "shell", "message"):
            assert code_of(await client.call_tool(name, {"number": 3, "digest": digest})) == "tool_unknown"

    with opened(planned) as app:
        asyncio.run(in_process(parts_of(app), tried, elicitation_callback=Person()))
    assert states(planned / "steadyhand.db")[-1] == (3, "sealed")


@pytest.mark.parametrize("how", ["never answers", "breaks", "answers with something else"])
def test_a_client_that_says_it_has_forms_and_does_not_answer_is_not_waited_for(
    planned: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    async def answer(_context: Any, _params: types.ElicitRequestParams) -> types.ElicitResult:
        if how == "never answers":
            await asyncio.Event().wait()
        if how == "breaks":
            raise ValueError(how)
        return types.ElicitResult(action="accept", content={"other": 1, "choice": 2})

    async def tried(client: Client) -> None:
        await client.call_tool("get_overview", {})
        assert code_of(await client.call_tool("arrange", {})) == "not_chosen"
        assert not (await client.call_tool("list_changes", {})).is_error

    monkeypatch.setattr("steadyhand.server.mcp_asking.ANSWER_SECONDS", 0.2 if how == "never answers" else 60)
    with opened(planned) as app:
        asyncio.run(in_process(parts_of(app), tried, OLDER, elicitation_callback=answer))
