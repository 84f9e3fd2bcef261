"""What an MCP client is offered: tools that look, draft and propose, told in the person's language, and none that decides."""

import asyncio
import re
from pathlib import Path

import pytest
from mcp import Client

from server.ground import in_process, opened, over_pipes, parts_of
from steadyhand.core.language import LANGUAGES, Language, say
from steadyhand.server.mcp_tools import offered

DECIDING = re.compile(r"approve|confirm|decide|deny|reject|accept|submit|批准|确认|决定", re.IGNORECASE)
EXPECTED = {"get_overview", "place", "arrange", "propose", "list_changes", "show_change", "propose_undo", "undo", "redo"}


def test_over_pipes_every_tool_has_a_schema_and_true_hints_and_none_decides(planned: Path) -> None:
    async def look() -> None:
        async with over_pipes(planned) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert tools.keys() >= EXPECTED
        assert [name for name in tools if DECIDING.search(name)] == []
        for tool in tools.values():
            assert tool.input_schema["type"] == "object"
            assert tool.input_schema["additionalProperties"] is False
            assert tool.annotations is not None
            assert tool.annotations.destructive_hint is False
        hints = {name: tool.annotations for name, tool in tools.items() if tool.annotations is not None}
        assert hints["get_overview"].read_only_hint
        assert hints["get_overview"].idempotent_hint
        assert not hints["place"].read_only_hint
        assert not hints["undo"].idempotent_hint
        assert {name for name, one in hints.items() if one.open_world_hint} == {"web_fetch", "web_search"}

    asyncio.run(look())


def test_only_tools_that_read_or_write_to_the_draft_are_offered(data_dir: Path) -> None:
    with opened(data_dir) as app:
        parts = parts_of(app)
        names = {tool.name for tool in offered(parts.registry)}
        kept_back = {tool.name: tool.effect for tool in parts.registry if tool.name not in names}
        assert {tool.effect for tool in offered(parts.registry)} == {"read", "draft"}
        assert {"shell", "write_file", "edit_file", "message", "ask_user"} <= kept_back.keys()
        assert not {"read", "draft"} & set(kept_back.values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_titles_manuals_and_the_prompt_are_in_the_persons_language(data_dir: Path, language: Language) -> None:
    async def look(client: Client) -> None:
        for tool in (await client.list_tools()).tools:
            assert tool.title == say(language, f"server.mcp.tool.{tool.name}")
            assert tool.description == say(language, f"tool.{tool.name}.description")
        (prompt,) = (await client.list_prompts()).prompts
        assert prompt.title == {"en": "Plan my week", "zh-CN": "安排我的一周"}[language]
        message = (await client.get_prompt(prompt.name, {"wishes": "no mornings"})).messages[0].content
        assert "no mornings" in message.model_dump()["text"]
        assert "propose" in message.model_dump()["text"]

    with opened(data_dir) as app:
        asyncio.run(in_process(parts_of(app, language), look))
