"""Walks tools and says of each what it lacks of the contract; any registry can be handed to it."""

import asyncio
from collections.abc import Iterable, Iterator
from typing import Any, get_type_hints

from steadyhand.core.clock import FakeClock
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.language import LANGUAGES, has
from steadyhand.core.wire import ToolCall
from steadyhand.tools.base import EFFECTS, Tool, ToolContext
from steadyhand.tools.policy import Rule, ToolPolicy
from steadyhand.tools.registry import Registry
from steadyhand.tools.result import ToolResult
from steadyhand.tools.runner import Runner

ALLOW_ALL = ToolPolicy((Rule("allow"),))
UNKNOWN = "an_argument_that_nobody_declared"


def faults(tools: Iterable[Tool[Any]]) -> list[str]:
    return [f"{tool.name}: {fault}" for tool in tools for fault in _faults(tool)]


def _faults(tool: Tool[Any]) -> Iterator[str]:
    if tool.effect not in EFFECTS:
        yield f"has no effect that is known: {tool.effect}"
    for language in LANGUAGES:
        if tool.outside is None and not has(language, f"tool.{tool.name}.description"):
            yield f"has no manual in {language}"
    if get_type_hints(tool.body).get("return") is not ToolResult:
        yield "does not say that it returns a ToolResult"
    result = _with_unknown_argument(tool)
    if not (isinstance(result, ToolResult) and result.code == "bad_argument" and UNKNOWN in result.for_llm):
        yield "takes an argument that it does not know"


def _with_unknown_argument(tool: Tool[Any]) -> ToolResult:
    runner = Runner(Registry([tool]), ALLOW_ALL)
    context = ToolContext(UserId("person"), SessionId("desk"), FakeClock(), "en")
    return asyncio.run(runner.run(context, ToolCall("call_1", tool.name, f'{{"{UNKNOWN}": 1}}')))
