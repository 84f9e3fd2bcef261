"""Decides how a tool is declared: its name, its arguments, its effect, its body. It must not run anything."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict

from steadyhand.core.clock import Clock
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.language import Language, say
from steadyhand.core.wire import ToolSpec
from steadyhand.tools.result import ToolResult

Effect: TypeAlias = Literal["read", "draft", "own", "say", "workspace", "exec", "external"]
EFFECTS: tuple[Effect, ...] = ("read", "draft", "own", "say", "workspace", "exec", "external")
Origin: TypeAlias = Literal["person", "wake", "cron", "heartbeat", "job", "subagent"]


class Arguments(BaseModel):
    """The arguments of a tool; unknown ones are refused and nothing is coerced from text."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


@dataclass(frozen=True, slots=True)
class ToolContext:
    """For whom a call runs, and when: carried by the turn, never taken from the call's arguments."""

    user: UserId
    session: SessionId
    clock: Clock
    language: Language
    turn: str = ""
    origin: Origin = "person"
    call_id: str = ""


A = TypeVar("A", bound=Arguments)


@dataclass(frozen=True, slots=True)
class Tool(Generic[A]):
    """A tool. Its manual for the model is the catalogue's ``tool.<name>.description``."""

    name: str
    effect: Effect
    arguments: type[A]
    body: Callable[[ToolContext, A], Awaitable[ToolResult]]
    seconds: float = 30.0

    def spec(self, language: Language) -> ToolSpec:
        """Return what a model is told of this tool in *language*."""
        schema: dict[str, Any] = self.arguments.model_json_schema()
        schema.pop("description", None)
        return ToolSpec(self.name, say(language, f"tool.{self.name}.description"), schema)
