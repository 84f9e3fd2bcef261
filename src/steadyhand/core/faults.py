"""Decides where a process may be killed on purpose, so that crash tests name real places. It must do nothing unless asked by name.

Every place calls ``reach(NAME)``. With ``STEADYHAND_FAULT=NAME`` in the environment the process ends there as by ``kill -9``:
no handler, no flush, no clean-up.  ``STEADYHAND_FAULT=NAME:2`` ends it at the second visit.
"""

import os
import signal
from collections import Counter

POINTS: tuple[str, ...] = (
    "gate.opened",
    "gate.observed",
    "gate.spec_stored",
    "gate.confirmed",
    "gate.call_stored",
    "gate.compiled",
    "gate.rehearsed",
    "gate.sealed",
    "gate.before_decision",
    "gate.approved",
    "gate.before_intent",
    "gate.intent",
    "gate.before_effect",
    "gate.in_effect",
    "gate.after_effect",
    "gate.receipt",
    "gate.read_back",
    "gate.verified",
    "gate.step_begun",
    "gate.step_ended",
    "cae.ran",
    "cae.staged",
    "cae.before_switch",
    "cae.after_switch",
    "turn.begun",
    "turn.calls_begun",
    "turn.before_settle",
    "outbox.sending",
    "wakeup.claimed",
    "wakeup.accepted",
    "wakeup.started",
    "wakeup.before_settled",
    "job.claimed",
    "job.started",
    "job.ended",
    "job.before_told",
    "draft.before_step",
    "draft.after_step",
    "restore.copied",
    "restore.ready",
    "restoring.noted",
    "restoring.moved",
    "restore.alone",
    "restore.kept",
    "restore.cleared",
    "restore.switched",
    "restore.done",
)

_wanted, _, _count = os.environ.get("STEADYHAND_FAULT", "").partition(":")
_visits: Counter[str] = Counter()


def reach(point: str) -> None:
    """Mark that the program passes *point*; end the process here when this visit was asked for."""
    if _wanted != point:
        return
    _visits[point] += 1
    if _visits[point] >= int(_count or "1"):
        os.kill(os.getpid(), signal.SIGKILL)
