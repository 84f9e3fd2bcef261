"""Decides how an approved change is submitted once and what became of it. It must not retry, and must not trust its caller's program."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from steadyhand.core.canonical import Json, canonical, digest, digest_bytes
from steadyhand.core.errors import DecisionRefused, StaleTarget, SteadyhandError
from steadyhand.core.faults import reach
from steadyhand.core.ids import new_id
from steadyhand.core.logs import get_logger
from steadyhand.gate import sealing
from steadyhand.gate.contract import (
    Applied,
    DomainModule,
    NotApplied,
    Outcome,
    Partly,
    Permitting,
    Receipt,
    Refusal,
    Submission,
    Unclear,
    Verdict,
)
from steadyhand.gate.expiry import overdue
from steadyhand.gate.journal import Entry, Note
from steadyhand.gate.ledger import Extra, Ledger, observation_of, reason_json, target_of
from steadyhand.gate.machine import Event, State
from steadyhand.gate.policy import Policy
from steadyhand.gate.preparing import rehearsal_of
from steadyhand.gate.steplog import StoredSteps
from steadyhand.store import Tx
from steadyhand.store.changes import changes, records
from steadyhand.store.changes.changes import ChangeRow
from steadyhand.store.people import people

log = get_logger(__name__)


class Executor:
    """Submits, settles and reads back; one instance serves every change of a store."""

    def __init__(self, ledger: Ledger, domains: Mapping[str, DomainModule], policy: Policy) -> None:
        self._ledger = ledger
        self._domains = domains
        self._policy = policy

    async def submit(self, row: ChangeRow) -> ChangeRow:
        """Take an approved change to its end: checks, the durable intent, the effect, the read-back."""
        waited = overdue(row, self._ledger.store.clock.now())
        if waited is not None:
            return (await self._ledger.move(row, Event.EXPIRED, reason=reason_json(waited)))[0]
        refusal = await self._refusal(row)
        if refusal is not None:
            return (await self._ledger.move(row, Event.REVOKED, reason=reason_json(refusal)))[0]
        reach("gate.before_intent")
        row, _ = await self._ledger.move(
            row,
            Event.SUBMITTED,
            [Note(Entry.EXECUTION_SUBMITTED, detail={"seal": row.seal_digest})],
            submission_id=new_id("sub"),
            **self._ledger.ownership(),
        )
        reach("gate.intent")
        return await self._carry_out(row)

    async def _refusal(self, row: ChangeRow) -> Refusal | None:
        if row.domain not in self._domains:
            return Refusal("domain_unknown", {"domain": row.domain})
        if not sealing.seal_holds(row):
            return Refusal("seal_broken")
        decided = await self._ledger.store.read(lambda tx: changes.decisions_of(tx, row.user_id, row.id))
        if not any(decision.kind == "approve" and decision.digest == row.seal_digest for decision in decided):
            return Refusal("seal_broken")
        user = await self._ledger.store.read(lambda tx: people.require_user(tx, row.user_id))
        refusal = self._policy.refuses(user, target_of(row), len(cast("list[Json]", row.operations)))
        domain = self._domains[row.domain]
        if refusal is None and isinstance(domain, Permitting):
            return domain.refuses(sealing.program_of(row))
        return refusal

    async def _carry_out(self, row: ChangeRow) -> ChangeRow:
        """Execute and settle under a lease; when another process has taken the change over, it is theirs to tell."""
        async with self._ledger.kept(row):
            try:
                outcome = await self._execute(row)
                reach("gate.after_effect")
                return await self.settle(row, outcome)
            except (records.Fenced, DecisionRefused) as error:
                log.warning("execution_overtaken", change=row.number, kind=type(error).__name__)
                return await self._ledger.load(row.user_id, row.id)

    async def _execute(self, row: ChangeRow) -> Outcome:
        domain = self._domains[row.domain]
        try:
            reach("gate.before_effect")
            return Applied(await domain.execute(sealing.program_of(row), submission_of(row), self.steps(row)))
        except StaleTarget as stale:
            return NotApplied(", ".join(stale.regions[:5]), stale=True)
        except records.Fenced:
            raise
        except Exception as error:  # whatever it raised, the target is asked what took place
            known = isinstance(error, SteadyhandError)  # then its code says all, and the person is told it
            log.warning("execution_raised", change=row.number, kind=type(error).__name__, exc_info=None if known else error)
            outcome = await self.ask(row)
            return replace(outcome, cause=_cause(error)) if isinstance(outcome, NotApplied) else outcome

    def steps(self, row: ChangeRow) -> StoredSteps:
        """Return the durable step log of a change."""
        return StoredSteps(self._ledger.store, row.user_id, row.id, row.owner_token or "")

    async def ask(self, row: ChangeRow) -> Outcome:
        """Ask the domain what became of a submission; when it cannot say, that is the answer."""
        try:
            return await self._domains[row.domain].outcome(sealing.program_of(row), submission_of(row), self.steps(row))
        except Exception as error:  # a target that cannot be asked leaves the outcome unclear
            log.warning("outcome_unreadable", change=row.number, kind=type(error).__name__, exc_info=error)
            return Unclear("outcome_unreadable")

    async def settle(self, row: ChangeRow, outcome: Outcome) -> ChangeRow:
        """Record what became of a submission, and read the target back when the whole effect took place."""
        match outcome:
            case Applied(receipt):
                return await self.read_back(await self._executed(row, receipt))
            case NotApplied(reason, True):
                refusal = Refusal("footprint_differs", {"regions": reason})
                return (await self._ledger.move(row, Event.TARGET_CHANGED, reason=reason_json(refusal)))[0]
            case NotApplied(reason, _, cause):
                told = reason_json(Refusal("nothing_done", {"why": reason}), cause)
                return (await self._ledger.move(row, Event.UNTOUCHED, reason=told))[0]
            case Partly():
                return (await self._ledger.move(row, Event.PARTLY_DONE, reason=_itemised(outcome)))[0]
            case Unclear(reason, check):
                refusal = Refusal("outcome_unclear", {"why": reason, "check": check})
                event = Event.UNREADABLE if row.state == State.UNKNOWN else Event.UNCLEAR
                return (await self._ledger.move(row, event, reason=reason_json(refusal), evidence=await self._fresh(row)))[0]

    async def _executed(self, row: ChangeRow, receipt: Receipt) -> ChangeRow:
        stored = _receipt_json(receipt)
        note = Note(Entry.EXECUTION_COMPLETED, detail={"receipt": digest(stored)})
        moved, _ = await self._ledger.move(row, Event.RECEIPT, [note], extra=self._keep(receipt), receipt=stored)
        reach("gate.receipt")
        return moved

    def _keep(self, receipt: Receipt) -> Extra:
        def extra(tx: Tx, moved: ChangeRow) -> None:
            for name, content in receipt.artifacts.items():
                records.put_artifact(tx, moved.user_id, moved.id, name, content)
            self._make_stale(tx, moved)

        return extra

    def _make_stale(self, tx: Tx, done: ChangeRow) -> None:
        """End the sealed changes of the same target whose footprint this one has written to.

        One that is being decided at this moment is left: the executor compares its footprint anyway.
        """
        written = set(sealing.program_of(done).writes)
        for other in changes.on_target(tx, done.target_key, [State.SEALED.value], lock="skip"):
            touched = written & set(sealing.program_of(other).footprint)
            if touched:
                refusal = Refusal("touched_by", {"number": done.number, "regions": ", ".join(sorted(touched)[:5])})
                self._ledger.move_in(tx, other, Event.TARGET_CHANGED, reason=reason_json(refusal))

    async def read_back(self, row: ChangeRow) -> ChangeRow:
        """Read the target and compare; only a match makes a change verified."""
        return await self._conclude(row, await self._verdict(row, await self.receipt(row)))

    async def _conclude(self, row: ChangeRow, verdict: Verdict, extra: Extra | None = None, **columns: Any) -> ChangeRow:
        columns |= {"evidence": verdict_json(verdict)}
        reach("gate.read_back")
        if verdict.matched:
            note = Note(Entry.READBACK_VERIFIED, detail={"evidence": digest(columns["evidence"])})
            row, _ = await self._ledger.move(row, Event.MATCHED, [note], extra=extra, reason=None, **columns)
            reach("gate.verified")
            return row
        if verdict.matched is None:
            reason = reason_json(Refusal("cannot_read_back"))
            return (await self._ledger.move(row, Event.UNREADABLE, reason=reason, **columns))[0]
        reason = reason_json(Refusal("result_differs", {"differences": "; ".join(verdict.differences[:10])}))
        return (await self._ledger.move(row, Event.MISMATCHED, extra=extra, reason=reason, **columns))[0]

    async def receipt(self, row: ChangeRow) -> Receipt | None:
        """Read the stored receipt of a change back, with its artifacts."""
        if row.receipt is None:
            return None
        stored = cast("Mapping[str, Any]", row.receipt)
        kept = await self._ledger.store.read(lambda tx: records.artifacts_of(tx, row.user_id, row.id))
        artifacts = {name: kept[name] for name in stored["artifacts"] if name in kept}
        return Receipt(stored["footprint_after"], stored["result"], artifacts)

    async def _verdict(self, row: ChangeRow, receipt: Receipt | None) -> Verdict:
        domain = self._domains[row.domain]
        program = sealing.program_of(row)
        try:
            after = await domain.read_back(target_of(row), program)
            verdict = domain.verify(program, observation_of(row), receipt, after)
            canonical(verdict_json(verdict))
            return verdict
        except Exception as error:  # a target that cannot be read back is no proof of anything
            log.warning("read_back_failed", change=row.number, kind=type(error).__name__, exc_info=error)
            return Verdict(None)

    async def _fresh(self, row: ChangeRow) -> Json:
        """Look at the target once more, so that an unclear outcome is told beside what is there now."""
        try:
            after = await self._domains[row.domain].read_back(target_of(row), sealing.program_of(row))
            canonical(after.facts)
        except Exception as error:  # noqa: BLE001  # the look is extra; without it the outcome is just as unclear
            return {"fresh": None, "why": type(error).__name__}
        return {"fresh": after.facts}

    async def recheck(self, row: ChangeRow) -> ChangeRow:
        """Look again at a change whose outcome is unknown; this only observes."""
        outcome = await self.ask(row)
        if isinstance(outcome, Applied) and row.receipt is not None:
            return await self.read_back(row)
        if isinstance(outcome, Applied):
            receipt = outcome.receipt
            verdict = await self._verdict(row, receipt)
            return await self._conclude(row, verdict, self._keep(receipt), receipt=_receipt_json(receipt))
        if isinstance(outcome, Unclear):
            verdict = await self._verdict(row, await self.receipt(row))
            if verdict.matched is not None:
                return await self._conclude(row, verdict)
        if isinstance(outcome, NotApplied):
            outcome = NotApplied(outcome.reason)
        return await self.settle(row, outcome)


def _cause(error: Exception) -> Refusal | None:
    """Return what a run said when it failed, where that is an error of ours that the record can keep."""
    if not isinstance(error, SteadyhandError):
        return None
    try:
        canonical(dict(error.params))
    except (ValueError, TypeError):
        return None
    return Refusal(error.code, dict(error.params))


def submission_of(row: ChangeRow) -> Submission:
    """Return the submission as a domain sees it."""
    rehearsal = rehearsal_of(row)
    return Submission(
        row.submission_id or "",
        row.id,
        row.number,
        row.user_id,
        target_of(row),
        row.program_digest or "",
        row.seal_digest or "",
        row.owner_token or "",
        None if rehearsal is None else rehearsal.evidence,
    )


def _receipt_json(receipt: Receipt) -> Json:
    """Return a receipt as it is stored; a result that has no canonical bytes is left out, since the read-back is what counts."""
    artifacts = {name: digest_bytes(content) for name, content in receipt.artifacts.items()}
    stored: dict[str, Json] = {"footprint_after": dict(receipt.footprint_after), "result": receipt.result, "artifacts": artifacts}
    try:
        canonical(stored)
    except ValueError as error:
        log.warning("receipt_without_canonical_bytes", reason=str(error))
        stored["result"] = None
    return stored


def verdict_json(verdict: Verdict) -> Json:
    """Return a verdict as it is stored."""
    return {"matched": verdict.matched, "differences": list(verdict.differences), "evidence": verdict.evidence}


def _itemised(outcome: Partly) -> Json:
    params: dict[str, str | int | float | bool] = {
        "done": len(outcome.done),
        "total": len(outcome.done) + len(outcome.undone),
        "which": ", ".join(outcome.done) or "-",
        "missing": ", ".join(outcome.undone) or "-",
        "why": outcome.reason,
    }
    return reason_json(Refusal("partly_done", params))
