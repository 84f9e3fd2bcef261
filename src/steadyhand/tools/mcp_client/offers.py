"""Decides what of a server's listing becomes a tool of ours, under which name and effect. It must not call one."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from steadyhand.core.canonical import Json, digest
from steadyhand.core.language import Language, say
from steadyhand.core.logs import get_logger
from steadyhand.core.mcp_settings import ForeignEffect, McpServer
from steadyhand.tools.mcp_client.schemas import fault_of
from steadyhand.tools.outside import cleaned, one_line

if TYPE_CHECKING:
    from mcp_types import Tool as Listed

MAX_NAME = 64
MAX_MANUAL = 1_500
MAX_OFFERS = 128
"""Of one server; a model that is told of more finds none of them."""

log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool as a server declares it: *own* is its name there, *digest* is over all that it declares."""

    name: str
    own: str
    effect: ForeignEffect
    description: str
    schema: Mapping[str, Json]
    digest: str

    def manual(self, server: str, language: Language) -> str:
        """Return what a model is told of it, beginning with whose words these are."""
        return say(language, "mcp.manual", server=server, tool=one_line(self.own, MAX_NAME), description=self.description)


def offers_of(name: str, server: McpServer, listed: Iterable["Listed"]) -> Iterator[Offer]:
    """Yield the tools that are offered; what is left out is in the log with its reason."""
    taken: set[str] = set()
    for tool in listed:
        if server.tools is not None and tool.name not in server.tools:
            continue
        offer = offer_of(name, server, tool)
        fault = "no_json" if offer is None else "name_taken" if offer.name in taken else fault_of(offer.schema)
        if len(taken) >= MAX_OFFERS:
            fault = "too_many"
        if offer is None or fault is not None:
            log.warning("mcp_tool_left_out", server=name, tool=one_line(tool.name, MAX_NAME), reason=fault)
            continue
        taken.add(offer.name)
        yield offer


def offer_of(name: str, server: McpServer, tool: "Listed") -> Offer | None:
    """Return one listed tool as an offer; None when what it declares is no JSON with a digest."""
    declared: dict[str, Json] = tool.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"meta", "icons"})
    try:
        fixed = digest(declared)
    except (ValueError, TypeError, RecursionError):
        return None
    description = cleaned(tool.description or tool.title or "").strip()
    if len(description) > MAX_MANUAL:
        description = f"{description[:MAX_MANUAL]}…"
    effect = server.effects.get(tool.name, server.effect)
    return Offer(_registered(name, tool.name), tool.name, effect, description, tool.input_schema, fixed)


def _registered(server: str, tool: str) -> str:
    """Return ``mcp_<server>_<tool>`` in the letters that every provider takes, and not longer than it may be."""
    plain = f"mcp_{server}_{re.sub(r'[^a-zA-Z0-9_-]', '_', tool)}"
    return plain if len(plain) <= MAX_NAME else f"{plain[: MAX_NAME - 9]}_{digest(tool)[:8]}"
