"""Tools for trying the registry and the runner, with their manuals in both languages."""

import asyncio
import dataclasses
from typing import Literal

import pytest
from pydantic import Field

from steadyhand.core.clock import FakeClock
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.language import LANGUAGES, catalogue
from steadyhand.core.wire import ToolCall
from steadyhand.tools.base import Arguments, Tool, ToolContext
from steadyhand.tools.result import ToolResult, tool_result


class Move(Arguments):
    day: int = Field(ge=1, le=7)
    mode: Literal["keep", "swap"] = "keep"


class Everything(Arguments):
    """Arguments of every kind."""

    name: str = Field(min_length=1, max_length=5)
    count: int = Field(gt=0, lt=10)
    share: float = 0.5
    sure: bool = False
    moves: list[Move] = Field(default=[], max_length=2)
    first: Move | None = None


class Nothing(Arguments):
    pass


async def echo(context: ToolContext, arguments: Everything) -> ToolResult:
    return tool_result(f"{context.call_id} {arguments.name} {arguments.count}", data=arguments.model_dump(mode="json"))


async def forever(context: ToolContext, arguments: Nothing) -> ToolResult:
    await asyncio.Event().wait()
    return tool_result("never")


NAMES = ("echo", "forever", "shell", "post", "strange")


@pytest.fixture(autouse=True)
def _manuals(monkeypatch: pytest.MonkeyPatch) -> None:
    for language in LANGUAGES:
        for name in NAMES:
            monkeypatch.setitem(catalogue(language), f"tool.{name}.description", f"{name} in {language}")


@pytest.fixture
def echo_tool() -> Tool[Everything]:
    return Tool("echo", "read", Everything, echo)


@pytest.fixture
def forever_tool() -> Tool[Nothing]:
    return Tool("forever", "read", Nothing, forever, seconds=0.01)


@pytest.fixture
def context(clock: FakeClock) -> ToolContext:
    return ToolContext(UserId("person"), SessionId("desk"), clock, "en", turn="turn_1")


@pytest.fixture
def woken(context: ToolContext) -> ToolContext:
    return dataclasses.replace(context, origin="wake")


def call(name: str, arguments: str = "{}") -> ToolCall:
    return ToolCall("call_1", name, arguments)
