"""Decides with which guard and limits the web tools of an installation work; it must not fetch."""

from typing import Any

from steadyhand.core.config import Settings
from steadyhand.tools.base import Tool
from steadyhand.tools.builtin.web_fetch import Keep, web_fetch_tool
from steadyhand.tools.builtin.web_search import web_search_tool
from steadyhand.tools.net.fetching import Fetcher, Limits, MakeTransport, guarded
from steadyhand.tools.net.guarding import Guard, Resolve, system_resolve
from steadyhand.tools.net.places import place_of


def web_tools(
    settings: Settings, keep: Keep | None = None, *, resolve: Resolve = system_resolve, transport: MakeTransport = guarded
) -> tuple[Tool[Any], ...]:
    """Return the tools that read the web; *resolve* and *transport* are exchanged in tests alone."""
    limits = Limits(settings.web_max_bytes, settings.web_seconds)
    guard = Guard(resolve, ports=settings.web_ports, own=settings.web_allow_hosts)
    fetching = web_fetch_tool(Fetcher(guard, limits, transport), keep)
    if not settings.search_url:
        return fetching, web_search_tool(None, "")
    place = place_of(settings.search_url)  # the operator names it, so it may stand on this machine or beside it
    own = Guard(resolve, ports={place.port}, own={place.host})
    searcher = Fetcher(own, Limits(settings.web_max_bytes, settings.web_seconds, redirects=0), transport)
    return fetching, web_search_tool(searcher, place.url)
