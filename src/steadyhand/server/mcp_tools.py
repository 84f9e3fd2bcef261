"""Decides which tools an MCP client is offered, and runs their calls as those of the person's session. It must not offer one that decides.

Every call goes through the runner: policy, arguments, time limit, journal. What policy would ask a person about is denied here.
"""

import asyncio
import contextlib
import itertools
import json
from collections.abc import AsyncGenerator, Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

import mcp_types as types

from steadyhand.core.canonical import Json, short
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import SessionId, change_name, new_id
from steadyhand.core.language import has, say
from steadyhand.core.wire import ToolCall
from steadyhand.domains.schedule.draft.planning import KIND as WINDOW
from steadyhand.domains.schedule.draft.planning import window_json
from steadyhand.gate.machine import State
from steadyhand.server.mcp_asking import Answer, Caught, Chosen, ask, can_ask
from steadyhand.server.mcp_parts import CHANNEL, Context, Parts, Sessions, content, plain
from steadyhand.store.people import people
from steadyhand.tools.base import Tool, ToolContext
from steadyhand.tools.ports import Ports, Question
from steadyhand.tools.registry import Registry
from steadyhand.tools.result import ToolResult, error_result
from steadyhand.tools.runner import Runner

OFFERED = ("read", "draft")
LOOKS_OUTSIDE = frozenset({"web_fetch", "web_search"})
TICK_SECONDS = 1.0
CODE = "steadyhand/code"
"""The key under which a result carries its stable word."""
DECIDED_BY = {State.SEALED: "approve", State.IN_REVIEW: "confirm"}


def offered(tools: Iterable[Tool[Any]]) -> Registry:
    """Return the tools that a client may call: those that read or write to the draft, none of another server."""
    return Registry(tool for tool in tools if tool.effect in OFFERED and tool.outside is None)


class Calls:
    """Lists and runs the tools of one person for MCP clients."""

    def __init__(self, parts: Parts, sessions: Sessions) -> None:
        self._parts = parts
        self._sessions = sessions
        self._runner = Runner(offered(parts.registry), parts.policy)

    def tools(self) -> list[types.Tool]:
        """Return what a client is told of each tool."""
        return [self._told(tool) for tool in self._runner.registry]

    def schema(self, name: str) -> Mapping[str, Any] | None:
        """Return the schema of a tool's arguments."""
        tool = self._runner.registry.find(name)
        return None if tool is None else tool.spec(self._parts.language).parameters

    def _told(self, tool: Tool[Any]) -> types.Tool:
        spec, message = tool.spec(self._parts.language), f"server.mcp.tool.{tool.name}"
        reads = tool.effect == "read"
        return types.Tool(
            name=spec.name,
            title=say(self._parts.language, message) if has(self._parts.language, message) else spec.name,
            description=spec.description,
            input_schema=dict(spec.parameters),
            annotations=types.ToolAnnotations(
                read_only_hint=reads,
                destructive_hint=False,
                idempotent_hint=reads and not tool.repeatable,
                open_world_hint=tool.name in LOOKS_OUTSIDE,
            ),
        )

    async def call(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Run one call; what it asks the person is asked through the client, where that can be done."""
        session = self._sessions.of(context)
        call = ToolCall(new_id("call"), params.name, json.dumps(params.arguments or {}))
        caught = Caught() if can_ask(context) else None
        tool_context = ToolContext(
            self._parts.user.id, session, self._parts.store.clock, self._parts.language, ports=Ports(questions=caught)
        )
        await self._known(session, params.name)
        async with self._ticking(context):
            result = await self._run(tool_context, call)
        if caught is not None and caught.question is not None:
            answer = await ask(context, caught.question, params.input_responses)
            if isinstance(answer, types.InputRequiredResult):
                return answer
            result = await self._answered(tool_context, call, caught.question, answer)
        return await self._result(result)

    async def _known(self, session: SessionId, name: str) -> None:
        """Make the session's row before the first call that something may be stored for."""
        tool = self._runner.registry.find(name)
        if tool is not None and tool.effect == "draft":
            await self._parts.store.write(lambda tx: people.ensure_session(tx, self._parts.user.id, session, CHANNEL))

    async def _run(self, context: ToolContext, call: ToolCall) -> ToolResult:
        result = await self._runner.run(context, call)
        if result.code == "window_unconfirmed" and await self._window_was_chosen(context):
            return await self._runner.run(context, call)
        return result

    async def _window_was_chosen(self, context: ToolContext) -> bool:
        """Take over the window of a draft that is open: the person chose it elsewhere, and nobody can be asked here."""
        try:
            draft = await self._parts.drafting.look(context.user)
        except ToolRefusal:
            return False
        if not draft.row.revision:
            return False
        await self._parts.working.hold(context.user, context.session, WINDOW, window_json(draft.window), keep=True)
        return True

    async def _answered(self, context: ToolContext, call: ToolCall, question: Question, answer: Answer) -> ToolResult:
        reader = self._parts.readers.get(question.kind)
        if isinstance(answer, Chosen) and reader is not None:
            meant = await reader.read(context.user, context.session, question, answer.value, answer.text)
            if meant is not None:
                again = Caught()
                result = await self._run(replace(context, ports=Ports(questions=again)), call)
                if again.question is None:
                    return result
        return error_result(self._parts.say("not_chosen"), code="not_chosen")

    @contextlib.asynccontextmanager
    async def _ticking(self, context: Context) -> AsyncGenerator[None]:
        """Tell a client that asked for progress that the call goes on, at once and every second."""
        clock = self._parts.store.clock
        begun = clock.monotonic()

        async def tick() -> None:
            for count in itertools.count():  # progress must grow, whatever the clock says
                seconds = int(clock.monotonic() - begun)
                await context.session.report_progress(count, None, self._parts.say("goes_on", seconds=seconds))
                await asyncio.sleep(TICK_SECONDS)

        ticking = asyncio.create_task(tick())
        try:
            await asyncio.sleep(0)  # lets the first one out before the work begins
            yield
        finally:
            ticking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await ticking

    async def _result(self, result: ToolResult) -> types.CallToolResult:
        texts = [content(result.for_llm)]
        if result.for_user and not result.silent and result.for_user != result.for_llm:
            texts.append(content(result.for_user, person=True))
        data = result.data if isinstance(result.data, Mapping) else None
        structured = None if data is None else dict(cast("Mapping[str, Json]", data))
        if structured is not None and isinstance(structured.get("review"), int):
            decided = await self._where_it_is_decided(cast("int", structured["review"]))
            if decided is not None:
                text, command = decided
                texts.append(content(text))
                structured["decided_with"] = command
        return types.CallToolResult(
            content=list(texts),
            structured_content=None if structured is None else plain(structured),
            is_error=result.is_error,
            _meta={CODE: result.code},
        )

    async def _where_it_is_decided(self, number: int) -> tuple[str, str] | None:
        """Say where a person decides on a change that waits: nowhere here."""
        row = await self._parts.controller.current(self._parts.user.id, number)
        verb = DECIDED_BY.get(State(row.state))
        if verb is None:
            return None
        name, digest = change_name(number), short(row.seal_digest or row.spec_digest or "")
        command = f"steady change {verb} {name} {digest}"
        return self._parts.say("decided_elsewhere", name=name, command=command), command
