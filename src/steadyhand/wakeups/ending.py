"""Decides what is on record of an occurrence that has ended, and when the next one comes. It must not tell anybody."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Literal

from steadyhand.core.canonical import Json
from steadyhand.core.clock import from_text, to_text
from steadyhand.core.ids import new_id
from steadyhand.session.settling import Leaving
from steadyhand.store import Tx
from steadyhand.store.later import wakeups
from steadyhand.store.later.wakeups import Action, Wakeup, WakeupRun
from steadyhand.wakeups.times import rhythm_of

Outcome = Literal["completed", "failed", "skipped"]
SENDS = ("send_private_message", "reply", "message")
BOOKS = "schedule_private_followup"
ENDS = "finish"
LONGEST_NOTE = 4_000
TRY_AGAIN = (timedelta(minutes=5), timedelta(minutes=30), timedelta(hours=2))
"""The waits before what comes once, and could not be done, is tried again."""
FREE: dict[str, object] = {"owner": None, "owner_token": None, "lease_until": None}


def action_of(leaving: Leaving) -> Action:
    """Return what a woken turn did, by its calls: it spoke, it put it off, it let it be; else nobody can say."""
    results = leaving.outcome.results
    gave = leaving.speaks and any(message.role == "assistant" and message.content.strip() for message in leaving.outcome.messages)
    if gave or any(call.name in SENDS and result.code in ("ok", "queued", "unknown_sent") for call, result in results):
        return "sent_private_message"
    if any(call.name == BOOKS and not result.is_error for call, result in results):
        return "rescheduled"
    finished = any(call.name == ENDS and not result.is_error for call, result in results)
    if leaving.state == "done" and (finished or (leaving.outcome.end == "answered" and not leaving.outcome.unsent)):
        return "skipped"
    return "unknown"


def actions_of(leaving: Leaving) -> Json:
    """Return every call of a woken turn with what came of it."""
    return [{"tool": call.name, "code": result.code} for call, result in leaving.outcome.results]


def finish(
    tx: Tx, row: Wakeup, *, outcome: Outcome, action: Action, actions: Json = None, error: str = "", note: str = ""
) -> bool:
    """Write what came of the occurrence that *row* means; what comes again waits for its next. False when somebody else was quicker."""
    now = tx.now()
    columns: dict[str, object] = {
        "status": "failed" if outcome == "failed" else "completed",
        "completed_at": now,
        "completion_action": action,
        "actions": actions,
        "last_error": error,
        "meant_at": row.meant_at,
        **FREE,
    }
    rhythm = rhythm_of(row.rhythm, row.zone)
    if rhythm is not None:
        at = to_text(rhythm.after(from_text(row.meant_at)))
        columns |= {"status": "pending", "due_at": at, "meant_at": at, "started_at": None}
    if not wakeups.change(tx, row, **columns):
        return False
    kept = (note or error)[:LONGEST_NOTE]
    run = WakeupRun(new_id("run"), row.user_id, row.id, row.meant_at, row.started_at, now, outcome, action, kept, row.turn_id)
    wakeups.add_run(tx, run)
    return True


def next_try(row: Wakeup, now: datetime) -> datetime | None:
    """Return when what could not be done comes again: what recurs at its next moment, what comes once a few times more."""
    rhythm = rhythm_of(row.rhythm, row.zone)
    if rhythm is not None:
        return rhythm.after(from_text(row.meant_at))
    tries = tries_of(row)
    return now + TRY_AGAIN[tries] if tries < len(TRY_AGAIN) else None


def tries_of(row: Wakeup) -> int:
    """Return how often what comes once has been tried in vain."""
    tries = row.actions.get("tries") if isinstance(row.actions, Mapping) else None
    return tries if isinstance(tries, int) else 0


def put_off(tx: Tx, row: Wakeup, until: datetime, error: str) -> None:
    """Let what comes once, and could not be done, wait for another try."""
    tried = {"actions": {"tries": tries_of(row) + 1}, "last_error": error, "started_at": None}
    wakeups.change(tx, row, status="pending", due_at=to_text(until), **tried, **FREE)


def missed(tx: Tx, row: Wakeup, latest: str) -> Wakeup:
    """Let a row mean its *latest* occurrence; that those before it were missed is on record once, under the first of them."""
    if latest == row.meant_at:
        return row
    note = f"missed until {latest}"
    now = tx.now()
    run = WakeupRun(new_id("run"), row.user_id, row.id, row.meant_at, None, now, "skipped", "skipped", note, None)
    if wakeups.change(tx, row, meant_at=latest):
        wakeups.add_run(tx, run)
    return wakeups.by_id(tx, row.user_id, row.id) or row


def hand_back(tx: Tx, row: Wakeup, until: datetime) -> None:
    """Let a row wait until it is looked at again."""
    wakeups.change(tx, row, status="pending", due_at=to_text(until), meant_at=row.meant_at, **FREE)
