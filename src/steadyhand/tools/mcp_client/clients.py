"""Decides which tools of other servers there are, and runs their calls as those of any tool. It must not let a server break a turn."""

import asyncio
import logging
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
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
from steadyhand.tools.mcp_client.standing import Standing, Standings
from steadyhand.tools.result import ToolResult

SLACK = 30.0
"""Seconds beyond those of its parts that a call may take: to end a program that does not leave."""


class McpClients:
    """The MCP servers of the settings. Each is connected to when it is first used."""

    def __init__(
        self,
        servers: Mapping[str, McpServer],
        clock: Clock,
        environment: Mapping[str, str] | None = None,
        file: Path | None = None,
    ) -> None:
        seen = os.environ if environment is None else environment
        self._links = [Link(name, server, clock, seen) for name, server in sorted(servers.items())]
        self._servers = servers
        self.standings = Standings(file, clock)
        self.unreachable: dict[str, ToolRefusal] = {}
        """The servers that gave no list when they were last asked, each with why."""
        logging.getLogger("mcp").addHandler(logging.NullHandler())  # the library would print what it catches; our own log tells

    async def tools(self) -> list[Tool[Any]]:
        """Return the tools of every server that can be reached, in a fixed order; of the others see `unreachable`.

        A server that did not answer a while ago is not asked yet, so that it costs nobody the time of finding that out again.
        """
        return await self._tools(self._links)

    def some_are_due(self) -> bool:
        """Tell whether one of those that could not be reached is to be tried again."""
        return any(self.standings.rests(link.name, link.server) is None for link in self._links if link.name in self.unreachable)

    async def come_back(self) -> list[Tool[Any]]:
        """Try those again that could not be reached; return the tools of the ones that answer now."""
        return await self._tools([link for link in self._links if link.name in self.unreachable])

    async def look(self, seconds: float) -> dict[str, Standing | None]:
        """Ask every server now, for at most *seconds* and all at once; return how each stands."""
        await asyncio.gather(*(self._ask(link, seconds) for link in self._links))
        return {link.name: self.standings.of(link.name, link.server) for link in self._links}

    def to_tell(self) -> dict[str, Standing]:
        """Return the servers that do not answer and of which nobody has been told; from now on that is told."""
        return self.standings.to_tell(self._servers)

    async def _tools(self, links: Sequence[Link]) -> list[Tool[Any]]:
        found = await asyncio.gather(*(self._offers(link) for link in links))
        return [_tool(link, offer) for link, offers in zip(links, found, strict=True) for offer in offers]

    async def close(self) -> None:
        """Let go of every server; their programs are ended."""
        await asyncio.gather(*(link.close() for link in self._links))

    async def _offers(self, link: Link) -> list[Offer]:
        rests = self.standings.rests(link.name, link.server)
        if rests is not None:
            self.unreachable[link.name] = rests.refusal()
            return []
        return await self._ask(link, None)

    async def _ask(self, link: Link, seconds: float | None) -> list[Offer]:
        """Ask a server for its list, and remember whether it answered."""
        try:
            async with asyncio.timeout(seconds):
                offers = await link.offers()
        except (ToolRefusal, TimeoutError) as error:
            refusal = error if isinstance(error, ToolRefusal) else ToolRefusal("mcp_unreachable", server=link.name)
            self.unreachable[link.name] = refusal
            self.standings.failed(link.name, link.server, refusal.code, refusal.params)
            return []
        self.unreachable.pop(link.name, None)
        self.standings.answered(link.name, link.server, len(offers))
        return sorted(offers, key=lambda offer: offer.name)


def _tool(link: Link, offer: Offer) -> Tool[Mapping[str, Any]]:
    async def call(context: ToolContext, arguments: Mapping[str, Any]) -> ToolResult:
        result = await link.call(offer, arguments)
        return answer_of(context.language, link.name, offer, result)

    def manual(language: Language) -> str:
        return offer.manual(link.name, language)

    seconds = link.server.seconds + 4 * link.brief + SLACK  # two connections and two lists may come before the call
    return Tool(offer.name, offer.effect, ForeignSchema(offer.schema), call, seconds, outside=Outside(manual, offer.digest))
