"""Decides when a connection to a server is alive, and what is known of a request whose answer is lost. It must not send one twice."""

import asyncio
from collections.abc import Coroutine, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import mcp_types as types
from mcp import Client, MCPError
from pydantic import BaseModel, ConfigDict

from steadyhand import __version__
from steadyhand.core.canonical import Json
from steadyhand.core.mcp_settings import McpServer

MAX_PAGES = 20
CLOSE_SECONDS = 10.0
REFUSALS = frozenset({types.METHOD_NOT_FOUND, types.INVALID_PARAMS, types.UNSUPPORTED_PROTOCOL_VERSION, types.HEADER_MISMATCH})
"""Codes by which a server says that it did not run the call; any other leaves that open."""

T = TypeVar("T")


class _Raw(BaseModel):
    """An answer as it came, so that no check of the library's runs on a schema of the server's."""

    model_config = ConfigDict(extra="allow")


class Lost(Exception):
    """There will be no answer that can be used: the connection broke, the time is up, or what came is no answer."""


class Declined(Exception):
    """The server said that it did not run the call."""


@dataclass(eq=False)
class Connection:
    """One connection. A task of its own holds it open, so that any task may use it and none is torn down with it."""

    transport: AbstractAsyncContextManager[Any]
    client: Client | None = None
    in_flight: int = 0
    doubtful: bool = False
    _stop: asyncio.Event = field(default_factory=asyncio.Event)
    _keeper: "asyncio.Task[None] | None" = None
    _left_alone: "set[asyncio.Task[Any]]" = field(default_factory=set["asyncio.Task[Any]"])

    @property
    def alive(self) -> bool:
        """Whether the connection stands, as far as is known."""
        return self.client is not None and self._keeper is not None and not self._keeper.done()

    async def open(self, seconds: float) -> None:
        """Connect and shake hands within *seconds*; anything else raises `Lost`, or what the transport raised."""
        ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._keeper = asyncio.create_task(self._keep(ready))
        try:
            async with asyncio.timeout(seconds):
                self.client = await asyncio.shield(ready)
        except TimeoutError:
            raise Lost("no greeting in time") from None
        finally:
            if self.client is None:
                ready.cancel()
                await self.close()

    async def _keep(self, ready: "asyncio.Future[Client]") -> None:
        who = types.Implementation(name="steadyhand", version=__version__)
        try:
            async with Client(cast("Any", self.transport), cache=None, client_info=who) as client:
                if not ready.done():
                    ready.set_result(client)
                await self._stop.wait()
        except Exception as error:  # noqa: BLE001  # whatever a foreign server makes the library raise ends this connection alone
            if not ready.done():
                ready.set_exception(_first(error))

    async def ask(self, request: Coroutine[Any, Any, T], seconds: float) -> T:
        """Await the answer to *request*; a connection that breaks or a time that runs out raises `Lost`."""
        assert self._keeper is not None  # noqa: S101  # an open connection has its keeper
        self.in_flight += 1
        asking = asyncio.create_task(request)
        try:
            await asyncio.wait({asking, self._keeper}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            return self._answer(asking)
        finally:
            self.in_flight -= 1
            self._leave_alone(asking)

    def _answer(self, asking: "asyncio.Task[T]") -> T:
        if not asking.done() or asking.cancelled():
            self.doubtful = True
            raise Lost("no answer in time" if self.alive else "the connection broke")
        error = asking.exception()
        if error is None:
            return asking.result()
        if isinstance(error, MCPError) and error.code in REFUSALS:
            raise Declined(error.message) from error
        self.doubtful = True  # an error without a known meaning, or an answer that is none
        raise Lost(type(error).__name__) from error

    def _leave_alone(self, asking: "asyncio.Task[Any]") -> None:
        """Cancel what nobody waits for any more, without waiting for it: telling the server may take its time."""
        if asking.done():
            if not asking.cancelled():
                asking.exception()
            return
        self._left_alone.add(asking)
        asking.add_done_callback(self._left_alone.discard)
        asking.cancel()

    async def listed(self, seconds: float) -> list[types.Tool]:
        """Return every tool that the server declares now."""
        return await self.ask(self._pages(), seconds)

    async def _pages(self) -> list[types.Tool]:
        session, found, cursor = cast("Client", self.client).session, list[types.Tool](), None
        for _ in range(MAX_PAGES):
            page = await session.list_tools(params=types.PaginatedRequestParams(cursor=cursor))
            found += page.tools
            cursor = page.next_cursor
            if cursor is None:
                break
        return found

    async def call(self, tool: str, arguments: Mapping[str, Json], seconds: float) -> types.CallToolResult:
        """Call *tool* once. The answer is read as it comes: what the server says that its answers look like costs it no check."""
        params = types.CallToolRequestParams(name=tool, arguments=dict(arguments))
        sending = cast("Client", self.client).session.send_request(types.CallToolRequest(params=params), _Raw)
        raw = (await self.ask(sending, seconds)).model_extra or {}
        if raw.get("resultType") == "input_required":
            raise Declined("input required")
        try:
            return types.CallToolResult.model_validate(raw, by_name=False)
        except ValueError as error:
            raise Lost("no result") from error

    async def close(self) -> None:
        """Let go of the connection, and of the program behind it."""
        self._stop.set()
        if self._keeper is None:
            return
        await asyncio.wait({self._keeper}, timeout=0 if self.client is None else CLOSE_SECONDS)
        if not self._keeper.done():
            self._keeper.cancel()
            await asyncio.wait({self._keeper}, timeout=CLOSE_SECONDS)


def _first(error: Exception) -> Exception:
    """Return the first cause of a group of errors."""
    while isinstance(error, ExceptionGroup):
        group = cast("ExceptionGroup[Exception]", error)
        error = group.exceptions[0]
    return error


def connection_to(name: str, server: McpServer, environment: Mapping[str, str]) -> Connection:
    """Return a connection to *server*, not yet open."""
    if server.command:
        from steadyhand.tools.mcp_client.programs import running  # noqa: PLC0415  # the other way in needs its libraries alone

        return Connection(running(name, server, environment))
    from steadyhand.tools.mcp_client.addressed import reached  # noqa: PLC0415  # as above

    return Connection(reached(name, server, environment))
