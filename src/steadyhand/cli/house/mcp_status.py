"""Decides how the tool servers of the settings are looked at, and how their state is told. It must not use a tool of theirs."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from steadyhand.core.clock import Clock, SystemClock
from steadyhand.core.config import Settings
from steadyhand.core.explain import explain
from steadyhand.core.language import Language, say
from steadyhand.store.upkeep.health import Finding
from steadyhand.wiring.toolbox import STANDINGS

if TYPE_CHECKING:
    from steadyhand.tools.mcp_client.standing import Standing

SECONDS = 8.0
"""So long a server has to start and to give its list; all of them are asked at once."""


async def stands(settings: Settings, clock: Clock) -> "dict[str, Standing]":
    """Ask every server of *settings* now; return how each stands, by its name."""
    if not settings.mcp:
        return {}
    from steadyhand.tools.mcp_client.clients import McpClients  # its libraries are slow to import, and few have servers

    clients = McpClients(settings.mcp, clock, file=settings.data_dir / STANDINGS)
    try:
        found = await clients.look(SECONDS)
    finally:
        await clients.close()
    return {name: one for name, one in found.items() if one is not None}


def in_words(language: Language, name: str, one: "Standing") -> str:
    """Return the line of one server."""
    if one.answers:
        return say(language, "cli.mcp.answers", server=name, tools=one.tools)
    why = explain(one.refusal(), language)
    return say(language, "cli.mcp.does_not_answer", server=name, why=why.summary, failures=one.failures, next=why.next_step)


def findings(settings: Settings, language: Language) -> Iterator[Finding]:
    """Look at every server, for the doctor: one that does not answer is a warning, since everything else goes on without it."""
    import asyncio

    for name, one in asyncio.run(stands(settings, SystemClock())).items():
        yield Finding("mcp", "ok" if one.answers else "warn", "mcp_server", {"told": in_words(language, name, one)})
