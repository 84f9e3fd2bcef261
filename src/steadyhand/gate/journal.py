"""Decides what a change's journal says and how its entries are chained; entries are only ever appended. It must not judge them.

The last entry of every transaction holds the state after it and the digest of each file of the record that it altered, so that
the head of the chain commits to the whole record.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, cast

from steadyhand.core.canonical import Json, canonical
from steadyhand.gate import holdings
from steadyhand.store import Tx
from steadyhand.store.changes import records
from steadyhand.store.changes.changes import ChangeRow

GENESIS = "0" * 64


class Entry(StrEnum):
    """The names of journal events; the last five tell how a change began, went on and ended."""

    OBSERVATION_COMPLETED = "observation_completed"
    DESIGN_RECEIVED = "design_received"
    DESIGN_CONFIRMED = "design_confirmed"
    TOOL_CALL_RECONSTRUCTED = "tool_call_reconstructed"
    TOOL_CALL_COLLECTED = "tool_call_collected"
    TOOL_CALL_REJECTED = "tool_call_rejected"
    TOOL_CALL_COMPILED = "tool_call_compiled"
    SCRIPT_COMPOSED = "script_composed"
    REHEARSAL_COMPLETED = "rehearsal_completed"
    CHANGE_SEALED = "change_sealed"
    CHANGE_APPROVED = "change_approved"
    EXECUTION_SUBMITTED = "execution_submitted"
    EXECUTION_COMPLETED = "execution_completed"
    READBACK_VERIFIED = "readback_verified"
    CHANGE_OPENED = "change_opened"
    PROVIDER_FAILED = "provider_failed"
    STOP_NOTED = "stop_noted"
    CHANGE_MOVED = "change_moved"
    CHANGE_ENDED = "change_ended"


@dataclass(frozen=True, slots=True)
class Note:
    """One event to be written: which, on which tool, with what to tell."""

    event: Entry
    tool: str | None = None
    tool_index: int | None = None
    provider_round: int | None = None
    program_digest: str | None = None
    detail: Mapping[str, Json] = field(default_factory=dict[str, Json])


def link(previous: str, entry: bytes) -> str:
    """Return the hash that chains *entry* to the hash before it: SHA-256 over both."""
    return hashlib.sha256(previous.encode("ascii") + b"\n" + entry).hexdigest()


def append(
    tx: Tx, row: ChangeRow, notes: Sequence[Note], columns: Collection[str] = holdings.COLUMNS, *, apart: bool = True
) -> None:
    """Write *notes* at the end of the change's journal, in the caller's transaction.

    *columns* are those that the transaction wrote; *apart* tells whether it may have written decisions or artifacts.
    """
    written = records.entries(tx, row.user_id, row.id)
    seq, previous = (written[-1].seq, written[-1].hash) if written else (0, GENESIS)
    before = committed(_read(one.entry) for one in written)
    fresh = before is None  # begun by a program whose journal committed to nothing: now it commits to all that is there
    found = holdings.digests(tx, row, holdings.COLUMNS if fresh else columns, apart=apart or fresh)
    altered = {name: told for name, told in found.items() if told != (before or {}).get(name)}
    for count, note in enumerate(notes, start=1):
        seq += 1
        text = canonical(_entry(tx, row, note, seq) | ({"state": row.state, "files": altered} if count == len(notes) else {}))
        previous = link(previous, text)
        records.append_entry(tx, row.user_id, row.id, records.JournalRow(seq, text.decode(), previous))


def _entry(tx: Tx, row: ChangeRow, note: Note, seq: int) -> dict[str, Json]:
    return {
        "change": row.id,
        "number": row.number,
        "seq": seq,
        "event": note.event.value,
        "domain": row.domain,
        "tool": note.tool,
        "tool_index": note.tool_index,
        "provider_round": note.provider_round,
        "program_digest": note.program_digest or row.program_digest,
        "time": tx.now(),
        "detail": dict(note.detail),
    }


def committed(entries: Iterable[Mapping[str, Any]]) -> dict[str, str] | None:
    """Return the digest of every file that the *entries* commit to; None when they are of a program that committed to none."""
    files: dict[str, str] | None = None
    for entry in entries:
        for name, told in entry.get("files", {}).items():
            files = files or {}
            files.pop(name, None)
            if told is not None:
                files[name] = told
    return files


def broken_at(entries: Sequence[records.JournalRow]) -> int | None:
    """Return the first sequence number whose entry does not follow from the one before, or None when the chain holds."""
    previous = GENESIS
    for expected, row in enumerate(entries, start=1):
        if row.seq != expected or link(previous, row.entry.encode()) != row.hash or _stated_seq(row.entry) != expected:
            return expected
        previous = row.hash
    return None


def _stated_seq(entry: str) -> Json:
    return cast("Json", _read(entry).get("seq"))


def _read(entry: str) -> Mapping[str, Any]:
    try:
        stated: Json = json.loads(entry)
    except ValueError:
        return {}
    return stated if isinstance(stated, Mapping) else {}
