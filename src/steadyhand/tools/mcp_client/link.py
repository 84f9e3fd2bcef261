"""Decides when a server is connected to, when anew, and when a call is sent: once, and only to the tool that was listed.

It must not send a call twice. Before each call the server is asked for its list again: that shows whether it lives while nothing has
been sent yet, so that it may be connected to anew, once; and a tool that declares something else by now is not called.
"""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from steadyhand.core.canonical import Json
from steadyhand.core.clock import Clock
from steadyhand.core.errors import OperatorRepairs, SteadyhandError, ToolRefusal
from steadyhand.core.logs import get_logger
from steadyhand.core.mcp_settings import McpServer
from steadyhand.tools.mcp_client.offers import Offer, offer_of, offers_of

if TYPE_CHECKING:
    from mcp_types import CallToolResult
    from mcp_types import Tool as Listed

    from steadyhand.tools.mcp_client.connection import Connection

CONNECT_SECONDS = 15.0
REST_SECONDS = 10.0
"""A server that could not be reached is left alone for so long, so that not every call waits for it."""

log = get_logger(__name__)


class Link:
    """The way to one server."""

    def __init__(self, name: str, server: McpServer, clock: Clock, environment: Mapping[str, str]) -> None:
        self.name = name
        self.server = server
        self._clock = clock
        self._environment = environment
        self._connection: Connection | None = None
        self._opening = asyncio.Lock()
        self._rests_until = 0.0
        self._last_refusal: SteadyhandError | None = None
        self.brief = min(server.seconds, CONNECT_SECONDS)

    async def offers(self) -> list[Offer]:
        """Return the tools that the server offers now; a server that cannot say raises `ToolRefusal`."""
        _, listed = await self._listed()
        return list(offers_of(self.name, self.server, listed))

    async def call(self, offer: Offer, arguments: Mapping[str, Json]) -> "CallToolResult":
        """Call the tool of *offer* once.

        `ToolRefusal` says that it was not called; `OperatorRepairs` that it was, and nobody knows what came of it.
        """
        from steadyhand.tools.mcp_client.connection import Declined, Lost  # noqa: PLC0415  # slow to import, and few have servers

        connection, listed = await self._listed()
        tool = next((one for one in listed if one.name == offer.own), None)
        found = None if tool is None else offer_of(self.name, self.server, tool)
        if found is None or found.digest != offer.digest:
            raise ToolRefusal("mcp_tool_changed", server=self.name, tool=offer.name)
        try:
            return await connection.call(offer.own, arguments, self.server.seconds)
        except Declined as error:
            raise ToolRefusal("mcp_declined", server=self.name, tool=offer.name) from error
        except Lost as error:
            raise OperatorRepairs("mcp_answer_lost", server=self.name, tool=offer.name) from error

    async def close(self) -> None:
        """Let go of the server."""
        async with self._opening:
            if self._connection is not None:
                await self._connection.close()
                self._connection = None

    async def _listed(self) -> tuple["Connection", list["Listed"]]:
        """Return a connection that has just shown that it lives, with what the server declares now."""
        from steadyhand.tools.mcp_client.connection import Declined, Lost  # noqa: PLC0415  # as above

        connection, fresh = await self._connected(None)
        try:
            return connection, await connection.listed(self.brief)
        except (Lost, Declined) as error:
            if fresh or connection.in_flight:
                raise self._unreachable(error) from error
        connection, _ = await self._connected(connection)
        try:
            return connection, await connection.listed(self.brief)
        except (Lost, Declined) as error:
            raise self._unreachable(error) from error

    async def _connected(self, but: "Connection | None") -> tuple["Connection", bool]:
        """Return the connection, a fresh one where there is none that can be used or it is *but*; and whether it is fresh."""
        async with self._opening:
            there = self._connection
            usable = there is not None and there.alive and there is not but and (not there.doubtful or there.in_flight > 0)
            if there is not None and usable:
                return there, False
            if there is not None:
                self._connection = None
                await there.close()
            self._connection = await self._open()
            return self._connection, True

    async def _open(self) -> "Connection":
        from steadyhand.tools.mcp_client.connection import connection_to  # noqa: PLC0415  # as above

        if self._last_refusal is not None and self._clock.monotonic() < self._rests_until:
            raise ToolRefusal(self._last_refusal.code, **self._last_refusal.params)
        connection = connection_to(self.name, self.server, self._environment)
        try:
            await connection.open(self.brief)
        except ToolRefusal as error:
            raise self._rest(error) from error
        except Exception as error:  # whatever the library raises, the server is not there
            raise self._rest(self._unreachable(error)) from error
        self._last_refusal = None
        return connection

    def _rest(self, refusal: ToolRefusal) -> ToolRefusal:
        self._last_refusal = refusal
        self._rests_until = self._clock.monotonic() + REST_SECONDS
        return refusal

    def _unreachable(self, error: Exception) -> ToolRefusal:
        log.info("mcp_server_unreachable", server=self.name, reason=type(error).__name__, said=str(error)[:200])
        return ToolRefusal("mcp_unreachable", server=self.name)
