"""Decides how facts become a sealed program: observe, compile, rehearse, seal. It must not write to a target or ask a model."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from steadyhand.core.canonical import Json, canonical, digest_bytes
from steadyhand.core.errors import SteadyhandError
from steadyhand.core.faults import reach
from steadyhand.core.logs import get_logger
from steadyhand.gate import sealing
from steadyhand.gate.collecting import calls_of
from steadyhand.gate.contract import (
    Calls,
    DomainModule,
    Observation,
    Operations,
    Program,
    Refusal,
    Rehearsal,
    Rehearsing,
    Source,
    Target,
)
from steadyhand.gate.journal import Entry, Note
from steadyhand.gate.ledger import Ledger, observation_json, observation_of, reason_json, source_of, target_of
from steadyhand.gate.machine import Event
from steadyhand.gate.policy import Policy
from steadyhand.store.changes import records
from steadyhand.store.changes.changes import ChangeRow
from steadyhand.store.people import people

REHEARSED = "rehearsal/"
"""Where a rehearsal's artifacts stand in the dossier, apart from those of the run."""

NO_OWNER: dict[str, Json] = {"owner": None, "owner_token": None, "lease_until": None}
"""The columns of a change at which nobody is at work."""

log = get_logger(__name__)


def as_refusal(error: Exception, fallback: str) -> Refusal:
    """Turn an error of a domain into a refusal that the record can keep."""
    if isinstance(error, SteadyhandError):
        return Refusal(error.code, dict(error.params))
    log.error(fallback, exc_info=error)
    return Refusal(fallback, {"kind": type(error).__name__})


async def observe(ledger: Ledger, domain: DomainModule, row: ChangeRow) -> ChangeRow:
    """Read the target's facts and move on; an error ends the change, since nothing can be said of an unseen target."""
    try:
        seen = await domain.observe(target_of(row), row.scope)
        canonical(observation_json(seen))
    except Exception as error:  # noqa: BLE001  # a domain's failure of any kind is an outcome here
        refusal = as_refusal(error, "observation_failed")
        return (await ledger.move(row, Event.OBSERVATION_FAILED, reason=reason_json(refusal)))[0]
    given = source_of(row) is not None
    event = Event.OBSERVED_GIVEN if given else Event.OBSERVED_FOR_SPEC
    note = Note(Entry.OBSERVATION_COMPLETED, detail={"regions": len(seen.footprint)})
    released = {} if given else {"owner": None, "owner_token": None, "lease_until": None}
    moved, _ = await ledger.move(row, event, [note], observation=observation_json(seen), **released)
    reach("gate.observed")
    return moved


