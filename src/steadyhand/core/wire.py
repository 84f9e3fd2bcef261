"""Decides the shape of what passes between providers, tools and the gate; it must not hold behaviour."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from steadyhand.core.canonical import Json


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """What a model is told of a tool: its name, its manual, and the JSON Schema of its arguments."""

    name: str
    description: str
    parameters: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A structured operation that a model proposes; *arguments* is the JSON text as it came, unparsed."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of what a provider reads; *tool_call_id* is set on a tool's result alone.

    *data* is a tool result's typed content and *code* its stable word, for providers that run in this process: they are never
    sent to one that does not.
    *reasoning* is what some servers want back with the calls that they made.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    data: Json = None
    reasoning: str = ""
    code: str = "ok"


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that a completion cost, as the provider counted them."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0


NOTICE = "notice"
"""The source of what the program itself says of how it went: words of no person and of no model."""
NOTE = ("<system-note>", "</system-note>")
"""Between these a model reads such a notice, in the person's role, so that it is taken for nobody's answer."""

CHANGE = "change"
"""The key of a request's context that names the domain of the change whose brief this is; no turn of a conversation has it."""


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a provider. With no *tools* the body that is sent has no such key at all.

    *context* is for providers that run in this process. *schema*, a JSON Schema, asks for a text that is JSON of that form.
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    context: Mapping[str, Json] = field(default_factory=dict[str, Json])
    schema: Mapping[str, Json] | None = None


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of streamed text; provisional until the completion comes."""

    text: str = ""
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """The whole of one answer."""

    text: str = ""
    reasoning: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    finish: str = "stop"
    usage: Usage = field(default_factory=Usage)
    raw: bytes = b""
