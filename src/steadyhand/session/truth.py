"""Decides which lines of the record stand below words that speak of something done. It must not judge them by anything but the record."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from steadyhand.agent.claims import supported
from steadyhand.core.canonical import Json
from steadyhand.core.ids import SessionId, UserId, parse_change_name
from steadyhand.core.language import Language, say
from steadyhand.core.wire import ToolCall
from steadyhand.gate import lines, machine
from steadyhand.gate.machine import State
from steadyhand.store import Tx, changes
from steadyhand.store.changes import ChangeRow
from steadyhand.tools.result import ToolResult

_NAMES = re.compile(r"\bC-\d{1,9}\b", re.IGNORECASE)
MOST_RECENT = 20


@dataclass(frozen=True, slots=True)
class Ground:
    """What words are held against: the calls of their turn, the tools that look, and the moment *since* which the turn before is over.

    *by_code* words are the catalogue's, which claims nothing; what sounds so in them is quoted, a task's name or the person's own words.
    """

    results: Sequence[tuple[ToolCall, ToolResult]]
    looks: Collection[str]
    since: str
    language: Language
    by_code: bool = False


def told(tx: Tx, user: UserId, session: SessionId, text: str, ground: Ground) -> str:
    """Return *text* as the person gets it: with a note where nobody looked, with the lines of its changes, with a correction."""
    if ground.by_code:
        rows = _touched(tx, user, ground.results) if text.strip() else []
        return "\n".join([text.rstrip(), *(lines.line(row, ground.language) for row in rows)])
    noted = supported(text, ground.results, ground.looks, ground.language)
    return _closed(tx, user, session, noted, ground)


def data_of(result: ToolResult) -> Mapping[str, Json]:
    """Return the data of a result, where it is an object."""
    return cast("Mapping[str, Json]", result.data) if isinstance(result.data, Mapping) else {}


def _touched(tx: Tx, user: UserId, results: Sequence[tuple[ToolCall, ToolResult]]) -> list[ChangeRow]:
    """Return the changes that the turn's calls were about, each once, as they stand."""
    numbers = dict.fromkeys(number for _, result in results if isinstance(number := data_of(result).get("change"), int))
    found = [changes.by_number(tx, user, number) for number in numbers]
    return [row for row in found if row is not None]


def _closed(tx: Tx, user: UserId, session: SessionId, text: str, ground: Ground) -> str:
    """Return *text* with the lines of the changes that it is about, and the correction where it claims what is not so.

    Where the turn's calls were about no change, a claim holds when it names verified changes, or when one of the session was
    verified since the turn before: the person's decision stands between the two.
    """
    touched, since, language = _touched(tx, user, ground.results), ground.since, ground.language
    if not text.strip():
        return ""
    if touched or not lines.claims_done(text):
        return lines.closing(text, touched, language)
    named = _named(tx, user, text)
    if named and all(row.state == State.VERIFIED for row in named):
        return text
    recent = [row for row in changes.of_user(tx, user, limit=MOST_RECENT) if row.session_id == session]
    if not named and any(row.state == State.VERIFIED and row.updated_at >= since for row in recent):
        return text
    told = named or [row for row in recent if row.state in machine.OPEN]
    correction = say(language, "gate.correcting" if told else "gate.correcting_alone")
    return "\n".join([text.rstrip(), correction, *(lines.line(row, language) for row in told)])


def _named(tx: Tx, user: UserId, text: str) -> list[ChangeRow]:
    numbers = dict.fromkeys(parse_change_name(name) for name in _NAMES.findall(text))
    found = [changes.by_number(tx, user, number) for number in numbers if number is not None]
    return [row for row in found if row is not None]
