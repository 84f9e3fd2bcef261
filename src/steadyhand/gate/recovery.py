"""Decides what happens to changes whose process is gone; each ends untouched, verified, failed or unknown. It must not run an effect again."""

import contextlib

from steadyhand.core.errors import DecisionRefused
from steadyhand.core.logs import get_logger
from steadyhand.core.owners import is_gone
from steadyhand.gate.contract import Refusal, Rehearsing
from steadyhand.gate.controller import Controller
from steadyhand.gate.executor import Executor
from steadyhand.gate.expiry import overdue
from steadyhand.gate.ledger import reason_json
from steadyhand.gate.machine import BEFORE_SUBMISSION, Event, State
from steadyhand.store import Tx
from steadyhand.store.changes import changes
from steadyhand.store.changes.changes import ChangeRow
from steadyhand.store.database.locks import exclusive

LOCK = "recovery"
AT_WORK = (State.OBSERVING, State.PREPARING, State.SEALED, State.APPROVED, State.SUBMITTING, State.EXECUTED)
"""Sealed is among them for a person's own act alone: it waits for nobody, so a sealed one was broken off."""

NOT_BEGUN = (State.OBSERVING, State.PREPARING, State.SEALED)

log = get_logger(__name__)


async def recover(controller: Controller) -> list[ChangeRow]:
    """Take over every change that was at work in a process that is gone, and bring it to a state that tells the truth.

    Only one process recovers at a time; without the lock nothing is done and the list is empty.
    """
    store = controller.store
    if not await store.read(_at_work):
        return []
    recovered: list[ChangeRow] = []
    with exclusive(store, LOCK) as got:
        if not got:
            return []
        for row in await store.read(_at_work):
            try:
                recovered += await _recover_one(controller, row)
            except Exception as error:  # what stops one change must not stop the recovery of the others
                log.warning("recovery_broken_off", change=row.number, kind=type(error).__name__, exc_info=error)
    return recovered


def at_work(row: ChangeRow) -> bool:
    """Tell whether some process must be at work on the change, so that without one it was broken off."""
    return row.state in AT_WORK and (row.state != State.SEALED or row.direct)


def _at_work(tx: Tx) -> list[ChangeRow]:
    return [row for row in changes.in_states(tx, [state.value for state in AT_WORK]) if at_work(row)]


async def _recover_one(controller: Controller, row: ChangeRow) -> list[ChangeRow]:
    if not is_gone(row.claim, controller.store.clock.now()):
        return []
    if row.domain not in controller.domains:
        log.warning("recovery_without_domain", change=row.number, domain=row.domain)
        return []
    taken = await controller.store.write(lambda tx: _take_over(tx, controller, row))
    return [] if taken is None else [await _resume(controller, controller.executor, taken)]


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
    if row.state in NOT_BEGUN:
        if isinstance(domain, Rehearsing):
            await domain.discard_rehearsal(row.id)
        if row.direct:  # its person is gone and was promised one step: nobody would be asked about it
            reason = reason_json(Refusal("act_interrupted"))
            return (await controller.ledger.move(row, Event.WITHDRAWN, reason=reason))[0]
        return await controller.advance(row)
    if row.state == State.APPROVED:
        return await executor.submit(row)
    async with controller.ledger.kept(row):
        if row.state == State.SUBMITTING:
            return await executor.settle(row, await executor.ask(row))
        return await executor.read_back(row)
