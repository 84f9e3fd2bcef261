"""Killed anywhere, a held call tells the truth: not called, or called and read back, or called and nobody can tell; never twice."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from domains_calls.ground import ME
from steadyhand.gate.machine import State
from steadyhand.gate.recovery import recover

pytestmark = pytest.mark.crash

TRUTH = {
    "gate.before_decision": (State.SEALED, []),
    "gate.approved": (State.VERIFIED, ["post ann"]),
    "gate.before_intent": (State.VERIFIED, ["post ann"]),
    "gate.intent": (State.FAILED, []),
    "gate.before_effect": (State.FAILED, []),
    "gate.step_begun": (State.UNKNOWN, []),
    "gate.in_effect": (State.UNKNOWN, ["post ann"]),
    "gate.step_ended": (State.VERIFIED, ["post ann"]),
    "gate.after_effect": (State.VERIFIED, ["post ann"]),
    "gate.receipt": (State.VERIFIED, ["post ann"]),
    "gate.read_back": (State.VERIFIED, ["post ann"]),
    "gate.verified": (State.VERIFIED, ["post ann"]),
}


def approve_and_die(desk, number: int, fault: str) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("STEADYHAND_")}
    url = desk.store.url.render_as_string(hide_password=False)
    child = subprocess.run(
        [sys.executable, "-m", "domains_calls.ground", url, str(desk.folder), str(number)],
        env={**kept, "PYTHONPATH": str(Path(__file__).parent.parent), "STEADYHAND_FAULT": fault},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert child.returncode == -signal.SIGKILL, child.stderr


@pytest.mark.parametrize("fault", TRUTH)
def test_after_a_kill_the_record_says_what_is_true_and_nothing_is_called_again(desk_anywhere, fault):
    desk = desk_anywhere
    row = asyncio.run(desk.held())
    approve_and_die(desk, row.number, fault)
    asyncio.run(recover(desk.controller))
    asyncio.run(recover(desk.controller))
    state, effects = TRUTH[fault]
    assert (desk.row(row.number).state, desk.effects()) == (state, effects)
    if state == State.UNKNOWN:
        assert asyncio.run(desk.controller.recheck(ME, row.number)).state == State.UNKNOWN
        assert desk.effects() == effects
