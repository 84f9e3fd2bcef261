"""Decides whether a change has waited past its time; it must not end it."""

from datetime import datetime, timedelta

from steadyhand.core.clock import from_text
from steadyhand.gate.contract import Refusal
from steadyhand.gate.machine import BEFORE_SUBMISSION, State
from steadyhand.store.changes.changes import ChangeRow

APPROVED_FOR = timedelta(minutes=5)
"""How long an approval may wait for its submission; older, it has expired."""


def overdue(row: ChangeRow, now: datetime) -> Refusal | None:
    """Say why *row* may wait no longer; None while it may, and from its submission on."""
    if row.state not in BEFORE_SUBMISSION:
        return None
    if from_text(row.expires_at) <= now:
        return Refusal("expired")
    if row.state == State.APPROVED and (row.approved_at is None or now - from_text(row.approved_at) > APPROVED_FOR):
        return Refusal("approval_expired")
    return None
