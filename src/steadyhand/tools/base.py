"""Decides how a tool is declared: its name, its arguments, its effect, its body. It must not run anything."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict

from steadyhand.core.canonical import Json
from steadyhand.core.clock import Clock
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.language import Language, say
from steadyhand.core.wire import ToolSpec
from steadyhand.tools.ports import Ports
from steadyhand.tools.result import ToolResult

Effect: TypeAlias = Literal["read", "draft", "own", "say", "workspace", "exec", "external"]
EFFECTS: tuple[Effect, ...] = ("read", "draft", "own", "say", "workspace", "exec", "external")
Origin: TypeAlias = Literal["person", "wake", "cron", "heartbeat", "job", "subagent"]


class Arguments(BaseModel):
    """The arguments of a tool; unknown ones are refused and nothing is coerced from text."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


@dataclass(frozen=True, slots=True)
class ToolContext:
    """For whom a call runs, when, and through which doors: carried by the turn, never taken from the call's arguments.

    *said* is what the person wrote in this turn, as it came: for tools that check a call against it.
    """

    user: UserId
    session: SessionId
    clock: Clock
    language: Language
    turn: str = ""
    origin: Origin = "person"
    call_id: str = ""
    said: str = ""
    ports: Ports = field(default_factory=Ports)


A = TypeVar("A")
A_co = TypeVar("A_co", covariant=True)


class Declared(Protocol[A_co]):
    """What says which arguments a tool takes, and reads them: a subclass of `Arguments`, or what stands for a foreign schema.

    The two methods are pydantic's own. Arguments that do not fit raise pydantic's `ValidationError` or `checking.Misfit`.
    """

    def model_json_schema(self) -> dict[str, Any]: ...

    def model_validate_json(self, json_data: str, /) -> A_co: ...


@dataclass(frozen=True, slots=True)
class Outside:
    """What only a tool of somebody else has: its *manual*, which no catalogue holds, and the *digest* of all that it declares."""

    manual: Callable[[Language], str]
    digest: str


@dataclass(frozen=True, slots=True)
class Tool(Generic[A]):
    """A tool. Its manual for the model is the catalogue's ``tool.<name>.description``, or what *outside* gives.

    *repeatable* tools mean something else each time that they are called with the same arguments (one more step back).
    *around* tells what a call hangs on besides its arguments, as facts by name (``fence``, ``file:run.sh``): a call that is held for a
    person shows them and is made only while they are the same. It raises `ToolRefusal` where the call could not be made at all.
    """

    name: str
    effect: Effect
    arguments: Declared[A]
    body: Callable[[ToolContext, A], Awaitable[ToolResult]]
    seconds: float = 30.0
    repeatable: bool = False
    outside: Outside | None = None
    around: Callable[[A], Awaitable[Mapping[str, Json]]] | None = None

    def spec(self, language: Language) -> ToolSpec:
        """Return what a model is told of this tool in *language*."""
        schema: dict[str, Any] = self.arguments.model_json_schema()
        schema.pop("description", None)
        manual = say(language, f"tool.{self.name}.description") if self.outside is None else self.outside.manual(language)
        return ToolSpec(self.name, manual, schema)
