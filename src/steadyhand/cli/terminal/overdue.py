"""Decides whether something is due that nobody sees to, and how that is found. It must not see to it."""

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING

from steadyhand.core.clock import to_text
from steadyhand.core.errors import SteadyhandError
from steadyhand.store import Store
from steadyhand.store.database.locks import is_held
from steadyhand.store.later import jobs, wakeups
from steadyhand.store.sessions import outbox
from steadyhand.store.upkeep import held

if TYPE_CHECKING:
    from steadyhand.store.upkeep.health import Finding

LATE = timedelta(minutes=5)
HOST = "host"


def _is_hosted(store: Store) -> bool:
    """Tell whether somebody sees to what is due: a host that is suspended does not."""
    if not is_held(store, HOST):
        return False
    from steadyhand.wakeups.seat import seated

    there = seated(store)
    return there is not None and not there.suspended


def due_unseen(store: Store) -> int:
    """Return how many reminders are due while there is no host; 0 where that cannot be told."""
    try:
        count = store.read_now(lambda tx: wakeups.overdue(tx, tx.now()))
        return count if count and not _is_hosted(store) else 0
    except SteadyhandError:
        return 0


def came_with_a_backup(store: Store) -> int:
    """Return how much came with a backup and waits until a person says that it rings here; 0 where that cannot be told."""
    try:
        return store.read_now(held.waiting)
    except SteadyhandError:
        return 0


def said_unseen(store: Store) -> list[str]:
    """Return what was said at a terminal that nobody has open; nothing where that cannot be told."""
    try:
        return [owed.content for owed in store.read_now(outbox.unseen)]
    except SteadyhandError:
        return []


def waits_unseen(store: Store, since: str) -> bool:
    """Tell whether something was booked since then that comes only once there is a host; no where that cannot be told."""
    try:
        return store.read_now(lambda tx: wakeups.booked_since(tx, since)) and not _is_hosted(store)
    except SteadyhandError:
        return False


def due(store: Store) -> Iterator["Finding"]:
    """Find what has been due for too long."""
    from steadyhand.store.upkeep.health import Finding

    since = to_text(store.clock.now() - LATE)
    late, queued = store.read_now(lambda tx: (wakeups.overdue(tx, since), jobs.queued_before(tx, since)))
    stuck = store.read_now(lambda tx: wakeups.taken_up_before(tx, since) + jobs.taken_up_before(tx, since))
    waiting = store.read_now(held.waiting)
    if waiting:
        yield Finding("due", "warn", "came_with_a_backup", {"count": waiting})
    hosted, minutes = _is_hosted(store), int(LATE.total_seconds() // 60)
    if late:
        code = "due_hosted" if hosted else "due_unhosted"
        yield Finding("due", "warn", code, {"count": late, "minutes": minutes})
    else:
        yield Finding("due", "ok", "due_none")
    unseen = len(said_unseen(store))
    if unseen:
        yield Finding("due", "warn", "said_unseen", {"count": unseen})
    if stuck:
        yield Finding("due", "warn", "taken_up_unbegun", {"count": stuck, "minutes": minutes})
    if queued and not hosted:
        yield Finding("due", "warn", "jobs_unhosted", {"count": queued, "minutes": minutes})


def host(store: Store) -> Iterator["Finding"]:
    """Find who hosts."""
    from steadyhand.store.upkeep.health import Finding
    from steadyhand.wakeups.seat import seated

    there = seated(store)
    if there is None:
        yield Finding("host", "ok", "no_host")
    elif not there.pid:
        yield Finding("host", "ok", "hosted_somewhere")
    elif there.suspended:
        yield Finding("host", "warn", "host_suspended", {"what": there.what, "pid": there.pid})
    else:
        yield Finding("host", "ok", "hosted", {"what": there.what, "pid": there.pid, "since": there.since})
