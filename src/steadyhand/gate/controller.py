"""Decides what each door may do to a change, and carries out what needs no model. It must not wait for a model or know a domain's rules.

What needs a model is returned, `NeedSpec` or `NeedCalls`; the answer comes back through ``offer_spec`` and ``offer_calls``
and is checked like a stranger's.
"""

import asyncio
import contextlib
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeVar, cast

from steadyhand.core.canonical import legible
from steadyhand.core.clock import to_text
from steadyhand.core.errors import DecisionRefused, StoreUnavailable
from steadyhand.core.faults import reach
from steadyhand.core.ids import ChangeId, UserId, change_name, new_id
from steadyhand.core.language import Language
from steadyhand.core.wire import ToolCall
from steadyhand.gate import journal, machine, offers, preparing, sealing
from steadyhand.gate.collecting import calls_of
from steadyhand.gate.contract import Collecting, DomainModule, Given, Refusal, Source, Undoable, View
from steadyhand.gate.executor import Executor
from steadyhand.gate.expiry import overdue
from steadyhand.gate.journal import Entry, Note
from steadyhand.gate.ledger import Ledger, observation_of, reason_json, source_json, source_of, target_of
from steadyhand.gate.machine import Event, State
from steadyhand.gate.policy import Policy
from steadyhand.gate.proposal import Decider, Need, NeedCalls, NeedSpec, Proposal
from steadyhand.store import Store, Tx
from steadyhand.store.changes import changes, records
from steadyhand.store.changes.changes import ChangeRow, DecisionRow
from steadyhand.store.people import people

T = TypeVar("T")


