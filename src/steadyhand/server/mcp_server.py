"""Decides what the MCP server answers to each request of the protocol: tools, resources, one prompt. It must not decide a change.

What breaks inside one request is told to its client and logged; the server goes on.
"""

import contextlib
from collections.abc import AsyncGenerator
from typing import Any, cast

import anyio
import mcp_types as types
from mcp.server import Server
from mcp.server.context import CallNext, HandlerResult
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import ListenHandler
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from steadyhand import __version__
from steadyhand.core.errors import ModelCanFix, PersonDecides, SteadyhandError
from steadyhand.core.explain import explain
from steadyhand.core.logs import get_logger
from steadyhand.server.mcp_parts import Context, Parts, Sessions, whole
from steadyhand.server.mcp_resources import Resources
from steadyhand.server.mcp_tools import Calls
from steadyhand.server.mcp_watch import Watch

NAME = "steadyhand"
PROMPT, WISHES = "plan_my_week", "wishes"
MOST_WISHES = 4_000
MOST_STREAMS = 100

log = get_logger(__name__)


class Answers:
    """Answers the requests of the protocol from one person's tools and resources."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self.calls = Calls(parts, Sessions())
        self._resources = Resources(parts)
        self.watch = Watch(parts)

    async def list_tools(self, _context: Context, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=self.calls.tools())

    async def call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        return await self.calls.call(context, params)

    async def list_resources(self, _context: Context, _params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=await self._resources.listed())

    async def list_templates(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=self._resources.templates())

    async def read(self, _context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        return await self._resources.read(params.uri)

    async def subscribe(self, context: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        self.watch.follow(context, params.uri)
        return types.EmptyResult()

    async def unsubscribe(self, context: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        self.watch.leave(context, params.uri)
        return types.EmptyResult()

    async def list_prompts(self, _context: Context, _params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        say = self._parts.say
        wishes = types.PromptArgument(name=WISHES, description=say("prompt.wishes"), required=False)
        prompt = types.Prompt(name=PROMPT, title=say("prompt.title"), description=say("prompt.description"), arguments=[wishes])
        return types.ListPromptsResult(prompts=[prompt])

    async def get_prompt(self, _context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        say = self._parts.say
        if params.name != PROMPT:
            raise MCPError(types.INVALID_PARAMS, say("no_prompt"))
        wishes = whole((params.arguments or {}).get(WISHES, "")[:MOST_WISHES]).strip()
        text = say("prompt.text") if not wishes else f"{say('prompt.text')}\n\n{say('prompt.with_wishes', wishes=wishes)}"
        message = types.PromptMessage(role="user", content=types.TextContent(text=text))
        return types.GetPromptResult(description=say("prompt.description"), messages=[message])

    async def guarded(self, context: Context, call_next: CallNext) -> HandlerResult:
        """Turn what breaks inside a request into an answer that shows nothing of our inside."""
        try:
            return await call_next(context)
        except (MCPError, ValidationError):
            raise
        except SteadyhandError as error:
            code = types.INVALID_PARAMS if isinstance(error, ModelCanFix | PersonDecides) else types.INTERNAL_ERROR
            raise MCPError(code, whole(explain(error, self._parts.language).text()), {"code": error.code}) from error
        except Exception as error:
            log.exception("request_broke", method=context.method)
            raise MCPError(types.INTERNAL_ERROR, self._parts.say("broke")) from error


def serving(parts: Parts) -> Server[None]:
    """Return the server of one person."""
    answers = Answers(parts)

    @contextlib.asynccontextmanager
    async def lifespan(_server: Server[None]) -> AsyncGenerator[None]:
        async with answers.watch.looking():
            yield

    server: Server[None] = Server(
        NAME,
        version=__version__,
        title=parts.say("title"),
        instructions=parts.say("instructions"),
        lifespan=lifespan,
        get_tool_input_schema=answers.calls.schema,
        on_list_tools=answers.list_tools,
        on_call_tool=answers.call_tool,
        on_list_resources=answers.list_resources,
        on_list_resource_templates=answers.list_templates,
        on_read_resource=answers.read,
        on_subscribe_resource=answers.subscribe,
        on_unsubscribe_resource=answers.unsubscribe,
        on_subscriptions_listen=ListenHandler(answers.watch, max_subscriptions=MOST_STREAMS),
        on_list_prompts=answers.list_prompts,
        on_get_prompt=answers.get_prompt,
    )
    server.middleware.append(cast("Any", answers.guarded))
    return server


async def serve_pipes(parts: Parts) -> None:
    """Serve one client over standard input and output until it leaves, or is gone."""
    server = serving(parts)
    try:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
    except* (BrokenPipeError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        log.info("client_gone")
