"""Decides that every move of a change is one transaction: legal step, compare-and-swap, journal. It must not decide which move."""

import asyncio
import contextlib
import dataclasses
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, cast

from steadyhand.core import owners
from steadyhand.core.canonical import Json
from steadyhand.core.clock import to_text
from steadyhand.core.errors import DecisionRefused, StoreUnavailable
from steadyhand.core.ids import ChangeId, UserId, change_name, new_id
from steadyhand.core.logs import get_logger
from steadyhand.gate import journal, machine
from steadyhand.gate.contract import DraftCopy, Given, Observation, Refusal, Source, Target
from steadyhand.gate.journal import Entry, Note
from steadyhand.gate.machine import Event, Instruction, State
from steadyhand.store import Store, Tx
from steadyhand.store.changes import changes
from steadyhand.store.changes.changes import ChangeRow
from steadyhand.store.database.engine import Duplicate

Extra = Callable[[Tx, ChangeRow], None]

log = get_logger(__name__)


class Ledger:
    """The stored changes, moved only along the machine's table."""

    def __init__(self, store: Store, lease_seconds: float) -> None:
        self.store = store
        self.lease = timedelta(seconds=lease_seconds)

    async def load(self, user: UserId, change: ChangeId) -> ChangeRow:
        """Return the person's change; `DecisionRefused` when there is none of that id."""
        row = await self.store.read(lambda tx: changes.by_id(tx, user, change))
        if row is None:
            raise DecisionRefused("change_unknown", name=change)
        return row

    async def find(self, user: UserId, number: int) -> ChangeRow:
        """Return the person's change of that number; `DecisionRefused` when there is none."""
        row = await self.store.read(lambda tx: changes.by_number(tx, user, number))
        if row is None:
            raise DecisionRefused("change_unknown", name=change_name(number))
        return row

    def ownership(self) -> dict[str, Any]:
        """Return the columns that make this process the owner of a change's present work."""
        return {
            "owner": owners.myself(),
            "owner_token": new_id("own"),
            "lease_until": to_text(self.store.clock.now() + self.lease),
        }

    @contextlib.asynccontextmanager
    async def kept(self, row: ChangeRow) -> AsyncGenerator[None]:
        """Renew the lease of the owner's work until the block ends; a renewal that fails does not disturb the work."""
        token = row.owner_token or ""
        renewal = asyncio.create_task(self._renew(row, token))
        try:
            with owners.at_work(token):
                yield
        finally:
            renewal.cancel()
            await asyncio.gather(renewal, return_exceptions=True)

    async def _renew(self, row: ChangeRow, token: str) -> None:
        while True:
            await asyncio.sleep(self.lease.total_seconds() / 3)
            until = to_text(self.store.clock.now() + self.lease)
            try:
                await self.store.write(lambda tx, until=until: changes.renew_lease(tx, row.user_id, row.id, token, until))
            except StoreUnavailable as error:
                log.warning("lease_not_renewed", change=row.number, code=error.code)

    async def note_stop(self, row: ChangeRow, when: str, extra: Extra | None = None) -> ChangeRow:
        """Record a stop that came too late; `DecisionRefused` while nothing was submitted, where a stop is not too late."""

        def work(tx: Tx) -> ChangeRow:
            current = changes.by_id(tx, row.user_id, row.id, lock=True)
            if current is None or current.state in machine.BEFORE_SUBMISSION:
                raise DecisionRefused("change_moved_on", name=change_name(row.number))
            changes.note_stop(tx, row.user_id, row.id)
            if extra is not None:
                extra(tx, current)
            journal.append(tx, current, [Note(Entry.STOP_NOTED, detail={"when": when})], (), apart=extra is not None)
            return dataclasses.replace(current, stop_noted=True)

        return await self.store.write(work)

    async def move(
        self,
        row: ChangeRow,
        event: Event,
        notes: Sequence[Note] = (),
        *,
        extra: Extra | None = None,
        **columns: Any,
    ) -> tuple[ChangeRow, Instruction]:
        """Make one step in one transaction; `DecisionRefused` when somebody else has moved the change meanwhile."""
        try:
            return await self.store.write(lambda tx: self.move_in(tx, row, event, notes, extra=extra, **columns))
        except Duplicate as error:
            raise DecisionRefused("target_busy", name=change_name(row.number)) from error

    def move_in(
        self,
        tx: Tx,
        row: ChangeRow,
        event: Event,
        notes: Sequence[Note] = (),
        *,
        extra: Extra | None = None,
        **columns: Any,
    ) -> tuple[ChangeRow, Instruction]:
        """Like `move`, inside the caller's transaction."""
        step = machine.step(State(row.state), event)
        if step.state in machine.ENDED or step.state is State.UNKNOWN:
            columns |= {"owner": None, "owner_token": None, "lease_until": None}
        if not changes.compare_and_swap(tx, row, {**columns, "state": step.state.value}):
            raise DecisionRefused("change_moved_on", name=change_name(row.number))
        moved = dataclasses.replace(row, **columns, state=step.state.value, version=row.version + 1, updated_at=tx.now())
        if step.state in machine.ENDED:
            ended = Note(Entry.CHANGE_ENDED, detail={"state": step.state.value, "reason": moved.reason})
            notes = (*notes, ended)
        if extra is not None:  # first, so that the journal commits to what it writes
            extra(tx, moved)
        journal.append(tx, moved, notes or [Note(Entry.CHANGE_MOVED)], columns.keys(), apart=extra is not None)
        return moved, step.instruction


def target_of(row: ChangeRow) -> Target:
    """Return the frozen target of a stored change."""
    return Target(row.domain, row.target_name, row.user_id, row.target_shared)


def observation_of(row: ChangeRow) -> Observation:
    """Return what was observed for a stored change."""
    stored = cast("Mapping[str, Any]", row.observation)
    return Observation(stored["facts"], stored["footprint"])


def observation_json(seen: Observation) -> Json:
    """Return an observation as it is stored."""
    return {"facts": seen.facts, "footprint": dict(seen.footprint)}


def source_json(source: Source | None) -> tuple[str, Json]:
    """Return the kind of a source and its stored form; None means that a spec will be asked for."""
    if isinstance(source, Given):
        return "given", list(source.operations)
    if isinstance(source, DraftCopy):
        return "draft", {"draft": source.draft, "revision": source.revision, "content": source.content}
    return "spec", None


def source_of(row: ChangeRow) -> Given | DraftCopy | None:
    """Return the stored source; None when the operations come from collected calls."""
    if row.source_kind == "given":
        return Given(tuple(cast("list[Json]", row.source)))
    if row.source_kind == "draft":
        stored = cast("Mapping[str, Any]", row.source)
        return DraftCopy(stored["draft"], stored["revision"], stored["content"])
    return None


def reason_json(refusal: Refusal, cause: Refusal | None = None) -> Json:
    """Return a refusal as the record keeps it, with what caused it where that is known."""
    kept: dict[str, Json] = {"code": refusal.code, "params": dict(refusal.params), "index": refusal.index}
    return kept if cause is None else {**kept, "cause": reason_json(cause)}