class Controller:
    """The gate's doors."""

    def __init__(
        self,
        store: Store,
        domains: Mapping[str, DomainModule],
        policy: Policy,
        *,
        expiry: timedelta = timedelta(hours=72),
        lease_seconds: float = 30.0,
    ) -> None:
        self.store = store
        self.domains = domains
        self.policy = policy
        self.ledger = Ledger(store, lease_seconds)
        self.executor = Executor(self.ledger, domains, policy)
        self._expiry = expiry

    # --- opening -----------------------------------------------------------------------------------------------------

    async def open(self, proposal: Proposal) -> ChangeRow:
        """Store a new change, then go as far as no model or person is needed: to drafting, sealed or invalid."""
        row = await self.store.write(lambda tx: self._insert(tx, proposal))
        reach("gate.opened")
        return await self.advance(row)

    def _insert(self, tx: Tx, proposal: Proposal) -> ChangeRow:
        self._permit(people.require_user(tx, proposal.user), proposal)
        number = people.next_change_number(tx, proposal.user)  # holds the person's row: their proposals are stored one by one
        people.ensure_session(tx, proposal.user, proposal.session, "terminal")
        self._supersede(tx, proposal, number)
        kind, source = source_json(proposal.source)
        now = self.store.clock.now()
        row = ChangeRow(
            id=ChangeId(new_id("chg")),
            user_id=proposal.user,
            number=number,
            session_id=proposal.session,
            domain=proposal.target.domain,
            target_name=proposal.target.name,
            target_shared=proposal.target.shared,
            target_key=proposal.target.key,
            state=State.OBSERVING.value,
            source_kind=kind,
            source=source,
            scope=proposal.scope,
            request=legible(proposal.request),
            language=proposal.language,
            policy=self.policy.digest(),
            expires_at=to_text(now + self._expiry),
            created_at=to_text(now),
            updated_at=to_text(now),
            calls=[],
            repair_of=proposal.repair_of,
            undo_of=proposal.undo_of,
            direct=proposal.direct,
            **self.ledger.ownership(),
        )
        changes.insert_change(tx, row)
        records.put_artifact(tx, row.user_id, row.id, "request.txt", row.request.encode())
        journal.append(tx, row, [Note(Entry.CHANGE_OPENED, detail={"target": row.target_key})])
        return row

    def _permit(self, user: people.User, proposal: Proposal) -> None:
        refusal = self.policy.refuses(user, proposal.target)
        if refusal is not None or proposal.target.domain not in self.domains:
            refusal = refusal or Refusal("domain_unknown", {"domain": proposal.target.domain})
            raise DecisionRefused(refusal.code, **refusal.params)
        if proposal.source is None and not isinstance(self.domains[proposal.target.domain], Collecting):
            raise DecisionRefused("source_missing", domain=proposal.target.domain)

    def _supersede(self, tx: Tx, proposal: Proposal, number: int) -> None:
        """Withdraw what the same session had proposed for the same target and nobody has submitted."""
        states = [state.value for state in machine.BEFORE_SUBMISSION if state is not State.APPROVED]
        for row in changes.on_target(tx, proposal.target.key, states, lock="wait"):
            other = proposal.direct and row.request != proposal.request  # an act replaces only its own interrupted attempt
            if row.user_id == proposal.user and row.session_id == proposal.session and not other:
                reason = reason_json(Refusal("superseded", {"number": number}))
                self.ledger.move_in(tx, row, Event.WITHDRAWN, superseded_by=number, reason=reason)

    async def act(self, decider: Decider, proposal: Proposal) -> ChangeRow | Refusal:
        """Do a person's own act in one step: its words state the whole effect. What cannot be made is refused, nothing stored."""
        user = await self.store.read(lambda tx: people.require_user(tx, proposal.user))
        wanted = preparing.Wanted(proposal.target, cast("Source", proposal.source), proposal.request)
        domain = self.domains[proposal.target.domain]
        if (refusal := await preparing.foresee(domain, self.policy, user, wanted, proposal.scope)) is not None:
            return refusal
        row = await self.open(replace(proposal, direct=True))
        if row.state != State.SEALED:
            return row
        try:
            return await self.approve(replace(decider, by="direct_act"), row.number, cast("str", row.seal_digest))
        except DecisionRefused as error:
            with contextlib.suppress(DecisionRefused):  # nobody was asked about it, so it must not wait for an answer
                await self.withdraw(decider, row.number)
            if error.code == "target_busy":
                raise DecisionRefused("act_busy", name=change_name(row.number)) from error
            raise

    async def advance(self, row: ChangeRow) -> ChangeRow:
        """Do again or go on with what needs neither a model nor a person."""
        async with self.ledger.kept(row):
            if row.state == State.OBSERVING:
                row = await preparing.observe(self.ledger, self.domains[row.domain], row)
            if row.state == State.PREPARING:
                row = await preparing.prepare(self.ledger, self.domains[row.domain], self.policy, row)
        if row.state == State.SEALED and row.source_kind == "spec" and self.policy.approve_sealed == "within_confirmed_spec":
            return await self._approve_by_policy(row)
        return row

    async def _approve_by_policy(self, row: ChangeRow) -> ChangeRow:
        """Approve what was compiled from a confirmed spec; where that cannot be now, it stays sealed and a person is asked."""
        decider = Decider(row.user_id, row.session_id, "gate", "approve_sealed = within_confirmed_spec", by="policy")
        try:
            return await self.approve(decider, row.number, cast("str", row.seal_digest))
        except DecisionRefused:
            return await self.ledger.load(row.user_id, row.id)

    def need(self, row: ChangeRow) -> Need:
        """Say what a model is to be asked for; None when no model is needed."""
        domain = self.domains[row.domain]
        if not isinstance(domain, Collecting):
            return None
        if row.state == State.DRAFTING:
            return NeedSpec(domain.brief(row.request, observation_of(row), "spec", "", (), row.language))
        if row.state == State.COLLECTING:
            remaining = offers.route_of(row)[len(calls_of(row.calls)) :]
            return NeedCalls(domain.brief(row.request, observation_of(row), "calls", row.spec or "", remaining, row.language))
        return None

    # --- what a model offers -----------------------------------------------------------------------------------------

    async def offer_spec(self, user: UserId, number: int, spec: str) -> ChangeRow:
        """Take a spec for review; one without a route stays in drafting with its reason."""
        row = await self.current(user, number)
        self._expect(row, State.DRAFTING)
        return await offers.take_spec(self.ledger, cast("Collecting", self.domains[row.domain]), row, spec)

    async def offer_calls(
        self, user: UserId, number: int, calls: Sequence[ToolCall], raw: bytes = b"", said: str = ""
    ) -> ChangeRow:
        """Take the calls of one round, all or none, and what was *said* beside them; when the last is in, compile and seal."""
        row = await self.current(user, number)
        self._expect(row, State.COLLECTING)
        return await self.advance(await offers.take_calls(self.ledger, row, calls, raw, said))

    async def provider_failed(self, user: UserId, number: int, code: str) -> ChangeRow:
        """Record that the model could not answer: drafting stays, collecting goes back to the review."""
        row = await self.current(user, number)
        self._expect(row, State.DRAFTING, State.COLLECTING)
        return await offers.provider_failed(self.ledger, row, code)

    async def note_retry(self, user: UserId, number: int, code: str) -> None:
        """Journal one automatic retry of the provider."""
        row = await self.ledger.find(user, number)
        note = Note(Entry.PROVIDER_FAILED, detail={"code": code, "retry": True})
        await self.store.write(lambda tx: journal.append(tx, changes.by_id(tx, user, row.id, lock=True) or row, [note]))

    # --- what a person decides ---------------------------------------------------------------------------------------

    async def confirm(self, decider: Decider, number: int, digest: str) -> ChangeRow:
        """Accept the spec: opens collection. A target that differs from what the spec was written for ends as stale."""
        row = await self.current(decider.user, number)
        self._expect(row, State.IN_REVIEW)
        self._match(digest, row.spec_digest, row)
        domain = self.domains[row.domain]
        seen = await domain.observe(target_of(row), row.scope)
        if dict(seen.footprint) != dict(observation_of(row).footprint):
            reason = reason_json(Refusal("footprint_differs", {"regions": ""}))
            return (await self.ledger.move(row, Event.TARGET_CHANGED, reason=reason))[0]
        note = Note(Entry.DESIGN_CONFIRMED, detail={"spec": row.spec_digest})
        extra = self._decision(decider, "confirm", row.spec_digest)
        columns: dict[str, Any] = {"calls": [], "provider_round": 0, "reason": None}
        moved, _ = await self.ledger.move(row, Event.CONFIRMED, [note], extra=extra, **columns)
        reach("gate.confirmed")
        return moved

    async def correct(self, decider: Decider, number: int, request: str) -> ChangeRow:
        """Take the person's correction of a spec: back to drafting, with a new digest to come."""
        row = await self.current(decider.user, number)
        self._expect(row, State.IN_REVIEW)
        extra = self._decision(decider, "correct", row.spec_digest)
        columns: dict[str, Any] = {"request": legible(request), "spec": None, "spec_digest": None, "route": None, "calls": []}
        return (await self.ledger.move(row, Event.CORRECTED, extra=extra, reason=None, **columns))[0]

    async def approve(self, decider: Decider, number: int, digest: str) -> ChangeRow:
        """Accept the seal and submit, in one call; an interrupt after that is noted and the work is finished."""
        row = await self.current(decider.user, number)
        self._expect(row, State.SEALED)
        self._match(digest, row.seal_digest, row)
        reach("gate.before_decision")
        row, _ = await self.ledger.move(
            row,
            Event.APPROVED,
            [Note(Entry.CHANGE_APPROVED, detail={"seal": row.seal_digest, "by": decider.by})],
            extra=self._decision(decider, "approve", row.seal_digest),
            approved_at=to_text(self.store.clock.now()),
            **self.ledger.ownership(),
        )
        reach("gate.approved")
        try:
            return await self._to_its_end(row, self.executor.submit(row))
        except DecisionRefused as error:
            if error.code != "change_moved_on":
                raise
            return await self.ledger.load(row.user_id, row.id)  # another process has taken this very approval to its end

    async def deny(self, decider: Decider, number: int) -> ChangeRow:
        """Refuse what is under review, or take an approval back that was not submitted; a no ends the change."""
        row = await self.current(decider.user, number)
        if row.state in machine.OPEN or row.state == State.APPROVED:
            event = Event.REVOKED if row.state == State.APPROVED else Event.DENIED
            extra = self._decision(decider, "deny", row.seal_digest or row.spec_digest)
            return (await self.ledger.move(row, event, extra=extra, reason=reason_json(Refusal("denied"))))[0]
        return await self.withdraw(decider, number)

    async def withdraw(self, decider: Decider, number: int) -> ChangeRow:
        """Stop a change; from its submission on that is too late: noted, told, and the work goes on."""
        row = await self.current(decider.user, number)
        extra = self._decision(decider, "withdraw", None)
        if machine.legal(State(row.state), Event.STOP_ASKED):
            return await self.ledger.note_stop(row, "asked", extra)
        self._expect(row, *machine.BEFORE_SUBMISSION)
        return (await self.ledger.move(row, Event.WITHDRAWN, extra=extra, reason=reason_json(Refusal("stopped"))))[0]

    async def recheck(self, user: UserId, number: int) -> ChangeRow:
        """Look again at a change of unknown outcome."""
        row = await self.current(user, number)
        self._expect(row, State.UNKNOWN)
        return await self.executor.recheck(row)

    async def close_as_failed(self, decider: Decider, number: int) -> ChangeRow:
        """Let a person close what cannot be told."""
        row = await self.current(decider.user, number)
        self._expect(row, State.UNKNOWN)
        extra = self._decision(decider, "close", row.seal_digest)
        return (
            await self.ledger.move(row, Event.CLOSED_AS_FAILED, extra=extra, reason=reason_json(Refusal("closed_by_person")))
        )[0]

    async def repair(self, decider: Decider, number: int, language: Language) -> ChangeRow:
        """Open a new change, linked, that starts again from what the target is now."""
        row = await self.current(decider.user, number)
        self._expect(row, State.FAILED)
        return await self.open(
            Proposal(
                decider.user,
                decider.session,
                target_of(row),
                row.request,
                source_of(row),
                row.scope,
                language,
                repair_of=row.number,
            )
        )

    async def undo(self, decider: Decider, number: int, request: str, language: Language) -> ChangeRow:
        """Open a new change that takes a verified one back, where its domain can say how."""
        row = await self.current(decider.user, number)
        self._expect(row, State.VERIFIED)
        domain = self.domains[row.domain]
        receipt = await self.executor.receipt(row)
        if not isinstance(domain, Undoable) or receipt is None:
            raise DecisionRefused("not_undoable", name=change_name(number))
        program = sealing.program_of(row)
        inverse = domain.inverse(program, receipt, await domain.read_back(target_of(row), program))
        if isinstance(inverse, Refusal):
            raise DecisionRefused(inverse.code, **inverse.params)
        source, scope = Given(inverse.items), row.scope if inverse.scope is None else inverse.scope
        back = Proposal(decider.user, decider.session, target_of(row), request, source, scope, language, undo_of=row.number)
        return await self.open(back)

    # --- looking -----------------------------------------------------------------------------------------------------

    async def current(self, user: UserId, number: int) -> ChangeRow:
        """Return the person's change as it is now, ended when its time has run out."""
        row = await self.ledger.find(user, number)
        waited = overdue(row, self.store.clock.now())
        return row if waited is None else (await self.ledger.move(row, Event.EXPIRED, reason=reason_json(waited)))[0]

    def view(self, row: ChangeRow, language: Language) -> View | None:
        """Return the difference that a person reads; None while there is no program. One that is not as it was sealed is not shown."""
        if row.program is None:
            return None
        if row.seal is not None and not sealing.seal_holds(row):
            raise StoreUnavailable("record_altered", name=change_name(row.number))
        program, rehearsal = sealing.program_of(row), preparing.rehearsal_of(row)
        return self.domains[row.domain].present(program, observation_of(row), rehearsal, language)

    def _expect(self, row: ChangeRow, *states: State) -> None:
        if row.state not in states:
            raise DecisionRefused("wrong_state", name=change_name(row.number), state=row.state)

    def _match(self, given: str, stored: str | None, row: ChangeRow) -> None:
        if not sealing.matches(given, stored):
            raise DecisionRefused("digest_differs", name=change_name(row.number))

    def _decision(self, decider: Decider, kind: str, digest: str | None) -> Any:
        def extra(tx: Tx, row: ChangeRow) -> None:
            decision = DecisionRow(
                decider.message or new_id("dec"),
                decider.user,
                row.id,
                decider.session,
                kind,
                digest,
                decider.door,
                decider.by,
                legible(decider.words),
                tx.now(),
            )
            changes.add_decision(tx, decision)

        return extra

    async def _to_its_end(self, row: ChangeRow, work: Coroutine[Any, Any, ChangeRow]) -> ChangeRow:
        """Await *work* through interrupts: what was submitted is finished and read back, and the stop is noted."""
        task = asyncio.ensure_future(work)
        stopped = False
        while not task.done():
            try:
                await asyncio.shield(task)
            except asyncio.CancelledError:
                if task.cancelled():
                    raise
                stopped = True
        done = task.result()
        if stopped and done.state not in machine.BEFORE_SUBMISSION:
            return await self.ledger.note_stop(done, "running")
        return await self.ledger.load(row.user_id, row.id)
