"""Decides what of a foreign server's answer a model and a person see: cleaned, bounded, marked as from outside. It must not believe it."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from steadyhand.core.canonical import Json, canonical
from steadyhand.core.language import Language, say
from steadyhand.tools.mcp_client.offers import Offer
from steadyhand.tools.outside import cleaned, fenced, one_line
from steadyhand.tools.result import ToolResult

if TYPE_CHECKING:
    from mcp_types import CallToolResult

FOR_A_MODEL = 20_000
FOR_A_PERSON = 2_000
MAX_DATA = 100_000


def answer_of(language: Language, server: str, offer: Offer, result: "CallToolResult") -> ToolResult:
    """Return *result* as ours; what the server calls an error is one."""
    text = "\n".join(_pieces(language, result)).strip() or say(language, "mcp.empty")
    source = say(language, "mcp.source", server=server, tool=one_line(offer.own, 64))
    told = [fenced(language, text[:FOR_A_MODEL], source)]
    if len(text) > FOR_A_MODEL:
        told.append(say(language, "mcp.cut", shown=FOR_A_MODEL, chars=len(text)))
    data = _data(server, offer, result)
    if result.is_error:
        failed = say(language, "mcp.failed", tool=offer.name)
        for_user = "" if offer.effect == "read" else f"{failed}\n{text[:FOR_A_PERSON]}"
        return ToolResult("\n".join((failed, *told)), for_user, is_error=True, code="mcp_tool_failed", data=data)
    shown = "" if offer.effect == "read" else _for_a_person(language, offer, text)
    return ToolResult("\n".join(told), shown, data=data)


def _pieces(language: Language, result: "CallToolResult") -> Iterator[str]:
    """Yield each part of the answer as text; what is none is named with its type and size."""
    for part in result.content:
        given: dict[str, Any] = part.model_dump(mode="json", by_alias=True)
        inner: dict[str, Any] = given.get("resource") or given
        if isinstance(inner.get("text"), str):
            yield cleaned(inner["text"])
            continue
        media = one_line(str(inner.get("mimeType") or "?"), 80)
        packed = inner.get("data") or inner.get("blob") or ""
        if packed:
            yield say(language, "mcp.no_text", media=media, bytes=len(packed) * 3 // 4)
        else:
            yield say(language, "mcp.link", uri=one_line(str(inner.get("uri") or "?"), 500), media=media)
    if not result.content and result.structured_content is not None:
        yield cleaned(json.dumps(result.structured_content, ensure_ascii=False, indent=1))


def _for_a_person(language: Language, offer: Offer, text: str) -> str:
    lines = [say(language, "mcp.answered", tool=offer.name), text[:FOR_A_PERSON]]
    if len(text) > FOR_A_PERSON:
        lines.append(say(language, "mcp.cut", shown=FOR_A_PERSON, chars=len(text)))
    return "\n".join(lines)


def _data(server: str, offer: Offer, result: "CallToolResult") -> Json:
    """Return what the answer holds for code, where it is JSON of a size that can be kept."""
    plain: dict[str, Json] = {"server": server, "tool": offer.own}
    structured: Json = result.structured_content
    try:
        fits = structured is not None and len(canonical(structured)) <= MAX_DATA
    except (ValueError, TypeError, RecursionError):
        fits = False
    return {**plain, "structured": structured} if fits else plain
