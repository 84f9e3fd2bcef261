"""Decides how the whole history of a session is written out, for people and for programs. It must not leave anything out."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import cast

from steadyhand.core.canonical import Json
from steadyhand.core.clock import from_text, local
from steadyhand.core.language import Language, say
from steadyhand.core.visible import visible
from steadyhand.core.wire import NOTICE
from steadyhand.memory.short_term import calls_of
from steadyhand.store.sessions.conversations import Said, SessionRow


def session_json(row: SessionRow) -> Mapping[str, Json]:
    """Return a session as data."""
    return {
        "id": row.id,
        "name": row.name,
        "channel": row.channel,
        "messages": row.said,
        "created_at": row.created_at,
        "last_used_at": row.updated_at,
    }


def history_json(entries: Sequence[Said]) -> Json:
    """Return a history as data, every part of each entry."""
    return [
        {
            "id": entry.id,
            "seq": entry.seq,
            "at": entry.at,
            "turn": entry.turn_id,
            "role": entry.role,
            "source": entry.source,
            "content": entry.content,
            "calls": entry.calls,
            "call_id": entry.call_id,
            "data": entry.data,
            "channel_message_id": entry.channel_message_id,
        }
        for entry in entries
    ]


def export_json(row: SessionRow, entries: Sequence[Said]) -> bytes:
    """Return a session with its history as a JSON file."""
    whole = {"session": session_json(row), "entries": history_json(entries)}
    return (json.dumps(whole, ensure_ascii=False, indent=2) + "\n").encode()


def export_markdown(row: SessionRow, entries: Sequence[Said], language: Language, zone: str) -> bytes:
    """Return a session with *entries* of its history as a Markdown file; what somebody said is quoted, what a tool saw is fenced."""
    begun, used = _moment(row.created_at, zone), _moment(row.updated_at, zone)
    name = visible(row.name or row.id, keep="")
    about = say(language, "session.export.about", channel=row.channel, begun=begun, used=used, zone=zone, n=row.said)
    parts = [f"# {say(language, 'session.export.title', name=name)}", about]
    parts += [part for entry in entries for part in _parts(entry, language, zone)]
    if not entries:
        parts.append(say(language, "session.export.empty"))
    return ("\n\n".join(parts) + "\n").encode()


def _parts(entry: Said, language: Language, zone: str) -> list[str]:
    who = "program" if entry.source == NOTICE else {"user": "person", "assistant": "assistant", "tool": "result"}[entry.role]
    parts = [f"## {_moment(entry.at, zone)} · {say(language, f'session.export.{who}')}"]
    if entry.content:
        parts.append(_fenced(entry.content) if entry.role == "tool" else _quoted(entry.content))
    for call in calls_of(entry):
        parts += [say(language, "session.export.call", name=call.name), _fenced(call.arguments, "json")]
    return parts


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in visible(text).split("\n"))


def _fenced(text: str, kind: str = "") -> str:
    """Return *text* between fences longer than any in it."""
    longest = max((len(run) for run in cast("list[str]", re.findall("`+", text))), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{kind}\n{visible(text)}\n{fence}"


def _moment(text: str, zone: str) -> str:
    return f"{local(from_text(text), zone):%Y-%m-%d %H:%M:%S}"
