"""Decides what the MCP server is put together from, and which session a connection has; it must not hold behaviour of a tool."""

import json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

import mcp_types as types
from mcp.server.context import ServerRequestContext
from starlette.requests import Request

from steadyhand.core.canonical import Json
from steadyhand.core.ids import SessionId, new_id
from steadyhand.core.language import Language, say
from steadyhand.domains.schedule.draft.drafting import Drafting
from steadyhand.gate.controller import Controller
from steadyhand.memory.working import Working
from steadyhand.session.questions import AnswerReader
from steadyhand.store import Store
from steadyhand.store.people.people import User
from steadyhand.tools.policy import ToolPolicy
from steadyhand.tools.registry import Registry

Context: TypeAlias = ServerRequestContext[Any, Any]
CHANNEL = "mcp"
MOST_SESSIONS = 1_000


@dataclass(frozen=True, slots=True)
class Parts:
    """What one person's MCP server works with; *readers* know the answers to the questions of domains."""

    store: Store
    user: User
    language: Language
    controller: Controller
    drafting: Drafting
    registry: Registry
    policy: ToolPolicy
    working: Working
    readers: Mapping[str, AnswerReader] = field(default_factory=dict[str, AnswerReader])

    def say(self, message: str, **params: object) -> str:
        """Return a text of the server's catalogue in the person's language."""
        return say(self.language, f"server.mcp.{message}", **params)


class Sessions:
    """The session of each connection, drawn when it is first seen; a connection without a name of its own goes by its client's."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, SessionId] = OrderedDict()

    def of(self, context: Context) -> SessionId:
        """Return the session of the connection that *context* came over."""
        key = connection_of(context)
        if key not in self._known:
            self._known[key] = SessionId(new_id(CHANNEL).replace("_", "-"))
        self._known.move_to_end(key)
        if len(self._known) > MOST_SESSIONS:
            self._known.popitem(last=False)
        return self._known[key]


def connection_of(context: Context) -> str:
    """Return what tells connections apart: nothing over pipes, the transport's id over HTTP, else what the client calls itself."""
    if context.request is None:
        return ""
    given = cast("Request", context.request).headers.get("mcp-session-id")
    if given is not None:
        return f"id {given}"
    client = context.session.client_params
    return "client" if client is None else f"client {client.client_info.name} {client.client_info.version}"


def content(text: str, *, person: bool = False) -> types.TextContent:
    """Return *text* as a part of an answer; half characters, which no client could read, are replaced."""
    annotations = types.Annotations(audience=["user"]) if person else None
    return types.TextContent(text=whole(text), annotations=annotations)


def whole(text: str) -> str:
    """Return *text* without halves of characters."""
    return text.encode("utf-8", "replace").decode()


def plain(data: Json) -> Any:
    """Return *data* as plain JSON values that every client can read."""
    return json.loads(whole(json.dumps(data, ensure_ascii=False, default=dict)))