async def prepare(ledger: Ledger, domain: DomainModule, policy: Policy, row: ChangeRow) -> ChangeRow:
    """Compile, rehearse and seal; a refusal of any of them sends the change back with its reason."""
    seen = observation_of(row)
    user = await ledger.store.read(lambda tx: people.require_user(tx, row.user_id))
    source = source_of(row) or Calls(calls_of(row.calls))
    compiled = _compile(domain, policy, user, Wanted(target_of(row), source, row.request), seen)
    if isinstance(compiled, Refusal):
        return await _refuse(ledger, row, compiled)
    operations, program = compiled
    reach("gate.compiled")
    rehearsal = await _rehearse(domain, program, row)
    if rehearsal is not None and not rehearsal.ok:
        return await _refuse(ledger, row, rehearsal.refusal or Refusal("rehearsal_failed"), rehearsal)
    reach("gate.rehearsed")
    return await _seal(ledger, policy, row, operations, program, rehearsal)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be compiled, and on whose words."""

    target: Target
    source: Source
    request: str


async def foresee(domain: DomainModule, policy: Policy, user: people.User, wanted: Wanted, scope: Json) -> Refusal | None:
    """Say why what is wanted could not be made of the target as it is now; nothing is stored."""
    try:
        seen = await domain.observe(wanted.target, scope)
    except Exception as error:  # noqa: BLE001  # as in `observe`
        return as_refusal(error, "observation_failed")
    compiled = _compile(domain, policy, user, wanted, seen)
    return compiled if isinstance(compiled, Refusal) else None


def _compile(
    domain: DomainModule, policy: Policy, user: people.User, wanted: Wanted, seen: Observation
) -> tuple[Operations, Program] | Refusal:
    try:
        operations = domain.operations(wanted.source, seen, wanted.request)
        if isinstance(operations, Refusal):
            return operations
        refusal = policy.refuses(user, wanted.target, len(operations.items))
        if refusal is not None:
            return refusal
        program = domain.compile(operations, wanted.target, seen)
        if isinstance(program, Refusal):
            return program
        canonical([list(operations.items), sealing.program_json(program)])
    except Exception as error:  # noqa: BLE001  # a domain's failure of any kind is an outcome here
        return as_refusal(error, "compile_failed")
    return operations, program


async def _rehearse(domain: DomainModule, program: Program, row: ChangeRow) -> Rehearsal | None:
    if not isinstance(domain, Rehearsing):
        return None
    try:
        rehearsal = await domain.rehearse(program, row.id, target_of(row))
        canonical(rehearsal_json(rehearsal))
        return rehearsal
    except Exception as error:  # noqa: BLE001  # as above
        return Rehearsal(ok=False, refusal=as_refusal(error, "rehearsal_failed"))


async def _refuse(ledger: Ledger, row: ChangeRow, refusal: Refusal, rehearsal: Rehearsal | None = None) -> ChangeRow:
    """Back to the review with the reason; operations that were given cannot be reviewed again, so that change is invalid."""
    given = row.source_kind != "spec"
    event = Event.PREPARATION_IMPOSSIBLE if given else Event.PREPARATION_REFUSED
    notes = [] if rehearsal is None else [_rehearsal_note(rehearsal)]
    columns: dict[str, Json] = {} if given else {"calls": [], "provider_round": 0}
    columns["rehearsal"] = None if rehearsal is None else rehearsal_json(rehearsal)
    moved, _ = await ledger.move(
        row,
        event,
        notes,
        extra=lambda tx, new: _store_artifacts(tx, new, rehearsal),
        reason=reason_json(refusal),
        **NO_OWNER,
        **columns,
    )
    return moved


async def _seal(
    ledger: Ledger, policy: Policy, row: ChangeRow, operations: Operations, program: Program, rehearsal: Rehearsal | None
) -> ChangeRow:
    columns: dict[str, Json] = {
        "operations": list(operations.items),
        "program": sealing.program_json(program),
        "program_digest": sealing.program_digest(program),
        "rehearsal": None if rehearsal is None else rehearsal_json(rehearsal),
        "policy": policy.digest(),
        "reason": None,
    }
    document = sealing.seal_text(dataclasses.replace(row, **columns))  # type: ignore[arg-type]  # the columns are the row's own
    columns |= {"seal": document, "seal_digest": sealing.seal_digest(document)}
    moved, _ = await ledger.move(
        row,
        Event.PREPARED,
        _notes(row, program, rehearsal, cast("str", columns["program_digest"]), cast("str", columns["seal_digest"])),
        extra=lambda tx, new: _store_artifacts(tx, new, rehearsal),
        **({} if row.direct else NO_OWNER),  # an act is still being done; whatever else is sealed waits for a person
        **columns,
    )
    reach("gate.sealed")
    return moved


def _notes(row: ChangeRow, program: Program, rehearsal: Rehearsal | None, program_digest: str, seal_digest: str) -> list[Note]:
    compiled = [
        Note(Entry.TOOL_CALL_COMPILED, tool=call.name, tool_index=call.index, provider_round=call.round)
        for call in calls_of(row.calls)
    ]
    composed = Note(Entry.SCRIPT_COMPOSED, program_digest=program_digest, detail={"steps": program.steps, "media": program.media})
    rehearsed = [] if rehearsal is None else [_rehearsal_note(rehearsal)]
    sealed = Note(Entry.CHANGE_SEALED, program_digest=program_digest, detail={"seal": seal_digest})
    return [*compiled, composed, *rehearsed, sealed]


def _rehearsal_note(rehearsal: Rehearsal) -> Note:
    return Note(Entry.REHEARSAL_COMPLETED, detail={"ok": rehearsal.ok})


def rehearsal_json(rehearsal: Rehearsal) -> Json:
    """Return a rehearsal as it is stored and sealed."""
    refusal = None if rehearsal.refusal is None else reason_json(rehearsal.refusal)
    artifacts = {name: digest_bytes(content) for name, content in rehearsal.artifacts.items()}
    return {"ok": rehearsal.ok, "evidence": rehearsal.evidence, "refusal": refusal, "artifacts": artifacts}


def rehearsal_of(row: ChangeRow) -> Rehearsal | None:
    """Read a stored rehearsal back, without its artifacts' bytes."""
    if row.rehearsal is None:
        return None
    stored = cast("Mapping[str, Json]", row.rehearsal)
    return Rehearsal(ok=bool(stored["ok"]), evidence=stored["evidence"])


def _store_artifacts(tx: records.Tx, row: ChangeRow, rehearsal: Rehearsal | None) -> None:
    if rehearsal is None:
        return
    for name, content in rehearsal.artifacts.items():
        records.put_artifact(tx, row.user_id, row.id, f"{REHEARSED}{name}", content)
