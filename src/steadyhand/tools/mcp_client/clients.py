"""Decides which tools of other servers there are, and runs their calls as those of any tool. It must not let a server break a turn."""

import asyncio
import logging
import os
from collections.abc import Mapping
from typing import Any

from steadyhand.core.clock import Clock
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.language import Language
from steadyhand.core.mcp_settings import McpServer
from steadyhand.tools.base import Outside, Tool, ToolContext
from steadyhand.tools.mcp_client.answers import answer_of
from steadyhand.tools.mcp_client.link import Link
from steadyhand.tools.mcp_client.offers import Offer
from steadyhand.tools.mcp_client.schemas import ForeignSchema
from steadyhand.tools.result import ToolResult

SLACK = 30.0
"""Seconds beyond those of its parts that a call may take: to end a program that does not leave."""


class McpClients:
    """The MCP servers of the settings. Each is connected to when it is first used."""

    def __init__(self, servers: Mapping[str, McpServer], clock: Clock, environment: Mapping[str, str] | None = None) -> None:
        seen = os.environ if environment is None else environment
        self._links = [Link(name, server, clock, seen) for name, server in sorted(servers.items())]
        self.unreachable: dict[str, ToolRefusal] = {}
        """The servers that gave no list when they were last asked, each with why."""

    async def tools(self) -> list[Tool[Any]]:
        """Return the tools of every server that can be reached, in a fixed order; of the others see `unreachable`."""
        logging.getLogger("mcp").addHandler(logging.NullHandler())  # the library would print what it catches; our own log tells
        found = await asyncio.gather(*(self._offers(link) for link in self._links))
        return [_tool(link, offer) for link, offers in zip(self._links, found, strict=True) for offer in offers]

    async def close(self) -> None:
        """Let go of every server; their programs are ended."""
        await asyncio.gather(*(link.close() for link in self._links))

    async def _offers(self, link: Link) -> list[Offer]:
        try:
            offers = await link.offers()
        except ToolRefusal as refusal:
            self.unreachable[link.name] = refusal
            return []
        self.unreachable.pop(link.name, None)
        return sorted(offers, key=lambda offer: offer.name)


def _tool(link: Link, offer: Offer) -> Tool[Mapping[str, Any]]:
    async def call(context: ToolContext, arguments: Mapping[str, Any]) -> ToolResult:
        result = await link.call(offer, arguments)
        return answer_of(context.language, link.name, offer, result)

    def manual(language: Language) -> str:
        return offer.manual(link.name, language)

    seconds = link.server.seconds + 4 * link.brief + SLACK  # two connections and two lists may come before the call
    return Tool(offer.name, offer.effect, ForeignSchema(offer.schema), call, seconds, outside=Outside(manual, offer.digest))
