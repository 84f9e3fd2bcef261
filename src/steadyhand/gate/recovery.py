"""Decides what happens to changes whose process is gone; each ends untouched, verified, failed or unknown. It must not run an effect again."""

import contextlib

from steadyhand.core.errors import DecisionRefused
from steadyhand.core.logs import get_logger
from steadyhand.gate.contract import Rehearsing
from steadyhand.gate.controller import Controller
from steadyhand.gate.executor import Executor
from steadyhand.gate.expiry import overdue
from steadyhand.gate.machine import BEFORE_SUBMISSION, State
from steadyhand.gate.owners import is_gone
from steadyhand.store import Tx, changes
from steadyhand.store.changes import ChangeRow
from steadyhand.store.locks import exclusive

LOCK = "recovery"
AT_WORK = (State.OBSERVING, State.PREPARING, State.APPROVED, State.SUBMITTING, State.EXECUTED)

log = get_logger(__name__)


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
            if row.domain not in controller.domains:
                log.warning("recovery_without_domain", change=row.number, domain=row.domain)
                continue
            taken = await store.write(lambda tx, row=row: _take_over(tx, controller, row))
            if taken is None:
                continue
            try:
                recovered.append(await _resume(controller, controller.executor, taken))
            except Exception as error:  # what stops one change must not stop the recovery of the others
                log.warning("recovery_broken_off", change=row.number, kind=type(error).__name__, exc_info=error)
    return recovered


async def expire(controller: Controller) -> list[ChangeRow]:
    """End every change that waited past its time."""
    waiting = [state.value for state in BEFORE_SUBMISSION]
    now = controller.store.clock.now()
    ended: list[ChangeRow] = []
    for row in await controller.store.read(lambda tx: changes.in_states(tx, waiting)):
        if overdue(row, now) is not None:
            with contextlib.suppress(DecisionRefused):  # somebody has just moved it on
                ended.append(await controller.current(row.user_id, row.number))
    return [row for row in ended if row.state == State.EXPIRED]


def _take_over(tx: Tx, controller: Controller, row: ChangeRow) -> ChangeRow | None:
    """Become the owner; whoever held the change before can no longer write for it."""
    if not changes.compare_and_swap(tx, row, controller.ledger.ownership()):
        return None
    return changes.by_id(tx, row.user_id, row.id)


async def _resume(controller: Controller, executor: Executor, row: ChangeRow) -> ChangeRow:
    domain = controller.domains[row.domain]
    if row.state in (State.OBSERVING, State.PREPARING):
        if isinstance(domain, Rehearsing):
            await domain.discard_rehearsal(row.id)
        return await controller.advance(row)
    if row.state == State.APPROVED:
        return await executor.submit(row)
    async with controller.ledger.kept(row):
        if row.state == State.SUBMITTING:
            return await executor.settle(row, await executor.ask(row))
        return await executor.read_back(row)
