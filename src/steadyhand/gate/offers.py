"""Decides whether what a model offers, a spec or calls, is taken, and where the change goes then. It must not ask the model or run a call."""

import dataclasses
from collections.abc import Sequence
from typing import Any, cast

from steadyhand.core.canonical import legible
from steadyhand.core.faults import reach
from steadyhand.core.wire import ToolCall
from steadyhand.gate import sealing
from steadyhand.gate.collecting import MAX_REFUSALS, call_json, calls_of, check
from steadyhand.gate.contract import CollectedCall, Collecting, Refusal, Route
from steadyhand.gate.holdings import SAID
from steadyhand.gate.journal import Entry, Note
from steadyhand.gate.ledger import Ledger, observation_of, reason_json
from steadyhand.gate.machine import Event, State
from steadyhand.store import Tx
from steadyhand.store.changes import records
from steadyhand.store.changes.changes import ChangeRow

MAX_NAME = 128
UNREAD = "provider_unread"
"""What a provider without a model says of words that its rules do not read."""


def route_of(row: ChangeRow) -> tuple[str, ...]:
    """Return the confirmed route of a change."""
    return tuple(cast("list[str]", row.route or []))


async def take_spec(ledger: Ledger, domain: Collecting, row: ChangeRow, spec: str) -> ChangeRow:
    """Take a spec for review with its digest; one without a route stays in drafting with its reason."""
    spec = legible(spec)
    route = _route(domain, row, spec)
    if isinstance(route, Refusal):
        return (await ledger.move(row, Event.SPEC_UNROUTED, reason=reason_json(route)))[0]
    moved, _ = await ledger.move(
        row,
        Event.SPEC_RECEIVED,
        [Note(Entry.DESIGN_RECEIVED, detail={"route": list(route.tools)})],
        spec=spec,
        spec_digest=sealing.spec_digest(row, spec),
        route=list(route.tools),
        reason=None,
    )
    reach("gate.spec_stored")
    return moved


def _route(domain: Collecting, row: ChangeRow, spec: str) -> Route | Refusal:
    if not spec.strip():
        return Refusal("spec_empty")
    route = domain.route(spec, observation_of(row))
    return Refusal("spec_without_route") if isinstance(route, Route) and not route.tools else route


async def take_calls(ledger: Ledger, row: ChangeRow, calls: Sequence[ToolCall], raw: bytes, said: str) -> ChangeRow:
    """Take the calls of one round, all or none; the raw answer and what it said in words are kept for the dossier either way."""
    this_round = row.provider_round + 1
    calls = [dataclasses.replace(call, name=_short_name(call.name)) for call in calls]
    found = check(route_of(row), len(calls_of(row.calls)), calls, this_round)
    made = [Note(Entry.TOOL_CALL_RECONSTRUCTED, tool=call.name, provider_round=this_round) for call in calls]

    def keep(tx: Tx, moved: ChangeRow) -> None:
        if raw:
            name = f"provider_tool_response.{len(artifact_rounds(tx, moved)) + 1}.sse".replace(".1.sse", ".sse")
            records.put_artifact(tx, moved.user_id, moved.id, name, raw)
        if words := legible(said).strip():
            before = records.artifacts_of(tx, moved.user_id, moved.id).get(SAID, b"")
            records.put_artifact(tx, moved.user_id, moved.id, SAID, before + words.encode() + b"\n")

    if isinstance(found, Refusal):
        return await _refuse(ledger, row, found, made, keep)
    return await _store(ledger, row, found, made, keep)


def _short_name(name: str) -> str:
    """Return a tool's name as the record can keep it; one that had to be altered is on no route."""
    name = legible(name)
    return name if len(name) <= MAX_NAME else f"{name[:MAX_NAME]}…"


def artifact_rounds(tx: Tx, row: ChangeRow) -> list[str]:
    """Return the names of the provider's answers that the dossier has; a refused round counts, so no answer is overwritten."""
    return [name for name in records.artifacts_of(tx, row.user_id, row.id) if name.startswith("provider_tool_response.")]


async def _store(ledger: Ledger, row: ChangeRow, found: Sequence[CollectedCall], made: Sequence[Note], keep: Any) -> ChangeRow:
    together = [*calls_of(row.calls), *found]
    complete = len(together) == len(route_of(row))
    collected = [Note(Entry.TOOL_CALL_COLLECTED, call.name, call.index, call.round) for call in found]
    moved, _ = await ledger.move(
        row,
        Event.CALLS_COMPLETE if complete else Event.CALLS_PARTIAL,
        [*made, *collected],
        extra=keep,
        calls=[call_json(call) for call in together],
        provider_round=row.provider_round + 1,
        reason=None,
        **(ledger.ownership() if complete else {}),
    )
    reach("gate.call_stored")
    return moved


async def _refuse(ledger: Ledger, row: ChangeRow, refusal: Refusal, made: Sequence[Note], keep: Any) -> ChangeRow:
    failures = row.call_failures + 1
    event = Event.CALLS_REFUSED_FINALLY if failures >= MAX_REFUSALS else Event.CALLS_REFUSED
    rejected = Note(Entry.TOOL_CALL_REJECTED, tool_index=refusal.index, detail={"code": refusal.code})
    moved, _ = await ledger.move(
        row,
        event,
        [*made, rejected],
        extra=keep,
        calls=[],
        provider_round=0,
        call_failures=failures,
        reason=reason_json(refusal),
    )
    return moved


async def provider_failed(ledger: Ledger, row: ChangeRow, code: str) -> ChangeRow:
    """Record that the model could not answer: drafting stays, collecting goes back to the review without its calls."""
    note = Note(Entry.PROVIDER_FAILED, provider_round=row.provider_round + 1, detail={"code": code})
    columns: dict[str, Any] = {"calls": [], "provider_round": 0} if row.state == State.COLLECTING else {}
    reason = reason_json(Refusal("words_unread") if code == UNREAD else Refusal("provider_failed", {"kind": code}))
    return (await ledger.move(row, Event.PROVIDER_FAILED, [note], reason=reason, **columns))[0]
