"""Decides how the web is searched: by the one endpoint that the settings name. It must not open what is found."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast
from urllib.parse import urlencode

from pydantic import Field

from steadyhand.core.canonical import Json
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.language import say
from steadyhand.tools.base import Arguments, Tool, ToolContext
from steadyhand.tools.net.fetching import Fetcher
from steadyhand.tools.outside import fenced, one_line
from steadyhand.tools.result import ToolResult

MOST_RESULTS = 20
MAX_TITLE = 150
MAX_LINK = 500
MAX_SNIPPET = 300
UNREADABLE = frozenset({"web_status", "web_no_text", "web_redirected_too_often", "web_answer_broken", "web_body_broken"})
"""What a server does that is no search endpoint, or one whose JSON is turned off."""


class WebSearch(Arguments):
    """What is searched for, and how many results are wanted at most."""

    query: str = Field(min_length=1, max_length=400)
    count: int = Field(default=8, ge=1, le=MOST_RESULTS)


@dataclass(frozen=True, slots=True)
class Hit:
    """One result, as the endpoint tells it."""

    title: str
    url: str
    snippet: str


def web_search_tool(fetcher: Fetcher | None, endpoint: str) -> Tool[WebSearch]:
    """Return the tool; without an *endpoint* it says what has to be set."""

    async def web_search(context: ToolContext, arguments: WebSearch) -> ToolResult:
        if fetcher is None:
            raise ToolRefusal("search_not_set")
        query = one_line(arguments.query, 400)
        hits = await _search(fetcher, endpoint, query, arguments.count)
        if not hits:
            nothing = say(context.language, "search.nothing", query=query)
            return ToolResult(nothing, nothing, data={"query": query, "results": []})
        head = say(context.language, "search.found", query=query, count=len(hits))
        listed = "\n".join(_lines(number, hit) for number, hit in enumerate(hits, 1))
        note = say(context.language, "search.not_opened")
        told = f"{head}\n{note}\n{fenced(context.language, listed, say(context.language, 'search.source'))}"
        return ToolResult(told, f"{head}\n{listed}", data=_data(query, hits))

    seconds = 30.0 if fetcher is None else fetcher.limits.seconds + 5.0
    return Tool("web_search", "read", WebSearch, web_search, seconds=seconds)


async def _search(fetcher: Fetcher, endpoint: str, query: str, count: int) -> list[Hit]:
    base = endpoint.rstrip("/")
    base = base if base.endswith("/search") else f"{base}/search"
    url = f"{base}?{urlencode({'q': query, 'format': 'json'})}"
    try:
        fetched = await fetcher.fetch(url, lambda media: media.endswith("json"), "application/json")
        found = json.loads(fetched.body)
    except ToolRefusal as error:
        if error.code in UNREADABLE:
            raise ToolRefusal("search_unreadable", reason=str(error.params.get("status", error.code))) from None
        raise
    except (ValueError, RecursionError):
        raise ToolRefusal("search_unreadable", reason="JSON") from None
    rows = cast("Mapping[str, object]", found).get("results") if isinstance(found, dict) else None
    if not isinstance(rows, list):
        raise ToolRefusal("search_unreadable", reason="results")
    hits = (_hit(row) for row in cast("Sequence[object]", rows))
    return [hit for hit in hits if hit is not None][:count]


def _hit(row: object) -> Hit | None:
    """Read one result; one without a link that can be followed is left out."""
    if not isinstance(row, dict):
        return None
    given = cast("Mapping[str, object]", row)
    url, title, snippet = (
        one_line(str(given.get(key) or ""), most)
        for key, most in (("url", MAX_LINK), ("title", MAX_TITLE), ("content", MAX_SNIPPET))
    )
    if not url.startswith(("http://", "https://")) or url.endswith("…"):
        return None
    return Hit(title or url, url, snippet)


def _lines(number: int, hit: Hit) -> str:
    lines = (f"{number}. {hit.title}", f"   {hit.url}", f"   {hit.snippet}" if hit.snippet else "")
    return "\n".join(line for line in lines if line)


def _data(query: str, hits: Sequence[Hit]) -> Mapping[str, Json]:
    rows: list[Json] = [{"label": hit.title, "value": hit.url} for hit in hits]
    results: list[Json] = [{"title": hit.title, "url": hit.url, "snippet": hit.snippet} for hit in hits]
    return {"query": query, "results": results, "choices": {"kind": "web_result", "rows": rows}}
