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
from steadyhand.gate import claims, lines, machine
from steadyhand.gate.claims import Assertion
from steadyhand.gate.machine import State
from steadyhand.store import Tx
from steadyhand.store.changes import changes
from steadyhand.store.changes.changes import ChangeRow
from steadyhand.tools.result import ToolResult

_NAMES = re.compile(r"\bC-\d{1,9}\b", re.IGNORECASE)
MOST_RECENT = 20
NOT_RUN = ("repeated", "not_run", "denied", "bad_argument", "tool_unknown", "held", "held_already")
"""What a result is called whose call was not run."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What words are held against: the calls of their turn, what only looks support, and the moment *since* which the turn before is over.

    *acts* names the tools that have an effect of their own, beside the changes. *by_code* words are the catalogue's, which claims nothing; what sounds so in them is quoted, a task's name or the person's own words.
    """

    results: Sequence[tuple[ToolCall, ToolResult]]
    assertions: Sequence[Assertion]
    since: str
    language: Language
    acts: Collection[str] = ()
    by_code: bool = False


def told(tx: Tx, user: UserId, session: SessionId, text: str, ground: Ground) -> str:
    """Return *text* as the person gets it: with a note where nobody looked, with the lines of its changes, with a correction."""
    if ground.by_code:
        rows = _touched(tx, user, ground.results) if text.strip() else []
        return "\n".join([text.rstrip(), *(lines.line(row, ground.language) for row in rows)])
    noted = supported(_restated(tx, user, text, ground.language), ground.results, ground.assertions, ground.language)
    return _closed(tx, user, session, noted, ground)


def _restated(tx: Tx, user: UserId, text: str, language: Language) -> str:
    """Return *text* with the record's own line in place of each that speaks as the record does and says something else."""
    kept: list[str] = []
    for said in text.split("\n"):
        number = claims.state_line(said)
        if number is None:
            kept.append(said)
            continue
        row = changes.by_number(tx, user, number)
        record = "" if row is None else lines.line(row, language)
        if row is not None and claims.same_line(said, record):
            kept.append(said)
        elif record and record not in kept:
            kept.append(record)
    return "\n".join(kept)


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

    Where the turn's calls were about no change, a claim holds when it names verified changes, when one of the session was
    verified since the turn before (the person's decision stands between the two), or when a tool had an effect of its own.
    """
    language = ground.language
    if not text.strip():
        return ""
    touched = _touched(tx, user, ground.results)
    named = _named(tx, user, text)
    claimed = lines.claims_done(_without(text, [*touched, *named], language))
    if touched or not claimed:
        unsettled = [row for row in named if row.state != State.VERIFIED and row.number not in {one.number for one in touched}]
        return _with_lines(text, [*touched, *unsettled], language, corrects=claimed and not _verified(touched))
    if named and all(row.state == State.VERIFIED for row in named):
        return text
    recent = [row for row in changes.of_user(tx, user, limit=MOST_RECENT) if row.session_id == session]
    if not named and (any(row.state == State.VERIFIED and row.updated_at >= ground.since for row in recent) or _acted(ground)):
        return text
    told = named or [row for row in recent if row.state in machine.OPEN]
    return _with_lines(text, told, language, corrects=True)


def _verified(rows: Sequence[ChangeRow]) -> bool:
    return any(row.state == State.VERIFIED for row in rows)


def _acted(ground: Ground) -> bool:
    """Tell whether a tool of the turn did something itself: kept a file, booked a reminder."""
    return any(call.name in ground.acts and not result.is_error and result.code not in NOT_RUN for call, result in ground.results)


def _without(text: str, rows: Sequence[ChangeRow], language: Language) -> str:
    """Return *text* without the record's own lines, which claim nothing."""
    records = [lines.line(row, language) for row in rows]
    return "\n".join(said for said in text.split("\n") if not any(claims.same_line(said, record) for record in records))


def _with_lines(text: str, rows: Sequence[ChangeRow], language: Language, *, corrects: bool) -> str:
    """Return *text* with the correction where it *corrects*, and with the line of each change that it does not hold already."""
    records = [record for record in (lines.line(row, language) for row in rows) if corrects or record not in text.split("\n")]
    message = "gate.correcting" if rows else "gate.correcting_alone"
    return "\n".join([text.rstrip(), *([say(language, message)] if corrects else []), *records])


def _named(tx: Tx, user: UserId, text: str) -> list[ChangeRow]:
    numbers = dict.fromkeys(parse_change_name(name) for name in _NAMES.findall(text))
    found = [changes.by_number(tx, user, number) for number in numbers if number is not None]
    return [row for row in found if row is not None]
