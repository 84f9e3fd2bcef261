"""Decides when a person may be spoken to unasked: by the quiet hours, the pause between two messages, the most of a day. It must not speak.

The same holds for every message that nobody timed, whichever way it comes: reminders, timed tasks, the heartbeat.
"""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import cast

from steadyhand.core.clock import from_text, to_text
from steadyhand.core.ids import SessionId, UserId
from steadyhand.store import Tx
from steadyhand.store.later import wakeups
from steadyhand.store.later.wakeups import Wakeup
from steadyhand.store.people import people
from steadyhand.wakeups.judging import Rules, Verdict, judge

LOOK_BACK = timedelta(days=2)


def verdict(tx: Tx, row: Wakeup, session: SessionId | None, rules: Rules) -> Verdict:
    """Say what becomes of a row that is due, by what its session has been told unasked."""
    spoken = [] if row.exact else _spoken(tx, row.user_id, cast("SessionId", session))
    zone = people.require_user(tx, row.user_id).zone
    return judge(row, from_text(row.meant_at), tx.clock.now(), rules, zone, spoken)


def _spoken(tx: Tx, user: UserId, session: SessionId) -> list[datetime]:
    since = to_text(tx.clock.now() - LOOK_BACK)
    return [from_text(one) for one in wakeups.proactive_since(tx, user, session, since)]


def in_a_turn(tx: Tx, row: Wakeup, session: SessionId, rules: Rules) -> Verdict:
    """Say whether a turn that runs may say one thing more: between its own messages there is no pause."""
    return verdict(tx, replace(row, missed_rule="run"), session, replace(rules, apart=timedelta(0)))
