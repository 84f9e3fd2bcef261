"""Decides what happens to changes whose process is gone; each ends untouched, verified, failed or unknown. It must not run an effect again."""

import structlog

from steadyhand.core.clock import to_text
from steadyhand.core.errors import DecisionRefused
from steadyhand.gate.contract import Rehearsing
from steadyhand.gate.controller import Controller
from steadyhand.gate.executor import Executor
from steadyhand.gate.machine import BEFORE_SUBMISSION, State
from steadyhand.gate.owners import is_gone
from steadyhand.store import Tx, changes
from steadyhand.store.changes import ChangeRow
from steadyhand.store.locks import exclusive

LOCK = "recovery"
AT_WORK = (State.OBSERVING, State.PREPARING, State.APPROVED, State.SUBMITTING, State.EXECUTED)

log = structlog.get_logger(__name__)


async def recover(controller: Controller) -> list[ChangeRow]:
    """Take over every change that was at work in a process that is gone, and bring it to a state that tells the truth.

    Only one process recovers at a time; without the lock nothing is done and the list is empty.
    """
    store = controller.store
    if not await store.read(lambda tx: changes.in_states(tx, [state.value for state in AT_WORK])):
        return []
    recovered: list[ChangeRow] = []
    with exclusive(store, LOCK) as got:
        if not got:
            return []
        for row in await store.read(lambda tx: changes.in_states(tx, [state.value for state in AT_WORK])):
            if not is_gone(row, store.clock.now()):
                continue
            taken = await store.write(lambda tx, row=row: _take_over(tx, controller, row))
            if taken is None:
                continue
            try:
                recovered.append(await _resume(controller, controller.executor, taken))
            except DecisionRefused as error:
                log.warning("recovery_overtaken", change=row.number, code=error.code)
    return recovered


async def expire(controller: Controller) -> list[ChangeRow]:
    """End every change that waited past its time."""
    waiting = [state.value for state in BEFORE_SUBMISSION]
    now = controller.store.clock.now()
    rows = await controller.store.read(lambda tx: changes.in_states(tx, waiting))
    current = [await controller.current(row.user_id, row.number) for row in rows if row.expires_at <= to_text(now)]
    return [row for row in current if row.state == State.EXPIRED]


def _take_over(tx: Tx, controller: Controller, row: ChangeRow) -> ChangeRow | None:
    """Become the owner; whoever held the change before can no longer write for it."""
    if not changes.compare_and_swap(tx, row, controller.ledger.ownership()):
        return None
    return changes.by_id(tx, row.user_id, row.id)


async def _resume(controller: Controller, executor: Executor, row: ChangeRow) -> ChangeRow:
    domain = controller.domains.get(row.domain)
    if domain is None:
        log.warning("recovery_without_domain", change=row.number, domain=row.domain)
        return row
    if row.state in (State.OBSERVING, State.PREPARING):
        if isinstance(domain, Rehearsing):
            await domain.discard_rehearsal(row.id)
        return await controller.advance(row)
    if row.state == State.APPROVED:
        return await executor.submit(row)
    if row.state == State.SUBMITTING:
        return await executor.settle(row, await executor.ask(row))
    return await executor.read_back(row)
