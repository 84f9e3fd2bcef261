"""Decides how a message's segments read as one text, and how a text is cut into messages. It must not fetch what a segment points at.

What is no text stands as a word in brackets, so that it can never be taken for a decision.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from steadyhand.core.canonical import Json, legible
from steadyhand.core.language import Language, has, say

LONGEST_TEXT = 3000
"""So many characters go into one message: implementations refuse or cut longer ones."""
LONGEST_LABEL = 80
MOST_SEGMENTS = 1000

_CODE = re.compile(r"\[CQ:([A-Za-z0-9_.\-]+)((?:,[^,\[\]]*)*)\]")
_UNESCAPED = (("&#91;", "["), ("&#93;", "]"), ("&#44;", ","), ("&amp;", "&"))
_BREAKS = ("\n\n", "\n", "。", "！", "？", ". ", "! ", "? ", "；", "; ", "，", ", ", " ")

Segment = tuple[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Heard:
    """A message as it reads; *quotes* is the channel's id of the message that it answers."""

    text: str
    quotes: str | None = None


def read(message: object, language: Language) -> Heard:
    """Read a message, in the array form or as text with codes; what is neither reads as nothing."""
    segments = list(_of_text(message)) if isinstance(message, str) else list(_of_array(message))
    quotes = next((str(data.get("id")) for kind, data in segments if kind == "reply" and data.get("id") not in {None, ""}), None)
    text = "".join(_shown(kind, data, language) for kind, data in segments[:MOST_SEGMENTS])
    return Heard(legible(text).strip(), quotes)


def _of_array(message: object) -> Iterator[Segment]:
    parts: Sequence[object] = cast("Sequence[object]", message) if isinstance(message, list) else [message]
    for part in parts:
        if not isinstance(part, dict):
            continue
        entry = cast("dict[str, Any]", part)
        kind, data = entry.get("type"), entry.get("data")
        if isinstance(kind, str):
            yield kind, cast("dict[str, Any]", data) if isinstance(data, dict) else {}


def _of_text(message: str) -> Iterator[Segment]:
    at = 0
    for found in _CODE.finditer(message):
        if found.start() > at:
            yield "text", {"text": _plain(message[at : found.start()])}
        pairs = (pair.partition("=") for pair in found.group(2).split(",")[1:])
        yield found.group(1), {name: _plain(value) for name, _, value in pairs}
        at = found.end()
    if at < len(message):
        yield "text", {"text": _plain(message[at:])}


def _plain(text: str) -> str:
    for code, mark in _UNESCAPED:
        text = text.replace(code, mark)
    return text


def _shown(kind: str, data: Mapping[str, Any], language: Language) -> str:
    """Return a segment as words; what has no words of its own is named."""
    if kind == "text":
        text = data.get("text")
        return text if isinstance(text, str) else ""
    if kind == "reply":
        return ""
    if kind == "at":
        everybody = str(data.get("qq")) == "all"
        name = say(language, "channels.segment.everybody") if everybody else _label(data, "name", "qq")
        return f"@{name} "
    if not has(language, f"channels.segment.kind.{kind}"):
        return say(language, "channels.segment.named", kind=say(language, "channels.segment.unknown"), name=_clean(kind))
    label = _prompt(data) if kind == "json" else _label(data, *_LABELS.get(kind, ()))
    form = "channels.segment.named" if label else "channels.segment.bare"
    return say(language, form, kind=say(language, f"channels.segment.kind.{kind}"), name=label)


_LABELS: Mapping[str, tuple[str, ...]] = {
    "image": ("summary",),
    "mface": ("summary",),
    "face": ("id",),
    "file": ("name", "file"),
    "video": ("name",),
    "share": ("title", "url"),
    "location": ("title",),
    "music": ("title",),
    "contact": ("type",),
    "dice": ("result",),
    "rps": ("result",),
}


def _label(data: Mapping[str, Any], *names: str) -> str:
    found = (data.get(name) for name in names)
    return next((_clean(str(value)) for value in found if isinstance(value, str | int) and str(value).strip()), "")


def _prompt(data: Mapping[str, Any]) -> str:
    """Return what a card says of itself."""
    try:
        card = json.loads(str(data.get("data", "")))
    except (ValueError, RecursionError):
        return ""
    prompt = cast("dict[str, object]", card).get("prompt") if isinstance(card, dict) else None
    return _clean(prompt) if isinstance(prompt, str) else ""


def _clean(text: str) -> str:
    """Return a label on one line, without brackets, so that it cannot end what stands around it."""
    plain = "".join(mark if mark.isprintable() else " " for mark in text if mark not in "[]")
    return " ".join(plain.split())[:LONGEST_LABEL]


def written(text: str, reply_to: str | None = None) -> list[Json]:
    """Return a text as segments, behind the message that it quotes."""
    said: list[Json] = [{"type": "text", "data": {"text": text}}]
    return said if reply_to is None else [{"type": "reply", "data": {"id": reply_to}}, *said]


def split(text: str, most: int = LONGEST_TEXT) -> list[str]:
    """Cut a long text into messages in order, at the end of a paragraph, a line, a sentence or a word where there is one.

    Nothing is lost but the blank between two messages.
    """
    parts: list[str] = []
    while len(text) > most:
        cut = _cut(text, most)
        parts.append(text[:cut].rstrip())
        text = text[cut:].lstrip()
    return [part for part in [*parts, text] if part.strip()]


def _cut(text: str, most: int) -> int:
    for mark in _BREAKS:
        found = text.rfind(mark, most // 2, most)
        if found >= 0:
            return min(found + len(mark), most)
    return most
