"""Tools are registered one by one, keep their order, and no name is taken twice."""

import pytest
from pydantic import ConfigDict

from steadyhand.core.errors import Bug
from steadyhand.tools.base import Tool
from steadyhand.tools.registry import Registry
from steadyhand.tools.result import ToolResult
from tools.conftest import Everything, Nothing, echo
from tools.walking import faults


async def reply(context, arguments) -> ToolResult:
    return ToolResult("ok")


def tool(name, **more):
    return Tool(name, **{"effect": "read", "arguments": Nothing, "body": reply, **more})


def test_what_a_model_is_told_keeps_the_order_of_registration():
    registry = Registry([tool("post"), tool("echo"), tool("shell")])
    assert [spec.name for spec in registry.specs("en")] == ["post", "echo", "shell"]
    assert [spec.name for spec in registry.specs("en", ["shell", "post"])] == ["post", "shell"]
    assert [each.name for each in registry] == ["post", "echo", "shell"]
    assert len(registry) == 3


def test_a_name_is_taken_once():
    registry = Registry([tool("echo")])
    with pytest.raises(Bug) as caught:
        registry.register(tool("echo", effect="exec"))
    assert caught.value.code == "tool_registered_twice"
    found = registry.find("echo")
    assert found is not None
    assert found.effect == "read"


def test_a_tool_that_is_not_there_is_not_found_and_never_told_of():
    registry = Registry([tool("echo")])
    assert registry.find("shell") is None
    with pytest.raises(Bug):
        registry.specs("en", ["echo", "shell"])


def test_a_spec_has_the_manual_of_its_language_and_refuses_other_arguments():
    registry = Registry([tool("echo", arguments=Everything, body=echo)])
    english, chinese = registry.specs("en")[0], registry.specs("zh-CN")[0]
    assert (english.description, chinese.description) == ("echo in en", "echo in zh-CN")
    assert english.parameters == chinese.parameters
    assert english.parameters["additionalProperties"] is False
    assert english.parameters["required"] == ["name", "count"]


def test_the_walk_finds_nothing_in_tools_that_keep_the_contract():
    assert faults(Registry([tool("echo", arguments=Everything, body=echo), tool("post", effect="external")])) == []


def test_the_walk_finds_what_a_tool_lacks():
    class Loose(Everything):
        model_config = ConfigDict(extra="ignore")

    async def untold(context, arguments):
        return "text"

    found = faults([tool("nameless", effect="teleport", arguments=Loose, body=untold)])
    assert len(found) == 5
    assert all(line.startswith("nameless: ") for line in found)
