"""Decides what a page of the web gives a model and a person: the text of it, marked as data. It must not run or obey what the page says."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from pydantic import Field

from steadyhand.core.canonical import Json, digest_bytes, legible
from steadyhand.core.errors import SteadyhandError, ToolRefusal
from steadyhand.core.language import Language, say
from steadyhand.tools.base import Arguments, Tool, ToolContext
from steadyhand.tools.net.decoding import decode
from steadyhand.tools.net.fetching import Fetched, Fetcher
from steadyhand.tools.net.page import page_of
from steadyhand.tools.outside import cleaned, fenced, one_line
from steadyhand.tools.result import ToolResult

Keep: TypeAlias = Callable[[str, str], Awaitable[str]]
"""Writes a text under a name of the workspace and returns the path to tell people of."""

ACCEPT = (
    "text/html,application/xhtml+xml,text/plain;q=0.9,text/markdown;q=0.9,application/json;q=0.8,application/xml;q=0.8,*/*;q=0.1"
)
PAGES = frozenset({"text/html", "application/xhtml+xml"})
TEXTS = frozenset(
    {"", "application/json", "application/xml", "application/xhtml+xml", "application/x-ndjson", "application/yaml"}
)
MOST_CHARS = 30_000
USUAL_CHARS = 6_000
FOR_A_PERSON = 4_000
MAX_URL_SHOWN = 500
AFTER_FETCHING = 20.0
"""Seconds that reading a fetched page and keeping it may take."""


class WebFetch(Arguments):
    """What is read: *max_chars* of the page's text from *offset* on."""

    url: str = Field(min_length=1, max_length=4_096)
    max_chars: int = Field(default=USUAL_CHARS, ge=100, le=MOST_CHARS)
    offset: int = Field(default=0, ge=0)


@dataclass(frozen=True, slots=True)
class Article:
    """A fetched text as it is read."""

    url: str
    title: str
    text: str
    media: str
    size: int
    cut: bool


def takes(media: str) -> bool:
    """Tell whether a body of type *media* is text; one without a type may be."""
    return media in TEXTS or media.startswith("text/") or media.endswith(("+json", "+xml"))


def article_of(fetched: Fetched) -> Article:
    """Read what was fetched; a body that is no text whatever it says raises `ToolRefusal`."""
    body, size = fetched.body, len(fetched.body)
    if b"\0" in body[:1_024] and not body.startswith((b"\xff\xfe", b"\xfe\xff")) and not fetched.charset.startswith("utf-16"):
        raise ToolRefusal("web_no_text", media=fetched.media or "?", size=str(size))
    text = decode(body, fetched.charset)
    url = one_line(fetched.url, MAX_URL_SHOWN)
    is_page = fetched.media in PAGES or (
        not fetched.media and text.lstrip()[:200].lower().startswith(("<!doctype html", "<html"))
    )
    if not is_page:
        return Article(url, "", legible(cleaned(text)).strip("\n"), fetched.media, size, fetched.cut)
    page = page_of(text, fetched.url)
    return Article(url, page.title, legible(page.text), fetched.media, size, fetched.cut or page.cut)


def web_fetch_tool(fetcher: Fetcher, keep: Keep | None = None) -> Tool[WebFetch]:
    """Return the tool; without *keep* a person sees the first part of a long text only, and is told so."""

    async def web_fetch(context: ToolContext, arguments: WebFetch) -> ToolResult:
        fetched = await fetcher.fetch(arguments.url, takes, ACCEPT)
        article = await asyncio.to_thread(article_of, fetched)
        if arguments.offset and arguments.offset >= len(article.text):
            raise ToolRefusal("web_offset_beyond", offset=arguments.offset, chars=len(article.text))
        part = article.text[arguments.offset : arguments.offset + arguments.max_chars]
        told = _for_llm(context.language, article, part, arguments.offset)
        if arguments.offset:  # the model reads on in what the person has been shown already
            return ToolResult(told, silent=True, data=_data(article, part, arguments.offset, None))
        file = await _kept(keep, article.text)
        shown = _for_user(context.language, article, file)
        return ToolResult(told, shown, data=_data(article, part, 0, file))

    return Tool("web_fetch", "read", WebFetch, web_fetch, seconds=fetcher.limits.seconds + AFTER_FETCHING)


def _for_llm(language: Language, article: Article, part: str, offset: int) -> str:
    if not article.text:
        return say(language, "web.empty", bytes=article.size, media=article.media or "?")
    end = offset + len(part)
    params = {"first": offset + 1, "last": end, "chars": len(article.text), "bytes": article.size, "media": article.media or "?"}
    lines = [say(language, "web.found", **params)]
    if end < len(article.text):
        lines.append(say(language, "web.read_on", offset=end))
    if article.cut:
        lines.append(say(language, "web.cut"))
    inner = f"{article.title}\n\n{part}" if article.title and not offset else part
    return "\n".join([*lines, fenced(language, inner, article.url)])


def _for_user(language: Language, article: Article, file: str | None) -> str:
    head = f"{article.title}\n{article.url}" if article.title else article.url
    if not article.text:
        return f"{head}\n{say(language, 'web.empty_for_user')}"
    lines = [head, "", article.text[:FOR_A_PERSON].rstrip()]
    more = len(article.text) - FOR_A_PERSON
    if file is not None:
        lines += ["", say(language, "web.kept", file=file, chars=len(article.text))]
    elif more > 0:
        lines += ["", say(language, "web.not_kept", more=more)]
    if article.cut:
        lines.append(say(language, "web.cut"))
    return "\n".join(lines)


async def _kept(keep: Keep | None, text: str) -> str | None:
    """Keep the whole of a text that a person is shown a part of; a workspace that cannot be written spoils nothing else."""
    if keep is None or len(text) <= FOR_A_PERSON:
        return None
    name = f"web/{digest_bytes(text.encode())[:16]}.txt"
    try:
        return await keep(name, text)
    except (OSError, SteadyhandError):
        return None


def _data(article: Article, part: str, offset: int, file: str | None) -> Mapping[str, Json]:
    end = offset + len(part)
    return {
        "url": article.url,
        "title": article.title,
        "media": article.media,
        "bytes": article.size,
        "chars": len(article.text),
        "offset": offset,
        "next": end if end < len(article.text) else None,
        "cut": article.cut,
        "file": file,
    }
