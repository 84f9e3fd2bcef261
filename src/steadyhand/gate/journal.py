"""Decides what a change's journal says and how its entries are chained; entries are only ever appended. It must not judge them."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import cast

from steadyhand.core.canonical import Json, canonical
from steadyhand.store import Tx, records
from steadyhand.store.changes import ChangeRow

GENESIS = "0" * 64


class Entry(StrEnum):
    """The names of journal events; the last four tell how a change began, was decided and ended."""

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


def append(tx: Tx, row: ChangeRow, notes: Sequence[Note]) -> None:
    """Write *notes* at the end of the change's journal, in the caller's transaction."""
    if not notes:
        return
    last = records.last_entry(tx, row.user_id, row.id)
    seq, previous = (last.seq + 1, last.hash) if last else (1, GENESIS)
    for note in notes:
        text = canonical(
            {
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
        )
        previous = link(previous, text)
        records.append_entry(tx, row.user_id, row.id, records.JournalRow(seq, text.decode(), previous))
        seq += 1


def broken_at(entries: Sequence[records.JournalRow]) -> int | None:
    """Return the first sequence number whose entry does not follow from the one before, or None when the chain holds."""
    previous = GENESIS
    for expected, row in enumerate(entries, start=1):
        if row.seq != expected or link(previous, row.entry.encode()) != row.hash or _stated_seq(row.entry) != expected:
            return expected
        previous = row.hash
    return None


def _stated_seq(entry: str) -> Json:
    try:
        stated: Json = json.loads(entry)
    except ValueError:
        return None
    return cast("Mapping[str, Json]", stated).get("seq") if isinstance(stated, Mapping) else None
